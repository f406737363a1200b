"""Bodies read incrementally are the bodies read from scratch."""

from __future__ import annotations

import copy
import json
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.codec import JsonError
from playhead.wire.history import History
from playhead.wire.reading import Bodies, read
from playhead.wire.recent import REMEMBERED, Reading

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


def marked(messages: list[Json], last: int) -> list[Json]:
    """A cache mark on the last so many messages, as clients that move them along do."""
    return [*messages[: len(messages) - last], *({**one, **MARK} for one in messages[len(messages) - last :])]


def same(left: Reading, right: Reading) -> bool:
    """The same data to the last type (1, 1.0 and true differ, NaN is NaN), weight and places."""
    assert repr(left.body) == repr(right.body)
    assert left.weight == right.weight
    assert places(left) == places(right)
    return True


def reads_as_alone(bodies: Bodies, raw: bytes) -> None:
    """The body is read as it would be without any other before it, or refused as it would be."""
    try:
        alone = read(raw)
    except JsonError:
        with pytest.raises(JsonError):
            bodies.read(raw)
        return
    assert same(bodies.read(raw), alone)


def places(reading: Reading) -> object:
    """Where a body's messages stand."""
    text = reading.text
    if text is None:
        return None
    ends = [text.start + end for end in text.ends]
    assert text.stop == ends[-1]
    assert text.start <= text.since <= text.stop
    return text.raw, text.start, ends, text.end, text.head, text.tail, text.opening


def shared(now: Reading, before: Reading) -> int:
    """How many messages two readings begin with that are the same history."""
    ours, theirs = [chain_of(one) for one in (now, before)]
    return sum(one is other for one, other in zip(ours, theirs, strict=False))


def chain_of(reading: Reading) -> list[History]:
    at, chain = None if reading.sent is None else reading.sent.last, []
    while at is not None:
        chain.insert(0, at)
        at = at.before
    return chain


def require_whole(reading: Reading) -> None:
    """What is told of a reading's messages is so: the chain, the list, and what is fresh."""
    messages = reading.body.get("messages")
    assert (reading.sent is not None) is (isinstance(messages, list) and bool(messages))
    if reading.sent is not None and isinstance(messages, list):
        assert reading.sent.messages is messages
        assert [one.message for one in chain_of(reading)] == messages or "nan" in repr(messages)
        assert all(one.message is message for one, message in zip(chain_of(reading), messages, strict=True))
    fresh = reading.fresh.get("messages")
    assert not isinstance(fresh, list) or not fresh or repr(messages).endswith(repr(fresh)[1:])


@given(
    st.lists(st.lists(MESSAGES, max_size=3), max_size=5),
    st.sampled_from([*STYLES]),
    st.lists(st.sampled_from([*PLACES]), min_size=5, max_size=5)
    | st.sampled_from([*PLACES]).map(lambda one: [one] * 5),
    st.integers(0, 3),
    st.lists(st.integers(0, 9), max_size=5),
)
def test_bodies_read_as_from_scratch(
    parts: list[list[Json]], style: str, places: Sequence[str], marks: int, cuts: list[int]
) -> None:
    """Law: whatever a client's JSON looks like, and whatever it changes, a memory changes nothing of what is read."""
    messages: list[Json] = []
    bodies = Bodies()
    earlier: list[Reading] = []
    from_scratch: list[Reading] = []
    for number, added in enumerate(parts):
        cut = cuts[number] if number < len(cuts) else 0
        messages = [*messages[: len(messages) - cut], *added] if cut % 2 else [*messages, *added]
        raw = STYLES[style](PLACES[places[number]](marked(messages, min(marks, len(messages)))))
        reading, alone = bodies.read(raw), read(raw)
        require_whole(reading)
        require_whole(alone)
        for before in earlier:
            count = shared(reading, before)
            ours, theirs = reading.body["messages"], before.body["messages"]
            assert repr(ours[:count]) == repr(theirs[:count])
        earlier.append(reading)
        from_scratch.append(alone)
    # the last first: where messages end is found when somebody asks, and may have waited for several bodies
    for reading, alone in zip(reversed(earlier), reversed(from_scratch), strict=True):
        assert style == "byte-order-mark" or same(reading, alone)


