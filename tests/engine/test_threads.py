"""Which replies a request may continue from, where the server holds the conversation."""

from __future__ import annotations

import pytest

from playhead.engine.threads import Threads

CREATE: dict[str, object] = {"thread": {"type": "create"}}


def continuing(previous: str, **members: object) -> dict[str, object]:
    return {"thread": {"type": "continue", "previous_message_id": previous}, **members}


@pytest.fixture
def threads() -> Threads:
    """One thread, held under msg_1."""
    held = Threads()
    held.hold(CREATE, {"id": "msg_1"})
    return held


def test_a_reply_can_be_continued_once(threads: Threads) -> None:
    """After that the conversation is held under the newer reply, and the older one is refused."""
    assert threads.refuse(continuing("msg_1")) is None
    threads.hold(continuing("msg_1"), {"id": "msg_2"})
    refused = threads.refuse(continuing("msg_1"))
    assert refused is not None
    assert (refused.status, refused.code) == (400, "thread_already_continued")
    assert threads.refuse(continuing("msg_2")) is None


def test_a_turn_that_was_not_answered_may_be_sent_again(threads: Threads) -> None:
    """Only a reply moves the thread on."""
    assert threads.refuse(continuing("msg_1")) is None
    assert threads.refuse(continuing("msg_1")) is None


@pytest.mark.parametrize("previous", ["msg_9", ""], ids=["a reply of nobody's", "nothing"])
def test_what_is_not_held_cannot_be_continued(threads: Threads, previous: str) -> None:
    """It is a 404, as for a thread that has expired."""
    refused = threads.refuse(continuing(previous))
    assert refused is not None
    assert (refused.status, refused.type, refused.code) == (404, "not_found_error", "thread_not_found")


def test_threads_expire(threads: Threads) -> None:
    """All of them, and a new one can be made."""
    threads.expire()
    refused = threads.refuse(continuing("msg_1"))
    assert refused is not None
    assert refused.code == "thread_not_found"
    assert threads.refuse(CREATE) is None


@pytest.mark.parametrize("name", ["system", "tools"])
def test_what_a_thread_keeps_is_not_sent_again(threads: Threads, name: str) -> None:
    """The server has it from the request that made the thread."""
    refused = threads.refuse(continuing("msg_1", **{name: []}))
    assert refused is not None
    assert (refused.status, refused.code, name in refused.message) == (400, None, True)


def test_a_reply_outside_a_thread_is_not_held(threads: Threads) -> None:
    """Without `thread` nothing is kept under its id."""
    threads.hold({}, {"id": "msg_3"})
    assert threads.refuse(continuing("msg_3")) is not None
    assert threads.refuse({}) is None


def test_a_server_without_threads_says_what_it_lacks() -> None:
    """With the code from which the SDK's tool runner goes on without a thread."""
    refused = Threads(enabled=False).refuse(CREATE)
    assert refused is not None
    assert (refused.status, refused.code, refused.details["unsupported"]) == (
        400,
        "thread_unsupported_request",
        ["thread"],
    )
