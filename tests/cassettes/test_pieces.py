"""Edits in texts that come in pieces, and in JSON texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.cassettes.pieces import Edit, applied, difference, json_strings
from playhead.testing.strategies import json_values

APPLIED: dict[str, tuple[list[str], list[Edit], list[str]]] = {
    "within a piece": (["abcdef"], [Edit(1, 3, "X")], ["aXdef"]),
    "over two": (["abc", "def"], [Edit(1, 5, "X")], ["aX", "f"]),
    "over many": (["ab", "c", "", "d", "ef"], [Edit(1, 5, "X")], ["aX", "", "", "", "f"]),
    "from where a piece begins": (["ab", "cd", "ef"], [Edit(2, 5, "X")], ["ab", "X", "f"]),
    "a whole piece": (["ab", "cd", "ef"], [Edit(2, 4, "X")], ["ab", "X", "ef"]),
    "all": (["a", "b", "c"], [Edit(0, 3, "X")], ["X", "", ""]),
    "two in a piece": (["abcdef"], [Edit(0, 1, "X"), Edit(3, 4, "Y")], ["XbcYef"]),
    "one ends where the next begins": (["abcd", "ef"], [Edit(1, 3, "X"), Edit(3, 5, "Y")], ["aXY", "f"]),
    "an insertion at the end": (["ab", "c"], [Edit(3, 3, "X")], ["ab", "cX"]),
    "an insertion between": (["ab", "c"], [Edit(2, 2, "X")], ["ab", "Xc"]),
    "in no pieces but an empty one": ([""], [Edit(0, 0, "X")], ["X"]),
}


@pytest.mark.parametrize(("pieces", "edits", "result"), APPLIED.values(), ids=APPLIED)
def test_the_new_text_stands_in_the_first_piece_it_concerns(
    pieces: list[str], edits: list[Edit], result: list[str]
) -> None:
    """The other pieces lose their part of the old text, and there are as many pieces as before."""
    assert applied(pieces, edits) == result


@given(st.lists(st.text("abc", max_size=4), min_size=1), st.data())
@settings(deadline=None)
def test_pieces_add_up_to_the_edited_text(pieces: list[str], data: st.DataObject) -> None:
    """However a text is cut, editing it and joining the pieces is editing the joined text."""
    text = "".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    edits = [Edit(start, end, "XY") for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    result = applied(pieces, edits)
    assert len(result) == len(pieces)
    assert "".join(result) == applied([text], edits)[0]


@given(st.text("ab\n"), st.text("ab\n"))
@settings(deadline=None)
def test_a_difference_is_an_edit(old: str, new: str) -> None:
    """It makes the one text of the other, and there is none between equals."""
    edit = difference(old, new)
    assert (edit is None) == (old == new)
    assert applied([old], [edit] if edit else [])[0] == new


def test_a_difference_leaves_what_is_alike() -> None:
    """Only what changed is part of it."""
    assert difference("the key is abc, ok", "the key is X, ok") == Edit(11, 14, "X")


def strings_of(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (key, *strings_of(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in strings_of(inner)]
    return [value] if isinstance(value, str) else []


@given(json_values(20), st.booleans(), st.sampled_from([None, 1]))
@settings(deadline=None)
def test_the_strings_of_a_json_text(value: object, ascii_only: bool, indent: int | None) -> None:
    """All strings are found in their order, however they are escaped and laid out."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert [part.text for part in json_strings(text)] == strings_of(value)


@given(json_values(20), st.booleans(), st.data())
@settings(deadline=None)
def test_an_edit_of_a_string_is_one_of_the_json_text(value: object, ascii_only: bool, data: st.DataObject) -> None:
    """A part of one string replaced: the text is JSON still, and says just that."""
    text = json.dumps([value], ensure_ascii=ascii_only)
    parts = [part for part in json_strings(text) if part.text]
    if not parts:
        return
    index = data.draw(st.integers(0, len(parts) - 1))
    part = parts[index]
    start = data.draw(st.integers(0, len(part.text) - 1))
    end = data.draw(st.integers(start + 1, len(part.text)))
    new = 'X"\\\n\u00e9Y'
    result = applied([text], [part.edit(Edit(start, end, new))])[0]
    again = [one.text for one in json_strings(result) if one.text]
    assert again[index] == part.text[:start] + new + part.text[end:]
    assert again[:index] + again[index + 1 :] == [one.text for one in parts[:index] + parts[index + 1 :]]
    json.loads(result)


KEYED = [
    ('{"a": "x"}', [None, "a"]),
    ('{"a":"x","b" :\n"y"}', [None, "a", None, "b"]),
    ('{"a": ["x", "y"]}', [None, None, None]),
    ('{"a": {"b": "x"}}', [None, None, "b"]),
    ('{"a": 1, "b": "x', [None, None, "b"]),
    ('{"a": "x", "b', [None, "a", None]),
]


@pytest.mark.parametrize(("text", "keys"), KEYED, ids=[text for text, _ in KEYED])
def test_a_string_knows_the_key_it_stands_under(text: str, keys: list[str | None]) -> None:
    """Directly under it, not through an array or another object, also where the text breaks off."""
    assert [part.key for part in json_strings(text)] == keys


def test_a_text_that_breaks_off_in_an_escape_is_read_as_far_as_it_goes() -> None:
    """Streams break off anywhere."""
    for cut in ('{"a": "x\\', '{"a": "x\\u00', '{"a": "x\\ud83d'):
        assert [part.text for part in json_strings(cut)][-1].startswith("x")
