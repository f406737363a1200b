"""Searches texts for secrets, and is quick where there are none.

Law: pure. It knows how patterns are searched, not what they mean, and nothing of JSON or of messages.

Nearly all texts hold no secret, so the question "which patterns match anywhere in these?" is answered for many texts at
once: by searching for a few words in them, and in their long runs of letters and digits, which are a small part of
prose; then by matching the patterns that are left. Only where one matches are the texts searched one by one.

A secret may be written with escapes: `%2F`, `\\u0026`, `\\/`. Where a text has such escapes it is searched twice, as it
stands and with these undone, whichever way they are nested.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from playhead.cassettes.places import members_of, texts_of
from playhead.cassettes.secrets import PATTERNS, Pattern

PLACEHOLDER = re.compile(r"REDACTED-[a-z0-9]+(?:-[a-z][a-z0-9]*)*-\d{1,6}")
"""What stands in a secret's place: letters, digits and hyphens, so that neither JSON nor a URL writes it otherwise."""

_SHORTEST = 4
"""No secret has fewer characters."""

_RUN = 20
_BEFORE_RUN = 8
_WORD = bytes(
    0x61 if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-_") else 0x20 for byte in range(256)
)

_FORMATTING = re.compile(r"\\+[nrt]|[\s\\\"'`,;>|→]")


class Span(NamedTuple):
    """Where a secret stands in a text, the pattern that found it, and the secret itself without escapes."""

    start: int
    end: int
    name: str
    secret: str


class Known(NamedTuple):
    """A secret that is known by heart: the name that its placeholder bears, and the secret as it is."""

    name: str
    secret: str


class _Hit(NamedTuple):
    start: int
    end: int
    rank: int
    name: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Sieve:
    """The anchors of many patterns, sorted by how they are looked for. Values are positions in the patterns."""

    any_in_run: re.Pattern[bytes]
    in_runs: tuple[tuple[bytes, re.Pattern[bytes] | None, int], ...]
    in_text: tuple[tuple[bytes, int], ...]
    near: tuple[tuple[bytes, tuple[tuple[re.Pattern[bytes], int], ...]], ...]
    always: tuple[int, ...]

    def passing(self, text: str, matches: Callable[[int, str, int | None], bool]) -> set[int]:
        """The patterns that match in the text; `matches` says whether one does in a text, or at a place in it."""
        plain = text.encode("utf-8", "surrogatepass")
        passing = set(self.always)
        runs = _runs(plain)
        if runs and self.any_in_run.search(runs):
            passing.update(
                index for anchor, near, index in self.in_runs if anchor in runs and (near is None or near.search(runs))
            )
        lowered = plain.lower()
        passing.update(index for anchor, index in self.in_text if anchor in lowered)
        passing = {index for index in passing if matches(index, text, None)}
        tries: Counter[int] = Counter()
        for index, at, end in self._near_anchors(lowered):
            if index in passing:
                continue
            tries[index] += 1
            before = plain[max(0, at - _BEFORE) : at].decode("utf-8", "ignore")
            around = before + plain[at : end + _BEHIND].decode("utf-8", "ignore")
            # where there are many places, to match the whole text is quicker
            if tries[index] > _MANY or matches(index, around, len(before)):
                passing.add(index)
        return passing

    def _near_anchors(self, lowered: bytes) -> Iterator[tuple[int, int, int]]:
        """The patterns with something near their anchor that fits, and where the anchor begins and ends."""
        for anchor, wanted in self.near:
            at = lowered.find(anchor)
            while at >= 0:
                end = at + len(anchor)
                for near, index in wanted:
                    if near.match(lowered, end):
                        yield index, at, end
                at = lowered.find(anchor, end)


_BEFORE, _BEHIND = 100, 4000
"""How much around an anchor, in bytes, tells whether a pattern matches there: names stand next to their secrets."""

_MANY = 100


