"""When two values, messages or settings are the same."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.equality import (
    MISSING,
    Difference,
    first_difference,
    is_blank_text,
    plain_content,
    plain_message,
    same,
    same_content,
    same_message,
    same_settings,
    shallow,
)

NUMBERS = st.sampled_from([0, 1, 1.0, -0.0, 2**53, 2.0**53, 2**53 + 1, 1e300, 10**300, math.inf, math.nan, 0.5])
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "1"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
Json = dict[str, Any]


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def call(arguments: object, **more: object) -> Json:
    return {"type": "tool_use", "id": "toolu_1", "name": "add", "input": arguments, **more}


@given(VALUES)
def test_reflexive(value: object) -> None:
    """A value is the same as a copy of it, NaN included, and has no difference from it."""
    assert same(value, copy.deepcopy(value))
    assert first_difference(value, copy.deepcopy(value)) is None


@given(VALUES, VALUES)
def test_symmetric(left: object, right: object) -> None:
    """Which side a value stands on does not matter."""
    assert same(left, right) == same(right, left)


@given(VALUES, VALUES, VALUES)
def test_transitive(one: object, two: object, three: object) -> None:
    """Two values that equal a third are equal."""
    if same(one, two) and same(two, three):
        assert same(one, three)


@given(VALUES, VALUES)
def test_different_means_a_difference(left: object, right: object) -> None:
    """`same` and `first_difference` never disagree, and what a difference shows does differ."""
    difference = first_difference(left, right)
    assert same(left, right) is (difference is None)
    if difference is not None:
        assert difference.path.startswith("$")
        assert first_difference(difference.left, difference.right) is not None


SAME = {
    "1.0-and-1": (1.0, 1),
    "negative-zero": (-0.0, 0),
    "1e300-exactly": (1e300, int(1e300)),
    "key-order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "nested-numbers": ({"a": [1.0, {"b": 2}]}, {"a": [1, {"b": 2.0}]}),
    "nan-beside-equal-numbers": ([math.nan, 1.0], [math.nan, 1]),
}
DIFFERENT = {
    "true-and-1": (True, 1, "$"),
    "false-and-0": (False, 0, "$"),
    "false-and-null": (False, None, "$"),
    "2**53+1-and-2.0**53": (2**53 + 1, 2.0**53, "$"),
    "nan-and-null": ({"a": math.nan}, {"a": None}, "$.a"),
    "null-and-absent": ({"a": None}, {}, "$.a"),
    "string-and-number": ({"a": {"b": "1"}}, {"a": {"b": 1}}, "$.a.b"),
    "longer-list": ([1, 2], [1], "$[1]"),
    "list-order": ([1, 2], [2, 1], "$[0]"),
    "list-and-object": ([], {}, "$"),
    "key-on-the-right-only": ({"a": 1}, {"a": 1, "b": 2}, "$.b"),
}


@pytest.mark.parametrize(("left", "right"), SAME.values(), ids=SAME)
def test_the_same(left: object, right: object) -> None:
    """Numbers are compared by value and objects whatever the order of their keys."""
    assert same(left, right)


@pytest.mark.parametrize(("left", "right", "path"), DIFFERENT.values(), ids=DIFFERENT)
def test_not_the_same(left: object, right: object, path: str) -> None:
    """What JSON tells apart is told apart, and the difference names the place."""
    assert not same(left, right)
    difference = first_difference(left, right)
    assert difference is not None
    assert difference.path == path


def test_the_first_difference_in_document_order() -> None:
    """Of several differences the first on the left is told, with what stands on either side."""
    left = {"b": [1, {"c": 2}], "a": 9}
    right = {"a": 8, "b": [1, {"c": 3}]}
    assert first_difference(left, right) == Difference("$.b[1].c", 2, 3)
    assert first_difference({}, {"x": 1}, "") == Difference(".x", MISSING, 1)
    assert repr(MISSING) == "(absent)"


def document(**more: object) -> Json:
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}, **more}


ECHO_SAME = {
    "null-members": ([text("hi", citations=None)], [text("hi")]),
    "unknown-null-member": ([text("hi", novelty=None)], [text("hi")]),
    "citations-of-a-text": ([text("hi", citations=[{"type": "char_location"}])], [text("hi")]),
    "citations-of-a-text-in-a-result": (
        [{"type": "tool_result", "content": [text("hi", citations=[])]}],
        [{"type": "tool_result", "content": "hi"}],
    ),
    "null-citations-of-a-document": ([document(citations=None)], [document()]),
    "caller": ([call({}, caller={"type": "direct"})], [call({})]),
    "cache-control": ([text("hi", cache_control={"type": "ephemeral"})], [text("hi")]),
    "parsed-output": ([text("hi", parsed_output={"a": 1})], [text("hi")]),
    "string-for-one-text-block": ("hi", [text("hi")]),
    "member-order": ([{"text": "hi", "type": "text"}], [text("hi")]),
    "blank-text-left-out": ([text(" \n"), text("hi"), text("")], [text("hi")]),
    "blank-string": ("  ", []),
    "null-content": (None, []),
    "numbers-by-value": ([call({"a": 1.0, "b": [2]})], [call({"a": 1, "b": [2.0]})]),
    "numbers-outside-inputs": ([{"type": "new", "score": 1.0}], [{"type": "new", "score": 1}]),
    "cache-control-in-a-result": (
        [{"type": "tool_result", "tool_use_id": "t", "content": [text("3", cache_control={"type": "ephemeral"})]}],
        [{"type": "tool_result", "tool_use_id": "t", "content": "3"}],
    ),
    "nulls-in-a-server-result": (
        [{"type": "web_search_tool_result", "content": [{"title": "x", "page_age": None}]}],
        [{"type": "web_search_tool_result", "content": [{"title": "x"}]}],
    ),
}
ECHO_DIFFERENT = {
    "text": ([text("hi")], [text("ho")]),
    "block-dropped": ([text("hi"), call({})], [call({})]),
    "block-order": ([text("a"), text("b")], [text("b"), text("a")]),
    "blocks-joined": ([text("a"), text("b")], [text("ab")]),
    "null-inside-an-input": ([call({"a": None})], [call({})]),
    "caller-inside-an-input": ([call({"caller": "x"})], [call({})]),
    "cache-control-inside-an-input": ([call({"cache_control": 1})], [call({})]),
    "blank-text-inside-an-input": ([call([text("")])], [call([])]),
    "true-for-1-inside-an-input": ([call({"a": True})], [call({"a": 1})]),
    "2**53+1-inside-an-input": ([call({"a": 2**53 + 1})], [call({"a": 2.0**53})]),
    "nan-for-null-inside-an-input": ([call({"a": math.nan})], [call({"a": None})]),
    "input-as-its-json-text": ([call({"a": 1})], [call('{"a":1}')]),
    "id": ([call({})], [{**call({}), "id": "toolu_2"}]),
    "signature": (
        [{"type": "thinking", "thinking": "", "signature": "s"}],
        [{"type": "thinking", "thinking": "", "signature": "t"}],
    ),
    "citations-of-a-document": ([document(citations={"enabled": True})], [document()]),
    "citations-turned-off": ([document(citations={"enabled": True})], [document(citations={"enabled": False})]),
    "citations-of-a-document-in-a-result": (
        [{"type": "tool_result", "content": [document(citations={"enabled": True})]}],
        [{"type": "tool_result", "content": [document()]}],
    ),
    "citations-of-a-search-result": (
        [{"type": "search_result", "citations": {"enabled": True}}],
        [{"type": "search_result"}],
    ),
    "is-error": (
        [{"type": "tool_result", "tool_use_id": "t", "content": "3"}],
        [{"type": "tool_result", "tool_use_id": "t", "content": "3", "is_error": True}],
    ),
}


@pytest.mark.parametrize(("left", "right"), ECHO_SAME.values(), ids=ECHO_SAME)
def test_echo_differences_that_mean_nothing(left: object, right: object) -> None:
    """What an SDK adds, drops or reorders when it sends a turn back does not count."""
    assert same_content(left, right)
    assert same_content(right, left)
    assert same_message({"role": "user", "content": left}, {"content": right, "role": "user"})


@pytest.mark.parametrize(("left", "right"), ECHO_DIFFERENT.values(), ids=ECHO_DIFFERENT)
def test_echo_differences_that_count(left: object, right: object) -> None:
    """Whatever the model would read differently counts, and all of what stands in a tool's input."""
    assert not same_content(left, right)
    assert not same_content(right, left)


