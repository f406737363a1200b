"""The search: which bugs it finds, in which capability, with how small a script; and that it blames no correct loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import anthropic
import pytest
from hypothesis import settings

from kit_bugs import BUGS, BY_TOOL, SHARED, crashing
from kit_loops import Loop, TooManyTurns, answers, asynchronous, create, kept, stream
from playhead import RuleViolations, SetupError, call, cut, drop, say
from playhead.testing import check_loop, raises, returns
from playhead.testing.capabilities import CAPABILITIES, OWNERS
from playhead.testing.own_rules import OWN_RULES

settings.register_profile("kit", derandomize=True, database=None)
settings.load_profile("kit")


@pytest.mark.parametrize(("loop", "capability", "rules"), BUGS.values(), ids=BUGS)
def test_a_bug_is_found_where_it_belongs(loop: Loop, capability: str, rules: set[str]) -> None:
    """Each bug is found by few scripts of its capability, and shrunk to a script that needs no more than it must."""
    SHARED.clear()
    BY_TOOL.clear()
    # what Hypothesis draws hangs on which modules are loaded, even derandomised: enough that it hardly matters
    report = check_loop(loop, only=[capability], max_examples=150, patience=5)
    assert not report.ok
    found = {finding.rule for finding in report.findings}
    assert found & rules or not rules, found
    smallest = next((finding for finding in report.findings if finding.rule in rules), report.findings[0])
    assert len(smallest.script) <= (5 if capability == "long-chains" else 2)


@pytest.mark.parametrize("ask", [create, stream], ids=["whole", "streaming"])
def test_a_correct_loop_is_not_blamed(ask: Callable[..., Any]) -> None:
    """All capabilities, a few scripts each."""
    report = check_loop(Loop(ask=ask), max_examples=8)
    assert report.ok, str(report)
    tried = {row.capability for row in report.rows if row.status == "ok"}
    off = {"stream-damage", "stream-oddities"} if ask is create else {"compaction"}
    assert tried == set(CAPABILITIES) - off


def one_at_a_time(calls: Any, functions: Any) -> list[Any]:
    """The first call is run; the others are left for later, and Claude is told so."""
    later = {"type": "tool_result", "content": "Not run: one call at a time.", "is_error": True}
    return [*answers(calls[:1], functions), *({**later, "tool_use_id": one.id} for one in calls[1:])]


def all_or_none(calls: Any, functions: Any) -> list[Any]:
    """No call of a turn is run where one of them cannot be."""
    if all(one.name in functions and "key" in one.input for one in calls if one.name == "look_up"):
        return answers(calls, functions)
    return [
        {"type": "tool_result", "tool_use_id": one.id, "content": "Not run: a call lacks its key.", "is_error": True}
        for one in calls
    ]


class Once:
    """Runs the same call once, and answers with what it returned from then on."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def __call__(self, calls: Any, functions: Any) -> list[Any]:
        made = []
        for one in calls:
            key = json.dumps([one.name, one.input], sort_keys=True)
            if key not in self._known:
                self._known[key] = answers([one], functions)[0]
            made.append({**self._known[key], "tool_use_id": one.id})
        return made