def _runs(text: bytes) -> bytes:
    """The long runs of letters and digits in a text, each with what stands right before it."""
    marked = text.translate(_WORD)
    wanted = b"a" * _RUN
    found = []
    at = marked.find(wanted)
    while at >= 0:
        end = marked.find(b" ", at + _RUN)
        end = len(marked) if end < 0 else end
        found.append(text[max(0, at - _BEFORE_RUN) : end])
        at = marked.find(wanted, end)
    return b"\0".join(found)


def _sieve(patterns: Sequence[Pattern]) -> _Sieve:
    anchored = [(index, pattern, a.encode()) for index, pattern in enumerate(patterns) for a in pattern.anchors]
    near: dict[bytes, list[tuple[re.Pattern[bytes], int]]] = {}
    for index, pattern, anchor in anchored:
        if pattern.near and not pattern.in_run:
            near.setdefault(anchor, []).append((re.compile(pattern.near.encode()), index))
    return _Sieve(
        any_in_run=_any_of(re.escape(anchor) + one.near.encode() for _, one, anchor in anchored if one.in_run),
        in_runs=tuple(
            (anchor, re.compile(re.escape(anchor) + one.near.encode()) if one.near else None, index)
            for index, one, anchor in anchored
            if one.in_run
        ),
        in_text=tuple((anchor, index) for index, one, anchor in anchored if not one.in_run and not one.near),
        near=tuple((anchor, tuple(wanted)) for anchor, wanted in near.items()),
        always=tuple(index for index, pattern in enumerate(patterns) if not pattern.anchors),
    )


def _any_of(literals: Iterable[bytes]) -> re.Pattern[bytes]:
    """One regular expression for all, by their first letters: `re` tries one branch for a letter in place of all."""
    by_letter: dict[bytes, list[bytes]] = {}
    for literal in literals:
        by_letter.setdefault(literal[:1], []).append(literal[1:])
    return re.compile(b"|".join(b"%s(?:%s)" % (letter, b"|".join(rest)) for letter, rest in by_letter.items()) or b"$^")


@lru_cache(maxsize=1)
def _usual_sieve() -> _Sieve:
    return _sieve(PATTERNS)


@dataclass(frozen=True, slots=True)
class Scanner:
    """Patterns, and the secrets that are known by heart, by each way of writing them.

    Built by `of`; what `narrowed` gives has a few patterns and searches single texts.
    """

    patterns: tuple[Pattern, ...]
    known: Mapping[str, Known]
    sieve: _Sieve

    @classmethod
    def of(cls, patterns: Sequence[Pattern] = PATTERNS, known: Mapping[str, Known] | None = None) -> Scanner:
        """A scanner for these patterns and secrets."""
        sieve = _usual_sieve() if patterns is PATTERNS else _sieve(patterns)
        return cls(tuple(patterns), {} if known is None else known, sieve)

    def narrowed(self, texts: Iterable[str]) -> Scanner | None:
        """A scanner with only what may be found in these texts; None where that is nothing."""
        joined = "\0".join(texts)
        if len(joined) < _SHORTEST:
            return None
        plain = unescaped(joined)
        views = (joined,) if plain is None else (joined, plain.text)
        passing = sorted(set().union(*(self.sieve.passing(view, self._may_match) for view in views)))
        known = {form: one for form, one in self.known.items() if any(form in view for view in views)}
        if not passing and not known:
            return None
        return replace(self, patterns=tuple(self.patterns[index] for index in passing), known=known)

    def _may_match(self, index: int, text: str, place: int | None) -> bool:
        pattern = self.patterns[index]
        if place is not None:
            match = re.compile(pattern.regex).match(text, place)
            return match is not None and pattern.is_secret(match[match.lastgroup or 0])
        # a pattern of the user's own may speak of the beginning and the end of a text, or match across two
        return not pattern.anchors or next(_matches(pattern, 0, text), None) is not None

    def spans(self, text: str, key: str | None = None) -> list[Span]:
        """The secrets in a text, in order, none overlapping another. `key` is the name of the member that holds it.

        A placeholder of an earlier secret is no part of any.
        """
        hits = [*self._hits(text), *self._under(key, text)]
        plain = unescaped(text)
        if plain is not None:
            within = (*self._hits(plain.text), *self._under(key, plain.text))
            hits += [hit._replace(start=plain.origin(hit.start), end=plain.origin(hit.end)) for hit in within]
        return _merged(hits, text) if hits else []

    def _hits(self, text: str) -> Iterator[_Hit]:
        for form, (name, secret) in self.known.items():
            at = text.find(form)
            while at >= 0:
                yield _Hit(at, at + len(form), -1, name, secret)
                at = text.find(form, at + len(form))
        for rank, pattern in enumerate(self.patterns):
            yield from _matches(pattern, rank, text)

    def _under(self, key: str | None, text: str) -> Iterator[_Hit]:
        """Secrets that the name of their member tells."""
        if key is None or not tells(key) or not any(pattern.named for pattern in self.patterns):
            return
        for written, before in members_written(key, text):
            for rank, pattern in enumerate(self.patterns):
                for hit in _matches(pattern, rank, written) if pattern.named else ():
                    if hit.start >= before:
                        start, end = hit.start - before, hit.end - before
                        yield hit._replace(start=start, end=end, secret=text[start:end])


