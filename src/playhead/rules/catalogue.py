"""The catalogue: what each rule says in words, why, on what evidence, and an example of either kind.

Law: reads the packaged `catalogue.jsonl` and `undecided.jsonl`, judges nothing. Its ids and levels are those of the
registry, one to one, which a test holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from playhead.files import read_packaged
from playhead.rules.rule import Level
from playhead.wire.codec import JsonObject, decode_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is known of a rule.

    `why` says why the API or the model minds, and what happens. `sources` are public: pages, issues, SDK files.
    `confidence` is `verbatim` where the API's own words or code are known, `documented` where a page says it. `fail`
    breaks the rule and `ok` breaks none: each a `{"body": ...}`, or a `{"session": [...], "end": ...}` in the shapes
    of `Session.from_exchanges`.
    """

    id: str
    level: Level
    statement: str
    why: str
    sources: tuple[str, ...]
    scope: str
    confidence: str
    fail: JsonObject
    ok: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A rule of the API that nobody can judge offline, and the reason."""

    id: str
    reason: str
    sources: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def load_undecided() -> tuple[Undecided, ...]:
    """What cannot be decided offline, in the order of the file."""
    lines = [decode_object(line) for line in read_packaged("rules", "undecided.jsonl").splitlines()]
    return tuple(Undecided(**{**line, "sources": tuple(line.get("sources", ()))}) for line in lines)


@lru_cache(maxsize=1)
def load_catalogue() -> Mapping[str, Entry]:
    """Every entry by the id of its rule, in the order of the file."""
    entries = [_entry(decode_object(line)) for line in read_packaged("rules", "catalogue.jsonl").splitlines()]
    return MappingProxyType({entry.id: entry for entry in entries})


def _entry(line: JsonObject) -> Entry:
    return Entry(**{**line, "sources": tuple(line["sources"])})
