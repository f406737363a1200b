"""Where today's session first leaves the recorded one, conversation by conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from playhead import Session
from playhead.cassettes.divergence import Comparison, Incomparable, compare

CALL = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}


def reply(*content: object, **members: object) -> dict[str, Any]:
    return {"content": list(content), "stop_reason": "tool_use" if CALL in content else "end_turn", **members}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def asked(*messages: object, **members: object) -> dict[str, Any]:
    return {"model": "claude-opus-5-5", "max_tokens": 64, "messages": list(messages), **members}


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def dated(
    day: str, *, question: str = "What date is it?", more: bool = True, **members: object
) -> list[dict[str, Any]]:
    """A conversation of three turns, in which a tool tells the day."""
    history = [user(question)]
    first = {"request": asked(*history, **members), "response": reply(CALL)}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": f"it is {day}"}
    history = [*history, {"role": "assistant", "content": [CALL]}, user([result])]
    second = {"request": asked(*history, **members), "response": reply(text("So it is."))}
    history = [*history, {"role": "assistant", "content": "So it is."}, user("Thanks.")]
    third = {"request": asked(*history, **members), "response": reply(text("You are welcome."))}
    return [first, second, *([third] if more else [])]


def session(*exchanges: dict[str, Any]) -> Session:
    return Session.from_exchanges(exchanges)


def told(found: Comparison) -> list[tuple[int | None, int | None, str, str, int]]:
    return [(one.conversation, one.turn, one.what.path, one.what.cause, one.later) for one in found.divergences]


def test_the_same() -> None:
    """Whatever a client writes otherwise, and whatever the replies cost."""
    again = dated("2025-01-01")
    again[0]["request"]["metadata"] = {"user_id": "x"}
    again[1]["response"]["usage"] = {"output_tokens": 7}
    again[0]["request"]["messages"] = [user([text("What date is it?")])]
    found = compare(session(*dated("2025-01-01")), session(*again))
    assert (found.same, found.divergences) == (3, ())


def test_the_first_difference_counts() -> None:
    """A tool's result differs in the second turn; the third only follows."""
    found = compare(session(*dated("2025-01-01")), session(*dated("2026-11-29")))
    assert found.same == 1
    assert told(found) == [(1, 2, "$.messages[2].content[0].content", "volatile", 1)]
    (one,) = found.divergences
    assert (one.what.recorded, one.what.today) == ('"it is 2025-01-01"', '"it is 2026-11-29"')
    assert (one.recorded, one.today, one.what.volatile) == (2, 2, ("dates",))


def test_what_is_volatile_is_looked_past() -> None:
    """To the next difference, if there is one."""
    theirs, ours = dated("2025-01-01"), dated("2026-11-29")
    assert compare(session(*theirs), session(*ours), volatile="dates").divergences == ()
    ours[2]["request"]["messages"][-1] = user("Bye.")
    found = compare(session(*theirs), session(*ours), volatile=["dates"])
    assert told(found) == [(1, 3, "$.messages[4].content", "prompt", 0)]


def test_each_conversation_leaves_on_its_own() -> None:
    """Two of three leave the recording, in another order than they were recorded in."""
    theirs = [one for question in "abc" for one in dated("2025-01-01", question=question)]
    days = {"c": "x", "b": "2025-01-01", "a": "y"}
    ours = [one for question, day in days.items() for one in dated(day, question=question)]
    found = compare(session(*theirs), session(*ours))
    assert found.same == 5
    assert [one[:2] for one in told(found)] == [(1, 2), (3, 2)]
    assert [(one.recorded, one.today) for one in found.divergences] == [(8, 2), (2, 8)]


def test_what_is_different_everywhere_is_told_once() -> None:
    """Another model in two conversations is one difference."""
    theirs = [*dated("x", question="a"), *dated("x", question="b")]
    ours = [*dated("x", question="a", system="s"), *dated("x", question="b", system="s")]
    assert told(compare(session(*theirs), session(*ours))) == [(1, 1, "$.system", "system", 5)]


