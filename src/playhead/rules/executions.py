"""Executions counted over a session.

Law: pure; counts, judges nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from playhead.rules.calls import id_of
from playhead.wire.exchange import Exchange


def runs_again(exchanges: Sequence[Exchange]) -> Iterator[tuple[Exchange, str]]:
    """Each exchange after which a call was run that had been run after an earlier one, and the call's id.

    A call that came in several replies, because the first was cut, may be run as often as it came.
    """
    came: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    for exchange in exchanges:
        came.update([id_of(call) for call in exchange.calls()])
        for call in dict.fromkeys(exchange.tools_run or ()):
            ran[call] += 1
            if came[call] and ran[call] > came[call]:
                yield exchange, call
