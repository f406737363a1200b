"""Which requests only follow from an earlier one that fitted nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.consequence import Consequences
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.matching import Asked, Chains, Recorded
from playhead.cassettes.normal import Rules
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH


def body(*texts: str, **members: object) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts], **members}


RECORDED = (body("a"), body("a", "b"), body("a", "b", "c"), body("z"))
Live = tuple[dict[str, Any], int | None]
CASES: dict[str, tuple[Live, Live, bool]] = {
    "the same conversation": ((body("a", "x"), 1), (body("q"), 1), True),
    "another one": ((body("a", "x"), 1), (body("q"), 2), False),
    "the same request again": ((body("a", "x"), None), (body("a", "x"), None), True),
    "the same different message": ((body("a", "x"), None), (body("a", "x", "c"), None), True),
    "another different message": ((body("a", "x"), None), (body("a", "y"), None), False),
    "the same different envelope": ((body("a", system="s"), 1), (body("z", system="s"), 2), True),
    "another different envelope": ((body("a", system="s"), 1), (body("z", system="t"), 2), False),
    "once more than recorded": ((body("a"), None), (body("a", "x"), None), False),
    "once more and once more": ((body("a"), None), (body("a"), None), True),
}


@pytest.mark.parametrize(("first", "later", "follows"), CASES.values(), ids=CASES)
def test_what_follows_and_what_does_not(first: Live, later: Live, follows: bool) -> None:
    """By its conversation, or by what was different: the message, or the envelope."""
    chains, shelf = Chains(Rules.of()), Shelf()
    calls = [Interaction(body=shelf.put(json.dumps(one).encode())) for one in RECORDED]
    tape, consequences = Recorded(map(chains.of_interaction, calls)), Consequences()

    def ask(live: Live, path: str = MESSAGES_PATH) -> Asked:
        return chains.ask("POST", path, live[0])

    asked = ask(first)
    assert consequences.cause(asked, first[1]) is None
    consequences.note(asked, first[1], 7, tape, tape.nearest(asked))
    assert consequences.cause(ask(later), later[1]) == (7 if follows else None)


def test_a_token_count_follows_from_a_message() -> None:
    """It carries the same messages, and belongs to no conversation; its envelope is judged on its own."""
    chains = Chains(Rules.of())
    asked = chains.ask("POST", MESSAGES_PATH, body("a", "x"))
    shelf = Shelf()
    tape = Recorded([chains.of_interaction(Interaction(body=shelf.put(json.dumps(body("a", "b")).encode())))])
    consequences = Consequences()
    consequences.note(asked, 1, 0, tape, tape.nearest(asked))
    assert consequences.cause(chains.ask("POST", COUNT_TOKENS_PATH, body("a", "x")), None) == 0


def test_an_endpoint_that_was_not_recorded_stands_for_itself() -> None:
    """Asked again, it is the same; another one is not."""
    chains, consequences = Chains(Rules.of()), Consequences()
    asked = chains.ask("GET", "/v1/models", None)
    consequences.note(asked, None, 0, Recorded([]), None)
    assert consequences.cause(asked, None) == 0
    assert consequences.cause(chains.ask("GET", "/v1/models/x", None), None) is None
