"""No session crashes the rules, whatever its exchanges hold, and correct loops are never blamed, however they mix."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made_sessions import DONE, MODEL, OVERLOADED, Json, call, exchange, reply, result, said, sent, session, text, user
from playhead.rules.checker import check
from playhead.rules.rule import LEVELS
from playhead.testing.strategies import json_values
from playhead.wire.session import Session

ODD: st.SearchStrategy[Any] = json_values()
IDS = st.sampled_from(["t1", "t2", "t3", ""]) | ODD
BLOCKS: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"type": st.just("tool_use"), "id": IDS, "name": st.just("add") | ODD, "input": ODD}),
    st.fixed_dictionaries(
        {"type": st.just("tool_result"), "tool_use_id": IDS, "content": ODD}, optional={"is_error": ODD}
    ),
    st.fixed_dictionaries({"type": st.just("text"), "text": st.sampled_from(["a", " ", "{'a': 1}"]) | ODD}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": ODD, "signature": ODD}),
    st.fixed_dictionaries({"type": st.sampled_from(["redacted_thinking", "compaction", "server_tool_use", "novel"])}),
    ODD,
)
CONTENT = st.lists(BLOCKS, max_size=3) | ODD
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "system"]) | ODD, "content": CONTENT}) | ODD,
    max_size=4,
)
REQUESTS = st.fixed_dictionaries(
    {"messages": MESSAGES},
    optional={
        "model": st.just(MODEL) | ODD,
        "tools": ODD,
        "tool_choice": ODD,
        "container": ODD,
        "thinking": ODD,
        "stream": ODD,
    },
)
REASONS = st.sampled_from(["tool_use", "end_turn", "pause_turn", "refusal", "max_tokens", "compaction", "novel"]) | ODD
EVENTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "novel"]
        )
    },
    optional={"index": ODD, "delta": ODD, "content_block": BLOCKS, "message": ODD, "usage": ODD, "error": ODD},
)
RESPONSES = st.one_of(
    st.fixed_dictionaries({"content": CONTENT, "stop_reason": REASONS}, optional={"container": ODD, "usage": ODD}),
    st.fixed_dictionaries({"status": st.sampled_from([400, 404, 413, 429, 500, 529])}, optional={"error": ODD}),
    st.fixed_dictionaries({"events": st.lists(EVENTS, max_size=6)}),
    st.none(),
)
EXCHANGES = st.fixed_dictionaries(
    {"request": REQUESTS, "response": RESPONSES},
    optional={
        "tools_run": st.lists(st.sampled_from(["t1", "t2", "x"]), max_size=4),
        "results": st.dictionaries(st.sampled_from(["t1", "t2"]), ODD | st.just({"raised": "boom"})),
        "user_event": st.sampled_from(["stop", "new", "other"]),
        "sent_at": st.floats(0, 9),
        "answered_at": st.floats(0, 9),
    },
)
ENDS = st.none() | st.fixed_dictionaries(
    {"how": st.sampled_from(["returned", "raised", "running"]) | ODD}, optional={"error": ODD, "shown": ODD}
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EXCHANGES, max_size=4), ENDS)
def test_any_session(exchanges: list[Json], end: Json | None) -> None:
    """Violations are well-formed, and name an exchange that there is."""
    made = Session.from_exchanges(exchanges, end=end)
    for one in (made, replace(made, alone=True)):
        for violation in check(one):
            assert violation.level in LEVELS
            assert violation.path.startswith("$")
            assert violation.message
            assert violation.fix
            assert violation.exchange is None or 1 <= violation.exchange <= len(exchanges)
            assert violation.same_as is None or violation.same_as != violation.rule


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EXCHANGES, min_size=1, max_size=2), EXCHANGES, ENDS)
def test_an_exchange_and_anything_after_it(first: list[Json], second: Json, end: Json | None) -> None:
    """A request that resends an odd history, with its odd reply and something more, is judged as well."""
    before = first[-1]["request"]["messages"]
    answer = first[-1]["response"] or {}
    echoed = [{"role": "assistant", "content": answer["content"]}] if "content" in answer else []
    second["request"]["messages"] = [*before, *echoed, *second["request"]["messages"]]
    made = Session.from_exchanges([*first, second], end=end)
    assert all(violation.path.startswith("$") for violation in check(made))


# a correct loop: what it does next follows from what Claude said, whatever else goes on

TURNS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["well", "error", "denied"]), st.sampled_from(["", "529", "streamed"])
    ),
    max_size=5,
)


def correct(name: str, turns: list[tuple[int, str, str]]) -> list[Json]:
    """The exchanges of a loop without a fault: parallel calls, failing and denied ones, retries."""
    history, exchanges = [user(f"Go, {name}.")], []
    for number, (calls, outcome, trouble) in enumerate([*turns, (0, "well", "")]):
        made = [call(f"{name}_{number}_{position}", a=position) for position in range(calls)]
        answer = reply(text("Look."), *made) if calls else DONE
        if trouble == "529":
            exchanges.append(exchange(sent(*history), OVERLOADED, tools_run=[]))
        run = [one["id"] for one in made] if outcome != "denied" else []
        returned = {one: {"raised": "boom"} if outcome == "error" else f"{one} done" for one in run}
        exchanges.append(
            exchange(sent(*history, stream=trouble == "streamed" or None), answer, tools_run=run, results=returned)
        )
        told = {"well": "done", "error": "boom", "denied": "Not run."}[outcome]
        failed = {} if outcome == "well" else {"is_error": True}
        results = [result(one["id"], f"{one['id']} {told}", **failed) for one in made]
        history = [*history, said(*answer["content"]), user(*results) if results else user(f"More, {number}.")]
    return exchanges


@settings(max_examples=100, deadline=None)
@given(TURNS, TURNS, st.randoms(use_true_random=False))
def test_correct_loops_are_never_blamed(one: list[Any], other: list[Any], chance: Any) -> None:
    """Two conversations without a fault, interleaved in any way, break no rule."""
    left, right = correct("a", one), correct("b", other)
    mixed: list[Json] = []
    while left or right:
        source = left if not right or (left and chance.random() < 0.5) else right
        mixed.append(source.pop(0))
    made = session(*mixed, end={"how": "returned", "shown": {"text": "It is 3."}})
    assert [str(violation) for violation in check(made)] == []
