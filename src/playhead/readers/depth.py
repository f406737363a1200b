"""How deeply a recorded value may be nested.

Law: looks at plain values only. What compares, copies or hashes a value goes down it step by step, and Python ends
that with a RecursionError some hundred levels down; a limit below that makes one clear error of it.
"""

from __future__ import annotations

from playhead.wire.codec import is_deeper

MAX_NESTING = 100
"""How deeply a body, a line of a log or a message may be nested. Real ones stay below 30."""

TOO_DEEP = f"it is nested more than the {MAX_NESTING} levels deep that are read"


def is_too_deep(value: object, limit: int = MAX_NESTING) -> bool:
    """Whether arrays and objects are nested in the value, itself counted, more than `limit` levels deep."""
    return is_deeper(value, limit)


def is_text_too_deep(text: bytes, value: object) -> bool:
    """The same for a value of which the JSON text is at hand: mostly it has too few brackets to be deep."""
    return text.count(b"[") + text.count(b"{") > MAX_NESTING and is_too_deep(value)
