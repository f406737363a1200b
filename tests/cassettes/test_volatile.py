"""Volatile rules: what each looks past, what it leaves alone, and how one's own are given."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from playhead import SetupError
from playhead.cassettes.volatile import VOLATILE, alike, below, chosen, parse_place, volatile_table, without

ALIKE: list[tuple[str, str, str]] = [
    ("dates", "it is 2025-01-01", "it is 2026-11-29"),
    ("dates", "at 2025-01-01T10:20:30Z", "at 2026-11-29T01:02:03.456+02:00"),
    ("dates", "2025-01-01 10:20", "2026-11-29 23:59:59"),
    ("dates", "Wednesday, January 1, 2025", "Sun, November 29, 2026"),
    ("dates", "1 January 2025", "29 Nov 2026"),
    ("dates", "the 1st of May 2025 at 3:15 pm", "the 22nd of June 2026 at 12:00 AM"),
    ("dates", "01/02/2025", "11/29/2026"),
    ("dates", "1.2.2025", "29.11.2026"),
    ("dates", "since Jan 2025", "since March 2026"),
    ("dates", "Today is Monday.", "Today is Wednesday."),
    ("dates", '{"now": 1735689600}', '{"now": 1795910400.25}'),
    ("dates", "stamp=1735689600123", "stamp=1795910400123"),
    ("ids", "run 0f8fad5b-d9cb-469f-a165-70867728950e", "run 7C9E6679-7425-40DE-944B-E07FC1F90AE7"),
    ("ids", "call_9f86d081884c7d659a2feaa0c55ad015", "call_2c26b46b68ffc68ff99b453c1d304134"),
    ("ids", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRY"),
    ("ids", "toolu_01A09q90qw90lq917835lq9", "toolu_0001"),
    ("cwd", "Working directory: /home/me/project", "Working directory: /srv/ci/build-7/project"),
    ("cwd", "in ~/src/app", "in /app"),
    ("cwd", r"C:\Users\me\project", r"D:\ci\work"),
    ("cwd", "see file:///tmp/a/b.txt", "see file:///var/folders/x_1/T/b.txt"),
    ("ports", "http://localhost:54321/x", "http://localhost:8080/x"),
    ("ports", "127.0.0.1:1", "127.0.0.1:65535"),
    ("durations", "3 passed in 0.53s", "3 passed in 1.2 s"),
    ("durations", "took 12 ms", "took 9ms"),
    ("durations", "waited 3 seconds", "waited 1 second"),
    ("addresses", "<object at 0x7f3a5c0>", "<object at 0x7ffee4c0a1b0>"),
]


@pytest.mark.parametrize(("name", "one", "other"), ALIKE, ids=lambda value: value[:30])
def test_what_a_rule_looks_past(name: str, one: str, other: str) -> None:
    """The two texts differ, and are alike under their rule."""
    text = VOLATILE[name].text
    assert text is not None
    assert one != other
    assert text(one) == text(other)


TOLD_APART: list[tuple[str, str, str]] = [
    ("dates", "2 apples", "3 apples"),
    ("dates", "version 1.2.3", "version 1.2.4"),
    ("dates", "you may go", "you must go"),
    ("dates", "order 12345", "order 12346"),
    ("dates", "ratio 3:4", "ratio 4:4"),
    ("ids", "deadbeef", "cafebabe"),
    ("ids", "sha256 " + "a" * 64, "sha256 " + "b" * 64),
    ("cwd", "and/or", "and/nor"),
    ("cwd", "https://example.org/a/b", "https://example.org/c/d"),
    ("cwd", "</env>", "</rules>"),
    ("cwd", "1/2", "1/3"),
    ("ports", "example.org:80", "example.org:81"),
    ("durations", "5 apples", "6 apples"),
    ("durations", "v1.5s2", "v1.6s2"),
    ("addresses", "#fff000", "#fff001"),
]


@pytest.mark.parametrize(("name", "one", "other"), TOLD_APART, ids=lambda value: value[:30])
def test_what_a_rule_leaves_alone(name: str, one: str, other: str) -> None:
    """What only looks like it is told apart as ever."""
    text = VOLATILE[name].text
    assert text is not None
    assert text(one) != text(other)


def test_only_what_never_carries_meaning_is_usual() -> None:
    """A date that has changed is what a test wants to hear of."""
    assert [rule.name for rule in chosen()] == ["metadata", "secrets"]
    assert [rule.name for rule in chosen("dates")] == ["metadata", "secrets", "dates"]


def test_names_come_in_the_tables_order_and_ones_own_after() -> None:
    """However they are given, so that a rule of one's own sees what the others have left."""
    pattern = re.compile("b+")
    names = [rule.name for rule in chosen([str.upper, "cwd", pattern, "$.system", "/x y/", "dates"])]
    assert names == ["metadata", "secrets", "dates", "cwd", "upper", "/b+/", "$.system", "/x y/"]


