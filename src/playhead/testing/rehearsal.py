"""The fakes of one test: set up from a marker, judged when the test's body is over.

Law: knows no pytest; the plugin hands it plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.errors import PlayheadError, SetupError
from playhead.fake import FakeClaude, annotate

_HOW = (
    "mark the test with @pytest.mark.claude_script([say('Hello')]), or, for a script that is made inside the test, "
    "write `with FakeClaude([...]) as fake:` in place of the fixture"
)


class Rehearsal:
    """Holds what a test opened, and says at its end what went wrong."""

    def __init__(self) -> None:
        self._fakes: list[FakeClaude] = []

    def open(
        self,
        arguments: Sequence[Any] | None,
        options: Mapping[str, Any],
        *,
        ignore: Sequence[str] = (),
        level: str | None = None,
    ) -> FakeClaude:
        """A fake from a marker's arguments; None where the test has no marker.

        `ignore` and `level` are what holds for the whole run; a marker may ignore more, and set its own level.
        Raises `SetupError`, `ScriptError`.
        """
        if arguments is None:
            raise SetupError(f"the fixture fake_claude needs a script: {_HOW}")
        if len(arguments) != 1:
            raise SetupError(
                f"claude_script takes one script, a list of steps or a function, not {len(arguments)} arguments: "
                "put the steps into one list"
            )
        merged = {**({} if level is None else {"level": level}), **options}
        if ignore:
            merged["ignore"] = [*ignore, *options.get("ignore", ())]
        try:
            fake = FakeClaude(arguments[0], **merged)
        except TypeError as error:
            raise SetupError(f"claude_script takes the options of FakeClaude: {error}") from None
        self._fakes.append(fake)
        return fake

    def finish(self) -> None:
        """Raises what went wrong, once the body has ended without an error."""
        __tracebackhide__ = True  # a failure of the test is not one of these lines
        for failure in self._failures():
            raise failure

    def annotate(self, error: BaseException) -> None:
        """Adds to the error that ended the body what the fakes saw."""
        for fake in self._fakes:
            annotate(error, fake)

    def _failures(self) -> list[PlayheadError]:
        return [failure for fake in self._fakes if (failure := fake.failure()) is not None]