@given(
    st.lists(MESSAGES, min_size=1, max_size=3), st.lists(MESSAGES, max_size=3), st.sampled_from([*STYLES]), st.data()
)
def test_damaged_bytes_read_as_from_scratch(
    messages: list[Json], added: list[Json], style: str, data: st.DataObject
) -> None:
    """Law: a body with some bytes changed is refused, or read, exactly as without a memory."""
    bodies = Bodies()
    bodies.read(STYLES[style](PLACES["between"](messages)))
    raw = bytearray(STYLES[style](PLACES["between"]([*messages, *added])))
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(raw) - 1))
        raw[where : where + data.draw(st.integers(0, 1))] = data.draw(
            st.sampled_from([b",", b"]", b"[", b" ", b"\x0b", b'"', b"}", b"1", b"\xff", b"\\"])
        )
    try:
        expected = read(bytes(raw))
    except JsonError:
        with pytest.raises(JsonError):
            bodies.read(bytes(raw))
        return
    assert repr(bodies.read(bytes(raw)).body) == repr(expected.body)


A: Json = {"role": "user", "content": "hi"}
B: Json = {"role": "assistant", "content": [{"type": "text", "text": "ho"}]}
C: Json = {"role": "user", "content": "go on"}
BODY: Json = {"model": "m", "system": "kind", "tools": [{"name": "add"}]}
LATER: dict[str, tuple[Json, int, int]] = {
    "more": ({**BODY, "messages": [A, B, C, B]}, 3, 1),
    "the-same-again": ({**BODY, "messages": [A, B, C]}, 3, 0),
    "cut": ({**BODY, "messages": [A, B]}, 2, 0),
    "a-mark-on-the-last": ({**BODY, "messages": [A, B, {**C, **MARK}, B]}, 2, 2),
    "the-last-edited-to-the-same-length": ({**BODY, "messages": [A, B, {**C, "content": "go in"}]}, 2, 1),
    "the-second-edited": ({**BODY, "messages": [A, {**B, "content": "he"}, C, B]}, 1, 3),
    "the-first-edited": ({**BODY, "messages": [{**A, "content": "ho"}, B, C, B]}, 0, 4),
    "the-first-dropped": ({**BODY, "messages": [B, C]}, 0, 2),
    "another-model": ({**BODY, "model": "n", "messages": [A, B, C, B]}, 3, 1),
    "another-model-and-nothing-more": ({**BODY, "model": "n", "messages": [A, B, C]}, 3, 0),
    "system-after-the-messages": ({"model": "m", "messages": [A, B, C, B], "system": "kind", "tools": []}, 3, 1),
    "messages-first": ({"messages": [A, B, C, B], **BODY}, 3, 1),
    "a-longer-system": ({**BODY, "system": "x" * 99, "messages": [A, B, C, B]}, 3, 1),
    "bracket-inside-a-string": ({**BODY, "messages": [A, B, C, {"role": "user", "content": '"]},{["'}]}, 3, 1),
    "messages-in-the-system": ({**BODY, "system": [{"messages": [A, B]}], "messages": [A, B, C, B]}, 0, 4),
    "other-messages-before": ({"metadata": {"messages": [A, B]}, **BODY, "messages": [A, B, C, B]}, 0, 4),
    "a-name-like-it": ({'x"messages': [A, B], **BODY, "messages": [A, B, C, B]}, 0, 4),
    "a-name-like-it-only": ({'x"messages': [A, B, C, B], **BODY}, 0, 0),
    "other-messages-only": ({**BODY, "metadata": {"messages": [A, B, C, B]}}, 0, 0),
    "no-messages": (BODY, 0, 0),
    "messages-of-another-kind": ({**BODY, "messages": "hi"}, 0, 0),
}


@pytest.mark.parametrize("style", [style for style in STYLES if style != "byte-order-mark"])
@pytest.mark.parametrize(("body", "count", "new"), LATER.values(), ids=LATER)
def test_what_was_read_is_shared(body: Json, count: int, new: int, style: str) -> None:
    """The messages with which an earlier body begins are its very objects; those after them are parsed."""
    bodies = Bodies()
    earlier = bodies.read(STYLES[style]({**BODY, "messages": [A, B, C]}))
    reading = bodies.read(STYLES[style](body))
    assert reading.body == body
    assert [*reading.body] == [*body]
    assert shared(reading, earlier) == count
    fresh = reading.fresh.get("messages")
    assert len(fresh if isinstance(fresh, list) else []) == new
    require_whole(reading)
    assert same(reading, read(STYLES[style](body)))


