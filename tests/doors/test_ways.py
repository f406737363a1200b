"""The same reply whichever way a program takes it from the SDK: law, over generated replies."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.script.steps import Reply
from playhead.testing.strategies import replies
from sdk_ways import WAYS, Take, delivered, deliveries, difference, is_beta, same, taken, tools_of, without_nulls


@settings(deadline=None, max_examples=60)
@given(replies(max_blocks=4), st.integers(0, 2**16))
def test_every_way_gives_the_message_that_was_written(step: Reply, seed: int) -> None:
    """JSON, events and helper, plain and beta, sync and async, in any pieces and writes: the very message, whole.

    Save that the helper adds nulls, and that the plain namespace's reads no beta fields.
    """
    travels = deliveries(seed, 800)
    takes = [
        Take(delivered(step, travels[(number + seed) % len(travels)]), way)
        for number, way in enumerate(WAYS)
        if not (way.kind == "helper" and not way.beta and is_beta(step.message))
    ]
    for take, message in zip(takes, taken(takes, tools_of(step.message)), strict=True):
        written = step.message
        if take.way.kind == "helper":
            written, message = without_nulls(written), without_nulls(message)
        assert same(written, message), f"{take.way} of {take.step}: {difference(written, message)}"
