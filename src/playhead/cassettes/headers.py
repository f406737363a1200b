"""Which headers go into a file: allow-lists, and what becomes of credentials.

Law: pure tables and functions. A header that is not listed does not pass, whatever its name. Kept is what a rule judges
(version, betas, whether there was a key), what a replay needs (content type, retries, rate limits) and what tells a
reader who asked (the SDK's name and version, its helpers, the attempt). Hosts, machines, accounts, traces, cookies
and credentials are none of these. Of a credential only this is kept, that there was one: `x-api-key: redacted`.

`request-id` is kept: the SDK shows it as `_request_id`, support asks for it, and it gives access to nothing.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from playhead.cassettes.scanning import Scanner
from playhead.rules.headers import KEY_HEADERS, holds_no_key

REDACTED = "redacted"
"""What stands for a value that may not be told. Rules take it as a value that was there and is unknown."""

_MEDIA = r"[\w.+*/;:=, -]{1,200}"
_WORDS = r"[\w.,:;/ +-]{1,200}"

REQUEST_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "accept": _MEDIA,
        "anthropic-beta": r"[\w.,; -]{0,2000}",
        "anthropic-version": r"[\w.-]{0,40}",
        "content-type": _MEDIA,
        "user-agent": r"[\w.+/ -]{1,100}",
        "x-stainless-helper": _WORDS,
        "x-stainless-helper-method": _WORDS,
        "x-stainless-retry-count": r"\d{1,4}",
        "x-stainless-stream-helper": _WORDS,
    }
)
"""The request headers that are kept, each with the form that its value must have."""

RESPONSE_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-type": _MEDIA,
        "request-id": r"[\w-]{1,80}",
        "retry-after": r"[\w,:. -]{1,40}",
        "retry-after-ms": r"[\d.]{1,20}",
        "x-amzn-errortype": r"\w{1,80}",
        "x-should-retry": r"\w{1,10}",
    }
)
"""The response headers that are kept, each with the form that its value must have; rate limits besides."""

_RATE_LIMITS = "anthropic-ratelimit-"
_RATE_LIMIT = r"[\w.:+-]{0,60}"

_CLIENT = re.compile(r"(?:[A-Za-z]*Anthropic[A-Za-z]*/[A-Za-z]+ |claude-cli/)v?\d[\w.+-]*")
"""`Anthropic/Python 2.14.0`, `AsyncAnthropicBedrock/Python 1.2.0`, `Anthropic/JS 0.71.2`, `claude-cli/2.1.197`."""


def kept_request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The request headers that go into a file, names in lower case.

    A key is told as `redacted` under the header it came in, and as what there was where that holds no key.
    """
    kept: dict[str, str] = {}
    for name, value in _lowered(headers):
        if name in KEY_HEADERS:
            kept[name] = value.strip() if holds_no_key(value) else REDACTED
        elif name == "user-agent":
            client = _CLIENT.match(value)
            if client is not None:
                kept[name] = client[0]
        elif name in REQUEST_HEADERS:
            kept[name] = _told(value, REQUEST_HEADERS[name])
    return kept


def kept_response_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that go into a file, names in lower case."""
    kept: dict[str, str] = {}
    for name, value in _lowered(headers):
        if name.startswith(_RATE_LIMITS):
            kept[name] = _told(value, _RATE_LIMIT)
        elif name == "x-amzn-errortype":
            # an address within Amazon follows the type
            kept[name] = _told(value.partition(":")[0], RESPONSE_HEADERS[name])
        elif name in RESPONSE_HEADERS:
            kept[name] = _told(value, RESPONSE_HEADERS[name])
    return kept


def _lowered(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((name.lower(), value) for name, value in headers.items())


def _told(value: str, form: str) -> str:
    """The value, or that there was one: where it has another form than it should, or holds a secret all the same."""
    if re.fullmatch(form, value) is None:
        return REDACTED
    scanner = Scanner.of().narrowed((value,))
    return value if scanner is None or not scanner.spans(value) else REDACTED


class Credential(NamedTuple):
    """A secret that headers brought, and the name that its placeholder bears."""

    secret: str
    name: str


_IDS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic-organization-id": "organization-id",
        "openai-organization": "organization-id",
        "anthropic-workspace-id": "workspace-id",
    }
)
_TELLS_SECRET = re.compile(r"key|token|secret|auth|credential|password")
_SCHEME = re.compile(r"(?:bearer|basic|token|api-?key|negotiate|digest)\s+", re.IGNORECASE)
_NO_SECRET = re.compile(r".{0,7}|[A-Za-z]{0,15}|\W*redacted\W*|<.*>|\[.*\]|[*xX]*", re.IGNORECASE | re.DOTALL)


def credentials(headers: Mapping[str, str]) -> Iterator[Credential]:
    """The secrets in the headers of a request or an answer, so that they are found in bodies as well.

    Keys, tokens, and the ids of organisation and workspace. A word such as `test` or `dummy` is no secret, and would be
    found everywhere; cookies and signatures are of no use to anybody in a body, and new every time.
    """
    for name, value in _lowered(headers):
        if name in _IDS:
            found = [Credential(value, _IDS[name])]
        elif name not in REQUEST_HEADERS and not name.startswith(_RATE_LIMITS) and _TELLS_SECRET.search(name):
            found = [*_keys(value.strip())]
        else:
            continue
        yield from (one for one in found if not _NO_SECRET.fullmatch(one.secret))


def _keys(value: str) -> Iterator[Credential]:
    scheme = _SCHEME.match(value)
    key = value[scheme.end() :] if scheme else value
    if not key.startswith("AWS4-"):
        yield Credential(key, "key")
    if scheme and scheme[0].lower().startswith("basic"):
        with suppress(ValueError):
            yield Credential(base64.b64decode(key, validate=True).decode().partition(":")[2], "password")