def test_what_stands_around_the_messages_is_shared_too() -> None:
    """Tools and system that have the same text are the same object, wherever they stand and whatever else changes."""
    bodies = Bodies()
    first = bodies.read(compact({**BODY, "messages": [A]}))
    for body in (
        {**BODY, "messages": [A, B]},
        {**BODY, "model": "n", "messages": [A, B]},
        {"messages": [C], "tools": BODY["tools"], "model": "m"},
    ):
        reading = bodies.read(compact(body))
        assert reading.body["tools"] is first.body["tools"]
        assert "tools" not in reading.fresh
    assert bodies.read(compact({**BODY, "tools": [], "messages": [A]})).fresh["tools"] == []


@pytest.mark.parametrize("style", [*STYLES])
@pytest.mark.parametrize(
    "messages",
    [
        [C],
        [C, A, B],
        [{"role": "user", "content": '"]}'}],
        [{"role": "user", "content": '], "tools": [1'}],
        [],
        [[]],
        [1],
    ],
    ids=repr,
)
def test_another_conversation_shares_what_stands_around_it(style: str, messages: list[Any]) -> None:
    """Of a body that begins anew nothing but its messages is new, and it is read as it would be alone."""
    bodies = Bodies()
    first = bodies.read(STYLES[style]({**BODY, "messages": [A, B]}))
    raw = STYLES[style]({**BODY, "messages": messages})
    reading = bodies.read(raw)
    assert same(reading, read(raw))
    require_whole(reading)
    assert dict(reading.fresh) == {"messages": messages}
    for name in BODY:
        assert reading.body[name] is first.body[name]
    longer = bodies.read(STYLES[style]({**BODY, "messages": [*messages, A]}))
    assert shared(longer, reading) == len(messages)


@pytest.mark.parametrize(
    "between",
    [
        '1], "messages": [2',
        '{"role": "user"',
        "1 2",
        "1,",
        ",1",
        '1], "n": [2',
        '{"a": 1}], "model": "n", "b": [{}',
        " ",
    ],
)
def test_what_stands_between_is_messages_only_if_it_is_an_array(between: str) -> None:
    """Whatever has the beginning and the end of an earlier body is read as it would be alone, or not at all."""
    bodies = Bodies()
    head, tail = '{"model": "m", "messages": [', '], "stream": false}'
    bodies.read(f'{head}{{"role": "user"}}{tail}'.encode())
    reads_as_alone(bodies, f"{head}{between}{tail}".encode())


@pytest.mark.parametrize("messages", ['["a"]', '["a","b"]', '["b"]', "[NaN]", '["a",NaN]'])
def test_a_wrong_bracket_at_the_end_is_no_json(messages: str) -> None:
    """Whatever came before."""
    bodies = Bodies()
    bodies.read(b'{"messages":["a"],"stream":true}')
    with pytest.raises(JsonError):
        bodies.read(f'{{"messages":{messages},"stream":true]'.encode())


def test_the_longest_earlier_body_is_gone_on_with() -> None:
    """Of several conversations the one that has most in common, whichever was read last."""
    bodies = Bodies()
    long, other, short = (bodies.read(compact({"messages": messages})) for messages in ([A, B, C], [B, A], [A, C]))
    assert shared(bodies.read(compact({"messages": [A, B, C, B]})), long) == 3
    assert shared(bodies.read(compact({"messages": [B, A, B]})), other) == 2
    assert shared(bodies.read(compact({"messages": [A, C, B]})), short) == 2
    assert shared(bodies.read(compact({"messages": [A, B, B]})), long) == 2


def test_a_conversation_that_begins_like_another_does_not_hide_it() -> None:
    """What began alike since then is shorter, and less of it is the same."""
    bodies, much = Bodies(), {**B, "content": "word " * 2000}
    long = bodies.read(compact({"messages": [A, much, C]}))
    bodies.read(compact({"messages": [A]}))
    assert shared(bodies.read(compact({"messages": [A, much, C, B]})), long) == 3
    bodies.read(compact({"messages": [A]}))
    assert shared(bodies.read(compact({"messages": [A, much, A]})), long) == 2
    bodies.read(compact({"messages": [A, C]}))
    assert shared(bodies.read(compact({"messages": [A, much, B]})), long) == 2


