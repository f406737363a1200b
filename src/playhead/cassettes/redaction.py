"""The redaction: what was said with every secret replaced, the same secret by the same placeholder.

Law: pure over values, save that a redactor remembers the secrets it met, to name each always alike. Use one for a
session, from one thread at a time. What holds no secret comes back as the very same object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, quote_plus

from playhead.cassettes.deltas import Gathered, gather, put_back
from playhead.cassettes.findings import Found, find_secrets, require_clean
from playhead.cassettes.headers import credentials, kept_request_headers, kept_response_headers
from playhead.cassettes.pieces import Edit, Part, applied, difference, json_strings, whole
from playhead.cassettes.places import Node, is_sealed, places_of, rename
from playhead.cassettes.plausible import any_text
from playhead.cassettes.scanning import PLACEHOLDER, Known, Scanner, Span, identity, searched, searched_members
from playhead.cassettes.scrubbers import Scrubber, scrubbing
from playhead.cassettes.secrets import PATTERNS, URL_PARAMETERS, Pattern
from playhead.errors import SetupError
from playhead.wire.codec import JsonError, decode, encode, kind

Value = TypeVar("Value")

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*")
_SHORTEST_KNOWN = 4


class _Reading(NamedTuple):
    """A text to be redacted: its pieces, and how the strings in it are found."""

    pieces: Sequence[str]
    parts: Callable[[str], Iterable[Part]]


class Redactor:
    """Replaces secrets: `REDACTED-anthropic-key-1`, by kind and in order of first appearance.

    `scrubbers` change every string first: functions `str -> str`, or dicts from literals to what stands for them.
    `patterns` are the forms of secrets that are looked for; add your own to `PATTERNS`. `known` are secrets of no known
    form, which are found wherever they stand, also as JSON and URLs write them. Raises `SetupError` for a scrubber, a
    pattern or a secret that cannot be used.

    To compare a request with a recorded one, redact it first: in the same order the same secrets get the same names,
    and placeholders that it echoes keep theirs.
    """

    def __init__(
        self,
        scrubbers: Scrubber | Iterable[Scrubber] = (),
        patterns: Sequence[Pattern] = PATTERNS,
        known: Iterable[str] = (),
    ) -> None:
        self._scrub = scrubbing(scrubbers)
        if patterns is not PATTERNS:
            _check(patterns)
        self._known: dict[str, Known] = {}
        self._given: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._scanner = Scanner.of(patterns, self._known)
        if isinstance(known, str):
            raise SetupError("known secrets are a list of strings; this is one string: put it in brackets")
        for secret in known:
            if not isinstance(secret, str):
                raise SetupError(f"a known secret is a string, not {kind(secret)}")
            if len(secret) < _SHORTEST_KNOWN:
                raise SetupError(
                    f"a known secret of {len(secret)} characters would be found in ordinary words; give one of at "
                    f"least {_SHORTEST_KNOWN}, or a scrubber"
                )
            self.know(secret)

    def know(self, secret: str, name: str = "known-secret") -> None:
        """From now on this is a secret, wherever it stands. Where a pattern has a name for it, it bears that one."""
        if secret in self._known:
            return  # every request brings the client's key
        spans = self._scanner.spans(secret)
        named = spans[0].name if len(spans) == 1 and spans[0][:2] == (0, len(secret)) else name
        for form in _forms(secret):
            self._known.setdefault(form, Known(named, secret))

    @property
    def forms(self) -> tuple[str, ...]:
        """Every way of writing the secrets that are known by heart, in the order in which they were told."""
        return tuple(self._known)

    def note_taken(self, text: str) -> None:
        """Takes in the placeholders in a text: their numbers are not given again."""
        for taken in PLACEHOLDER.finditer(text):
            name, _, number = taken[0].removeprefix("REDACTED-").rpartition("-")
            self._numbers[name] = max(self._numbers.get(name, 0), int(number))

    def known_in(self, text: str) -> str | None:
        """The name of a secret known by heart that stands in this text, however it is written; None for none."""
        return next((known.name for form, known in self._known.items() if form in text), None)

    def request_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What is kept of a request's headers; its credentials are secrets from now on."""
        return self._kept(headers, kept_request_headers)

    def response_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What is kept of an answer's headers; cookies and ids of the organisation are secrets from now on."""
        return self._kept(headers, kept_response_headers)

    def _kept(self, headers: Mapping[str, str], kept: Callable[[Mapping[str, str]], dict[str, str]]) -> dict[str, str]:
        for credential in credentials(headers):
            self.know(credential.secret, credential.name)
        return {name: self.redact_text(value) for name, value in kept(headers).items()}

    def redact_text(self, text: str) -> str:
        """A text without its secrets."""
        return self._text(text, None, self._narrowed((text,)))

    def redact_value(self, value: Value) -> Value:
        """A JSON value without secrets, in keys as well; sealed members (signatures, base64) are left as they are."""
        return self._value(value, self._narrowed(searched(value)))

    def redact_json(self, text: str) -> str:
        """A JSON text without secrets in its strings; all else, blanks and escapes too, is left as it is.

        Says the same as `redact_value` says of the value. The text may end anywhere.
        """
        scanner = self._narrowed(_searched(json_strings(text)))
        if scanner is None and self._scrub is None:
            return text
        return self._rewritten(_Reading([text], json_strings), scanner)[0]

    def redact_url(self, url: str) -> str:
        """A URL, or a path with its query, without secrets. Of a parameter that is named like one all is replaced."""
        text = self.redact_text(url)
        hits = [match for match in _PARAMETER.finditer(text) if not PLACEHOLDER.search(match["value"])]
        edits = [
            Edit(*match.span("value"), self._placeholder(Span(*match.span("value"), "url-parameter", match["value"])))
            for match in hits
            if any_text(match["value"])
        ]
        return applied([text], edits)[0]

    def redact_events(self, events: Sequence[Any]) -> list[Any]:
        """The events of one stream, each its data, without secrets, also where these are split over several events.

        A secret's placeholder comes in the first event that brought a part of it, and the other parts are cut out. So
        what the events add up to is what `redact_value` makes of what they added up to before. Events without a
        part of a secret are the very same objects.
        """
        gathered, rests = gather(events)
        scanner = self._narrowed(_texts_of_stream(gathered, rests))
        if scanner is None and self._scrub is None:
            return [*events]
        # in the order of the stream, so that the numbers are in order of appearance
        begun: dict[int, list[Gathered]] = {}
        for text in gathered:
            begun.setdefault(text.begins, []).append(text)
        changed: list[object] = []
        texts: list[tuple[Gathered, Sequence[str]]] = []
        for position, rest in enumerate(rests):
            changed.append(rest if rest is None else self._value(rest, scanner))
            for text in begun.get(position, ()):
                texts.append((text, self._gathered(text, scanner)))
        return put_back(events, rests, changed, texts)

    def redact_stream(self, data: Sequence[bytes]) -> list[bytes]:
        """`redact_events` of the data of each event as bytes; data that is no JSON is redacted as text."""
        read = [_decoded(one) for one in data]
        redacted = self.redact_events([value for value, _ in read])
        return [
            old if new is value else written(new)
            for old, (value, written), new in zip(data, read, redacted, strict=True)
        ]

    def _gathered(self, text: Gathered, scanner: Scanner | None) -> Sequence[str]:
        if is_sealed(text.member, "".join(text.pieces)):
            return text.pieces
        return self._rewritten(_Reading(text.pieces, json_strings if text.is_json else whole), scanner)

    def _narrowed(self, texts: Iterable[str]) -> Scanner | None:
        joined = "\0".join(texts)
        if "REDACTED-" in joined:
            # what a replay echoes was numbered when it was recorded
            self.note_taken(joined)
        return self._scanner.narrowed((joined,))

    def _text(self, text: str, key: str | None, scanner: Scanner | None) -> str:
        if scanner is None and self._scrub is None:
            return text
        return self._rewritten(_Reading([text], lambda said: (Part(said, key),)), scanner)[0]

    def _rewritten(self, reading: _Reading, scanner: Scanner | None) -> Sequence[str]:
        """The pieces with all strings scrubbed, then searched until nothing more is found."""
        pieces = reading.pieces
        if self._scrub is not None:
            edits = [edit for part in reading.parts("".join(pieces)) for edit in _scrubbed(part, self._scrub)]
            if edits:
                pieces = applied(pieces, edits)
                scanner = self._narrowed(_searched(reading.parts("".join(pieces))))
        while scanner is not None:
            text = "".join(pieces)
            edits = [
                part.edit(Edit(span.start, span.end, self._placeholder(span)))
                for part in reading.parts(text)
                for span in scanner.spans(part.text, part.key)
            ]
            if not edits:
                break
            pieces = applied(pieces, edits)
            # what stands next to a placeholder may be a secret only now
            scanner = self._narrowed(_searched(reading.parts("".join(pieces))))
        return pieces

    def _value(self, value: Value, scanner: Scanner | None) -> Value:
        if scanner is None and self._scrub is None:
            return value
        top = Node([value], None, 0)
        renames: dict[Node, dict[str, str]] = {}
        for place in places_of(top):
            text = self._text(place.text, place.key, scanner)
            if text == place.text:
                continue
            if not place.is_key:
                place.node.put(place.step, text)
            else:
                renames.setdefault(place.node, {})[place.text] = text
        for node in sorted(renames, key=lambda node: node.depth, reverse=True):
            rename(node, renames[node])
        return value if top.copy is None else top.copy[0]  # type: ignore[return-value, index]

    def find(self, value: object, path: str = "$") -> list[Found]:
        """The secrets in a text or a JSON value, those known by heart too; nothing is replaced."""
        return find_secrets(value, path, self._scanner)

    def require_clean(self, value: object, file: str, path: str = "$") -> None:
        """Raises `SecretFound` where a secret is left in what is about to be written to this file."""
        require_clean(value, file, path, self._scanner)

    def _placeholder(self, span: Span) -> str:
        its = identity(span.secret)
        if its not in self._given:
            number = self._numbers[span.name] = self._numbers.get(span.name, 0) + 1
            self._given[its] = f"REDACTED-{span.name}-{number}"
        return self._given[its]


