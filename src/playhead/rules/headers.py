"""Rules on the headers of a request: the key, the API version, the beta features asked for.

Law: pure checks, silent where the headers are unknown. Any key that is not empty is a valid key. Recordings are often
stripped of their headers, so the lack of one counts only where there is no answer yet; and clouds that name version and
betas in the body have rules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

from playhead.rules.order import BETAS, CREDENTIALS, VERSION
from playhead.rules.rule import Finding, Level, RequestView, Rule

KEY_HEADERS = ("x-api-key", "authorization", "api-key")
"""Where a key may stand: SDKs before 2.0, SDKs since, and Microsoft's cloud."""

_EMPTY_SCHEME = re.compile(r"\s*(?:bearer\s*)?\Z", re.IGNORECASE)
_CLOUD_VERSION = re.compile(r"(?:bedrock|vertex)-")
_MASKED = re.compile(r"\W*redacted\W*|[*x<>\[\]]+", re.IGNORECASE)


def on_cloud(view: RequestView) -> bool:
    """Whether the request has the form of Bedrock or Vertex, where version and betas are part of the body."""
    return "anthropic_version" in view.body or _CLOUD_VERSION.match(view.version or "") is not None


def asked_betas(view: RequestView) -> frozenset[str] | None:
    """The betas asked for; None where they are not surely known: no headers, stripped or masked ones, a cloud."""
    betas = view.betas
    if betas is None or taken(view) or on_cloud(view) or "anthropic_beta" in view.body:
        return None
    version = view.version or ""
    # a recording without its version has lost its headers
    return None if not version or any(map(_MASKED.fullmatch, (version, *betas))) else betas


def taken(view: RequestView) -> bool:
    """Whether the API is known to have taken this request."""
    return view.status is not None and view.status < 400


def holds_no_key(value: str) -> bool:
    """Whether the value of such a header is empty, or a scheme with nothing behind it."""
    return _EMPTY_SCHEME.match(value) is not None


def _no_key(view: RequestView) -> Iterator[Finding]:
    headers = view.headers
    if headers is None or view.status not in (None, 401) or on_cloud(view):
        return
    if all(holds_no_key(headers.get(name, "")) for name in KEY_HEADERS):
        yield Finding(path="$headers", what="neither `x-api-key` nor `authorization` holds a key")


def _no_version(view: RequestView) -> Iterator[Finding]:
    if view.version is None or view.status is not None or on_cloud(view):
        return
    if not view.version.strip():
        yield Finding(path="$headers", what="the header `anthropic-version` is missing")


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


KNOWN_BETAS = _names(
    """
    admin-user-sign-out-2026-10-08 advisor-tool-2026-03-01 agent-memory-2026-07-22 analytics-usage-cost-2026-08-24
    cache-diagnosis-2026-04-07 ce-claude-code-managed-settings-2026-10-06 ce-plugins-2026-09-01
    ce-user-management-2026-07-13 code-execution-2025-05-22 compact-2026-01-12 compact-2026-09-04
    computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07
    context-management-2025-06-27 dev-full-thinking-2025-05-14 dreaming-2026-04-21 efs-2026-10-01
    experimental-claude-tag-2026-10-21 extended-cache-ttl-2025-04-11 fallback-credit-2026-06-01
    fallback-credit-2026-07-01 fast-mode-2026-02-01 files-api-2025-04-14 google-managed-data-controls-2026-09-01
    inline-tools-2026-09-15 interleaved-thinking-2025-05-14 managed-agents-2026-04-01 mcp-client-2025-04-04
    mcp-client-2025-11-20 mcp-client-2026-09-15 mcp-tunnels-2026-06-22 message-batches-2024-09-24
    message-threads-2026-08-12 mid-conversation-output-config-2026-07-01 mid-conversation-system-clear-at-2026-08-21
    mid-conversation-tool-changes-2026-07-01 model-context-window-exceeded-2025-08-26 output-128k-2025-02-19
    output-300k-2026-03-24 pdfs-2024-09-25 prompt-caching-2024-07-31 server-side-fallback-2026-06-01
    server-side-fallback-2026-07-01 skills-2025-10-02 spend-limit-reads-2026-09-26 structured-outputs-2025-09-17
    structured-outputs-2025-11-13 task-budgets-2026-03-13 telemetry-destinations-2026-08-11
    thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18 thinking-token-count-2026-05-13
    token-counting-2024-11-01 token-efficient-tools-2025-02-19 user-profiles-2026-03-24 user-profiles-2026-08-18
    user-profiles-2026-09-04 user-profiles-billing-2026-10-01 webhooks-2026-10-07

    advanced-tool-use-2025-11-20 claude-code-20250219 effort-2025-11-24 prompt-caching-scope-2026-01-05
    structured-outputs-2025-12-15 tools-2024-05-16 web-fetch-2025-09-10

    adaptive-thinking-2026-01-28 afk-mode-2026-01-31 ccr-byoc-2025-07-29 code-execution-2025-08-25
    environments-2025-11-01 fine-grained-tool-streaming-2025-05-14 max-tokens-3-5-sonnet-2024-07-15
    mcp-servers-2025-12-04 messages-2023-12-15 mid-conversation-system-2026-04-07 oauth-2025-04-20
    redact-thinking-2026-02-12 search-results-2025-06-09
    tool-examples-2025-10-29 tool-search-tool-2025-10-19 tools-2024-04-04 web-search-2025-03-05
    """
)
"""The values that are known: those of the Python SDK 2.14.0 (`types/anthropic_beta_param.py`), those that public
recordings show accepted, and those that documentation and public clients have named over the years."""

