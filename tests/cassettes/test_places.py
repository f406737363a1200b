"""Walking over the strings of a value, and changing some."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import given, settings

from playhead.cassettes.places import Node, is_sealed, members_of, places_of, rename, texts_of
from playhead.testing.strategies import json_values

BASE64 = base64.b64encode(bytes(range(256))).decode()

VALUE: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, "bare"]}],
    "odd key": {"": "empty"},
    "number": 1,
}


def test_the_places_of_a_value_are_told_as_json_paths() -> None:
    """Keys before their members, in the order of the text; names that are no words in brackets."""
    told = [(place.path("$", {}), place.text, place.is_key, place.key) for place in places_of(Node([VALUE], None, 0))]
    assert [path for path, _, is_key, _ in told if not is_key] == [
        "$.model",
        "$.messages[0].role",
        "$.messages[0].content[0].type",
        "$.messages[0].content[0].text",
        "$.messages[0].content[1]",
        '$["odd key"][""]',
    ]
    assert [(path, text) for path, text, is_key, _ in told if is_key][:3] == [
        ("$", "model"),
        ("$", "messages"),
        ("$.messages[0]", "role"),
    ]
    assert [key for _, text, _, key in told if text == "hi"] == ["text"]


def test_a_path_does_not_tell_a_key_that_must_not_be_told() -> None:
    """A secret key on the way to another place is shown as the caller wishes."""
    place = [*places_of(Node([{"secret": {"a": "b"}}], None, 0))][-1]
    assert place.path("$", {"secret": "se..."}) == '$["se..."].a'


@given(json_values(20))
@settings(deadline=None)
def test_both_walks_see_the_same_strings(value: object) -> None:
    """What is searched at once is what is searched one by one, each key once."""
    texts, keys = texts_of(value)
    places = [*places_of(Node([value], None, 0))]
    assert sorted(texts) == sorted(place.text for place in places if not place.is_key)
    assert keys == {place.text for place in places if place.is_key}
    under = [(place.key, place.text) for place in places if place.key in keys]
    assert sorted(members_of(value, keys)) == sorted((key, text) for key, text in under if key is not None)


def test_a_change_copies_what_stands_around_it_and_nothing_else() -> None:
    """The old value is left as it was; what did not change is shared."""
    top = Node([VALUE], None, 0)
    place = next(place for place in places_of(top) if place.text == "hi")
    place.node.put(place.step, "ho")
    assert top.copy is not None
    changed: Any = top.copy[0]  # type: ignore[index]
    assert changed["messages"][0]["content"][0] == {"type": "text", "text": "ho"}
    assert VALUE["messages"][0]["content"][0]["text"] == "hi"
    assert changed["odd key"] is VALUE["odd key"]
    assert [*changed] == [*VALUE]


def test_keys_are_renamed_in_their_places_and_none_is_lost() -> None:
    """The order stays, and where two names become one the second gets a number."""
    value = {"a": 1, "b": {"c": 2}, "d": 3}
    top = Node([value], None, 0)
    nodes = {place.text: place.node for place in places_of(top)}
    inner, outer = nodes["c"], nodes["a"]
    rename(inner, {"c": "x"})
    rename(outer, {"a": "x", "b": "y", "d": "x"})
    assert top.copy == [{"x": 1, "y": {"x": 2}, "x-2": 3}]
    assert value == {"a": 1, "b": {"c": 2}, "d": 3}


def test_deep_nesting_is_walked() -> None:
    """Deeper than Python would recurse."""
    value: object = "end"
    for _ in range(5000):
        value = {"a": [value]}
    top = Node([value], None, 0)
    last = [place for place in places_of(top) if not place.is_key][-1]
    assert last.text == "end"
    last.node.put(last.step, "END")
    assert texts_of(top.copy)[0] == ["END"]


def test_sealed_is_base64_under_some_names_only() -> None:
    """A secret under such a name is no base64, and base64 under another is read."""
    assert is_sealed("signature", BASE64)
    assert is_sealed("encrypted_content", BASE64)
    assert not is_sealed("text", BASE64)
    assert not is_sealed("data", "sk-" + "ant-api03-" + BASE64.replace("+", "-").replace("/", "_"))
    assert not is_sealed("data", BASE64 + " and then some text")
    assert not is_sealed("data", "short")