_PARAMETER = re.compile(rf"[?&](?i:{URL_PARAMETERS})=(?P<value>[^&#\s]+)")


def _check(patterns: Sequence[Pattern]) -> None:
    for pattern in patterns:
        if not isinstance(pattern, Pattern):
            raise SetupError(f"patterns are a list of Pattern(name=..., regex=...), and one of them is {kind(pattern)}")
        if not _NAME.fullmatch(pattern.name):
            raise SetupError(
                f"a pattern's name is lower-case words joined by hyphens, such as 'acme-token', not {pattern.name!r}"
            )
        for regex in (pattern.regex, pattern.near):
            try:
                re.compile(regex)
            except re.error as error:
                raise SetupError(f"the pattern {pattern.name} is no regular expression: {error}") from None


def _forms(secret: str) -> Iterator[str]:
    """The secret as JSON writes it, and JSON within JSON, and as URLs do; what `unescaped` undoes is not among them."""
    yield secret
    for ascii_only in (False, True):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    with suppress(UnicodeEncodeError):
        for once in (quote(secret, safe=""), quote_plus(secret)):
            yield once
            yield quote(once)


def _searched(parts: Iterable[Part]) -> Iterator[str]:
    return searched_members((part.key, part.text) for part in parts)


def _texts_of_stream(gathered: Sequence[Gathered], rests: Sequence[object]) -> Iterator[str]:
    for text in gathered:
        said = "".join(text.pieces)
        if text.is_json:
            yield from _searched(json_strings(said))
        else:
            yield said
    yield from searched([rest for rest in rests if rest is not None])


def _scrubbed(part: Part, scrub: Callable[[str], str]) -> Iterator[Edit]:
    edit = difference(part.text, scrub(part.text))
    if edit is not None:
        yield part.edit(edit)


def _decoded(data: bytes) -> tuple[object, Callable[[Any], bytes]]:
    """The value of an event's data, and how it is written again."""
    try:
        return decode(data), encode
    except JsonError:
        return data.decode("utf-8", "surrogateescape"), lambda text: str(text).encode("utf-8", "surrogateescape")
