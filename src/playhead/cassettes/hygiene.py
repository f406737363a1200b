"""What is wrong with a cassette as a file that people keep: not what it says, but whether it should still be there.

Law: pure; a file's bytes and what was read of them to findings. Ages are told in days by who knows the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from playhead.cassettes.parsing import Cassette
from playhead.cassettes.writing import FORMAT, VERSION
from playhead.rules.models import short_name

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "it cannot be read",
        "unfinished": "its recording was cut short",
        "stale": "an old format, a model that is retired, or older than --max-age",
        "secret": "it holds something key-shaped",
        "oversize": "it is larger than --max-size",
    }
)
"""What is looked for."""

MAX_SIZE = 1_000_000
"""The usual limit of a cassette's size in bytes: a session of some 300 turns with tool results of 2 KB."""

RETIRED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("claude-1", "claude-1.0", "claude-1.1", "claude-1.2", "claude-1.3"), "2024-11-06"),
        **dict.fromkeys(("claude-instant-1", "claude-instant-1.1", "claude-instant-1.2"), "2024-11-06"),
        **dict.fromkeys(("claude-2", "claude-2.0", "claude-2.1", "claude-3-sonnet"), "2025-07-21"),
        "claude-3-5-sonnet": "2025-10-28",
        "claude-3-opus": "2026-01-05",
        **dict.fromkeys(("claude-3-7-sonnet", "claude-3-5-haiku"), "2026-02-19"),
        "claude-3-haiku": "2026-04-20",
        **dict.fromkeys(("claude-sonnet-4", "claude-opus-4"), "2026-06-15"),
        "claude-mythos-preview": "2026-06-30",
        "claude-opus-4-1": "2026-08-05",
        "claude-sonnet-4-5": "2026-11-30",
        "claude-opus-4-5": "2027-01-22",
    }
)
"""The day on which the API stops to answer for a model (platform.claude.com/docs/en/about-claude/model-deprecations,
and `anthropic._data.deprecated_models` of anthropic 2.14.0)."""

_HEAD = re.compile(rb"^format:\s*[\"']?" + FORMAT.encode() + rb"\b", re.MULTILINE)
_VERSION = re.compile(rb"^version:\s*(\S+)", re.MULTILINE)
_LOOKED_AT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Untidy:
    """One finding: its kind, of `KINDS`, and a sentence of what was found."""

    kind: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large and how old (in days, None for any age) a cassette may be, and which day it is, as `2026-11-30`."""

    today: str
    size: int = MAX_SIZE
    age: int | None = None


def is_ours(head: bytes) -> bool:
    """Whether a file that begins so is a cassette of ours, of any version, damaged or not."""
    return _HEAD.search(head[:_LOOKED_AT]) is not None


def old_version(head: bytes) -> str | None:
    """The version of the format that a cassette says it has, where that is an old one."""
    match = _VERSION.search(head[:_LOOKED_AT])
    told = match[1].decode("utf-8", "replace") if match else ""
    return told if told.isdigit() and int(told) < VERSION else None


def untidy(cassette: Cassette, size: int, age: int | None, secrets: Iterable[str], limits: Limits) -> Iterator[Untidy]:
    """What is wrong with a cassette of so many bytes, recorded so many days ago; `secrets` say what it leaks."""
    if not cassette.finished:
        count = len(cassette.interactions)
        yield Untidy(kind="unfinished", what=f"cut short after {count} exchange{'' if count == 1 else 's'}")
    for model in dict.fromkeys(_models(cassette)):
        day = RETIRED.get(short_name(model))
        if day is not None and day <= limits.today:
            yield Untidy(kind="stale", what=f"the API retired {model} on {day}")
    if age is not None and limits.age is not None and age > limits.age:
        yield Untidy(kind="stale", what=f"recorded {age} days ago, more than {limits.age}")
    for secret in secrets:
        yield Untidy(kind="secret", what=secret)
    if size > limits.size:
        yield Untidy(kind="oversize", what=f"{size:,} bytes, more than {limits.size:,}")


def _models(cassette: Cassette) -> Iterator[str]:
    last: object = None
    for interaction in cassette.interactions:
        envelope = interaction.body.envelope
        if envelope is last:
            continue
        last = envelope
        kept = envelope.get("model")
        if kept is not None and isinstance(kept.value, str):
            yield kept.value