def test_roles_count() -> None:
    """The same words of another role are another message."""
    assert not same_message({"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"})
    assert same_message("hi", "hi")
    assert not same_message("hi", {"role": None, "content": "hi"})


@given(st.sampled_from([*ECHO_SAME.values(), *ECHO_DIFFERENT.values()]), st.sampled_from([0, 1]))
def test_the_plain_form_is_final(pair: tuple[object, object], side: int) -> None:
    """Law: making a plain form plain again changes nothing, and the message itself is not touched."""
    message = {"role": "assistant", "content": pair[side]}
    before = copy.deepcopy(message)
    plain = plain_message(message)
    assert repr(plain_message(plain)) == repr(plain)
    assert repr(message) == repr(before)


def test_content_of_a_wrong_kind_is_kept() -> None:
    """What is no content is handed on as it is, so that it equals only itself."""
    assert plain_content(7) == 7
    assert plain_content([7, None]) == [7, None]


@pytest.mark.parametrize(
    ("block", "blank"),
    [
        (text(" \t\n"), True),
        (text(""), True),
        (text("."), False),
        ({"type": "text", "text": None}, False),
        ({"type": "thinking", "text": ""}, False),
        ("", False),
    ],
)
def test_blank_text(block: object, blank: bool) -> None:
    """Only a text block of white space is blank."""
    assert is_blank_text(block) is blank