@pytest.mark.parametrize("last", ["12", "1e3", "1.5", '"1'])
def test_a_message_that_only_begins_like_an_earlier_one(last: str) -> None:
    """Equal bytes up to a place prove nothing where a value goes on behind it."""
    bodies = Bodies()
    first = f'{{"messages":["{A["content"]}",1],"n":0}}'
    bodies.read(first.encode())
    bodies.read(b'{"messages":["another",2],"n":0}')
    reads_as_alone(bodies, first.replace(",1]", f",{last}]").encode())


@pytest.mark.parametrize("number", ["12.5", "1e5", "1e+5"])
def test_a_number_is_not_cut_where_a_look_ends(number: str) -> None:
    """What is looked at may end within the first message; the next body is read as it is all the same."""
    for blanks in range(4085, 4100):
        bodies = Bodies()
        for first in (number, number[:2], number[:1], number):
            reads_as_alone(bodies, f'{{"messages":[{" " * blanks}{first},{{"role":"user"}}]}}'.encode())


def test_conversations_side_by_side_stay_in_memory() -> None:
    """Each finds the whole of its own history again, although all begin with the same message."""
    bodies, count = Bodies(), REMEMBERED // 2
    told: list[list[Json]] = [[A, {**C, "content": str(number)}] for number in range(count)]
    before = [bodies.read(compact({"messages": messages})) for messages in told]
    for turn in range(4):
        for number, messages in enumerate(told):
            messages += [B, {**C, "content": f"{turn} {number}"}]
            reading = bodies.read(compact({"messages": messages}))
            assert shared(reading, before[number]) == len(messages) - 2
            before[number] = reading


def test_of_many_conversations_the_oldest_is_forgotten() -> None:
    """What is no longer kept is read anew, and nothing else is."""
    bodies = Bodies()
    firsts = [{**A, "content": f"conversation {number}"} for number in range(REMEMBERED + 1)]
    before = [bodies.read(compact({"messages": [first]})) for first in firsts]
    for number, kept in ((REMEMBERED, 1), (2, 1), (0, 0)):
        reading = bodies.read(compact({"messages": [firsts[number], B]}))
        assert reading.body == {"messages": [firsts[number], B]}
        assert shared(reading, before[number]) == kept


def test_only_the_newest_bytes_of_a_conversation_are_kept() -> None:
    """A long session's bodies add up to the square of its length; what is kept is one of them and the messages."""
    bodies, sizes = Bodies(), []
    messages: list[Json] = []
    for number in range(200):
        messages.append({"role": "user", "content": f"{number} ".ljust(1_000)})
        raw = compact({"messages": [*messages[:-1], {**messages[-1], **MARK}]})
        bodies.read(raw)
        sizes.append(len(raw))
        if number == 30:
            tracemalloc.start()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(sizes) > 15_000_000
    assert kept < 5 * sizes[-1]


DATA: dict[str, tuple[Json, int]] = {
    "copies": (copy.deepcopy({**BODY, "messages": [A, B, C, A]}), 3),
    "a-mark": ({**BODY, "messages": [A, {**B, **MARK}, C]}, 1),
    "member-order": ({**BODY, "messages": [{"content": "hi", "role": "user"}, B]}, 0),
    "a-tuple-for-a-list": ({**BODY, "messages": [A, {**B, "content": tuple(B["content"])}, C]}, 1),
    "no-json": ({**BODY, "messages": [A, {**B, "content": object()}, C]}, 1),
    "no-messages": (BODY, 0),
}


@pytest.mark.parametrize(("body", "count"), DATA.values(), ids=DATA)
def test_data_is_shared_where_its_text_is_the_same(body: Json, count: int) -> None:
    """Bodies that are no bytes share what would be written the same way, and stay what they are."""
    bodies = Bodies()
    earlier = bodies.take({**BODY, "messages": [A, B, C]})
    reading = bodies.take(body)
    assert reading.body == body
    assert shared(reading, earlier) == count
    assert all(ours is theirs for ours, theirs in zip(chain_of(reading)[:count], chain_of(earlier), strict=False))
    assert reading.body["tools"] is BODY["tools"]


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0, False), (0.0, -0.0), ("1", 1)])
def test_data_that_only_python_calls_equal_is_not_shared(one: object, other: object) -> None:
    """1 and true are equal to Python, and not to the API."""
    bodies = Bodies()
    first = bodies.take({"messages": [{"n": one}], "tools": [one]})
    second = bodies.take({"messages": [{"n": other}], "tools": [other]})
    assert shared(second, first) == 0
    assert repr(second.body) == repr({"messages": [{"n": other}], "tools": [other]})


