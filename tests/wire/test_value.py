"""Values are left alone by the collector of circular garbage, and keep nothing alive by that."""

import gc
import weakref

import pytest

from playhead import FakeClaude, call, say
from playhead.engine.http import Incoming
from playhead.wire.follow import Link
from playhead.wire.history import History, Sent
from playhead.wire.value import Value

BODY = b'{"model": "claude-opus-5-5", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]}'
HISTORY = History.after(None, {"role": "user", "content": "hi"})


@pytest.mark.parametrize(
    "value",
    [
        Link(kind="start", conversation=1, turn=1),
        Sent([HISTORY.message], HISTORY),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_every_request_leaves_behind_is_not_looked_at(value: object) -> None:
    """Over a long session the collector's looking would grow with all that was asked."""
    assert not gc.is_tracked(value)


def test_a_session_that_nobody_holds_is_gone() -> None:
    """What holds values may be circular garbage, and is collected as ever."""
    fake = FakeClaude([say("hello")])
    fake.answer(Incoming(method="POST", path="/v1/messages", headers={"x-api-key": "k"}, body=BODY))
    request = fake.session.exchanges[0].request
    assert request is not None
    message = _Weak(request["messages"][0])
    request["messages"][0] = message
    gone = weakref.ref(message)
    del fake, request, message
    gc.collect()
    assert gone() is None


def test_a_tool_that_returns_what_holds_the_fake_keeps_nothing_alive() -> None:
    """What a watched tool returns is the user's, and may lead anywhere."""

    gone = _tool_returns_the_context()
    gc.collect()
    assert gone() is None


class _Context:
    fake: FakeClaude


def _tool_returns_the_context() -> weakref.ref[_Context]:
    context = _Context()
    context.fake = fake = FakeClaude([call("look"), say("done")], strict=False)
    tools = fake.watch({"look": lambda: context})
    body = BODY.replace(b"{", b'{"tools": [{"name": "look", "input_schema": {"type": "object"}}], ', 1)
    fake.answer(Incoming(method="POST", path="/v1/messages", headers={"x-api-key": "k"}, body=body))
    tools["look"]()
    assert fake.session.exchanges[0].results
    return weakref.ref(context)


class _Weak(dict):  # type: ignore[type-arg]
    """A dict that can be seen to go."""


def test_a_value_is_frozen() -> None:
    """It cannot come to hold what holds it."""

    class Point(Value, frozen=True):
        x: int

    with pytest.raises(AttributeError, match="immutable"):
        Point(1).x = 2  # type: ignore[misc]
