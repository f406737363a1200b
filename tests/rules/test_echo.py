"""How Claude's reply came back."""

from __future__ import annotations

import pytest

from made_sessions import Q2, Json, Q, call, exchange, reply, result, said, session, text, user
from playhead.rules.echo import came_back, came_back_changed, echo_of, goes_on, prefilled, related
from playhead.rules.rule import StepView
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Follower, Link


def step(first: list[Json], answer: Json, *added: Json) -> StepView:
    """A request, its answer, and the request that follows it."""
    made = session(exchange(first, answer), exchange([*first, *added], None))
    follower = Follower()
    for position, one in enumerate(made.exchanges):
        link = follower.place(one)
        follower.settle(position, one)
    return StepView(exchange=made.exchanges[1], link=link, parent=made.exchanges[0], so_far=follower)


LOOK, C = text("I look."), call()
R = reply(LOOK, C)
CHANGED: dict[str, tuple[StepView, bool]] = {
    "as-it-came": (step([Q], R, said(LOOK, C), user(result())), False),
    "as-it-came-and-last": (step([Q], R, said(LOOK, C)), False),
    "with-keys-in-another-order": (step([Q], R, said({"text": "I look.", "type": "text"}, C), user(result())), False),
    "without-its-text": (step([Q], R, said(C), user(result())), True),
    "in-two-messages": (step([Q], R, said(LOOK), said(C), user(result())), True),
    "not-at-all": (step([Q], R, user("Go on.")), False),
    "after-a-prefill": (step([Q, said("I")], R, said(C)), False),
    "an-empty-reply": (step([Q], reply(), said("I")), False),
    "a-failure": (step([Q], {"status": 500, "error": {}}, said("I")), False),
}


@pytest.mark.parametrize(("made", "changed"), CHANGED.values(), ids=CHANGED)
def test_whether_a_reply_came_back_otherwise(made: StepView, changed: bool) -> None:
    """Asked of every request, so that it is decided by the bytes; what differs by right the rules know."""
    assert made.parent is not None
    assert came_back_changed(made.exchange, made.link, made.parent) is changed


def test_an_echo_in_several_messages() -> None:
    """All assistant messages up to the next of the user, in plain form; the first is known apart."""
    echo = echo_of(step([Q], R, said(LOOK), said(C), user(result()), said("x")))
    assert echo is not None
    assert (echo.sent, echo.start, echo.first) == ([LOOK, C], 1, 1)
    assert echo.expected == [LOOK, C]


def test_what_is_no_echo() -> None:
    """A user message in its place, or a content that is none."""
    assert echo_of(step([Q], R, user("Go on."))) is None
    assert echo_of(step([Q], R, {"role": "assistant", "content": 7})) is None


GOES_ON: dict[str, tuple[StepView, bool]] = {
    "the-turn-and-its-results": (step([Q], R, said(LOOK, C), user(result())), True),
    "a-result-alone": (step([Q], R, user(result())), True),
    "a-part-of-it": (step([Q], R, said(LOOK), Q2), True),
    "another-text": (step([Q], R, said("No."), Q2), False),
    "nothing-of-it": (step([Q], R, Q2), False),
}


@pytest.mark.parametrize(("made", "expected"), GOES_ON.values(), ids=GOES_ON)
def test_whether_a_request_goes_on_with_a_reply(made: StepView, expected: bool) -> None:
    """It brings a call, a result or a block of it; a request beside the conversation does not."""
    assert goes_on(made) is expected


def test_related() -> None:
    """Two turns that share a block, or an id."""
    assert related([LOOK], [C, LOOK])
    assert related([{**C, "input": {}}], [C])
    assert not related([text("a")], [text("b")])


def test_prefilled() -> None:
    """A request that ends with the assistant's words."""
    assert prefilled(session(exchange([Q, said("It")], None)).exchanges[0])
    assert not prefilled(session(exchange([Q], None)).exchanges[0])
    assert not prefilled(session(exchange([], None)).exchanges[0])


WORDS: Json = {"type": "text", "text": "hi"}


def calling(value: object) -> Json:
    return {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": value}}


@pytest.mark.parametrize(
    ("told", "sent", "same"),
    [
        ([WORDS], [dict(WORDS)], True),
        ([WORDS], [{"text": "hi", "type": "text"}], True),
        ([WORDS], [{**WORDS, "text": "ho"}], False),
        ([WORDS], [WORDS, WORDS], False),
        ([WORDS], "hi", True),
        ([WORDS], "ho", False),
        ([WORDS, WORDS], "hi", False),
        ([{**WORDS, "citations": [{"n": 1}]}], "hi", False),
        ([{**WORDS, "citations": None}], [{**WORDS, "citations": None}], True),
        ([WORDS, calling(1)], [WORDS, calling(1)], True),
        ([calling(1)], [calling(True)], False),
        ([calling(1)], [calling(1.0)], False),
        ([{**WORDS, "citations": [{"n": 1}]}], [{**WORDS, "citations": [{"n": True}]}], False),
        ([["hi"]], [["hi"]], True),
        ([], [], True),
    ],
)
def test_a_reply_that_came_back(told: list[object], sent: object, same: bool) -> None:
    """The same blocks as JSON: what Python alone takes for equal, 1 and true say, is another reply. A text may come as
    a string.
    """
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": sent}]
    link = Link(kind="continues", conversation=1, turn=2, parent=0, shared=1)
    assert came_back(Exchange(request={"messages": messages}), link, Exchange(response={"content": told})) is same


def test_a_reply_that_did_not_come() -> None:
    """What the user says is no reply, and neither is nothing."""
    link = Link(kind="continues", conversation=1, turn=2, parent=0, shared=1)
    answered = Exchange(response={"content": [WORDS]})
    asked = {"role": "user", "content": "q"}
    for added in ([], [{"role": "user", "content": [WORDS]}]):
        assert not came_back(Exchange(request={"messages": [asked, *added]}), link, answered)
