"""Whether two requests are the same one, sent again.

Law: pure comparison. Beside the body it is key, version and betas that the API looks at; what is not known differs in
nothing.
"""

from __future__ import annotations

from playhead.wire.codec import canonical
from playhead.wire.exchange import Exchange

_JUDGED = ("x-api-key", "authorization", "anthropic-version", "anthropic-beta")


def same_body(left: Exchange, right: Exchange) -> bool:
    """Whether the bodies of two requests are equal in every member."""
    theirs, ours = left.request, right.request
    if theirs is None or ours is None or left.known is not None or right.known is not None:
        return False
    return theirs is ours or canonical(theirs) == canonical(ours)


def same_request(left: Exchange, right: Exchange) -> bool:
    """Whether body and headers of two requests are equal as far as the API judges them."""
    theirs, ours = left.headers, right.headers
    if theirs is not None and ours is not None and any(theirs.get(name) != ours.get(name) for name in _JUDGED):
        return False
    return same_body(left, right)
