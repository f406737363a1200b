"""The cassette of a run of Claude Code: right, clean, small, and playable, whether or not Claude Code is installed."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from clients.claude_code import scrub
from playhead import FakeClaude, check, load
from playhead.serving import Serving

CASSETTE = Path(__file__).resolve().parent.parent.parent / "cassettes" / "claude_code.yaml"


def test_it_breaks_no_rule() -> None:
    """A finished recording of two turns, against which nothing is to be said."""
    session = load(CASSETTE)
    assert [exchange.status for exchange in session.exchanges if exchange.request] == [200, 200]
    assert check(session) == ()


def test_it_is_replayed_over_a_connection() -> None:
    """Every recorded request gets the recorded bytes again from the server, and none is left over."""
    session = load(CASSETTE)
    with Serving(lambda: FakeClaude.from_cassette(CASSETTE)) as server, httpx2.Client(trust_env=False) as client:
        for exchange in session.exchanges:
            headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
            answer = client.request(
                exchange.method, server.url + exchange.path, json=exchange.request or None, headers=headers
            )
            assert answer.status_code == exchange.status
        assert server.verdict()["ok"] is True
    assert [exchange.response for exchange in server.fake.session.exchanges] == [
        exchange.response for exchange in session.exchanges
    ]


def test_it_holds_nothing_of_the_machine_and_no_prose_that_is_not_ours() -> None:
    """No path, no id of a device or session; and of all strings with spaces none is long."""
    text = CASSETTE.read_text("utf-8")
    assert len(text) < 10_000
    assert re.findall(r"/(?:tmp|home|root|Users|work|private)/", text) == []
    assert re.findall(r"[0-9a-f]{32,}|[0-9a-f]{8}-[0-9a-f]{4}-", text) == []
    for exchange in load(CASSETTE).exchanges:
        assert scrubbed(exchange.request) == exchange.request


def scrubbed(value: object) -> object:
    if isinstance(value, dict):
        return {key: scrubbed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [scrubbed(member) for member in value]
    return scrub(value) if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("You know the tides.", "You know the tides.", id="ours"),
        pytest.param("a word after another, many more than anybody here wrote", "CLAUDE-CODE-TEXT", id="prose"),
        pytest.param('{"session":"d5610af1-0506-499d-8481-db1a5c63151a"}', '{"session":"ID"}', id="an id"),
        pytest.param("CLAUDE-CODE-TEXT", "CLAUDE-CODE-TEXT", id="scrubbed already"),
    ],
)
def test_the_scrubber(text: str, kept: str) -> None:
    """What the scrubber takes out, and that it leaves alone what it has put there."""
    assert scrub(text) == kept
