"""JSON text to values and back."""

from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.codec import (
    Json,
    JsonError,
    by_value,
    canonical,
    decode,
    decode_object,
    decode_part,
    encode,
    encode_each,
    encode_text,
    first_end,
    item_ends,
    kind,
    member_places,
    members,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)

READ = {
    "integer-beyond-64-bits": (b"123456789012345678901234567890", 123456789012345678901234567890),
    "negative-integer-beyond-64-bits": (b"-18446744073709551617", -18446744073709551617),
    "2**53+1-keeps-its-last-bit": (b"9007199254740993", 9007199254740993),
    "exponent": (b"1e+16", 1e16),
    "too-big-for-a-float": (b"1e400", math.inf),
    "Infinity": (b"[Infinity, -Infinity]", [math.inf, -math.inf]),
    "lone-surrogate-escape": (rb'"\ud800x"', "\ud800x"),
    "surrogate-pair": (rb'"\ud83d\ude00"', "\U0001f600"),
    "lone-surrogate-in-text": ('"\ud800"', "\ud800"),
    "byte-order-mark-in-bytes": (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
    "byte-order-mark-in-text": ('\ufeff{"a":1}', {"a": 1}),
    "duplicate-keys-the-last-wins": (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
    "white-space-around": (b" \t\r\n[1 , 2]\n", [1, 2]),
    "line-separator-is-text": ('"\u2028"', "\u2028"),
}


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_reads_what_other_json_writers_write(text: bytes | str, value: object) -> None:
    """Every text that some client or recording contains is read without loss."""
    assert decode(text) == value
    assert type(decode(text)) is type(value)


def test_a_view_of_bytes_is_read_as_they_are() -> None:
    """A part of a text need not be copied, whoever reads it in the end."""
    assert decode(memoryview(b'x{"a": [1, "b"]}x')[1:-1]) == {"a": [1, "b"]}
    assert decode(memoryview(rb'x["\ud800", NaN]x')[1:-1])[0] == "\ud800"
    with pytest.raises(JsonError):
        decode(memoryview(b"[1,]"))


def test_reads_nan() -> None:
    """NaN, which is no JSON but is found in recordings, is read as NaN."""
    assert math.isnan(decode(b'{"a": NaN}')["a"])


DAMAGED = {
    "empty": b"",
    "cut-object": b'{"a": 1',
    "cut-string": b'"abc',
    "trailing-comma": b"[1,]",
    "two-values": b"1 2",
    "html": b"<html>busy</html>",
    "invalid-utf-8": b'"\xff"',
    "control-character": b'"\x01"',
    "open-brackets": b"[" * 100_000,
    "deep-list": b"[" * 100_000 + b"]" * 100_000,
    "deep-object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "integer-python-refuses": b"9" * 5000,
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_json_is_a_json_error(text: bytes) -> None:
    """Whatever is wrong with a text, the one error that callers catch is raised, with a sentence."""
    with pytest.raises(JsonError) as caught:
        decode(text)
    assert str(caught.value)
    for split in (members, member_places):
        with pytest.raises(JsonError):
            split(text)


def test_a_json_error_is_a_value_error() -> None:
    """Callers who know nothing of Playhead catch `ValueError`."""
    assert issubclass(JsonError, ValueError)


@pytest.mark.parametrize(
    ("text", "value", "with_strings"),
    [
        ('{"a": 1, "b": "un', {"a": 1}, {"a": 1, "b": "un"}),
        ('{"a": 25', {"a": 25}, {"a": 25}),
        ('{"a": "x', {}, {"a": "x"}),
        ('{"a": [1, {"b": tr', {"a": [1, {}]}, {"a": [1, {}]}),
        ('{"a', {}, {}),
        ("{", {}, {}),
        ("", {}, {}),
        ("  ", {}, {}),
        ("nul", {}, {}),
        ('{"a": wrong', {}, {}),
        ('{"a": "\ud800', {}, {}),
        ('{"a": 1} and more', {"a": 1}, {"a": 1}),
        ('{"a": 12345678901234567890123, "b', {"a": 12345678901234567890123}, {"a": 12345678901234567890123}),
    ],
)
def test_a_part_of_a_text_is_read_as_far_as_it_goes(text: str, value: object, with_strings: object) -> None:
    """What stands before the cut counts, a cut string only if it is asked for; nothing readable is an empty object."""
    assert decode_part(text) == value
    assert decode_part(text, strings=True) == with_strings
    with contextlib.suppress(UnicodeError):
        assert decode_part(text.encode()) == value


@given(st.dictionaries(st.text(), VALUES, max_size=3), st.data())
def test_a_part_of_an_object_holds_parts_of_it(value: dict[str, object], data: st.DataObject) -> None:
    """Cut anywhere, its members are some of the object's, in order; whole, it is the object."""
    text = json.dumps(value)
    part = decode_part(text[: data.draw(st.integers(0, len(text)))])
    assert [*part] == [*value][: len(part)]
    assert [*decode_part(text)] == [*value]


@pytest.mark.parametrize(
    ("text", "named"),
    [(b"[1]", "an array"), (b'"a"', "a string"), (b"3", "a number"), (b"true", "a boolean"), (b"null", "null")],
)
def test_an_object_is_needed(text: bytes, named: str) -> None:
    """The message says what stands in the place of the object."""
    with pytest.raises(JsonError, match=f"^a JSON object is needed, this is {named}$"):
        decode_object(text)
    assert decode_object(b'{"a": []}') == {"a": []}


WRITTEN = {
    "compact": ({"a": [1, 2.5, None, True]}, b'{"a":[1,2.5,null,true]}'),
    "order-kept": ({"b": 1, "a": 2}, b'{"b":1,"a":2}'),
    "utf-8": ("é\u2028", b'"\xc3\xa9\xe2\x80\xa8"'),
    "big-integer": (2**70, b"1180591620717411303424"),
    "lone-surrogate": ({"a": "\ud800"}, rb'{"a":"\ud800"}'),
    "lone-surrogate-in-a-key": ({"\ud800": None}, rb'{"\ud800":null}'),
    "nan": ({"a": math.nan, "b": None}, b'{"a":NaN,"b":null}'),
    "infinity": ([math.inf, -math.inf], b"[Infinity,-Infinity]"),
    "null-in-a-string": ("null", b'"null"'),
}


@pytest.mark.parametrize(("value", "text"), WRITTEN.values(), ids=WRITTEN)
def test_writes_without_loss(value: object, text: bytes) -> None:
    """Values that JSON libraries refuse or turn into null are written so that they can be read again."""
    assert encode(value) == text
    assert encode_text(value) == text.decode()


@given(st.lists(VALUES | st.sampled_from([value for value, _ in WRITTEN.values()]), max_size=5))
def test_several_are_written_as_each_alone(values: list[object]) -> None:
    """Writing many at once saves time and changes nothing, whatever one of them is."""
    assert encode_each(values) == [*map(encode, values)]


@given(VALUES)
def test_what_is_written_reads_the_same(value: object) -> None:
    """Round trip: equal values of equal types come back, whichever of the two libraries reads them."""
    text = encode(value)
    assert repr(decode(text)) == repr(value)
    assert repr(decode(text.decode("utf-8"))) == repr(value)
    assert json.loads(text) == value


@given(VALUES, VALUES)
def test_equal_canonical_bytes_mean_equal_values(left: object, right: object) -> None:
    """Law of `canonical`: keys in any order give the same bytes, and the bytes hold the whole value."""
    assert repr(decode(canonical({"l": left, "r": right}))) == repr(decode(canonical({"r": right, "l": left})))
    assert decode(canonical(left)) == left
    assert (canonical(left) == canonical(right)) <= (left == right)


def test_canonical_tells_nan_from_null() -> None:
    """Different values never share canonical bytes, not even those that JSON has no words for."""
    texts = [canonical({"b": 1, "a": value}) for value in (math.nan, math.inf, -math.inf, None, "NaN")]
    assert texts == [
        b'{"a":NaN,"b":1}',
        b'{"a":Infinity,"b":1}',
        b'{"a":-Infinity,"b":1}',
        b'{"a":null,"b":1}',
        b'{"a":"NaN","b":1}',
    ]


def test_canonical_sorts_keys_beside_a_lone_surrogate() -> None:
    """The fallback for lone surrogates keeps the law of sorted keys."""
    assert canonical({"b": "\ud800", "a": 1}) == rb'{"a":1,"b":"\ud800"}'


BY_VALUE: dict[str, tuple[object, object]] = {
    "whole-float": (1.0, 1),
    "negative-zero": (-0.0, 0),
    "other-float": (1.5, 1.5),
    "infinity": (math.inf, math.inf),
    "boolean": (True, True),
    "integer-that-no-float-holds": ([2**53 + 1, 2.0**53], [2**53 + 1, 2**53]),
    "nested": ({"a": [{"b": 2.0, "c": "2.0", "d": None}]}, {"a": [{"b": 2, "c": "2.0", "d": None}]}),
    "beside-a-lone-surrogate": ({"a": 2.0, "b": "\ud800"}, {"a": 2, "b": "\ud800"}),
}


@pytest.mark.parametrize(("value", "expected"), BY_VALUE.values(), ids=BY_VALUE)
def test_numbers_by_value(value: object, expected: object) -> None:
    """A whole float becomes the integer it equals, and nothing else changes its type."""
    assert repr(by_value(value)) == repr(expected)  # type: ignore[arg-type]


def test_a_value_without_whole_floats_is_handed_back() -> None:
    """Nothing is copied where nothing changes."""
    value: Json = {"a": [1, "x", 1.5]}
    assert by_value(value) is value


def test_members_are_left_as_text() -> None:
    """The members of an object come as the very bytes that stood there, the last of equal names."""
    found = members(b'{"a": [1,  2], "b":"x\\u00e9", "a": {"c" : 3}}')
    assert {name: bytes(text) for name, text in found.items()} == {"a": b'{"c" : 3}', "b": b'"x\\u00e9"'}


@pytest.mark.parametrize("text", [b"[1]", b"1", b"null"])
def test_members_need_an_object(text: bytes) -> None:
    """What is no object has no members."""
    with pytest.raises(JsonError):
        members(text)


PLACED: dict[str, tuple[bytes, dict[str, bytes]]] = {
    "none": (b" { } ", {}),
    "some": (b'{"a":1,"b":[1,{"a":2}]}', {"a": b"1", "b": b'[1,{"a":2}]'}),
    "blanks": (b'\n{ "a" :\t1 , "b"\r:  "x" }\n', {"a": b"1", "b": b'"x"'}),
    "escapes": (b'{"a\\"b":"\\u00e9\\\\","\\u0063":"]}"}', {'a"b': b'"\\u00e9\\\\"', "c": b'"]}"'}),
    "utf-8": ('{"é":"ü"}'.encode(), {"é": '"ü"'.encode()}),
    "not-a-number": ('{"é":NaN,"b":[-Infinity]}'.encode(), {"é": b"NaN", "b": b"[-Infinity]"}),
    "lone-surrogate": (b'{"a":"\\ud83d","b":"\xc3\xa9"}', {"a": b'"\\ud83d"', "b": b'"\xc3\xa9"'}),
}
UNPLACED: dict[str, bytes] = {
    "twice": b'{"a":1,"a":1}',
    "twice-and-longer": b'{"a":1,"b":2,"a":{"b":2}}',
    "twice-by-an-escape": b'{"\\u0061":1,"a":2}',
    "twice-beside-not-a-number": b'{"a":NaN,"a":1}',
    "array": b"[1]",
    "number": b"1",
    "nothing": b"",
    "cut": b'{"a":1',
    "comma-at-the-end": b'{"a":NaN,}',
    "no-comma": b'{"a":NaN "b":1}',
    "no-name": b"{1:NaN}",
    "no-value": b'{"a":,"b":NaN}',
    "control-character-in-a-name": b'{"a\x0b":NaN}',
    "more": b'{"a":1}{}',
    "the-wrong-bracket": b'{"a":1]',
    "the-wrong-bracket-after-not-a-number": b'{"a":NaN]',
    "byte-order-mark": b'\xef\xbb\xbf{"a":1}',
}


@pytest.mark.parametrize(("text", "found"), PLACED.values(), ids=PLACED)
def test_where_members_stand(text: bytes, found: dict[str, bytes]) -> None:
    """The places of an object's values, in its order, to the byte."""
    assert [(name, text[start:end]) for name, (start, end) in member_places(text).items()] == [*found.items()]


@pytest.mark.parametrize("text", UNPLACED.values(), ids=UNPLACED)
def test_places_that_are_not_certain(text: bytes) -> None:
    """Of equal names the last counts, so that no place may be told; what is no object has no members."""
    with pytest.raises(JsonError):
        member_places(text)


ITEMS: dict[str, tuple[bytes, list[bytes]]] = {
    "none": (b"[ ]", []),
    "some": (b'[1,"],[",{"a":[2]}]', [b"1", b'"],["', b'{"a":[2]}']),
    "blanks": (b" [ 1 ,\n[] , null ] ", [b"1", b"[]", b"null"]),
    "lone-surrogate": ('["é","\\ud83d" , 1]'.encode(), ['"é"'.encode(), b'"\\ud83d"', b"1"]),
    "not-a-number": (b"[NaN, 1]", [b"NaN", b"1"]),
}


@pytest.mark.parametrize(("text", "items"), ITEMS.values(), ids=ITEMS)
def test_where_items_end(text: bytes, items: list[bytes]) -> None:
    """The end of each item of an array, to the byte."""
    ends = item_ends(text)
    assert len(ends) == len(items)
    assert all(text[:end].endswith(item) for end, item in zip(ends, items, strict=True))


@pytest.mark.parametrize(
    "text",
    [b"{}", b"", b"[1", b"[1,]", b"[,1]", b"[NaN,]", b"[NaN 1]", b"[1]]", b"[NaN]]", b"[1}", b"[NaN}"],
)
def test_what_is_no_array_has_no_items(text: bytes) -> None:
    """Nothing is told of a text that is no JSON array."""
    with pytest.raises(JsonError):
        item_ends(text)


@given(st.dictionaries(st.text(), VALUES), st.lists(VALUES), st.sampled_from([None, 1]), st.booleans())
def test_places_hold_the_values(members: dict[str, Json], items: list[Json], indent: int | None, ascii: bool) -> None:
    """Law: what stands at a place is the value that decoding the whole finds there."""
    text = json.dumps(members, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    for name, (start, end) in member_places(text).items():
        assert repr(decode(text[start:end])) == repr(members[name])
    text = json.dumps(items, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    ends = item_ends(text)
    assert len(ends) == len(items)
    for number, end in enumerate(ends):
        assert repr(decode(text[:end] + b"]")) == repr(items[: number + 1])


def deep(levels: int, inside: object) -> object:
    value = inside
    for level in range(levels):
        value = [value, None] if level % 3 else {"b": 1, "a": value}
    return value


@pytest.mark.parametrize("inside", [1, "é", "\ud83d", math.nan, [], {}, (), 1.5], ids=repr)
def test_values_of_any_depth_are_written(inside: object) -> None:
    """Ten thousand levels, more than functions can call one another, are written like one."""
    for write, around in ((encode, (b'{"b":1,"a":', b"}")), (canonical, (b'{"a":', b',"b":1}'))):
        before, after = b"", b""
        for level in range(9_999):
            opening, closing = (b"[", b",null]") if level % 3 else around
            before, after = opening + before, after + closing
        assert write(deep(9_999, inside)) == before + write(inside) + after


def test_numbers_by_value_at_any_depth() -> None:
    """A whole float is found wherever it stands, and what it was found in is left as it was."""
    given = deep(9_999, [2.0, (1.0,), 2.5])
    assert canonical(by_value(given)) == canonical(deep(9_999, [2, [1], 2.5]))  # type: ignore[arg-type]
    assert canonical(given) == canonical(deep(9_999, [2.0, [1.0], 2.5]))


KINDS = {
    "an object": {},
    "an array": [],
    "a string": "",
    "a boolean": True,
    "null": None,
    "a Python tuple": (),
    "a Python bytes": b"",
}


@pytest.mark.parametrize(("named", "value"), [*KINDS.items(), ("a number", 1), ("a number", 1.5)])
def test_kinds_are_json_words(named: str, value: object) -> None:
    """Messages speak of JSON, not of Python's types, as long as it is JSON."""
    assert kind(value) == named


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from(["", " ", "\n "]), st.integers(0, 3))
def test_the_first_item_ends_where_item_ends_says(items: list[Json], blank: str, before: int) -> None:
    """Law: of two and more items the first one's end is known without the others, whatever stands between them."""
    text = f"[{blank}{f'{blank},{blank}'.join(json.dumps(item) for item in items)}{blank}]".encode()
    start, stop = before + 1, before + len(text) - 1
    end = first_end(b"x" * before + text, start, stop)
    assert end == (item_ends(text, before)[0] if len(items) > 1 or blank else None)


def test_a_long_first_item_is_left_to_who_reads_all_of_them() -> None:
    """What goes on behind what is looked at is not told from what ends there."""
    long = b"[" + b"1" * 5000 + b",2]"
    assert first_end(long, 1, len(long) - 1) is None
    assert first_end(b'["' + b"a" * 5000 + b'",2]', 1, 5005) is None
    assert first_end(b"[1" + b"1" * 4095 + b"23,4]", 1, 4102) is None
    assert first_end(b"[12,3]", 1, 5) == 3
    for number in (b"12.5", b"1e5", b"1e+5", b"1E-5", b"-1.25e10"):
        for shown in range(1, len(number) + 1):
            text = b"[" + b" " * (4096 - shown) + number + b",2]"
            assert first_end(text, 1, len(text) - 1) in (None, item_ends(text)[0]), number[:shown]
