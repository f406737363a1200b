"""What the end of a loop tells: why it raised, and whether what it showed speaks of trouble.

Law: pure questions on an error's text and on what was shown. A text that says nothing is no evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice, takewhile

from playhead.rules.calls import choice_kind
from playhead.rules.rule import EndView
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS
from playhead.wire.turns import blocks_of

_LIMIT = re.compile(
    r"limit|budget|iterations?\b|too many|max(imum|_)|recursion|in a row|"
    r"\b(turns|steps|rounds|requests|attempts|cycles|times|repeatedly)\b",
    re.I,
)
_TROUBLE = re.compile(
    r"error|fail|refus|declin|overload|limit|unavailable|try again|later|sorry|could not|couldn't|cannot|can't|unable|"
    r"incomplete|unfinished|truncat|cut off|cut short|interrupt|broke|timed? ?out|stopped|partial|\b[45]\d\d\b",
    re.I,
)
_GOES_ON = tuple(name for name, reason in STOP_REASONS.items() if reason.then in ("run tools", "resume"))
_MANY_TURNS = 3
"""After so many turns that were gone on from it is a limit that ends a loop; one that knows one round ends before."""
_SAYS = ("text", "output_tokens", "input_tokens", "usage", "tool_input")
"""Members of what was shown that carry the reply itself; any other may tell how it ended."""


def stopped_on_purpose(error: str) -> bool:
    """Whether an error speaks of a limit: the loop ended itself, whatever was still open."""
    return bool(_LIMIT.search(error))


def tells_trouble(shown: Mapping[str, object] | None) -> bool:
    """Whether what was shown says that something went wrong."""
    if shown is None:
        return False
    return any(key not in _SAYS for key in shown) or speaks_of_trouble(json.dumps(shown, default=str, skipkeys=True))


def speaks_of_trouble(text: str) -> bool:
    """Whether a text says that something went wrong."""
    return bool(_TROUBLE.search(text))


def shown_text(view: EndView) -> str | None:
    """The text that the loop showed, where it showed nothing else that could tell how the reply ended."""
    shown = view.shown
    if shown is None or view.error or any(key not in _SAYS for key in shown):
        return None
    text = shown.get("text")
    return text if isinstance(text, str) else None


def text_of(exchange: Exchange) -> str:
    """The text of a reply."""
    return "".join(str(block.data.get("text")) for block in blocks_of(exchange.response) if block.type == "text")


def left_undone(view: EndView, last: Exchange) -> bool:
    """Whether a loop returned with a reply that waits for results, as if it were the answer.

    None of the calls was run, and what was shown is the reply's text, or nothing. A forced call is the answer itself,
    one that was forbidden can be nothing else, and a call that is handed to the caller shows in what was shown. A limit
    of turns may end a loop anywhere.
    """
    forced = choice_kind(last) in ("any", "tool", "none")
    calls = {str(call.get("id")) for call in last.calls()}
    if view.how != "returned" or view.error or last.stop_reason != "tool_use" or forced or not calls:
        return False
    if not calls.isdisjoint(last.tools_run or ()):
        return False
    text, shown = text_of(last).strip(), view.shown
    if by_a_limit(view):
        return False
    if last.tools_run is None and not (text and shown and "text" in shown):
        return False  # they may have been run
    if shown is None:
        return bool(text)
    handed_over = any("tool" in str(key) or "call" in str(key) for key in shown)
    return not handed_over and str(shown.get("text", text)).strip() == text


def by_a_limit(view: EndView) -> bool:
    """Whether a loop that returned came to a limit of its own, and showed more than a text that says nothing of it.

    It had gone on from many replies in a row that asked it to. Where it returned a text, that has to speak of trouble.
    """
    if view.how != "returned" or (view.shown is not None and not tells_trouble(view.shown)):
        return False
    line = islice(view.so_far.line(view.so_far.newest), 1, _MANY_TURNS + 1)
    return sum(1 for _ in takewhile(lambda pair: pair[0].stop_reason in _GOES_ON, line)) == _MANY_TURNS
