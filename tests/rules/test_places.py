"""Where blocks stand, noted as they are met."""

from __future__ import annotations

import pytest

from playhead.rules.places import Places


def noted(*blocks: tuple[str, int]) -> Places:
    places = Places()
    for kind, message in blocks:
        places.note(kind, message)
    return places


def test_types_and_places() -> None:
    """Each message once for a type, several types together in order; what nearly every message holds is not placed."""
    places = noted(("image", 1), ("image", 1), ("text", 1), ("document", 2), ("image", 4), ("tool_use", 5))
    assert places.types == {"image", "text", "document", "tool_use"}
    assert places.holding(["image"]) == [1, 4]
    assert places.holding(["document", "image"]) == [1, 2, 4]
    assert places.holding(["thinking"]) == []
    assert places.holding(["text"]) is None
    assert places.holding(["image", "tool_use"]) is None
    assert places.holding(["image", "tool_result"]) == [1, 4]


def test_what_does_not_count_is_there_and_not_found() -> None:
    """A type can be known without a place to look at."""
    places = Places()
    places.note("image", 3, counts=False)
    assert places.types == {"image"}
    assert places.holding(["image"]) == []


@pytest.mark.parametrize(("message", "images"), [(0, []), (1, []), (2, [1]), (4, [1]), (5, [1, 4]), (9, [1, 4])])
def test_places_before_a_message(message: int, images: list[int]) -> None:
    """What is gone on with is what stands before; it grows by itself, and what it came from stays."""
    places = noted(("image", 1), ("text", 2), ("image", 4))
    earlier = places.before(message)
    assert earlier.holding(["image"]) == images
    earlier.note("image", 10)
    earlier.note("document", 11)
    assert earlier.holding(["image"]) == [*images, 10]
    assert earlier.holding(["document"]) == [11]
    assert places.holding(["image"]) == [1, 4]
    assert places.types == {"image", "text"}
    again = earlier.before(12)
    again.note("text", 12)
    assert again.holding(["image"]) == [*images, 10]
