"""The checker: incremental, in the API's order, each thing said once."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from playhead.rules.checker import (
    Checker,
    Judgement,
    api_error,
    check,
    check_request,
    error_body,
    refusal_error,
)
from playhead.rules.models import Model, Models, models_with
from playhead.rules.registry import RULES
from playhead.rules.requests import RequestRules
from playhead.rules.rule import EndView, Finding, RequestView, Rule, StepView, told_once
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH

Json = dict[str, Any]


def user(*content: str | Json) -> Json:
    return {"role": "user", "content": content[0] if content and isinstance(content[0], str) else list(content)}


def said(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(identifier: str) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "add", "input": {}}


def result(identifier: str) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "3"}


def body(*messages: object, **more: object) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": list(messages), **more}


# conversations with faults put in

TURNS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(
            ["good", "good", "good", "drop", "double", "orphan", "late", "split", "empty", "again", "system", "prefill"]
        ),
        st.sampled_from(["grow", "grow", "grow", "repeat", "cut", "edit", "no-tools", "fail"]),
    ),
    min_size=1,
    max_size=7,
)


def answers(ids: list[str], fault: str, number: int) -> list[Json]:
    """The user messages that answer these calls, with the fault."""
    results = [result(identifier) for identifier in ids]
    match fault:
        case "drop":
            return [user(*results[1:], text("go on"))]
        case "double":
            return [user(*results, *results[:1], text("go on"))]
        case "orphan":
            return [user(*results, result(f"toolu_{number}_unknown"))]
        case "late":
            return [user(text("here"), *results)]
        case "split":
            return [user(*results[:1]), user(*results[1:], text("go on"))]
        case "empty":
            return [user(*results), user("")] if results else [user("")]
        case "system":
            return [{"role": "system", "content": "now"}, user(*results, text("go on"))]
        case "prefill":
            return [user(*results, text("go on")), said(text("So"))]
    return [user(*results, text("go on"))]


def conversation(turns: list[tuple[int, str, str]]) -> Iterator[tuple[Exchange, int | None]]:
    """Exchanges of one conversation, each with the position of one whose messages begin it byte for byte."""
    messages: list[Json] = [user("start")]
    like: int | None = None
    for number, (calls, fault, how) in enumerate(turns):
        if how == "cut":
            messages, like = messages[1:] or [user("start")], None
        elif how == "edit":
            messages, like = [user(f"edited {number}"), *messages[1:]], None
        ids = [f"toolu_{0 if fault == 'again' else number}_{index}" for index in range(calls)]
        content = [text(f"turn {number}"), *map(call, ids)]
        tools = {} if how == "no-tools" else {"tools": [{"name": "add", "input_schema": {"type": "object"}}]}
        answer: Json = {"content": content, "stop_reason": "tool_use" if ids else "end_turn"}
        answered: Json = {"status": 200, "response": answer}
        if how == "fail":
            answered = {"status": 529, "error": {"type": "overloaded_error"}}
        yield Exchange(number=number + 1, request=body(*copy.deepcopy(messages), **tools), **answered), like
        like = number
        if how not in ("repeat", "fail"):
            messages = [*messages, said(*content), *answers(ids, fault, number)]


def told(judgement: Judgement) -> object:
    return judgement.violations, judgement.refusal, judgement.link


@settings(deadline=None)
@given(TURNS, st.booleans())
def test_incremental_is_from_scratch(turns: list[tuple[int, str, str]], alone: bool) -> None:
    """Law: what is known to be the same bytes, or the same objects, changes no verdict; only the work."""
    with_bytes, with_objects, without = (Checker(alone=alone) for _ in range(3))
    lists: list[list[object]] = []
    for position, (exchange, like) in enumerate(conversation(turns)):
        messages = exchange.messages
        if like is not None:
            messages = [*lists[like], *messages[len(lists[like]) :]]
        lists.append(messages)
        shared = structs.replace(exchange, request={**(exchange.request or {}), "messages": messages})
        expected = told(without.ask(exchange))
        assert told(with_bytes.ask(exchange, like=like)) == expected
        assert told(with_objects.ask(shared)) == expected
        for checker, settled in ((without, exchange), (with_bytes, exchange), (with_objects, shared)):
            checker.answered(position, settled)


@given(TURNS)
def test_a_single_request_has_the_verdict_that_its_session_has(turns: list[tuple[int, str, str]]) -> None:
    """Law: the refusal of a request does not depend on what came before it."""
    checker = Checker()
    for position, (exchange, like) in enumerate(conversation(turns)):
        refusal = checker.ask(exchange, like=like).refusal
        checker.answered(position, exchange)
        error = api_error(exchange.request or {})
        assert (refusal is None) is (error is None)
        if refusal is not None and error is not None:
            assert (refusal.rule, refusal.api) == (error.rule, error.message)


@given(TURNS)
def test_nothing_is_said_twice_of_an_accepted_history(turns: list[tuple[int, str, str]]) -> None:
    """Law: where every request was accepted, no place of one branch is told twice by one rule."""
    exchanges = [structs.replace(e, status=200, error=None) for e, _ in conversation(turns)]
    seen: dict[int, set[tuple[str, str, str]]] = {}
    checker = Checker()
    for position, exchange in enumerate(exchanges):
        judgement = checker.ask(exchange)
        checker.answered(position, exchange)
        assert judgement.link is not None
        before = seen.get(judgement.link.parent, set()) if judgement.link.parent is not None else set()
        now = {(violation.rule, violation.path, violation.message) for violation in judgement.violations}
        assert now & before == set()
        seen[position] = now | before


BAD = [user("a"), said(call("t1")), user("b")]


def session(*answers: Json) -> Session:
    """A history that the API refuses, growing by a turn with each answer."""
    exchanges, messages = [], BAD
    for answer in answers:
        exchanges.append({"request": body(*messages), "response": answer})
        messages = [*messages, *([said(text("ok")), user("c")] if "content" in answer else [])]
    return Session.from_exchanges(exchanges)


OK = {"content": [text("ok")], "stop_reason": "end_turn"}
NO = {"status": 400, "error": {"type": "invalid_request_error", "message": "..."}}


def test_a_history_that_was_accepted_is_not_accused_again() -> None:
    """What a recording's first request did is told once, however often it is resent."""
    violations = check(session(OK, OK, OK))
    assert [(violation.rule, violation.exchange) for violation in violations] == [("tool-use-unanswered", 1)]


