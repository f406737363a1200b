"""The rules on what a tool_result says."""

from __future__ import annotations

from typing import Any

import pytest

from made_sessions import DONE, Found, Json, Q, call, exchange, of_rule, reply, result, said, sent, session, text, user
from playhead.rules.checker import check, check_request
from playhead.wire.session import Session

C = call()


def body(**members: object) -> Json:
    return sent(Q, said(C), user({**result(), **members}))


CONTENT: dict[str, tuple[object, bool]] = {
    "null": (None, False),
    "a-number": (7, False),
    "a-float": (0.5, False),
    "a-boolean": (True, False),
    "an-object": ({"sum": 3}, False),
    "a-string": ("3", True),
    "an-empty-string": ("", True),
    "blocks": ([text("3")], True),
    "no-blocks": ([], True),
}


@pytest.mark.parametrize(("content", "right"), CONTENT.values(), ids=CONTENT)
def test_the_kind_of_content(content: object, right: bool) -> None:
    """Text or blocks, and nothing else that JSON has."""
    found = [(v.level, v.path) for v in check_request(body(content=content)) if v.rule == "tool-result-content-type"]
    assert found == ([] if right else [("broken", "$.messages[2].content[0].content")])


def test_content_may_be_left_out() -> None:
    """A tool that has nothing to say needs no text."""
    assert check_request(sent(Q, said(C), user({"type": "tool_result", "tool_use_id": "t1"}))) == ()


FLAGS: dict[str, tuple[object, bool]] = {
    "a-word": ("true", False),
    "the-word-false": ("false", False),
    "one": (1, False),
    "zero": (0, False),
    "an-empty-string": ("", False),
    "true": (True, True),
    "false": (False, True),
    "null": (None, True),
}


@pytest.mark.parametrize(("flag", "right"), FLAGS.values(), ids=FLAGS)
def test_the_kind_of_is_error(flag: object, right: bool) -> None:
    """A boolean; null is as good as absent."""
    found = [(v.level, v.path) for v in check_request(body(is_error=flag)) if v.rule == "tool-result-is-error-type"]
    assert found == ([] if right else [("broken", "$.messages[2].content[0].is_error")])


def test_the_kind_is_named() -> None:
    """The sentence says what stands there."""
    messages = [violation.message for violation in check_request(body(content=None, is_error="no"))]
    assert messages == [
        "the content of a tool_result is a string or an array of blocks, not null",
        "is_error is true or false, not 'no'",
    ]


def told(content: object, value: Any) -> Session:
    """A tool that returned `value`, and the result that was sent."""
    return session(
        exchange([Q], reply(C), tools_run=["t1"], results={"t1": value}),
        exchange([Q, said(C), user(result("t1", content))], DONE),
    )


class Point:
    """Anything without a text of its own."""


PLACE = object.__repr__(Point())
BROKEN: dict[str, tuple[object, Any]] = {
    "a-dict-as-python-writes-it": ("{'sum': 3}", {"sum": 3}),
    "a-dict-with-null": ("{'sum': None, 'ok': True}", {"sum": None, "ok": True}),
    "a-list-as-python-writes-it": ("['a', 'b']", ["a", "b"]),
    "a-tuple": ("(1, 2)", (1, 2)),
    "a-set": ("{1}", {1}),
    "bytes": ("b'abc'", b"abc"),
    "none": ("None", None),
    "true": ("True", True),
    "in-a-block": ([text("{'sum': 3}")], {"sum": 3}),
    "the-keys-as-blocks": (["sum", "ok"], {"sum": 3, "ok": True}),
    "the-keys-as-json": ('["sum", "ok"]', {"sum": 3, "ok": True}),
    "the-keys-in-a-row": ("sum, ok", {"sum": 3, "ok": True}),
    "the-keys-as-python-writes-them": ("dict_keys(['sum'])", {"sum": 3}),
    "an-object": (PLACE, Point()),
}


@pytest.mark.parametrize(("content", "value"), BROKEN.values(), ids=BROKEN)
def test_a_result_that_does_not_tell_the_value(content: object, value: Any) -> None:
    """What the tool returned is known, and the result says it in Python's way or not at all."""
    expected: list[Found] = [("broken", "$.messages[2].content[0].content", 2)]
    assert of_rule("tool-result-tells-value", told(content, value)) == expected


