"""JSON values written as YAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playhead.cassettes import yaml_text
from playhead.cassettes.yaml_document import parse
from playhead.wire.codec import encode

LINES = st.text(st.sampled_from("ab \t\n:#-'\"\\{}[],&*!|>%@`é🎉\r\u2028\x85\x7f\ufeff0.~"), max_size=30)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | LINES
    | st.sampled_from(["null", "yes", "1.0", "1e5", "2025-01-01", "12:30", "0o7", "0x1f", "---", "- a", "", " ", "~"])
)
KEYS = LINES | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


@settings(deadline=None, max_examples=400)
@given(VALUES)
@example({"a": " x\ny"})
@example({"a": "\n\nx\n\n"})
@example([["a\nb"], [[]], {"x": [{"y": "a\tb \n"}]}])
@example("x\n   \n")
def test_what_is_written_reads_back(value: object) -> None:
    """The same value, its types and the order of its keys, by our reader and by the library's."""
    text = yaml_text.member("value", value)
    (ours,) = parse(text.encode())
    assert isinstance(ours, dict)
    assert encode(ours["value"]) == encode(value)
    assert encode(yaml.load(text, yaml.CSafeLoader)["value"]) == encode(value)


@settings(deadline=None)
@given(st.lists(VALUES, max_size=3), st.integers(0, 3))
def test_items_stand_in_lists_at_any_indentation(values: list[object], level: int) -> None:
    """Text of several lines keeps its own indentation wherever it stands."""
    text = "".join(yaml_text.item(value, level * 2) for value in values)
    document = "".join(f"{' ' * at * 2}k{at}:\n" for at in range(level)) + text
    (read,) = parse(document.encode()) or [None]
    for at in range(level):
        assert isinstance(read, dict)
        read = read[f"k{at}"]
    assert encode(read) == encode(values or None)


TEXTS = {
    "a-word": ("tool_use", "tool_use\n"),
    "words": ("claude-opus-5-5 and more", "claude-opus-5-5 and more\n"),
    "what-looks-like-a-number": ("1.0", '"1.0"\n'),
    "what-looks-like-null": ("Null", '"Null"\n'),
    "a-colon": ("a: b", '"a: b"\n'),
    "lines": ("one\n\ttwo 🎉 \nthree\n", "|\n  one\n  \ttwo 🎉 \n  three\n"),
    "lines-without-an-end": ("one\ntwo", "|-\n  one\n  two\n"),
    "lines-that-begin-with-blanks": ("  one\ntwo\n", "|2\n    one\n  two\n"),
    "lines-with-returns": ("one\r\ntwo", '"one\\r\\ntwo"\n'),
    "a-small-object": ({"type": "text", "text": "Hi!"}, '{type: text, text: "Hi!"}\n'),
    "nothing": ({}, "{}\n"),
    "a-float": (1e16, "1.0e+16\n"),
}


@pytest.mark.parametrize(("value", "text"), TEXTS.values(), ids=TEXTS)
def test_how_it_looks(value: object, text: str) -> None:
    """Blocks for lines, one line for what is small, quotes only where they are needed."""
    assert yaml_text.member("k", value) == f"k: {text}"


def test_what_is_long_stands_below_its_key() -> None:
    """A member a line, a list's items under their key."""
    value = {"name": "x" * 60, "about": "y" * 60, "items": [{"a": "z" * 90, "b": 1}, {"a": 2}]}
    assert yaml_text.member("k", value) == (
        f"k:\n  name: {'x' * 60}\n  about: {'y' * 60}\n  items:\n  - a: {'z' * 90}\n    b: 1\n  - {{a: 2}}\n"
    )


@pytest.mark.parametrize(
    "value",
    [float("inf"), float("nan"), "\ud800", {"\udfff": 1}, {"k" * 2000: 1}, object()],
    ids=["inf", "nan", "a surrogate", "a surrogate in a key", "a long key", "no JSON"],
)
def test_what_yaml_cannot_carry(value: object) -> None:
    """It is refused, so that the caller can keep it as JSON text."""
    with pytest.raises(yaml_text.Unwritable):
        yaml_text.member("k", value)


def test_deep_nesting_is_refused() -> None:
    """Readers have limits."""
    value: object = "x\ny"
    for _ in range(500):
        value = [value]
    with pytest.raises(yaml_text.Unwritable):
        yaml_text.member("k", value)