def test_a_function_and_a_pattern_apply_to_texts() -> None:
    """Each makes two texts alike."""
    *_, function, pattern = chosen([str.lower, re.compile(r"\d+")])
    assert function.text is not None
    assert pattern.text is not None
    assert function.text("Build") == function.text("BUILD")
    assert pattern.text("build 17") == pattern.text("build 4")


WRONG: list[tuple[Any, str]] = [
    ("date", "there is no volatile rule 'date': it is one of metadata, secrets, dates, ids"),
    (5, "a volatile rule is a name, a place, a pattern or a function str -> str, not 5"),
    ([b"x"], "a volatile rule is a name, a place, a pattern or a function str -> str, not b'x'"),
    (re.compile(b"x"), "a volatile rule is a name"),
    ("/[/", "the volatile pattern /[/ is no regular expression"),
    ("$", "the volatile place '$' is the whole request"),
    ("$.system..", "the volatile place '$.system..' cannot be read from '..' on"),
    ("$system", "the volatile place '$system' cannot be read from 'system' on"),
    ("$.a[", "the volatile place '$.a[' cannot be read from '[' on"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG, ids=lambda value: str(value)[:30])
def test_what_is_no_rule(given: Any, sentence: str) -> None:
    """One sentence says what came and what is possible."""
    with pytest.raises(SetupError) as caught:
        chosen([given] if isinstance(given, int) else given)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda text: None, "the volatile function <lambda> gave None, and not a text"),
        (lambda text: text.missing, "the volatile function <lambda> raised AttributeError"),
    ],
    ids=["no text", "raises"],
)
def test_a_function_that_fails(function: Any, sentence: str) -> None:
    """Its fault is named as its own."""
    text = chosen(function)[-1].text
    assert text is not None
    with pytest.raises(SetupError, match=re.escape(sentence)):
        text("x")


VALUE = {"a": {"b": [{"c": 1, "d": 2}, {"c": 3}]}, "c": 4, "odd name": 5}
PLACES: list[tuple[str, object]] = [
    ("$.a", {"c": 4, "odd name": 5}),
    ("$.a.b", {"a": {}, "c": 4, "odd name": 5}),
    ("$.a.b[0]", {"a": {"b": [None, {"c": 3}]}, "c": 4, "odd name": 5}),
    ("$.a.b[0].c", {"a": {"b": [{"d": 2}, {"c": 3}]}, "c": 4, "odd name": 5}),
    ("$.a.b[*].c", {"a": {"b": [{"d": 2}, {}]}, "c": 4, "odd name": 5}),
    ("$.*", {}),
    ("$..c", {"a": {"b": [{"d": 2}, {}]}, "odd name": 5}),
    ("$.a..c", {"a": {"b": [{"d": 2}, {}]}, "c": 4, "odd name": 5}),
    ('$["odd name"]', {"a": {"b": [{"c": 1, "d": 2}, {"c": 3}]}, "c": 4}),
    ("$.a.b[7]", VALUE),
    ("$.none", VALUE),
]


@pytest.mark.parametrize(("place", "left"), PLACES, ids=lambda value: str(value)[:20])
def test_what_stands_in_a_place_is_left_out(place: str, left: object) -> None:
    """A member is gone; an item is null, so that the others keep their places."""
    assert without(VALUE, [parse_place(place)]) == left  # type: ignore[arg-type]


def test_places_step_by_step() -> None:
    """What is left of a place after a step is what counts below it."""
    places = [parse_place("$.messages[*].content"), parse_place("$..id"), parse_place("$.system")]
    in_messages = below(places, "messages")
    assert in_messages == (("*", "content"), (..., "id"))
    assert below(in_messages, 3) == (("content",), (..., "id"))
    assert below(below(in_messages, 3), "content") == ((), (..., "id"))


def test_an_images_bytes_are_no_text() -> None:
    """They are long, and a rule of texts knows nothing of them."""
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert alike({"a": [source], "data": "b"}, [str.lower]) == {"a": [source], "data": "b"}
    assert alike({**source, "type": "text"}, [str.lower]) == {**source, "type": "text", "data": "aaaa"}


def test_the_table_names_every_rule() -> None:
    """The documentation is made of it."""
    table = volatile_table()
    assert all(f"| `{name}` |" in table for name in VOLATILE)
    assert table.count("always on") == 2


def test_the_page_has_the_table() -> None:
    """docs/replay.md is made of the rules; where this fails, put the left side between its two comments."""
    page = Path(__file__).resolve().parents[2] / "docs" / "replay.md"
    if not page.is_file():
        pytest.skip("docs/ is not part of this checkout")
    match = re.search(r"<!-- volatile: [^\n]*-->\n(.*?)\n?<!-- /volatile -->", page.read_text("utf-8"), re.DOTALL)
    assert match is not None
    assert volatile_table() == match[1]
