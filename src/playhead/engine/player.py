"""Plays scripts: which step answers this request?

Law: knows steps and requests, no bytes. A step is played once, or as often as it says, by one conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from playhead.errors import ScriptError
from playhead.script.cases import Case, choose, first_text
from playhead.script.request import Request
from playhead.script.script import Item, Script, as_item
from playhead.script.steps import Block, as_turn
from playhead.wire.follow import Link

Share = Literal["one", "any", "each"]
"""Who plays a script: the one conversation there is, all conversations together, or each of them from its start."""


class Player:
    """A script and how far it has been played. `name` tells several players apart, empty where there is one."""

    def __init__(self, script: Script, name: str = "") -> None:
        self._script = script
        self.name = name
        self._played = 0
        self._times = 0

    @property
    def script(self) -> Script:
        return self._script

    @property
    def played(self) -> int:
        """How many steps have been asked for."""
        return self._played

    @property
    def unplayed(self) -> tuple[object, ...]:
        """The steps that were never asked for, or not as often as they say."""
        return self._script.steps[self._played - (self._times > 0) :]

    @property
    def times_left(self) -> int:
        """How often the step that was played last is still to be played."""
        return self._times

    @property
    def where(self) -> str:
        """The name of the step that was played last."""
        if self._played > len(self._script):
            return "the script's function"
        return f"step {self._played}" + (f" of {self.name}" if self.name else "")

    def next(self, request: Request) -> Item | None:
        """The step for a request, None where the script is over. Raises `ScriptError` for a function that fails."""
        if self._times:
            self._times -= 1
            return self._script.steps[self._played - 1]  # type: ignore[return-value]
        if self._played < len(self._script.steps):
            item = self._script.steps[self._played]
        elif self._script.responder is not None:
            item = self._script.responder
        else:
            return None
        self._played += 1
        if not callable(item):
            self._times = getattr(item, "times", 1) - 1
            return as_item(item, self.where)
        try:
            made = item(request)
        except Exception as error:
            # whatever the test's function raises is the test's failure, not the loop's
            raise ScriptError(f"{self.where} raised {type(error).__name__}: {error}") from error
        if isinstance(made, Block):
            return as_turn(made)  # as most functions return
        return as_item(made, f"what {self.where} returned")


class Players:
    """The players of one fake, and which of them answers a request.

    A conversation keeps its player: a request gets that of the exchange which it continues or tries again.
    """

    def __init__(self, scripts: Script | Sequence[Case], share: Share) -> None:
        self._cases = () if isinstance(scripts, Script) else tuple(scripts)
        self._script = scripts if isinstance(scripts, Script) else None
        self.each = share == "each" or self._script is None
        """Whether a conversation has a player of its own."""
        self._started: list[Player] = []
        self._of: dict[int, Player] = {}
        self._chosen: set[int] = set()
        if self._script is not None and not self.each:
            self._started.append(Player(self._script))

    @property
    def all(self) -> tuple[Player, ...]:
        """Every player, and one for each script that no conversation asked for."""
        idle = [Player(case.script, case.name) for at, case in enumerate(self._cases) if at not in self._chosen]
        if not self._started and self._script is not None:
            idle.append(Player(self._script))
        return (*self._started, *idle)

    @property
    def first(self) -> Player:
        """The first player; the only one of a fake whose script is played once."""
        return self.all[0]

    def last(self, player: Player) -> int | None:
        """The position of the last request that a player answered, or was there for; None where there is none."""
        return max((position for position, its in self._of.items() if its is player), default=None)

    def follow(self, position: int, link: Link, *, again: bool) -> None:
        """Takes in a request, be it played or refused. `again` says that an attempt is repeated which failed.

        The same beginning once more, after it was answered, is a conversation of its own.
        """
        anew = link.kind == "repeats" and link.turn == 1 and not again
        player = self._of.get(link.parent) if self.each and link.parent is not None and not anew else None
        if player is not None:
            self._of[position] = player

    def at(self, position: int | None, request: Request) -> Player:
        """The player that answers the request at a position.

        Raises `ScriptError` where no case fits, or its function fails.
        """
        if not self.each:
            return self._started[0]
        player = self._of.get(position) if position is not None else None
        if player is None:
            player = self._start(request)
            if position is not None:
                self._of[position] = player
        return player

    def _start(self, request: Request) -> Player:
        if self._script is not None:
            player = Player(self._script, f"conversation {len(self._started) + 1}")
            self._started.append(player)
            return player
        case = choose(self._cases, request)
        if case is None:
            asked = first_text(request)
            names = ", ".join(case.name for case in self._cases)
            raise ScriptError(
                f"no script fits the conversation that begins with {asked[:60]!r}: there are {names}; "
                "add a case, or when('', [...]) for all others"
            )
        self._chosen.add(self._cases.index(case))
        player = Player(case.script, case.name)
        self._started.append(player)
        return player
