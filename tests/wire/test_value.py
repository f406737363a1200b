"""Values are left alone by the collector of circular garbage, and keep nothing alive by that."""

import gc
import weakref

import pytest

from playhead import FakeClaude, say
from playhead.engine.http import Incoming
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.history import History, Sent
from playhead.wire.value import Value

BODY = b'{"model": "claude-opus-5-5", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]}'
HISTORY = History.after(None, {"role": "user", "content": "hi"})


@pytest.mark.parametrize(
    "value",
    [
        Exchange(request={"messages": []}),
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


class _Weak(dict):  # type: ignore[type-arg]
    """A dict that can be seen to go."""


def test_a_value_is_frozen() -> None:
    """It cannot come to hold what holds it."""

    class Point(Value, frozen=True):
        x: int

    with pytest.raises(AttributeError, match="immutable"):
        Point(1).x = 2  # type: ignore[misc]
