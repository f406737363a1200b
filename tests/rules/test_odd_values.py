"""Whatever stands where, the rules say something or nothing, and raise nothing."""

from odd_bodies import BODY, odd_bodies
from playhead.rules.checker import check_request

HEADERS = {
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "mcp-client-2025-11-20,code-execution-2025-08-25,skills-2025-10-02",
}


def test_a_body_with_any_value_at_any_place_is_judged() -> None:
    """No list where an id belongs, no number where a block does, brings a rule to fall."""
    found = [len(check_request(body, HEADERS)) for body in odd_bodies()]
    assert len(found) > 700
    assert sum(map(bool, found)) > 400


def test_the_body_itself_is_sound() -> None:
    """So that what is found is found in what was put into it."""
    assert [str(one) for one in check_request(BODY, HEADERS) if one.level == "reject"] == []
