"""What needs no closer look: messages of an ordinary form, and turns in which every call is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from made_sessions import Json, call, result, said, text, user
from playhead.rules.catalogue import load_catalogue
from playhead.rules.ordinary import are_ordinary, ordinary_types, takes_turns
from playhead.rules.registry import RULES
from playhead.rules.requests import RequestRules
from playhead.rules.rule import RequestView, Rule
from playhead.wire.turns import merged_turns

DIRECT = {"caller": {"type": "direct"}}
MARK = {"cache_control": {"type": "ephemeral"}}
FORMS: dict[str, tuple[Any, list[str]]] = {
    "a string": ({"role": "user", "content": "Hello"}, ["text"]),
    "text": (said(text("Hello")), ["text"]),
    "text as it came": (said({**text("Hello"), "citations": None}), ["text"]),
    "calls": (said(text("I look."), call("t1"), {**call("t2"), **DIRECT}), ["text", "tool_use"]),
    "results": (user(result("t1"), {**result("t2"), "is_error": True}), ["tool_result", "text"]),
    "a result in text blocks": (user({**result("t1"), "content": [text("3")]}), ["tool_result", "text"]),
    "a blank string": ({"role": "user", "content": " \n"}, []),
    "no content": ({"role": "user", "content": []}, []),
    "blank text": (said(text(" ")), []),
    "text that cites": (said({**text("Hello"), "citations": [{}]}), []),
    "a mark": (user({**text("Hello"), **MARK}), []),
    "a member too many": ({"role": "user", "content": "Hello", "name": "Ada"}, []),
    "another role": ({"role": "system", "content": "Hello"}, []),
    "no message": ("Hello", []),
    "no block": ({"role": "user", "content": ["Hello"]}, []),
    "a type of no kind": (user({"type": []}), []),
    "a picture": (user({"type": "image", "source": {}}), []),
    "a call of the user's": (user(call("t1")), []),
    "a result of the assistant's": (said(result("t1")), []),
    "a call from code": (said({**call("t1"), "caller": {"type": "code_execution_20250825", "tool_id": "s"}}), []),
    "an input in a string": (said({**call("t1"), "input": "{}"}), []),
    "an odd id": (said(call("t 1")), []),
    "a name too long": (said({**call("t1"), "name": "x" * 201}), []),
    "results and text": (user(result("t1"), text("And now?")), []),
    "a result of nothing": (user({"type": "tool_result", "tool_use_id": "t1"}), []),
    "a result with a picture": (user({**result("t1"), "content": [{"type": "image", "source": {}}]}), []),
    "is_error as a word": (user({**result("t1"), "is_error": "true"}), []),
}


@pytest.mark.parametrize(("message", "types"), FORMS.values(), ids=FORMS)
def test_the_forms_of_messages(message: Any, types: list[str]) -> None:
    """The types of their blocks, or none."""
    assert list(ordinary_types(message)) == types


Q = user(text("How high is the tide?"))
TURNS: dict[str, tuple[list[Json], bool]] = {
    "a question": ([Q], True),
    "an answer, and another question": ([Q, said(text("3 m")), Q], True),
    "a call and its result": ([Q, said(call("t1")), user(result("t1"))], True),
    "results in another order": ([Q, said(call("t1"), call("t2")), user(result("t2"), result("t1"))], True),
    "nothing at all": ([], False),
    "the assistant's last word": ([Q, said(text("3 m"))], False),
    "an empty turn": ([Q, said(), Q], False),
    "a result that is missing": ([Q, said(call("t1"), call("t2")), user(result("t1"))], False),
    "a result twice": ([Q, said(call("t1")), user(result("t1"), result("t1"))], False),
    "a result of no call": ([Q, said(text("3 m")), user(result("t1"))], False),
    "a call that is open": ([Q, said(call("t1"))], False),
    "one id for two calls": ([Q, said(call("t1"), call("t1")), user(result("t1"), result("t1"))], False),
    "text beside the results": ([Q, said(call("t1")), user(result("t1"), text("And?"))], False),
    "thinking": ([Q, said({"type": "thinking", "thinking": "Hm.", "signature": "s"}, text("3 m")), Q], False),
}


@pytest.mark.parametrize(("messages", "ordinary"), TURNS.values(), ids=TURNS)
def test_turns(messages: list[Json], ordinary: bool) -> None:
    """Every call is answered by the next turn, which does nothing else, and the user speaks last."""
    assert are_ordinary(merged_turns(messages)) is ordinary


def test_whose_turn_it_is() -> None:
    """The user begins, and nobody speaks twice; after a message of another role everything is looked at."""
    roles = ("user", "assistant", "system")
    taken = {(a, b) for a in roles for b in roles if takes_turns({"role": a}, {"role": b})}
    assert taken == {("user", "assistant"), ("assistant", "user")}
    assert [takes_turns(None, {"role": role}) for role in roles] == [True, False, False]


BROKEN = [
    (rule, entry.fail)
    for rule in RULES
    for entry in [load_catalogue().get(rule.id)]
    if entry is not None and not rule.ordinary and (rule.message or rule.block or rule.request)
    if isinstance((entry.fail.get("body") or {}).get("messages"), list)
]


@pytest.mark.parametrize(("rule", "example"), BROKEN, ids=[rule.id for rule, _ in BROKEN])
def test_what_a_rule_that_is_not_asked_would_find_is_not_ordinary(rule: Rule, example: Json) -> None:
    """Whatever the catalogue calls wrong. (That nothing is lost in whole sessions is a law of `test_incremental`.)"""
    view = RequestView(
        body=example["body"], headers=example.get("headers"), turns=merged_turns(example["body"]["messages"])
    )
    judged = RequestRules([replace(rule, ordinary=True, envelope=None)]).judge(view)
    assert judged.found
    assert not judged.ordinary
