"""Parts of documents, read with their places."""

from __future__ import annotations

import pytest

from playhead.readers.call import Unreadable, headers, items, members, status_code, text


def test_members_and_items() -> None:
    """None counts as nothing; anything of the wrong kind is an error that names its place."""
    assert (members(None, "x"), list(items(None, "x"))) == ({}, [])
    assert list(items(["a"], "x")) == [("x[0]", "a")]
    with pytest.raises(Unreadable, match="an object is needed, this is a string") as raised:
        members("a", "x.y")
    assert raised.value.place == "x.y"
    with pytest.raises(Unreadable, match="an array is needed, this is a number"):
        list(items(5, "x"))


@pytest.mark.parametrize(
    ("value", "code"),
    [(200, 200), ("200", 200), ("429 Slow", 429), ({"code": 200}, 200), (True, None), (None, None), ("OK", None)],
)
def test_status_code(value: object, code: int | None) -> None:
    """A status in all its forms."""
    assert status_code(value) == code


def test_headers() -> None:
    """Names in lower case; lists of pairs, lists of values, numbers and bytes."""
    assert headers([{"name": "A", "value": 1}], "x") == {"a": "1"}
    assert headers({"A": ["b", "c"], "D": [], "E": None, "F": [b"g"]}, "x") == {"a": "b, c", "d": "", "e": "", "f": "g"}
    assert text(b"\xff") == "\ufffd"