_TELLING = re.compile(r"passw|passphrase|secret|token(?!s)|key(?!s)|authorization|cookie", re.IGNORECASE)
_LONGEST_NAMED = 10_000
"""What a name tells is found in no more than so many characters behind it."""

_QUOTES = str.maketrans(dict.fromkeys("\"'`\\", "_"))


def searched(value: object) -> list[str]:
    """What is to be searched for a JSON value: its strings, and some of them once more with their members' names."""
    texts, keys = texts_of(value)
    telling = {key for key in keys if tells(key)}
    if telling:
        for key, text in members_of(value, telling):
            texts.extend(_written(key, text))
    texts.extend(keys)
    return texts


def searched_members(members: Iterable[tuple[str | None, str]]) -> Iterator[str]:
    """`searched` for strings, each with the name of its member if it has one."""
    for key, text in members:
        yield text
        if key is not None and tells(key):
            yield from _written(key, text)


def _written(key: str, text: str) -> Iterator[str]:
    plain = unescaped(text)
    for view in (text,) if plain is None else (text, plain.text):
        yield from (written for written, _ in members_written(key, view))


@lru_cache(maxsize=1024)
def tells(key: str) -> bool:
    """Whether a member of this name may hold a secret because of its name."""
    return _TELLING.search(key) is not None


def members_written(key: str, value: str) -> Iterator[tuple[str, int]]:
    """A member as YAML and JSON write it, in which the patterns that go by names find its value; where that begins.

    So what is found in a file, where all stands together, has been found in the values before.
    """
    name = key.translate(_QUOTES)
    yield f"{name}: {value[:_LONGEST_NAMED]}", len(name) + 2
    if "'" in value:
        # in YAML's single quotes a quote is doubled: the first of the two looks like the end
        yield f"{name}: '{value[:_LONGEST_NAMED]}'", len(name) + 3
    if " " not in value and len(value) <= _LONGEST_NAMED:
        yield f'{name}": "{value.translate(_QUOTES)}"', len(name) + 4


def _matches(pattern: Pattern, rank: int, text: str) -> Iterator[_Hit]:
    for match in re.finditer(pattern.regex, text):
        group = match.lastgroup or 0
        secret = match[group]
        if secret and pattern.is_secret(secret):
            yield _Hit(match.start(group), match.end(group), rank, pattern.name, secret)


def _merged(hits: Sequence[_Hit], text: str) -> list[Span]:
    """Hits that overlap as one, under the name of the most telling pattern; none that has a placeholder in it."""
    if "REDACTED-" in text:
        hits = [hit for hit in hits if PLACEHOLDER.search(text, hit.start, hit.end) is None]
    return [Span(hit.start, hit.end, hit.name, hit.secret) for hit in _united(hits, text)] if hits else []