def once(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Each conversation remembers its own calls."""
    return Loop(results=Once())(client, messages, tools, functions)


def last_alone(calls: Any, functions: Any) -> list[Any]:
    """The last call is run; of two that are the same it is not the first."""
    later = {"type": "tool_result", "content": "Not run: one call at a time.", "is_error": True}
    return [*({**later, "tool_use_id": one.id} for one in calls[:-1]), *answers(calls[-1:], functions)]


def refused(when: Callable[[Any], bool]) -> Callable[..., list[Any]]:
    """A policy: calls that are refused, and why is said."""
    no = {"type": "tool_result", "content": "Permission denied by policy.", "is_error": True}
    return lambda calls, functions: [
        {**no, "tool_use_id": one.id} if when(one) else answers([one], functions)[0] for one in calls
    ]


def within_budget(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Two calls in all are run; the others are told that the budget is spent."""
    done: list[Any] = []
    return Loop(results=refused(lambda one: len(done) >= 2 or done.append(one) is not None))(
        client, messages, tools, functions
    )


def one_turn(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """A limit of one turn: its calls are refused, and Claude is asked for an answer without any."""
    request = {"model": "claude-opus-5-5", "max_tokens": 1024, "tools": tools}
    message = client.messages.create(**request, messages=messages)
    if message.stop_reason != "tool_use":
        return message
    calls = [block for block in message.content if block.type == "tool_use"]
    more = [
        {"role": "assistant", "content": kept(message)},
        {"role": "user", "content": refused(lambda one: True)(calls, functions)},
    ]
    return client.messages.create(**request, messages=[*messages, *more], tool_choice={"type": "none"})


LEAVING_OUT: dict[str, Callable[..., Any]] = {
    "all but the first": Loop(results=one_at_a_time),
    "all of a turn in which one cannot be run": Loop(results=all_or_none),
    "what was run before": once,
    "all but the last": Loop(results=last_alone),
    "a tool that is not allowed": Loop(results=refused(lambda one: one.name == "store")),
    "inputs that are not allowed": Loop(results=refused(lambda one: one.input.get("key") == "" or not one.input)),
    "what is over a budget": within_budget,
    "all, at a limit": one_turn,
}


@pytest.mark.parametrize("loop", LEAVING_OUT.values(), ids=LEAVING_OUT)
def test_a_loop_may_leave_calls_out_and_say_so(loop: Callable[..., Any]) -> None:
    """It is no fault that a call is not run, if there is a reason for it."""
    report = check_loop(loop, only=["pairing", "parallel-calls", "repeated-calls", "bad-input"], max_examples=16)
    assert report.ok, str(report)


def another_model(client: Any, **request: Any) -> Any:
    """What is overloaded is left alone, and another model asked."""
    try:
        return client.messages.create(**request)
    except anthropic.InternalServerError:
        return client.messages.create(**{**request, "model": "claude-sonnet-4-5"})


def are_you_sure(client: Any, **request: Any) -> Any:
    """One more question about the answer."""
    message = client.messages.create(**request)
    if message.stop_reason != "end_turn" or not kept(message):
        return message
    said = [{"role": "assistant", "content": kept(message)}, {"role": "user", "content": "Are you sure?"}]
    return client.messages.create(**{**request, "messages": [*request["messages"], *said]})


def with_error(client: Any, messages: Any, tools: Any, functions: Any) -> object:
    """An outcome that says what went wrong in a member of its own."""
    try:
        return {"message": Loop()(client, messages, tools, functions), "error": None}
    except anthropic.APIError as error:
        return {"message": None, "error": type(error).__name__}


HARMLESS: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "another model after an error": (Loop(ask=another_model), ["retries", "api-errors"]),
    "one question about the answer": (Loop(ask=are_you_sure), ["pairing"]),
    "an error that is told in a dict": (with_error, ["api-errors"]),
}


@pytest.mark.parametrize(("loop", "capabilities"), HARMLESS.values(), ids=HARMLESS)
def test_what_a_loop_may_decide(loop: Callable[..., Any], capabilities: list[str]) -> None:
    """What looks like a fault that the search knows, and is none."""
    report = check_loop(loop, only=capabilities, max_examples=30)
    assert report.ok, str(report)


WITHOUT_ERROR: dict[str, Callable[[Any], object]] = {
    "nothing": lambda history: None,
    "a pair": lambda history: ("limit", history),
    "a note": lambda history: "[incomplete: turn limit]",
}


@pytest.mark.parametrize("told", WITHOUT_ERROR.values(), ids=WITHOUT_ERROR)
def test_a_limit_that_raises_nothing_is_no_fault(told: Callable[[Any], object]) -> None:
    """A loop may return at its limit, whatever Claude would do next, if more than a text is returned."""

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> object:
        try:
            return Loop(limit=8)(client, messages, tools, functions), "done"
        except TooManyTurns:
            return told(messages)

    report = check_loop(loop, only=["termination"], max_examples=200)
    assert report.ok, str(report)


def test_one_fault_that_several_rules_tell_is_shown_once() -> None:
    """Programs find each rule, people read of the fault once."""

    def sent(history: list[Any]) -> list[Any]:
        return [*history[:-1], {"role": "user", "content": "Here:"}, history[-1]] if len(history) > 2 else history

    report = check_loop(Loop(sent=sent), script=[call("ping")])
    told = {finding.rule: finding.violation.same_as for finding in report.findings}
    assert told == {"tool-result-not-first": None, "nothing-between-call-and-result": "tool-result-not-first"}
    assert str(report).count("  what ") == 1
    assert "which is nothing-between-call-and-result as well" in str(report)
    with pytest.raises(RuleViolations, match="breaks 1 rule"):
        report.assert_ok()


def test_an_async_loop_is_searched_as_well() -> None:
    """Parallel tools of which the first is the slowest, taken in the order in which they are done."""

    async def contents(calls: Any, functions: Any) -> list[Any]:
        running = [asyncio.create_task(asyncio.to_thread(functions[one.name], **one.input)) for one in calls]
        return [await one for one in asyncio.as_completed(running)]

    report = check_loop(asynchronous(contents), only=["order", "pairing", "conversations-at-once"], max_examples=30)
    assert {finding.rule for finding in report.findings} == {"results-match-ids"}
    assert [row.status for row in report.rows if row.capability == "pairing"] == ["ok"]


def test_async_functions_are_handed_out_on_request() -> None:
    """A loop that awaits its tools gets coroutine functions, and they are counted all the same."""

    async def contents(calls: Any, functions: Any) -> list[Any]:
        twice = [[await functions[one.name](**one.input) for _ in range(2)] for one in calls]
        return [first for first, _ in twice]

    report = check_loop(asynchronous(contents), only=["pairing"], max_examples=5, async_functions=True)
    assert {finding.rule for finding in report.findings} == {"answer-every-tool-use-once"}


def test_conversations_at_once_meet_in_a_shared_object() -> None:
    """A history that two calls share is found by the second that comes in between, not by one after the other."""
    held: dict[str, list[Any]] = {}

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        held["history"] = list(messages)
        for _ in range(9):
            message = client.messages.create(
                model="claude-opus-5-5", max_tokens=9, messages=held["history"], tools=tools
            )
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return message
            held["history"].append({"role": "assistant", "content": message.content})
            held["history"].append({"role": "user", "content": answers(calls, functions)})
        raise RuntimeError("too many turns")

    report = check_loop(loop, only=["conversations-in-turn", "conversations-at-once"], max_examples=40)
    rows = {row.capability: row.status for row in report.rows}
    assert rows["conversations-in-turn"] == "ok" or rows["conversations-at-once"] == "broken"
    assert not report.ok


def test_a_conversation_that_did_not_begin_is_not_missed() -> None:
    """Where the first of two at once ends with its first request, the second has no occasion to begin."""
    deaf = Loop(runs=lambda message: False)
    report = check_loop(deaf, only=["conversations-at-once"], max_examples=10)
    assert {finding.rule for finding in report.findings} == {"stop-reason-checked"}


def test_a_finding_can_be_pasted_and_shows_the_same(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of a finding runs as it stands, and fails by the same rule; so does what its options say."""
    source = tmp_path / "my_loop.py"
    source.write_text(
        "from kit_loops import Loop, answers, text_of\n"
        "def results(calls, functions):\n"
        "    return [{**one, 'content': 'fine', 'is_error': False} for one in answers(calls, functions)]\n"
        "loop = Loop(results=results)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from my_loop import loop  # type: ignore[import-not-found]

    report = check_loop(loop, name="my_loop:loop", only=["tool-errors"], max_examples=30)
    (finding,) = report.findings[:1]
    assert "raises(" in finding.code
    namespace: dict[str, Any] = {}
    exec(finding.code, namespace)
    (test,) = [value for name, value in namespace.items() if name.startswith("test_")]
    with pytest.raises(RuleViolations, match=finding.rule):
        test()
    assert finding.file.startswith("version: 1")


def test_a_script_is_played_alone() -> None:
    """One script, with what tools do, the messages, and how often the loop is called."""
    fine = check_loop(Loop(), script=[call("ping"), say("There.")], functions={"ping": returns({"there": True})})
    assert fine.ok
    assert [row.capability for row in fine.rows] == ["script"]
    failing = Loop(results=crashing)
    assert check_loop(failing, script=[call("ping")]).ok
    report = check_loop(failing, script=[call("ping")], functions={"ping": raises("no answer")})
    assert [finding.rule for finding in report.findings] == ["tool-error-as-result"]
    assert not check_loop(Loop(limit=10**9), script=[call("ping")], endless=True).ok


def test_tools_and_functions_of_ones_own() -> None:
    """They are what the scripts call, with inputs that their schemas allow."""
    tool = {
        "name": "book",
        "description": "Books a seat.",
        "input_schema": {
            "type": "object",
            "properties": {"seat": {"type": "integer", "minimum": 1, "maximum": 9}, "class": {"enum": ["a", "b"]}},
            "required": ["seat", "class"],
        },
    }
    seats = []

    def book(**given: Any) -> str:
        seats.append(given)
        return "done"

    report = check_loop(
        Loop(), tools=[tool], functions={"book": book}, only=["pairing", "input-values"], max_examples=20
    )
    assert report.ok, str(report)
    assert seats
    assert all(1 <= given["seat"] <= 9 and given["class"] in "ab" for given in seats)


def test_a_loop_with_tools_of_its_own_is_rehearsed_with_those() -> None:
    """It takes none that it is given; what cannot be seen of its tools is not tried, and the report says so."""
    mine = {"name": "mine", "description": "Mine.", "input_schema": {"type": "object", "properties": {}}}

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        return Loop(results=lambda calls, _: answers(calls, {"mine": lambda: "ok"}))(client, messages, [mine], {})

    report = check_loop(loop, only=["pairing", "parallel-calls", "tool-errors"], max_examples=5)
    assert {row.capability: row.status for row in report.rows if row.tried or row.status == "not tried"} == {
        "pairing": "ok",
        "parallel-calls": "ok",
        "tool-errors": "not tried",
    }


SETUPS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no request": (lambda client, messages, tools, functions: None, {}, "asked for no message: it returned"),
    "raises at once": (lambda client, messages, tools: None, {}, "asked for no message: it raised TypeError"),
    "an unknown capability": (Loop(), {"only": ["pears"]}, "only has no 'pears'"),
    "a name in place of a list": (Loop(), {"without": "pairing"}, "without is a list of names"),
    "an unknown feature": (Loop(), {"features": ["pairing"]}, "features has no 'pairing'"),
    "no such way to call it": (Loop(), {"script": [say("a")], "conversations": "two"}, "conversations is one of"),
    "no tools": (Loop(), {"tools": []}, "there is none"),
}


@pytest.mark.parametrize(("loop", "options", "told"), SETUPS.values(), ids=SETUPS)
def test_what_cannot_be_searched_is_told_in_a_sentence(loop: Any, options: dict[str, Any], told: str) -> None:
    """Whatever is wrong with how it is called: one error of ours, before anything is searched."""
    with pytest.raises(SetupError) as error:
        check_loop(loop, **options)
    assert told in str(error.value)


def test_switched_off_capabilities_are_told() -> None:
    """By name, with the reason."""
    report = check_loop(
        Loop(),
        only=["pairing", "thinking", "retries", "ids"],
        without=["ids"],
        features=[],
        faults=False,
        max_examples=2,
    )
    notes = {row.capability: row.note for row in report.rows if row.status == "off" and row.note != "not asked for"}
    assert notes == {
        "ids": "you switched it off",
        "thinking": "you said the loop does not use it",
        "retries": "faults are switched off",
    }


def test_the_search_is_the_same_each_time() -> None:
    """With Hypothesis derandomised, as in CI, two searches find the same script."""
    loop = Loop(results=lambda calls, functions: answers(calls[:1], functions))
    first, second = (check_loop(loop, only=["parallel-calls"], max_examples=20) for _ in range(2))
    assert [finding.code for finding in first.findings] == [finding.code for finding in second.findings]


def test_a_loop_behind_a_base_url_is_searched_as_well() -> None:
    """A loop that builds its own client from the environment."""
    pytest.importorskip("uvicorn")

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:

        wrong = Loop(results=lambda calls, functions: answers(calls[:1], functions))
        with anthropic.Anthropic() as own:
            return wrong(own, messages, tools, functions)

    report = check_loop(loop, only=["parallel-calls", "conversations-at-once"], max_examples=10, served=True)
    assert {finding.rule for finding in report.findings if finding.violation.same_as is None} == {"tool-use-unanswered"}
    assert [row.status for row in report.rows if row.capability == "conversations-at-once"] == ["not tried"]


def test_behind_a_base_url_nobody_waits_for_a_timeout() -> None:
    """A client that waits for ten minutes is no loop that hangs: the connection breaks at once."""
    pytest.importorskip("uvicorn")

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        import anthropic

        with anthropic.Anthropic() as own:
            return Loop()(own, messages, tools, functions)

    for script in ([drop("timeout"), call("ping")], [call("ping"), cut(say("Well, then."), events=2, how="timeout")]):
        report = check_loop(loop, script=script, served=True, patience=5)
        assert [finding.rule for finding in report.findings] == []


def test_no_reply_thinks_the_same_twice() -> None:
    """A loop that keeps thoughts which are alike to the letter once breaks nothing that Claude ever says."""

    def once(message: Any) -> list[Any]:
        told: list[Any] = []
        return [
            block
            for block in kept(message)
            if block.type != "thinking" or (block not in told and not told.append(block))
        ]

    report = check_loop(Loop(store=once), only=["thinking"], max_examples=100)
    assert [finding.rule for finding in report.findings] == []


def test_a_loop_that_asks_for_nothing_and_does_not_end() -> None:
    """The message says how long it was waited for: a first call gets six times the patience, as it may import much."""
    held = threading.Event()

    def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        held.wait(60)

    with pytest.raises(SetupError, match=r"the loop asked for no message: it did nothing for 0\.06 s\."):
        check_loop(loop, only=["pairing"], patience=0.01)
    held.set()


def test_every_rule_has_one_owner_and_is_known() -> None:
    """The capabilities' rules exist, and no rule speaks of two of them."""
    from playhead.rules.registry import RULES

    known = {rule.id for rule in RULES} | OWN_RULES.keys()
    named = [rule for capability in CAPABILITIES.values() for rule in capability.rules]
    assert set(named) <= known
    assert len(named) == len(set(named)) == len(OWNERS)


def test_reports_for_programs() -> None:
    """JSON and JUnit hold what the text does."""
    from xml.etree import ElementTree

    loop = Loop(results=lambda calls, functions: answers(calls[:1], functions))
    report = check_loop(loop, only=["pairing", "parallel-calls", "stream-damage"], max_examples=10)
    data = json.loads(report.to_json())
    assert data["ok"] is False
    assert data["findings"][0]["rule"] == "tool-use-unanswered"
    assert data["findings"][0]["script"] == [str(step) for step in report.findings[0].trial.steps]
    suite = ElementTree.fromstring(report.to_junit())
    assert suite.get("failures") == "1"
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["parallel-calls"]
    assert all(len(line) <= 80 for line in str(report).splitlines() if "replay:" not in line)