def test_a_history_that_was_refused_is_accused_again() -> None:
    """A refused request that is sent again is refused again, and sending it again is a fault of its own."""
    violations = told_once(check(session(NO, NO)))
    assert [(violation.rule, violation.exchange) for violation in violations] == [
        ("tool-use-unanswered", 1),
        ("tool-use-unanswered", 2),
        ("poisoned-history-not-resent", 2),
    ]


ORDER: dict[str, tuple[Json, str]] = {
    "model-before-all": ({"messages": []}, "model: Field required"),
    "messages-before-max-tokens": (
        {"model": "m", "messages": []},
        "messages: at least one message is required",
    ),
    "fields-before-the-conversation": ({"model": "m", "messages": [user("")]}, "max_tokens: Field required"),
    "empty-turns-before-pairing": (
        body(user("a"), said(call("t1")), user("")),
        "messages.2: user messages must have non-empty content",
    ),
    "the-first-turn-before-the-next": (
        body(user("a"), said(text("x")), user(result("t9")), said(call("t1"))),
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block "
        "must have a corresponding `tool_use` block in the previous message.",
    ),
    "the-call-before-its-answer": (
        body(user("a"), said(call("t1")), user(result("t9"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` "
        "block must have a corresponding `tool_result` block in the next message.",
    ),
    "the-first-block-before-the-next": (
        body(user("a"), said(call("t1")), user(result("t1"), result("t1"), result("t9"))),
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
        "t1",
    ),
}


@pytest.mark.parametrize(("request_body", "message"), ORDER.values(), ids=ORDER)
def test_of_several_faults_the_first_is_answered(request_body: Json, message: str) -> None:
    """The order is the API's: fields, then the conversation as a whole, then pairing, turn by turn."""
    error = api_error(request_body)
    assert error is not None
    assert error.message == message
    assert check_request(request_body)[0].api == message


def test_the_answer_in_full() -> None:
    """Status, headers and body with which a door answers, so that no client tries again."""
    error = api_error(body())
    assert error is not None
    assert error.status == 400
    assert error.headers == {
        "content-type": "application/json",
        "request-id": "req_0001",
        "x-should-retry": "false",
    }
    assert error.body == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "messages: at least one message is required"},
        "request_id": "req_0001",
    }
    assert error.rule == "req-messages-nonempty"


def test_error_details() -> None:
    """Finer classes travel in `details`, which is absent where there are none."""
    assert error_body("not_found_error", "gone", "req_7", error_code="thread_not_found") == {
        "type": "error",
        "error": {"type": "not_found_error", "message": "gone", "details": {"error_code": "thread_not_found"}},
        "request_id": "req_7",
    }


def test_a_single_request_belongs_to_no_session() -> None:
    """A body that is checked alone has no exchange, turn or conversation."""
    (violation,) = check_request(body())
    assert (violation.exchange, violation.turn, violation.conversation) == (None, None, None)


@pytest.mark.parametrize("bad", [None, [], "x", b"{}"])
def test_a_body_is_a_dict(bad: object) -> None:
    """The usual mix-up, JSON text for its value, is named."""
    for judge in (check_request, api_error):
        with pytest.raises(TypeError, match=f"^a request body is a dict, this is {type(bad).__name__}$"):
            judge(bad)  # type: ignore[arg-type]


def no_beta(view: RequestView) -> Iterator[Finding]:
    if view.headers is not None and "anthropic-beta" not in view.headers:
        yield Finding(path="$headers", what="there is no beta header")


OWN = Rule(
    id="own-beta-header", level="reject", fix="send it", status=403, error_type="permission_error", request=no_beta
)


def test_a_rule_of_ones_own() -> None:
    """A rule is a value: its status and type are answered, and without wording its place and sentence."""
    assert check_request(body(user("a")), only=[OWN]) == ()
    error = api_error(body(user("a")), {"X-Api-Key": "any"}, only=[OWN])
    assert error is not None
    assert (error.status, error.type, error.message) == (
        403,
        "permission_error",
        "$headers: there is no beta header",
    )
    assert api_error(body(user("a")), {"Anthropic-Beta": "x"}, only=[OWN]) is None
    (violation,) = check_request(body(user("a")), {}, only=[OWN])
    assert refusal_error(violation, [OWN], "req_9").body["request_id"] == "req_9"


def test_only_what_the_api_refuses_is_refused() -> None:
    """A warning is found and not answered."""
    mild = replace(OWN, level="warn")
    assert api_error(body(user("a")), {}, only=[mild]) is None
    assert [violation.level for violation in check_request(body(user("a")), {}, only=[mild])] == ["warn"]


def test_what_is_not_judged() -> None:
    """Other endpoints, and exchanges whose request is unknown, are passed over."""
    for exchange in (Exchange(), Exchange(path="/v1/models", request={})):
        judgement = Checker().ask(exchange)
        assert (judgement.link, judgement.position, judgement.violations) == (None, None, ())


def test_violations_come_in_the_order_of_exchanges() -> None:
    """A session's violations: requests, what was done with answers, and the end."""
    made = Session.from_exchanges(
        [
            {
                "request": body(user("a")),
                "response": {"content": [call("t1")], "stop_reason": "max_tokens"},
                "tools_run": ["t1"],
            },
            {"request": body(user("")), "response": {"content": [call("t2")], "stop_reason": "tool_use"}},
        ],
        end={"how": "running"},
    )
    assert [(violation.rule, violation.exchange) for violation in check(made)] == [
        ("max-tokens-no-tool-execution", 1),
        ("content-nonempty-message", 2),
        ("loop-bounded", 2),
    ]


# the work is linear: turns that were found good are not judged again


def judged_blocks(session: Session) -> list[int]:
    """How many merged blocks each request was judged on."""
    counts: list[int] = []

    def count(view: RequestView) -> Iterator[Finding]:
        counts.append(sum(len(turn.blocks) for turn in view.turns))
        return iter(())

    check(session, only=[*RULES, Rule(id="own-count", level="warn", fix="none", request=count)])
    return counts


def growing(turns: int, *, shared: bool) -> Session:
    """A conversation of tool turns whose messages are the same objects in each request, or copies of them."""
    messages, exchanges = [user("start")], []
    for number in range(turns):
        content = [text("look"), call(f"t{number}")]
        sent = list(messages) if shared else copy.deepcopy(messages)
        exchanges.append({"request": body(*sent), "response": {"content": content, "stop_reason": "tool_use"}})
        messages = [*messages, said(*content), user(result(f"t{number}"))]
    return Session.from_exchanges(exchanges)


def test_the_work_is_linear_in_what_is_new() -> None:
    """Each request of a long conversation is judged on its last turns only."""
    assert judged_blocks(growing(60, shared=True)) == [1, 4, *[6] * 58]
    assert check(growing(60, shared=True)) == check(growing(60, shared=False)) == ()


def test_bytes_that_are_known_are_not_judged_again() -> None:
    """The same with `like`, as an engine tells it."""
    counts: list[int] = []

    def count(view: RequestView) -> Iterator[Finding]:
        counts.append(len(view.turns))
        return iter(())

    checker = Checker([*RULES, Rule(id="own-count", level="warn", fix="none", request=count)])
    for position, exchange in enumerate(growing(30, shared=False).exchanges):
        checker.ask(exchange, like=position - 1 if position else None)
        checker.answered(position, exchange)
    assert counts == [1, 3, *[4] * 28]


def test_a_thread_that_goes_on_is_not_judged_again() -> None:
    """What the server holds of it was judged when it was sent, and each reply is continued by another id."""
    exchanges: list[Json] = []
    for number in range(20):
        thread: Json = {"type": "create"}
        if number:
            thread = {"type": "continue", "previous_message_id": f"msg_{number - 1}"}
        exchanges.append(
            {
                "request": body(user(f"question {number}"), thread=thread),
                "response": {"id": f"msg_{number}", "content": [text("answer")], "stop_reason": "end_turn"},
            }
        )
    assert judged_blocks(Session.from_exchanges(exchanges)) == [1, 3, *[4] * 18]


def test_what_was_found_bad_is_judged_again() -> None:
    """A request that follows a refused one has the refused part judged once more."""
    bad = [user("a"), said(call("t1")), user("b"), said(text("x")), user("c"), said(text("y"))]
    checker = Checker()
    first = checker.ask(Exchange(request=body(*bad, user("d"))))
    checker.answered(0, Exchange(request=body(*bad, user("d")), status=400, error={"type": "invalid_request_error"}))
    again = checker.ask(Exchange(request=body(*bad, user("d"), user("e"))), like=0)
    for judgement in (first, again):
        assert judgement.refusal is not None
        assert judgement.refusal.rule == "tool-use-unanswered"


def told_of(*rules: Rule, ask: Json | None = None) -> list[tuple[str, str, str | None]]:
    found = check_request(ask or body(user("a")), rules=rules)
    return [(violation.rule, violation.level, violation.same_as) for violation in found]


def finding(name: str, level: str = "broken", **more: object) -> Rule:
    def found(view: RequestView) -> Iterator[Finding]:
        yield Finding(path="$.x", what=name, **more)  # type: ignore[arg-type]

    return Rule(id=name, level=level, fix="-", request=found)  # type: ignore[arg-type]


def test_a_fault_that_another_rule_tells_points_to_it() -> None:
    """Both are listed, and one of them says that it is the other's fault."""
    first, second = finding("own-first", "reject"), finding("own-second", same_as=("own-none", "own-first"))
    assert told_of(first, second) == [("own-first", "reject", None), ("own-second", "broken", "own-first")]


def test_a_fault_is_its_own_where_the_other_rule_is_silent() -> None:
    """What the other rule would have told may come in a form that it does not look at."""
    silent = Rule(id="own-first", level="reject", fix="-", request=lambda view: ())
    assert told_of(silent, finding("own-second", same_as=("own-first",))) == [("own-second", "broken", None)]


def test_a_fault_of_a_rule_that_is_switched_off_is_not_told_by_another() -> None:
    """Who does not want to hear of it does not want to hear of it in other words."""
    assert told_of(finding("own-second", same_as=("own-first",))) == []


def test_a_warning_beside_something_stronger_of_the_same_rule() -> None:
    """Of one rule at one place the strongest counts; of two rules, or at two places, both do."""

    def twice(view: RequestView) -> Iterator[Finding]:
        yield Finding(path="$.x", what="weak", level="warn")
        yield Finding(path="$.x", what="strong")
        yield Finding(path="$.y", what="weak", level="warn")

    rule = Rule(id="own-rule", level="broken", fix="-", request=twice)
    found = check_request(body(user("a")), rules=[rule, finding("own-other", level="warn")])
    assert [(v.rule, v.level, v.path) for v in found] == [
        ("own-rule", "broken", "$.x"),
        ("own-rule", "warn", "$.y"),
        ("own-other", "warn", "$.x"),
    ]


def test_the_end_of_a_session_names_the_exchange() -> None:
    """A rule on the whole may find its fault in one exchange; where it does not say, it is the last."""

    def ended(view: EndView) -> Iterator[Finding]:
        yield Finding(path="$", what="first", exchange=1)
        yield Finding(path="$", what="last")
        yield Finding(path="$", what="none", exchange=99)

    made = session(OK, OK)
    found = check(made, only=[Rule(id="own-rule", level="warn", fix="-", end=ended)])
    assert [(violation.message, violation.exchange) for violation in found] == [("first", 1), ("last", 2), ("none", 2)]


def test_one_loop_by_declaration_or_by_its_end() -> None:
    """Equal calls of a recording may have nothing to do with each other; those of one loop are attempts."""
    seen = []

    def step(view: StepView) -> Iterator[Finding]:
        seen.append(view.one_loop)
        yield from ()

    rule = Rule(id="own-rule", level="warn", fix="-", step=step)
    made = session(OK, OK)
    for one in (made, replace(made, alone=True), replace(made, end={"how": "returned"})):
        check(one, only=[rule])
    assert seen == [False, True, True]


def test_what_concerns_one_message_is_told_with_it_and_not_again() -> None:
    """A request that resends it, even after a failure or beside another history, adds nothing to it."""

    def shouted(view: RequestView, index: int, message: object) -> Iterator[Finding]:
        if isinstance(message, dict) and message.get("content") == "A":
            yield Finding(path=f"$.messages[{index}]", what="loud")

    loud = Rule(id="own-loud", level="broken", fix="-", message=shouted)
    failed = {"status": 529, "error": {"type": "overloaded_error"}}
    made = Session.from_exchanges(
        [
            {"request": body(user("A")), "response": failed},
            {"request": body(user("A")), "response": OK},
            {"request": body(user("A"), said(text("ok")), user("b")), "response": OK},
            {"request": body(user("A"), said(text("no")), user("A")), "response": OK},
        ]
    )
    found = check(made, only=[loud])
    assert [(violation.exchange, violation.path) for violation in found] == [(1, "$.messages[0]"), (4, "$.messages[2]")]


@pytest.mark.parametrize("messages", [None, {}, "hi", []], ids=str)
def test_no_messages_are_found_missing_whatever_was_good_before(messages: object) -> None:
    """That all else is good, in this session or in one before, does not make up for messages that are none."""
    good, bad = body(user("a")), {**body(), "messages": messages}
    alone = [violation.rule for violation in Checker().ask(Exchange(request=bad)).violations]
    assert alone
    checker = Checker()
    assert checker.ask(Exchange(request=good)).violations == ()
    assert [violation.rule for violation in checker.ask(Exchange(number=2, request=bad)).violations] == alone


TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]


def asked_anew(**more: object) -> Json:
    return body(user("a"), tools=copy.deepcopy(TOOLS), **more)


def test_what_is_good_is_not_judged_again_in_another_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever rehearses makes many sessions with the same tools; who has models of his own is judged by these."""
    judged: list[bool] = []
    judge = RequestRules.judge

    def noted(self: RequestRules, *given: Any, envelope: bool = True, **options: Any) -> Any:
        judged.append(envelope)
        return judge(self, *given, envelope=envelope, **options)

    monkeypatch.setattr(RequestRules, "judge", noted)

    def found(models: Models | None = None, words: str = "a", **more: object) -> list[str]:
        request = Exchange(request={**asked_anew(metadata={"user_id": "only here"}, **more), "messages": [user(words)]})
        return [violation.rule for violation in Checker(models=models).ask(request).violations]

    own = models_with([Model(name="claude-opus-5-5", max_output=9)])
    assert found() == found() == []
    assert found(own) == found(own) == ["max-tokens-model-cap"]
    assert found() == []
    assert judged == [True, True, True]  # where the words are ordinary nothing is asked again
    assert found(words=" ") == ["text-block-nonwhitespace"]
    assert judged[3:] == [False]
    assert found(max_tokens=10**9) == found(max_tokens=10**9) == ["max-tokens-model-cap"]
    assert judged[4:] == [True, True]


def test_a_tuple_is_no_array_whatever_was_good_before() -> None:
    """The verdict on a request does not hang on the sessions before it."""
    odd = {**asked_anew(), "tools": tuple(TOOLS)}
    found = [violation.rule for violation in check_request(odd)]
    assert found == ["req-field-types"]
    assert check_request(asked_anew()) == ()
    assert [violation.rule for violation in check_request(odd)] == found


def test_a_rule_of_ones_own_is_asked_in_every_session() -> None:
    """It may look at what changes from test to test; within a session it is not asked again of the same."""
    judged: list[object] = []

    def look(view: RequestView) -> Iterator[Finding]:
        judged.append(view.body["tools"])
        yield from ()

    rules = (*RULES, Rule(id="mine", level="broken", fix="...", envelope=look))
    for count in (1, 2):
        checker = Checker(rules)
        for number in (1, 2, 3):
            assert checker.ask(Exchange(number=number, request=asked_anew())).violations == ()
        assert judged == [TOOLS] * count


@pytest.mark.parametrize("path", [MESSAGES_PATH, COUNT_TOKENS_PATH])
def test_a_rule_on_how_much_is_sent_sees_the_whole_request(path: str) -> None:
    """With ordinary words as with others, first words and later ones: everything but the turns."""
    seen: list[RequestView] = []

    def look(view: RequestView) -> Iterator[Finding]:
        seen.append(view)
        yield from ()

    rule = Rule(id="mine", level="broken", fix="...", extent=look)
    own = models_with([Model(name="claude-own")])
    checker = Checker((*RULES, rule), models=own)
    headers = {"anthropic-version": "2023-06-01", "anthropic-beta": "interleaved-thinking-2025-05-14", "x-api-key": "k"}
    talk = [user("a"), said(text("b")), user("c"), said(text("d")), user("e")]
    pictured = [user({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}})]
    for number, messages in enumerate([talk[:1], [user("x")], talk[:3], talk, pictured]):
        request = {**asked_anew(), "messages": messages}
        exchange = Exchange(number=number + 1, path=path, request=request, headers=headers)
        judgement = checker.ask(exchange, size=99)
        assert judgement.violations == ()
        if judgement.position is not None:
            checker.answered(judgement.position, structs.replace(exchange, status=200))
        view = seen[-1]
        assert (view.body, view.headers, view.size, view.models) == (request, headers, 99, own)
        assert view.counting is (path == COUNT_TOKENS_PATH)
        assert view.may_hold(("text",)) is (messages is not pictured)
        assert view.may_hold(("image",)) is (messages is pictured)
    assert len(seen) == 5


@pytest.mark.parametrize("words", ["a", " a", ""], ids=["ordinary", "with-a-blank", "none"])
def test_a_rule_on_how_much_is_sent_is_asked_where_it_is_enough(words: str) -> None:
    """Where there are more messages or bytes than it says, whatever is in them."""
    seen: list[tuple[int, int | None]] = []

    def look(view: RequestView) -> Iterator[Finding]:
        seen.append((len(view.messages), view.size))
        yield from ()

    checker = Checker((*RULES, Rule(id="mine", level="broken", fix="...", extent=look, large=(2, 99))))
    for number, (count, size) in enumerate([(1, 99), (1, 100), (1, None), (2, 50), (3, 50), (3, None), (1, 1)]):
        messages = [user(words), said(text("b")), user("c")][:count]
        checker.ask(Exchange(number=number + 1, request=body(*messages)), size=size)
    assert seen == [(1, 100), (3, 50), (3, None)]


def test_a_rule_on_how_much_is_sent_is_asked_of_nothing_too() -> None:
    """Unless it says from where on it is to be asked."""

    def look(view: RequestView) -> Iterator[Finding]:
        yield Finding(path="$.messages", what=f"there are {len(view.messages)}")

    rule = Rule(id="mine", level="broken", fix="...", extent=look)
    judgement = Checker((rule,)).ask(Exchange(request=body()))
    assert [violation.rule for violation in judgement.violations] == ["mine"]
