"""What the end of a loop tells."""

from __future__ import annotations

from typing import Any

import pytest

from made_sessions import Json, Q, call, exchange, reply, sent, session, text
from playhead import FakeClaude, server_call, turn
from playhead import call as ask
from playhead.engine.ending import end_of
from playhead.rules.ending import (
    by_a_limit,
    left_undone,
    shown_text,
    speaks_of_trouble,
    stopped_on_purpose,
    tells_trouble,
    text_of,
)
from playhead.rules.rule import EndView
from playhead.wire.follow import Follower

LIMITS = {
    "TurnLimitReached: no answer after 30 turns": True,
    "no final answer after 30 requests": True,
    "the budget of 12 requests is spent": True,
    "RecursionError: the conversation did not end": True,
    "max_iterations exceeded": True,
    "Too many rounds": True,
    "the same call failed three times": True,
    "KeyError: 'frobnicate'": False,
    "TypeError: missing argument": False,
    "boom": False,
    "": False,
}


@pytest.mark.parametrize(("error", "limit"), LIMITS.items())
def test_errors_that_speak_of_a_limit(error: str, limit: bool) -> None:
    """A loop that ends itself at a limit leaves calls open on purpose."""
    assert stopped_on_purpose(error) is limit


SHOWN: dict[str, tuple[Json | None, bool]] = {
    "nothing-known": (None, False),
    "nothing": ({}, False),
    "text": ({"text": "It is 3."}, False),
    "text-and-counts": ({"text": "It is 3.", "output_tokens": 9}, False),
    "a-reason": ({"text": "It is", "stop_reason": "max_tokens"}, True),
    "an-error": ({"error": "overloaded"}, True),
    "a-sentence": ({"text": "Sorry, that did not work."}, True),
    "a-note": ({"text": "It is … [truncated]"}, True),
    "a-status": ({"text": "HTTP 529"}, True),
}


@pytest.mark.parametrize(("shown", "trouble"), SHOWN.values(), ids=SHOWN)
def test_what_was_shown_tells_of_trouble(shown: Json | None, trouble: bool) -> None:
    """A member of its own, or a word for it in the text."""
    assert tells_trouble(shown) is trouble


def test_words_for_trouble() -> None:
    """In results as in what is shown."""
    assert speaks_of_trouble("ValueError: boom")
    assert not speaks_of_trouble("It is 3.")


def view(*blocks: Json, end: Json, run: list[str] | None, stop: str | None = None, **members: object) -> EndView:
    made = session(exchange(sent(Q, **members), reply(*blocks, stop=stop), tools_run=run), end=end)
    return EndView(exchanges=made.exchanges, end=made.end)


LOOK, C = text("Let me look."), call()
ENDS: dict[str, tuple[EndView, bool]] = {
    "its-text-shown": (view(LOOK, C, end={"how": "returned", "shown": {"text": "Let me look."}}, run=[]), True),
    "nothing-shown-of-nothing": (view(C, end={"how": "returned", "shown": {"text": ""}}, run=[]), True),
    "its-text-and-no-word": (view(LOOK, C, end={"how": "returned"}, run=[]), True),
    "no-text-and-no-word": (view(C, end={"how": "returned"}, run=[]), False),
    "another-text": (view(LOOK, C, end={"how": "returned", "shown": {"text": "Done."}}, run=[]), False),
    "the-call-handed-over": (view(C, end={"how": "returned", "shown": {"text": "", "tool_input": {}}}, run=[]), False),
    "run": (view(LOOK, C, end={"how": "returned"}, run=["t1"]), False),
    "whether-run-is-not-known": (view(LOOK, C, end={"how": "returned"}, run=None), False),
    "raised": (view(LOOK, C, end={"how": "raised"}, run=[]), False),
    "forced": (view(LOOK, C, end={"how": "returned"}, run=[], tool_choice={"type": "any"}), False),
    "forbidden": (view(LOOK, C, end={"how": "returned"}, run=[], tool_choice={"type": "none"}), False),
    "not-for-tools": (view(LOOK, C, end={"how": "returned"}, run=[], stop="max_tokens"), False),
    "no-calls": (view(LOOK, end={"how": "returned"}, run=[], stop="tool_use"), False),
}


@pytest.mark.parametrize(("end", "undone"), ENDS.values(), ids=ENDS)
def test_a_reply_that_waits_and_was_returned(end: EndView, undone: bool) -> None:
    """Calls that were known not to be run, and a text that was taken for the answer."""
    assert end.last is not None
    assert left_undone(end, end.last) is undone


def test_the_text_of_a_reply_and_of_what_was_shown() -> None:
    """All text blocks together; what was shown counts only where nothing else could tell how the reply ended."""
    end = view(text("a"), C, text("b"), end={"how": "returned", "shown": {"text": "x"}}, run=[])
    assert end.last is not None
    assert text_of(end.last) == "ab"
    assert shown_text(end) == "x"
    assert shown_text(view(C, end={"how": "returned", "shown": {"text": "x", "stop_reason": "y"}}, run=[])) is None
    assert shown_text(view(C, end={"how": "returned", "shown": {"text": 7}}, run=[])) is None
    assert shown_text(view(C, end={"how": "returned"}, run=[])) is None


TOOLS: Any = [
    {"name": "add", "input_schema": {"type": "object", "properties": {}}},
    {"type": "web_search_20250305", "name": "web_search"},
]


def after_turns(count: int, value: object, stop: str = "tool_use") -> EndView:
    """A loop that went on from so many replies, and returned after one more."""
    one = server_call("web_search", "foxes") if stop == "pause_turn" else ask("add")
    client = FakeClaude([turn(one, stop_reason=stop)] * (count + 1))
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    for _ in range(count + 1):
        made = client.client().messages.create(model="claude-opus-5-5", max_tokens=9, messages=messages, tools=TOOLS)
        content = [block.to_dict() for block in made.content]
        results = [{"type": "tool_result", "tool_use_id": its["id"]} for its in content if its["type"] == "tool_use"]
        messages = [*messages, {"role": "assistant", "content": content}]
        messages += [{"role": "user", "content": results}] if results else []
    exchanges = client.session.exchanges
    so_far = Follower()
    for its in exchanges:
        so_far.place(its)
    return EndView(exchanges=exchanges, end=end_of("returned", value), so_far=so_far)


LIMITS_SHOWN = {
    "a tuple after many turns": (3, ("limit", None), "tool_use", True),
    "nothing after many turns": (3, None, "tool_use", True),
    "a note after many turns": (3, "It is [incomplete]", "tool_use", True),
    "a tuple after many pauses": (3, ("limit", None), "pause_turn", True),
    "a text after many turns": (3, "It is", "tool_use", False),
    "a tuple after one turn": (1, ("limit", None), "tool_use", False),
    "a tuple at once": (0, ("limit", None), "pause_turn", False),
}


@pytest.mark.parametrize(("count", "value", "stop", "limit"), LIMITS_SHOWN.values(), ids=LIMITS_SHOWN)
def test_a_limit_that_ends_a_loop_without_an_error(count: int, value: object, stop: str, limit: bool) -> None:
    """After turns that were gone on from, what is returned may tell; a plain text tells nothing."""
    assert by_a_limit(after_turns(count, value, stop)) is limit
