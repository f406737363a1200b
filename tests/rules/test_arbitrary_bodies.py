"""No request body, whatever it holds, makes the rules crash; the long version is bench/fuzz_requests.py."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.rules.checker import api_error, check, check_request
from playhead.rules.rule import LEVELS
from playhead.testing.strategies import json_values, request_bodies
from playhead.wire.session import Session

HEADERS = st.none() | st.dictionaries(
    st.sampled_from(["anthropic-version", "anthropic-beta", "x-api-key", "authorization"]),
    st.sampled_from(["", "2023-06-01", "2026-10-21", "a,b", "context-management-2025-06-27", "key"]),
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(request_bodies(), HEADERS)
def test_a_body_like_a_request(body: dict[str, Any], headers: dict[str, str] | None) -> None:
    """Violations are well-formed, and the API's answer is one of them."""
    violations = check_request(body, headers)
    assert all(violation.level in LEVELS and violation.path.startswith("$") for violation in violations)
    assert all(violation.message and violation.fix for violation in violations)
    error = api_error(body, headers)
    rejected = [violation for violation in violations if violation.level == "reject"]
    assert (error is None) is (not rejected)
    if error is not None:
        assert error.rule in {violation.rule for violation in rejected}
        assert error.body["error"]["message"]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(max_size=5), json_values()))
def test_any_json_object(body: dict[str, Any]) -> None:
    """Objects that have nothing to do with the API are only refused."""
    assert any(violation.rule == "req-required-fields" for violation in check_request(body))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(request_bodies(), min_size=2, max_size=4))
def test_any_session(bodies: list[dict[str, Any]]) -> None:
    """Rules across exchanges meet the same bodies one after the other."""
    answer = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "a", "input": {}}], "stop_reason": "tool_use"}
    session = Session.from_exchanges([{"request": body, "response": answer} for body in bodies])
    assert all(violation.path.startswith("$") for violation in check(session))
