"""Which requests only follow from an earlier one that fitted nothing.

Law: pure. Where one request has left the recording, all that come after it in its conversation differ too; telling them
one by one would bury the first.
"""

from __future__ import annotations

from playhead.cassettes.matching import Asked, Nearest, Recorded


class Consequences:
    """Requests that fitted nothing, by their number, and what tells that another follows from one of them."""

    def __init__(self) -> None:
        self._marks: dict[object, int] = {}

    def cause(self, asked: Asked, conversation: int | None) -> int | None:
        """The number of the request from which this one follows; None where it follows from none."""
        marks = (asked.key, asked.key[:3], conversation, *(node.digest for node in asked.node.back()))
        return next((self._marks[mark] for mark in marks if mark in self._marks), None)

    def note(
        self, asked: Asked, conversation: int | None, number: int, recorded: Recorded, nearest: Nearest | None
    ) -> None:
        """Takes in a request that fits nothing: what follows has its conversation, or what is different in it."""
        self._marks[asked.key] = number
        if conversation is not None:
            self._marks[conversation] = number
        if nearest is None or recorded.knows(asked.key):
            return
        if recorded.requests[nearest.position].key.envelope != asked.key.envelope:
            self._marks[asked.key[:3]] = number
        elif asked.node.count > nearest.shared:
            self._marks[asked.node.at(nearest.shared + 1).digest] = number