def test_a_run_that_ends_early() -> None:
    """Nothing differs, but what comes last in the recording was not asked for."""
    found = compare(session(*dated("x")), session(*dated("x")[:1]))
    assert found.same == 1
    assert told(found) == [(1, 2, "$", "shorter", 1)]
    assert found.divergences[0].today is None


def test_a_run_that_goes_on() -> None:
    """What comes after the recording's end is named as such."""
    found = compare(session(*dated("x")[:2]), session(*dated("x")))
    assert told(found) == [(1, 3, "$.messages[3]", "longer", 0)]


def test_a_run_that_asks_once_more() -> None:
    """The same request twice, both answered."""
    found = compare(session(*dated("x")[:1]), session(*dated("x")[:1], *dated("x")[:1]))
    assert told(found) == [(1, 1, "$", "again", 0)]


def test_a_retry_is_no_difference() -> None:
    """What was tried again is one turn."""
    first, *rest = dated("x")
    busy = {**first, "response": {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}}
    assert compare(session(first, *rest), session(busy, busy, first, *rest)).divergences == ()
    assert compare(session(busy, first, *rest), session(first, *rest)).divergences == ()


def test_another_reply() -> None:
    """Where the model answered anew, its reply is the first that differs, and all else follows."""
    ours = dated("x")
    ours[1]["response"] = reply(text("No idea."))
    ours[2]["request"]["messages"][3] = {"role": "assistant", "content": "No idea."}
    found = compare(session(*dated("x")), session(*ours))
    assert told(found) == [(1, 2, "$response.content[0].text", "reply", 1)]
    assert found.divergences[0].what.likely == "the model answered something else"


def test_ids_that_the_api_makes() -> None:
    """They differ in every run that was not replayed, and can be looked past."""
    ours = session(*json.loads(json.dumps(dated("x")).replace("toolu_1", "toolu_01A09q90qw90lq917835lq9")))
    found = compare(session(*dated("x")), ours)
    assert told(found)[0][2:4] == ("$response.content[0].id", "volatile")
    assert compare(session(*dated("x")), ours, volatile="ids").divergences == ()


def test_an_answer_that_failed() -> None:
    """An error in place of the last reply."""
    ours = dated("x", more=False)
    ours[1]["response"] = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
    found = compare(session(*dated("x", more=False)), session(*ours))
    assert [one[3:] for one in told(found)] == [("failure", 0)]
    assert found.divergences[0].what.likely == "one of the two answers failed"


def test_other_endpoints() -> None:
    """A token count is compared as well; one that was not recorded is named."""
    count = {"path": "/v1/messages/count_tokens", "request": asked(user("a")), "response": {"input_tokens": 7}}
    assert compare(session(count), session(count)).same == 1
    assert told(compare(session(count), session({**count, "response": {"input_tokens": 8}}))) == [
        (None, None, "$response.input_tokens", "reply", 0)
    ]
    found = compare(session(*dated("x")), session(*dated("x"), count))
    assert told(found) == [(None, None, "$", "endpoint", 0)]
    assert "/v1/messages/count_tokens" in found.divergences[0].what.likely


def test_what_a_recording_does_not_tell_is_not_compared() -> None:
    """A transcript knows only part of each request, another only what was asked."""
    theirs = session(*dated("x", system="s"))
    known = frozenset({"messages", "model"})
    partly = Session(
        exchanges=tuple(
            structs.replace(
                one,
                request={name: value for name, value in (one.request or {}).items() if name in known},
                known=known,
            )
            for one in theirs.exchanges
        )
    )
    assert compare(theirs, partly).divergences == ()
    assert compare(partly, theirs).divergences == ()
    unanswered = Session(exchanges=tuple(structs.replace(one, response=None) for one in theirs.exchanges))
    assert compare(theirs, unanswered).divergences == ()


def test_answers_alone_cannot_be_compared() -> None:
    """A recording without requests is refused, by its place."""
    answers = session({"request": None, "response": reply(text("a"))})
    for pair, name in (((answers, session(*dated("x"))), "the first"), ((session(*dated("x")), answers), "the second")):
        with pytest.raises(Incomparable, match=f"{name} recording tells answers only"):
            compare(*pair)
