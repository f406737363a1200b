"""Scalars of YAML."""

from __future__ import annotations

import pytest

from playhead.cassettes.scalars import resolve


@pytest.mark.parametrize(("text", "value"), [("-", "-"), ("+", "+"), ("1.", 1.0), ("1e400", float("inf")), ("-0", 0)])
def test_numbers(text: str, value: object) -> None:
    """Odd numbers."""
    assert resolve(text) == value
