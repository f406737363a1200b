"""Violations and errors as values."""

from __future__ import annotations

import dataclasses
import json

import pytest

from playhead.rules.rule import ApiError, RequestView, StepView, Violation
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link

VIOLATION = Violation(
    rule="tool-result-orphan", level="reject", path="$.messages[0]", message="no call", fix="add it", exchange=2, turn=1
)


def test_a_violation_as_data() -> None:
    """Every field, in order, ready for JSON."""
    assert VIOLATION.to_dict() == {
        "rule": "tool-result-orphan",
        "level": "reject",
        "path": "$.messages[0]",
        "message": "no call",
        "fix": "add it",
        "api": None,
        "status": None,
        "error_code": None,
        "exchange": 2,
        "turn": 1,
        "conversation": None,
        "same_as": None,
    }
    assert json.loads(json.dumps(VIOLATION.to_dict())) == VIOLATION.to_dict()


def test_a_violation_in_one_line() -> None:
    """What, where and which rule, with the exchange where there is one."""
    assert str(VIOLATION) == "exchange 2: reject tool-result-orphan at $.messages[0]: no call"
    alone = dataclasses.replace(VIOLATION, exchange=None)
    assert str(alone) == "reject tool-result-orphan at $.messages[0]: no call"


def test_a_violation_is_a_value() -> None:
    """Equal by its fields, usable in sets, not to be changed."""
    assert dataclasses.replace(VIOLATION) == VIOLATION
    assert len({VIOLATION, dataclasses.replace(VIOLATION)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        VIOLATION.rule = "x"  # type: ignore[misc]


def test_an_api_error_tells_type_and_message() -> None:
    """The two members of the body that clients read."""
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": "model: Field required"}}
    error = ApiError(status=400, headers={}, body=body, rule="req-required-fields")
    assert (error.type, error.message) == ("invalid_request_error", "model: Field required")


@pytest.mark.parametrize(
    ("thread", "held"),
    [(None, False), ({"type": "create"}, False), ({"type": "continue"}, True), ("continue", False)],
)
def test_who_holds_the_history(thread: object, held: bool) -> None:
    """Only a request that goes on with a thread leaves its history to the server."""
    assert RequestView(body={"thread": thread}).held is held


def test_a_view_of_odd_messages() -> None:
    """What is no list of messages is none."""
    assert RequestView(body={"messages": "x"}).messages == ()
    assert RequestView(body={}).messages == ()


def test_what_a_step_adds() -> None:
    """The messages after those that it shares with its parent's request."""
    exchange = Exchange(request={"messages": [1, 2, 3]})
    link = Link(kind="continues", conversation=1, turn=2, parent=0, shared=2)
    assert StepView(exchange=exchange, link=link, parent=Exchange()).added == [3]