@given(st.lists(st.lists(MESSAGES, max_size=3), max_size=4), st.booleans())
def test_data_reads_as_it_is(parts: list[list[Json]], copied: bool) -> None:
    """Law: taking data in changes nothing of it, and its chain is its messages."""
    bodies, messages = Bodies(), []
    for added in parts:
        messages = [*messages, *added]
        body = copy.deepcopy({"messages": messages}) if copied else {"messages": messages}
        reading = bodies.take(body)
        assert repr(reading.body) == repr(body)
        require_whole(reading)


def test_a_lone_surrogate_does_not_end_the_sharing() -> None:
    """What one JSON library refuses (clients cut emoji in two) is split by another, at the same places."""
    bodies = Bodies()
    odd = b'{"role":"user","content":"\\ud83d NaN \xc3\xa9"}'
    first = bodies.read(b'{"model":"m","messages":[' + odd + b',{"n":NaN}]}')
    second = bodies.read(b'{"model":"m","messages":[' + odd + b',{"n":NaN},' + odd + b"]}")
    third = bodies.read(b'{"model":"m","messages":[' + odd + b',{"n":NaN},' + odd + b"," + odd + b"]}")
    assert (shared(second, first), shared(third, second)) == (2, 3)
    assert third.body["messages"][3]["content"] == "\ud83d NaN \u00e9"


NO_JSON = {
    "trailing-comma": b'{"messages":[1,],"model":"m"}',
    "trailing-comma-and-another-model": b'{"messages":[1,],"model":"n"}',
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
    bodies = Bodies()
    assert bodies.read(b'{"messages":[1],"model":"m"}').text is not None
    with pytest.raises(JsonError):
        bodies.read(raw)


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
    bodies = Bodies()
    bodies.read(first)
    assert bodies.read(second).body["messages"] == messages
    assert read(second).body["messages"] == messages


def test_empty_messages_are_no_memory() -> None:
    """A body with no messages has no end of messages to grow from."""
    for raw in (b'{"messages":[]}', b'{"messages":null}', b"{}", b'{"messages":{"a":1}}'):
        bodies = Bodies()
        assert bodies.read(raw).text is None
        assert bodies.read(b'{"messages":[1]}').fresh == {"messages": [1]}


def test_weight_is_what_a_model_would_read() -> None:
    """Messages, system and tools count in bytes of their text; settings do not."""
    raw = b'{"model":"claude-opus-5-5","messages":["\xc3\xa9"],"system":"ab","tools":[1],"max_tokens":99999}'
    assert read(raw).weight == len(b'["\xc3\xa9"]') + len(b'"ab"') + len(b"[1]")


@pytest.mark.parametrize("raw", [b"[]", b'"x"', b"", b"{", b"null"])
def test_a_body_is_an_object(raw: bytes) -> None:
    """What is no JSON object is no request body."""
    with pytest.raises(JsonError):
        read(raw)


def test_where_messages_end_may_be_asked_from_deeper_down() -> None:
    """What could be read near the end of the stack, but not told apart from further down, costs its bytes only."""
    bodies = Bodies()
    depth = 0
    raw = compact({**BODY, "messages": [A, B]})
    bodies.read(compact({**BODY, "messages": [A]}))
    while True:  # as deep as it can be read from here
        deep = raw.replace(b'"ho"', b"[" * (depth + 10) + b"]" * (depth + 10))
        try:
            read(deep)
        except JsonError:
            break
        depth += 10
    deep = raw.replace(b'"ho"', b"[" * depth + b"]" * depth)
    bodies.read(deep)

    def read_further_down(levels: int, body: Json) -> Reading:
        return read_further_down(levels - 1, body) if levels else bodies.read(compact(body))

    for body in ({**BODY, "messages": [A, C]}, {**BODY, "model": "n", "messages": [A, C]}):
        assert read_further_down(30, body).body == body
