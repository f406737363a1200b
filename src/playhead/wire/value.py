"""What the values are made from that every request brings.

Law: nothing of ours is known here.
"""

from __future__ import annotations

from msgspec import Struct


class Value(Struct, frozen=True, gc=False):
    """A value that is made once and never changes: what it holds was there before it, and so does not hold it.

    Circular garbage cannot come of that, and Python's collector need not look: over a long session, that keeps all it
    was asked, its looking is a tenth of what an answer costs.

    What may hold another of its kind, and that another, must be none: only what the collector knows is taken apart
    without a call inside a call for each of them.
    """
