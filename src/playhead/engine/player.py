"""Plays a script: which step answers this request?

Law: knows steps and requests, no bytes. A step is played once.
"""

from __future__ import annotations

from playhead.errors import ScriptError
from playhead.script.request import Request
from playhead.script.script import Script, as_item
from playhead.script.steps import Reply, Turn


class Player:
    """A script and how far it has been played."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._played = 0

    @property
    def script(self) -> Script:
        return self._script

    @property
    def played(self) -> int:
        """How many steps have been asked for."""
        return self._played

    @property
    def unplayed(self) -> tuple[object, ...]:
        """The steps that were never asked for."""
        return self._script.steps[self._played :]

    @property
    def where(self) -> str:
        """The name of the step that was played last."""
        if self._played > len(self._script):
            return "the script's function"
        return f"step {self._played}"

    def next(self, request: Request) -> Turn | Reply | None:
        """The step for a request, None where the script is over. Raises `ScriptError` for a function that fails."""
        if self._played < len(self._script):
            item = self._script.steps[self._played]
        elif self._script.responder is not None:
            item = self._script.responder
        else:
            return None
        self._played += 1
        if not callable(item):
            return as_item(item, self.where)
        try:
            made = item(request)
        except Exception as error:
            # whatever the test's function raises is the test's failure, not the loop's
            raise ScriptError(f"{self.where} raised {type(error).__name__}: {error}") from error
        return as_item(made, f"what {self.where} returned")
