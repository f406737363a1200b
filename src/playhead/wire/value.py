"""What the values are made from that every request brings.

Law: nothing of ours is known here.
"""

from __future__ import annotations

from msgspec import Struct


class Value(Struct, frozen=True, gc=False):
    """A value made of JSON, texts, numbers and other values, which were there before it and do not hold it.

    Circular garbage cannot come of that, and Python's collector need not look: over a long session, that keeps all it
    was asked, its looking is a tenth of what an answer costs.

    Two kinds are none. What holds objects of a user's code, as an exchange does what tools returned: these may hold the
    fake. And what may hold another of its kind, and that another: only what the collector knows is taken apart without
    a call inside a call for each of them.
    """
