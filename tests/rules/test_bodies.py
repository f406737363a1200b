"""Whether two requests are the same one."""

from __future__ import annotations

import pytest
from msgspec import structs

from playhead.rules.bodies import same_body, same_request
from playhead.wire.exchange import Exchange

ONE = Exchange(request={"model": "m", "messages": [{"role": "user", "content": "a"}]})


def test_bodies() -> None:
    """Equal in every member, whatever their order; another member, or one more, is another body."""
    same = structs.replace(ONE, request={"messages": [{"content": "a", "role": "user"}], "model": "m"})
    assert same_body(ONE, same)
    assert same_body(ONE, ONE)
    assert not same_body(ONE, structs.replace(ONE, request={**(ONE.request or {}), "max_tokens": 9}))
    assert not same_body(ONE, structs.replace(ONE, request={**(ONE.request or {}), "model": "n"}))


def test_bodies_that_are_not_known_in_full() -> None:
    """What a recording does not tell may have changed."""
    assert not same_body(ONE, structs.replace(ONE, known=frozenset({"messages"})))
    assert not same_body(ONE, structs.replace(ONE, request=None))


KEY = {"x-api-key": "one", "anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (KEY, KEY, True),
        (KEY, None, True),
        (KEY, {**KEY, "user-agent": "x"}, True),
        (KEY, {**KEY, "x-api-key": "two"}, False),
        (KEY, {**KEY, "anthropic-beta": "x"}, False),
        ({"authorization": "Bearer one"}, {"authorization": "Bearer two"}, False),
    ],
    ids=["equal", "one-unknown", "another-client", "another-key", "another-beta", "another-token"],
)
def test_headers(left: dict[str, str] | None, right: dict[str, str] | None, same: bool) -> None:
    """Those that the API judges; unknown ones differ in nothing."""
    assert same_request(structs.replace(ONE, headers=left), structs.replace(ONE, headers=right)) is same
