"""A fake that refuses nothing plays its script whatever it is sent."""

from typing import Any

import pytest

from odd_bodies import odd_bodies
from playhead import FakeClaude, by_code, call, mcp, say, server_result
from playhead.engine.http import Incoming
from playhead.wire.codec import encode

SCRIPTS = {
    "text": [say("hello")],
    "mcp": [mcp("tides", "low", result="2 m")],
    "result": [server_result("code_execution", "1")],
    "code": [by_code("add(1)", call("add", a=1))],
    "goes-on": [by_code(None, call("add", a=1))],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_any_value_at_any_place_is_answered(script: list[Any]) -> None:
    """The answer may be that the script does not fit the request; nothing is raised, and no rule falls."""
    for body in odd_bodies():
        fake = FakeClaude(script, strict=False)
        request = Incoming(method="POST", path="/v1/messages", headers={"x-api-key": "k"}, body=encode(body))
        answer = fake.answer(request)
        assert answer.status == 200 or b"Playhead: " in answer.body, (answer.body, body)
        assert b"a rule failed" not in answer.body, (answer.body, body)
