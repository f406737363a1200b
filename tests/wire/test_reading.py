"""Bodies read incrementally are the bodies read from scratch."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.codec import JsonError
from playhead.wire.reading import Reading, read, read_next

Json = dict[str, Any]


def compact(body: Json) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def go(body: Json) -> bytes:
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    for character, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")):
        text = text.replace(character, escape)
    return text.encode()


STYLES: dict[str, Callable[[Json], bytes]] = {
    "compact": compact,
    "spaced": lambda body: json.dumps(body).encode(),
    "indented": lambda body: json.dumps(body, indent=2, ensure_ascii=False).encode(),
    "go": go,
    "newline-at-the-end": lambda body: compact(body) + b"\n",
    "byte-order-mark": lambda body: b"\xef\xbb\xbf" + compact(body),
}
PLACES: dict[str, Callable[[list[Json]], Json]] = {
    "last": lambda messages: {"model": "claude-opus-5-5", "max_tokens": 9, "messages": messages},
    "first": lambda messages: {"messages": messages, "model": "claude-opus-5-5", "system": "be kind"},
    "between": lambda messages: {"system": "]", "messages": messages, "tools": [{"name": "add"}], "stream": True},
    "same-text-in-metadata": lambda messages: {"messages": messages, "metadata": {"messages": messages}},
    "same-text-before": lambda messages: {"metadata": {"messages": messages}, "messages": messages},
    "same-text-as-a-string": lambda messages: {
        "metadata": {"user_id": json.dumps(messages, separators=(",", ":"))},
        "messages": messages,
    },
}
WORDS = st.sampled_from(["hi", "]", '"]}', "[1]", "}{", ",", "é\u2028<&>", '\\"', "", "a\\", '],"messages":['])
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"])},
    optional={
        "content": WORDS
        | st.lists(
            st.fixed_dictionaries(
                {"type": st.just("text"), "text": WORDS}, optional={"n": st.integers() | st.floats()}
            ),
            max_size=2,
        )
    },
)
MARK = {"cache_control": {"type": "ephemeral"}}


def marked(messages: list[Json]) -> list[Json]:
    """A cache mark on the last message, as clients that move it along do."""
    return [*messages[:-1], {**messages[-1], **MARK}] if messages else []


def same(left: Reading, right: Reading) -> bool:
    """The same data to the last type (1, 1.0 and true differ, NaN is NaN), and the same weight."""
    return repr(left.body) == repr(right.body) and left.weight == right.weight


@given(
    st.lists(st.lists(MESSAGES, max_size=3), max_size=4),
    st.sampled_from([*STYLES]),
    st.sampled_from([*PLACES]),
    st.sampled_from(["fixed", "moved", "none"]),
)
def test_growing_bodies_read_as_from_scratch(parts: list[list[Json]], style: str, place: str, mark: str) -> None:
    """Law: whatever the client's JSON looks like, reading with a memory equals reading without."""
    messages: list[Json] = []
    earlier: list[Reading] = []
    for added in parts:
        messages = [*messages, *(marked(added) if mark == "fixed" else added)]
        raw = STYLES[style](PLACES[place](marked(messages) if mark == "moved" else messages))
        reading, before = read_next(raw, reversed(earlier))
        assert same(reading, read(raw))
        assert before is None or any(before is one for one in earlier)
        if before is not None:
            assert all(ours is theirs for ours, theirs in zip(reading.messages, before.messages, strict=False))
            assert len(reading.messages) >= len(before.messages)
        earlier.append(reading)


@given(
    st.lists(MESSAGES, min_size=1, max_size=3), st.lists(MESSAGES, max_size=3), st.sampled_from([*STYLES]), st.data()
)
def test_damaged_bytes_read_as_from_scratch(
    messages: list[Json], added: list[Json], style: str, data: st.DataObject
) -> None:
    """Law: a body with some bytes changed is refused, or read, exactly as without a memory."""
    earlier = read(STYLES[style](PLACES["between"](messages)))
    raw = bytearray(STYLES[style](PLACES["between"]([*messages, *added])))
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(raw) - 1))
        raw[where : where + data.draw(st.integers(0, 1))] = data.draw(
            st.sampled_from([b",", b"]", b"[", b" ", b"\x0b", b'"', b"}", b"1"])
        )
    try:
        expected = read(bytes(raw))
    except JsonError:
        with pytest.raises(JsonError):
            read_next(bytes(raw), [earlier])
        return
    assert same(read_next(bytes(raw), [earlier])[0], expected)


A: Json = {"role": "user", "content": "hi"}
B: Json = {"role": "assistant", "content": [{"type": "text", "text": "ho"}]}


@pytest.mark.parametrize("style", [style for style in STYLES if style != "byte-order-mark"])
@pytest.mark.parametrize("place", ["last", "first", "between"])
def test_what_was_read_is_shared(style: str, place: str) -> None:
    """A body that extends an earlier one is recognised by its bytes, and the earlier messages are the same objects."""
    first, second = (PLACES[place](messages) for messages in ([A], [A, B]))
    earlier = read(STYLES[style](first))
    reading, before = read_next(STYLES[style](second), [earlier])
    if style == "indented":
        # the white space before the bracket is part of what was read, so the bytes do not extend it
        assert before is None
    else:
        assert before is earlier
        assert reading.messages[0] is earlier.messages[0]
    assert reading.messages == [A, B]


