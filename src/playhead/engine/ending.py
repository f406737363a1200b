"""How a loop ended, as rules take it.

Law: pure; an answer is known by its members, so that no SDK is needed.
"""

from __future__ import annotations

from typing import Literal

_COMPLETE = ("end_turn", "stop_sequence", None)
"""Stop reasons that tell a caller no more than that here is the answer."""


def end_of(how: Literal["returned", "raised", "running"], value: object = None) -> dict[str, object]:
    """The end of a session: `how`, with what the loop returned, or the exception that it raised."""
    if isinstance(value, BaseException):
        return {"how": how, "error": f"{type(value).__name__}: {value}", "shown": None}
    return {"how": how, "error": None, "shown": _shown(value)}


def _shown(value: object) -> dict[str, object] | None:
    """What a returned value shows to the caller; None where it says nothing."""
    if value is None:
        return None
    if isinstance(value, str):
        return {"text": value}
    content, reason = getattr(value, "content", None), getattr(value, "stop_reason", None)
    if isinstance(content, list | tuple) and (reason is None or isinstance(reason, str)):
        text = "".join(str(getattr(block, "text", "")) for block in content if getattr(block, "type", "") == "text")
        return {"text": text} if reason in _COMPLETE else {"text": text, "stop_reason": reason}
    return {"returned": repr(value)}