def tool(**more: object) -> Json:
    return {"name": "add", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}, **more}


def schema(properties: object) -> list[Json]:
    return [{"name": "add", "input_schema": {"type": "object", "properties": properties}}]


SETTINGS_SAME = {
    "absent-and-empty": (None, []),
    "absent-and-empty-string": (None, ""),
    "string-and-one-block": ("be kind", [text("be kind")]),
    "cache-control-moved": ([text("a", cache_control={"type": "ephemeral"})], [text("a")]),
    "null-description": ([tool(description=None)], [tool()]),
    "cache-control-on-a-tool": ([tool(cache_control={"type": "ephemeral"})], [tool()]),
    "schema-key-order": (schema({"a": 1, "b": 2}), schema({"b": 2, "a": 1})),
}
SETTINGS_DIFFERENT = {
    "another-prompt": ("be kind", "be terse"),
    "prompt-dropped": ("be kind", None),
    "tool-added": ([tool()], [tool(), tool(name="sub")]),
    "tool-order": ([tool(), tool(name="sub")], [tool(name="sub"), tool()]),
    "description": ([tool(description="adds")], [tool()]),
    "property-named-caller": (schema({"caller": {"type": "string"}}), schema({"caller": {"type": "integer"}})),
    "citations-of-a-tool": ([tool(citations={"enabled": True})], [tool()]),
    "property-named-citations": (schema({"citations": {"type": "array"}}), schema({})),
    "null-default": (schema({"a": {"default": None}}), schema({"a": {}})),
}


@pytest.mark.parametrize(("left", "right"), SETTINGS_SAME.values(), ids=SETTINGS_SAME)
def test_the_same_settings(left: object, right: object) -> None:
    """Tools and system prompts may differ in nulls and cache marks."""
    assert same_settings(left, right)
    assert same_settings(right, left)


@pytest.mark.parametrize(("left", "right"), SETTINGS_DIFFERENT.values(), ids=SETTINGS_DIFFERENT)
def test_other_settings(left: object, right: object) -> None:
    """A tool's schema is the user's own data: its properties may bear any name, and all of it counts."""
    assert not same_settings(left, right)
    assert not same_settings(right, left)


def deep(levels: int, inside: object, around: Callable[[object], object]) -> object:
    value = inside
    for _ in range(levels):
        value = around(value)
    return value


AROUND: dict[str, Callable[[object], object]] = {
    "arrays": lambda inner: [inner],
    "objects": lambda inner: {"a": inner, "b": 1},
    "results": lambda inner: {"type": "tool_result", "tool_use_id": "t", "content": [inner]},
    "unknown-blocks": lambda inner: {"type": "novelty", "content": [inner], "cache_control": None},
    "calls": lambda inner: {"type": "tool_use", "input": inner},
}


@pytest.mark.parametrize("levels", [1, 40, 60, 400, 10_000])
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_values_of_any_depth(around: Callable[[object], object], levels: int) -> None:
    """However deep two values are, they are compared, and a difference at the bottom is found, quickly."""
    one, other, float_one = (deep(levels, text(words, n=number), around) for words, number in NESTED)
    for compare in (same, same_settings):
        assert compare(one, float_one)
        assert not compare(one, other)
    assert same_content([one], [float_one])
    assert not same_content([one], [other])
    assert same_message({"role": "user", "content": [one]}, {"role": "user", "content": [float_one]})
    difference = first_difference(one, other)
    assert difference is not None
    assert difference.path.endswith(".text")
    assert (difference.left, difference.right) == ("a", "b")


NESTED = (("a", 1), ("b", 1), ("a", 1.0))


@pytest.mark.parametrize("levels", [1, 49, 50, 51, 10_000])
def test_a_shallow_value_is_equal_where_the_value_is(levels: int) -> None:
    """What is nested too deeply stands as its text, so that what differs there still differs."""
    one, other, float_one = (shallow(deep(levels, text(w, n=n), AROUND["objects"])) for w, n in NESTED)
    assert same(one, float_one)
    assert not same(one, other)
    assert len(json.dumps(one)) > levels * 10
    assert shallow(deep(levels, 1, AROUND["arrays"]), 3) == deep(min(levels, 3), _text(levels - 3), AROUND["arrays"])
    assert shallow(({"a": (1, 2)}, 3)) == [{"a": [1, 2]}, 3]


def _text(levels: int) -> object:
    return "[" * levels + "1" + "]" * levels if levels > 0 else 1