KNOWN_UNTIL = date(2026, 10, 21)
"""The day of the newest value in the list. What is dated later may well exist."""

_TOO_LATE = date(2030, 1, 1)
_DATED = re.compile(r"(?P<feature>[a-z0-9]+(?:-[a-z0-9]+)*?)-(?P<y>\d{4})-?(?P<m>\d{2})-?(?P<d>\d{2})\Z")


def _feature_and_day(value: str) -> tuple[str, date] | None:
    """A beta's feature and day; None where the value is not built like one."""
    match = _DATED.match(value)
    if match is None:
        return None
    try:
        return match["feature"], date(int(match["y"]), int(match["m"]), int(match["d"]))
    except ValueError:
        return None


def _newest() -> Mapping[str, date]:
    days: dict[str, date] = {}
    for value in KNOWN_BETAS:
        known = _feature_and_day(value)
        if known is not None:
            feature, day = known
            days[feature] = max(day, days.get(feature, day))
    return MappingProxyType(days)


_NEWEST = _newest()


def may_exist(value: str) -> bool:
    """Whether a beta is known, or newer than what is known: of a later day than the list, or than its own feature."""
    if value in KNOWN_BETAS:
        return True
    built = _feature_and_day(value)
    if built is None:
        return False
    feature, day = built
    return min(KNOWN_UNTIL, _NEWEST.get(feature, KNOWN_UNTIL)) < day < _TOO_LATE


def _never_was(value: str) -> bool:
    """Whether an unknown beta surely does not exist: not built like one, or of a far day.

    Another day of a known feature is no proof: SDKs have sent days that no list of betas names.
    """
    built = _feature_and_day(value)
    return built is None or built[1] >= _TOO_LATE


def _unknown_betas(view: RequestView) -> Iterator[Finding]:
    if view.betas is None or taken(view) or on_cloud(view):
        return
    unknown = sorted(value for value in view.betas if not may_exist(value) and not _MASKED.fullmatch(value))
    surely = [value for value in unknown if _never_was(value)]
    # the rest may never have been listed in public: nor are seven of those that recordings show accepted
    perhaps = [value for value in unknown if value not in surely]
    strengths: tuple[tuple[list[str], Level | None], ...] = ((surely, None), (perhaps, "warn"))
    for values, level in strengths:
        if values:
            yield Finding(
                path="$headers",
                what=f"`anthropic-beta` asks for {', '.join(values)}, which is no known beta",
                values={"value": "`, `".join(values)},
                level=level,
            )


RULES = (
    Rule(
        id="auth-401",
        level="reject",
        wording=("API key is invalid.", "invalid x-api-key"),
        fix="give the client an API key; any that is not empty will do here",
        rank=CREDENTIALS,
        status=401,
        error_type="authentication_error",
        envelope=_no_key,
    ),
    Rule(
        id="anthropic-version-required",
        level="reject",
        wording=("anthropic-version: header is required",),
        fix="send `anthropic-version: 2023-06-01`, or a newer version",
        rank=VERSION,
        envelope=_no_version,
    ),
    Rule(
        id="beta-header-unknown",
        level="reject",
        wording=(
            "Unexpected value(s) `{value}` for the `anthropic-beta` header. Please consult our documentation at "
            "platform.claude.com/docs or try again without the header.",
        ),
        fix="correct the value, or leave it out if the feature needs no beta any more",
        rank=BETAS,
        envelope=_unknown_betas,
    ),
)