RIGHT: dict[str, tuple[object, Any]] = {
    "json": ('{"sum": 3}', {"sum": 3}),
    "json-without-spaces": ('{"sum":3,"ok":null}', {"sum": 3, "ok": None}),
    "json-over-several-lines": ('{\n  "sum": 3\n}', {"sum": 3}),
    "a-list-of-numbers": ("[1, 2]", [1, 2]),
    "an-empty-dict": ("{}", {}),
    "null": ("null", None),
    "nothing": ("", None),
    "a-word-for-nothing": ("done", None),
    "json-true": ("true", True),
    "a-number": ("7", 7),
    "a-float": ("0.5", 0.5),
    "text": ("{'a'", "{'a'"),
    "text-that-names-an-object": (f"I saw {PLACE}", f"I saw {PLACE}"),
    "a-sentence-of-ones-own": ("The sum is 3.", {"sum": 3}),
    "a-part-of-the-data": ("3", {"sum": 3}),
    "a-key-that-is-its-own-value": ("sum", {"sum": "sum"}),
    "blocks": ([text("It is "), text("3.")], {"sum": 3}),
    "raised": ("ValueError: boom", {"raised": "boom"}),
}


@pytest.mark.parametrize(("content", "value"), RIGHT.values(), ids=RIGHT)
def test_a_result_that_tells_the_value(content: object, value: Any) -> None:
    """JSON, a sentence, a part of it, or nothing where there is nothing."""
    made = told(content, value)
    assert [v.level for v in check(made) if v.rule == "tool-result-tells-value" and v.level != "warn"] == []


SUSPICIOUS: dict[str, tuple[object, str | None]] = {
    "a-dict": ("{'a': 1}", "written in Python's notation, not as JSON"),
    "a-list-of-dicts": ("[{'a': None}]", "written in Python's notation, not as JSON"),
    "bytes": ("b'a'", "written in Python's notation, not as JSON"),
    "none": ("None", "the word None: Python's way to say that there is nothing"),
    "an-object": (
        "<app.Point object at 0x7f1b121592a8>",
        "the name of a Python object and its place in memory, not its value",
    ),
    "in-a-block": ([text("{'a': 1}")], "written in Python's notation, not as JSON"),
    "json": ('{"a": 1}', None),
    "a-list-of-json": ('[{"a": 1}]', None),
    "prose": ("('so it begins'", None),
    "a-quoted-word-in-brackets": ("('really')", None),
    "code": ("{'a': 1} | other", None),
    "html": ("<p>at 0x10</p>", None),
    "a-sentence-with-none": ("None of them.", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("content", "what"), SUSPICIOUS.values(), ids=SUSPICIOUS)
def test_a_text_that_looks_like_python(content: object, what: str | None) -> None:
    """Where the value is not known the text alone is a warning: a tool may return Python's notation."""
    found = [(v.level, v.message) for v in check_request(body(content=content)) if v.rule == "tool-result-tells-value"]
    assert found == ([("warn", f"the result is {what}")] if what else [])


def test_a_very_long_text_is_not_parsed() -> None:
    """The warning is not worth the time that a megabyte takes."""
    long = "{'a': '" + "x" * 100_001 + "'}"
    assert [v.rule for v in check_request(body(content=long))] == []


def test_a_text_nested_too_deeply_to_parse() -> None:
    """Brackets without end are no literal, and no error either."""
    assert [v.rule for v in check_request(body(content="['" + "[" * 50_000))] == []


def test_each_result_is_told_once() -> None:
    """What was said of a result is not said again when the history is resent."""
    odd = user(result("t1", "{'a': 1}"))
    made = session(
        exchange([Q], reply(C)),
        exchange([Q, said(C), odd], reply(call("t2"))),
        exchange([Q, said(C), odd, said(call("t2")), user(result("t2"))], DONE),
    )
    assert of_rule("tool-result-tells-value", made) == [("warn", "$.messages[2].content[0].content", 2)]