def test_the_nearest_earlier_body_is_used() -> None:
    """Of several earlier bodies the first in the order given that fits is extended."""
    one, two, other = (read(compact({"messages": messages})) for messages in ([A], [A, B], [B]))
    reading, before = read_next(compact({"messages": [A, B, A]}), [other, two, one])
    assert before is two
    assert reading.messages == [A, B, A]
    assert read_next(compact({"messages": [A, B, A]}), [])[1] is None


def test_the_same_body_again() -> None:
    """A repeated body adds nothing and shares everything."""
    earlier = read(compact({"messages": [A, B], "model": "m"}))
    reading, before = read_next(compact({"messages": [A, B], "model": "m"}), [earlier])
    assert before is earlier
    assert same(reading, earlier)


NOT_EXTENDED = {
    "another-model": {"messages": [A, B], "model": "n"},
    "edited": {"messages": [B, B], "model": "m"},
    "dropped": {"messages": [B], "model": "m"},
    "bracket-inside-a-string": {"messages": [{"role": "user", "content": 'hi"},{"x":"'}], "model": "m"},
    "no-messages": {"model": "m"},
    "messages-of-another-kind": {"messages": "hi", "model": "m"},
}


@pytest.mark.parametrize("body", NOT_EXTENDED.values(), ids=NOT_EXTENDED)
def test_a_body_that_extends_nothing_is_read_in_full(body: Json) -> None:
    """Unequal bytes prove nothing: such a body is parsed as if nothing had come before."""
    reading, before = read_next(compact(body), [read(compact({"messages": [A], "model": "m"}))])
    assert before is None
    assert reading.body == body


NO_JSON = {
    "trailing-comma": b'{"messages":[1,],"model":"m"}',
    "two-commas": b'{"messages":[1,,2],"model":"m"}',
    "no-comma": b'{"messages":[1 2],"model":"m"}',
    "vertical-tab": b'{"messages":[1\x0b],"model":"m"}',
    "vertical-tab-before-a-comma": b'{"messages":[1\x0b,2],"model":"m"}',
    "two-lists": b'{"messages":[1],[2],"model":"m"}',
    "cut": b'{"messages":[1',
}


@pytest.mark.parametrize("raw", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_stays_none(raw: bytes) -> None:
    """A body whose beginning and end are known is not taken for JSON when what lies between is not."""
    earlier = read(b'{"messages":[1],"model":"m"}')
    assert earlier.head == b'{"messages":[1'
    with pytest.raises(JsonError):
        read_next(raw, [earlier])


DUPLICATES = {
    "messages-twice": (b'{"messages":[1],"messages":[2]}', b'{"messages":[1],"messages":[2,3]}', [2, 3]),
    "the-same-messages-twice": (b'{"messages":[1],"messages":[1]}', b'{"messages":[1],"messages":[1,2]}', [1, 2]),
    "the-earlier-grows": (b'{"messages":[1],"messages":[1]}', b'{"messages":[1,2],"messages":[1]}', [1]),
    "a-second-one-appears": (b'{"messages":[1]}', b'{"messages":[1],"messages":[]}', []),
    "escaped-name": (b'{"messages":[1],"m\\u0065ssages":[9]}', b'{"messages":[1,2],"m\\u0065ssages":[9]}', [9]),
}


@pytest.mark.parametrize(("first", "second", "messages"), DUPLICATES.values(), ids=DUPLICATES)
def test_of_equal_names_the_last_counts(first: bytes, second: bytes, messages: list[int]) -> None:
    """Duplicate keys mean what they mean to a JSON library, with a memory and without."""
    assert read_next(second, [read(first)])[0].messages == messages
    assert read(second).messages == messages


def test_empty_messages_are_no_memory() -> None:
    """A body with no messages has no end of messages to grow from."""
    for raw in (b'{"messages":[]}', b'{"messages":null}', b"{}", b'{"messages":{"a":1}}'):
        earlier = read(raw)
        assert (earlier.head, earlier.tail) == (b"", b"")
        assert read_next(b'{"messages":[1]}', [earlier])[1] is None


def test_weight_is_what_a_model_would_read() -> None:
    """Messages, system and tools count in bytes of their text; settings do not."""
    raw = b'{"model":"claude-opus-5-5","messages":["\xc3\xa9"],"system":"ab","tools":[1],"max_tokens":99999}'
    assert read(raw).weight == len(b'["\xc3\xa9"]') + len(b'"ab"') + len(b"[1]")


@pytest.mark.parametrize("raw", [b"[]", b'"x"', b"", b"{", b"null"])
def test_a_body_is_an_object(raw: bytes) -> None:
    """What is no JSON object is no request body."""
    with pytest.raises(JsonError):
        read(raw)


@pytest.mark.parametrize(
    ("body", "messages"), [({"messages": [A]}, [A]), ({}, []), ({"messages": None}, []), ({"messages": {"a": 1}}, [])]
)
def test_messages_of_known_data(body: Json, messages: list[Json]) -> None:
    """A body that is known as data only has messages, but no bytes to be compared with."""
    reading = Reading(body=body)
    assert reading.messages == messages
    assert (reading.head, reading.tail) == (b"", b"")
