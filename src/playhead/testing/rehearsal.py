"""The fakes and recordings of one test: set up from a marker, judged and ended when the test's body is over.

Law: knows no pytest; the plugin hands it plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.errors import PlayheadError, SetupError
from playhead.fake import FakeClaude, annotate
from playhead.recording import Recording

_HOW = (
    "mark the test with @pytest.mark.claude_script([say('Hello')]), or, for a script that is made inside the test, "
    "write `with FakeClaude([...]) as fake:` in place of the fixture"
)


class Rehearsal:
    """Holds what a test opened, and says at its end what went wrong."""

    def __init__(self) -> None:
        self._fakes: list[FakeClaude] = []
        self._recordings: list[Recording] = []

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

    def take(self, cassette: FakeClaude | Recording) -> None:
        """Takes in a cassette; a recording begins. Raises `RecordingError` where the old one cannot be read."""
        if isinstance(cassette, FakeClaude):
            self._fakes.append(cassette)
        else:
            self._recordings.append(cassette.__enter__())

    def finish(self) -> None:
        """Raises what went wrong, once the body has ended without an error."""
        __tracebackhide__ = True  # a failure of the test is not one of these lines
        failure = next(iter(self._failures()), None)
        if failure is not None:
            self.close(failure)
            raise failure
        while self._recordings:
            self._recordings.pop().__exit__(None, None, None)

    def annotate(self, error: BaseException) -> None:
        """Adds to the error that ended the body what the fakes saw; recordings stay unfinished."""
        for fake in self._fakes:
            annotate(error, fake)
        self.close(error)

    def close(self, error: BaseException) -> None:
        """Leaves the recordings that are still open unfinished, because of this error."""
        while self._recordings:
            self._recordings.pop().__exit__(type(error), error, None)

    def _failures(self) -> list[PlayheadError]:
        return [failure for fake in self._fakes if (failure := fake.failure()) is not None]