def _united(hits: Sequence[_Hit], text: str) -> Iterator[_Hit]:
    """The hits in order, those that overlap as one."""
    together: list[_Hit] = []
    end = 0
    for hit in sorted(hits):
        if together and hit.start >= end:
            yield _union(together, end, text)
            together = []
        together.append(hit)
        end = max(end, hit.end)
    yield _union(together, end, text)


def _union(hits: Sequence[_Hit], end: int, text: str) -> _Hit:
    best = min(hits, key=lambda hit: hit.rank)
    start = hits[0].start
    whole = next((hit for hit in hits if (hit.start, hit.end) == (start, end)), None)
    return _Hit(start, end, best.rank, best.name, text[start:end] if whole is None else whole.secret)


@dataclass(frozen=True, slots=True)
class Unescaped:
    """What stands around the escapes of a text, with the escapes undone.

    From each of `places` on, a place in `text` was so many characters (`shifts`) further on in the text as written.
    """

    text: str
    places: tuple[int, ...]
    shifts: tuple[int, ...]

    def origin(self, place: int) -> int:
        """Where a place was in the text as it was written."""
        return place + self.shifts[bisect_right(self.places, place) - 1]


def has_escapes(text: str) -> bool:
    """Whether there may be something to undo."""
    return "%" in text or ("\\" in text and ("\\u00" in text or "\\/" in text))


def unescaped(text: str) -> Unescaped | None:
    """The words of a text that have escapes, undone, each with what stands before it; None where there are none.

    What lies far from any escape is found in the text as it stands, and left out; U+0000 stands for it.
    """
    if not has_escapes(text):
        return None
    parts: list[str] = []
    places: list[int] = []
    shifts: list[int] = []
    at = length = 0
    for start, end, char in _escapes(text):
        if start < at:
            continue
        # a name may stand some words before; a cut within a word would make a beginning of its middle
        begin = _last_blank(text, at, max(at, _last_blank(text, at, start) - _BEFORE_WORD))
        if not parts or begin > at:
            if parts:
                rest = text[at : _first_blank(text, at, begin)]
                parts += (rest, "\0")
                length += len(rest) + 1
            places.append(length)
            shifts.append(begin - length)
            at = begin
        parts += (text[at:start], char)
        length += start - at + 1
        at = end
        places.append(length)
        shifts.append(at - length)
    if not parts:
        return None
    return Unescaped("".join((*parts, text[at : _first_blank(text, at, len(text))])), tuple(places), tuple(shifts))


_BEFORE_WORD = 64
_BLANKS = " \n\t"

# each begins with a literal, by which `re` jumps; backslashes before it are several where JSON stands in JSON
_PERCENT = re.compile(r"%(?:25)*(0[1-9a-fA-F]|[1-7][0-9a-fA-F])")
_UNICODE = re.compile(r"\\u00(0[1-9a-fA-F]|[1-7][0-9a-fA-F])")
_SLASH = re.compile(r"\\(/)")


def _escapes(text: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for escape in (_PERCENT, _UNICODE, _SLASH):
        for match in escape.finditer(text):
            start = match.start()
            while start and text[start] == "\\" == text[start - 1] and match.start() - start < _NESTED:
                start -= 1
            found.append((start, match.end(), match[1] if escape is _SLASH else chr(int(match[1], 16))))
    found.sort()
    return found


_NESTED = 64
"""Backslashes that nested JSON may pile up before one escape: six levels."""


def _last_blank(text: str, start: int, end: int) -> int:
    return max(start, *(text.rfind(blank, start, end) for blank in _BLANKS))


def _first_blank(text: str, start: int, end: int) -> int:
    return min(end, *(end if (at := text.find(blank, start, end)) < 0 else at for blank in _BLANKS))


def identity(secret: str) -> str:
    """What two ways of writing the same secret have in common: a key on several lines, or with escapes."""
    plain = unescaped(secret)
    return _FORMATTING.sub("", secret if plain is None else plain.text)
