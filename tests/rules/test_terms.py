"""What a request says besides its messages."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from playhead.rules.catalogue import load_catalogue
from playhead.rules.registry import RULES
from playhead.rules.requests import RequestRules
from playhead.rules.rule import RequestView, Rule
from playhead.rules.terms import ABOUT_THE_ANSWER, TermsTable
from playhead.wire.exchange import Exchange
from playhead.wire.turns import merged_turns

BODY: dict[str, Any] = {"model": "m", "max_tokens": 9, "tools": [{"name": "add"}], "messages": [1]}
HEADERS = {"anthropic-version": "2023-06-01", "user-agent": "one"}

SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "other-messages": ({**BODY, "messages": [2]}, {}),
    "no-messages": ({key: BODY[key] for key in BODY if key != "messages"}, {}),
    "equal-objects": (copy.deepcopy(BODY), {}),
    "member-order": (dict(reversed(BODY.items())), {}),
    "another-agent": (BODY, {"headers": {**HEADERS, "user-agent": "two"}}),
    "a-query": (BODY, {"path": "/v1/messages?beta=true"}),
    "another-number": (BODY, {"number": 7}),
}
ABOUT_MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "model": ({**BODY, "model": "n"}, {}),
    "tools": ({**BODY, "tools": [{"name": "sub"}]}, {}),
    "null-for-another-member": ({key: BODY[key] for key in BODY if key != "tools"} | {"thinking": None}, {}),
    "no-tools": ({key: BODY[key] for key in BODY if key != "tools"}, {}),
    "a-new-member": ({**BODY, "thinking": {"type": "adaptive"}}, {}),
    "tools-of-another-type": ({**BODY, "tools": [{"name": True}]}, {}),
    "version": (BODY, {"headers": {**HEADERS, "anthropic-version": "2026-10-21"}}),
    "no-headers": (BODY, {"headers": None}),
    "known-in-part": (BODY, {"known": frozenset({"messages"})}),
    "status": (BODY, {"status": 529}),
    "a-thread": ({**BODY, "thread": {"type": "create"}}, {}),
    "no-thread-at-all": ({**BODY, "thread": "create"}, {}),
    "counting": (BODY, {"path": "/v1/messages/count_tokens"}),
}


def exchange(body: dict[str, Any], **fields: Any) -> Exchange:
    return Exchange(request=body, **{"headers": HEADERS, **fields})


@pytest.mark.parametrize(("body", "fields"), SAME.values(), ids=SAME)
def test_the_same_terms(body: dict[str, Any], fields: dict[str, Any]) -> None:
    """Messages are no terms, nor are the client's name and the way a value is held in memory."""
    table = TermsTable()
    first = table.of(exchange(BODY), None)
    assert table.of(exchange(body, **fields), None) == first


@pytest.mark.parametrize(("body", "fields"), ABOUT_MESSAGES.values(), ids=ABOUT_MESSAGES)
def test_terms_that_bear_on_messages(body: dict[str, Any], fields: dict[str, Any]) -> None:
    """Under another model, say, what was found good has to be judged again."""
    table = TermsTable()
    first = table.of(exchange(BODY), None)
    other = table.of(exchange(body, **fields), fields.get("status"))
    assert other.envelope != first.envelope
    assert other.messages != first.messages
    assert table.of(exchange(copy.deepcopy(BODY)), None) == first


@pytest.mark.parametrize("member", sorted(ABOUT_THE_ANSWER - {"messages"}))
def test_terms_that_do_not(member: str) -> None:
    """How long an answer may be, say, is nothing to the messages."""
    table = TermsTable()
    first, other = (table.of(exchange({**BODY, member: value}), None) for value in (1, 2))
    assert other.envelope != first.envelope
    assert other.messages == first.messages


def test_a_thread_goes_on_on_the_same_terms() -> None:
    """Messages are judged by whether the server holds those before them, not by the reply that they follow."""
    table = TermsTable()
    threads = [{"type": "continue", "previous_message_id": f"msg_{number}"} for number in (1, 2)]
    first, other = (table.of(exchange({**BODY, "thread": thread}), None) for thread in threads)
    created = table.of(exchange({**BODY, "thread": {"type": "create"}}), None)
    assert other.envelope != first.envelope
    assert other.messages == first.messages != created.messages


def test_many_conversations_in_turn() -> None:
    """However many terms there are, each keeps its number."""
    table = TermsTable()
    bodies = [{**BODY, "model": f"model-{number}"} for number in range(30)]
    first = [table.of(exchange(body), None) for body in bodies]
    assert len(set(first)) == 30
    assert [table.of(exchange(body), None) for body in bodies] == first


@pytest.mark.parametrize("order", [(0, 1, 2, 0), (1, 2, 0, 1), (2, 1, 0, 2)], ids=str)
def test_a_body_without_messages_is_like_no_other(order: tuple[int, ...]) -> None:
    """Which members there are counts, not how many."""
    model, limit, messages = {"model": "m"}, {"max_tokens": 9}, {"messages": [1]}
    bodies = [{**model, **limit}, {**model, **messages}, {**model, **limit, **messages}]
    table = TermsTable()
    envelopes = [table.of(exchange(bodies[at]), None).envelope for at in order]
    # the first is the third without its messages, which are no part of an envelope
    alike = [{0: 2}.get(at, at) for at in order]
    assert [envelopes.index(number) for number in envelopes] == [alike.index(at) for at in alike]


def test_what_is_no_json_is_like_nothing_else() -> None:
    """It cannot be compared by its text; the very same object can."""
    table = TermsTable()
    odd = {**BODY, "tools": object()}
    first = table.of(exchange(odd), None)
    assert table.of(exchange(odd), None) == first
    assert table.of(exchange({**BODY, "tools": object()}), None) != first


@pytest.mark.parametrize(
    ("json_value", "odd"),
    [([{"name": "a"}], ({"name": "a"},)), (["a"], {"a"}), ("aGk=", b"hi"), ({"1": 2}, {1: 2})],
    ids=["tuple", "set", "bytes", "number-as-a-name"],
)
def test_what_only_has_the_text_of_json_is_not_like_it(json_value: object, odd: object) -> None:
    """A tuple is written as a list is, and the API's client may take it; a rule does not."""
    first, other = (TermsTable().of(exchange({**BODY, "tools": value}), None) for value in (json_value, odd))
    assert other.envelope != first.envelope
    assert other.messages != first.messages


class Watched(dict[str, Any]):
    """A body that notes which of its members are asked for."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)


EXAMPLES = [
    example
    for entry in load_catalogue().values()
    for example in (entry.fail, entry.ok)
    if "body" in example and "grow" not in example
]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.message or rule.block], ids=lambda rule: rule.id)
def test_no_rule_on_messages_looks_at_them(rule: Rule) -> None:
    """Else what it found would have to be judged again when one of them changes."""
    only = RequestRules([replace(rule, envelope=None, request=None)])
    asked: set[str] = set()
    for example in EXAMPLES:
        body = Watched(example["body"])
        headers = example.get("headers")
        for betas in (headers, {**(headers or {}), "anthropic-beta": "advisor-tool-2026-03-01"}):
            only.judge(RequestView(body=body, headers=betas, turns=merged_turns(body.get("messages") or [])))
        asked |= body.asked
    assert asked & (ABOUT_THE_ANSWER - {"messages"}) == set()
