"""Every exception of Playhead, by whose fault it is.

Law: imports nothing of ours. Each error carries fields and says in `str()` what came, where, and what to do.

```
PlayheadError
├── RehearsalFailed            the code under test did something wrong (an AssertionError)
│   ├── RuleViolations         requests that the API refuses, or that a correct loop does not make
│   ├── ScriptNotFinished      steps that were never asked for
│   │   └── CassetteNotFinished    recorded exchanges that were never asked for
│   ├── ScriptOver             requests after the last step
│   ├── RequestMismatch        a request that no recorded one fits
│   ├── ExpectationNotMet      `fake.expect(...)` saw no such violation
│   └── SeveralFailures        more than one of these
├── ScriptError                the test: its script, its options or its client are set up wrong
│   ├── SetupError
│   └── ScriptFileError        a script's file: what is wrong with it, and where
└── RecordingError             the file: unreadable, damaged
    ├── UnknownFormat          the file is no recording of a known format
    └── SecretFound            what was to be written to it holds a secret

RequestLimitReached            a BaseException: a loop that swallows every Exception must still stop
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

Error = TypeVar("Error", bound=type[BaseException])


def _public(error: Error) -> Error:
    """A failing test shows an error under the name by which it is imported."""
    error.__module__ = "playhead"
    return error


@_public
class PlayheadError(Exception):
    """The root of all errors that are an `Exception`."""


@_public
class RehearsalFailed(PlayheadError, AssertionError):
    """The code under test did something wrong."""


@_public
class RuleViolations(RehearsalFailed):
    """Rules were broken. `violations` lists them; `str()` is the report."""

    def __init__(self, report: str, violations: Sequence[object] = ()) -> None:
        super().__init__(report)
        self.violations = tuple(violations)


@_public
class ScriptNotFinished(RehearsalFailed):
    """The loop stopped early. `steps` are the steps that were never asked for."""

    def __init__(self, report: str, steps: Sequence[object] = ()) -> None:
        super().__init__(report)
        self.steps = tuple(steps)


@_public
class CassetteNotFinished(ScriptNotFinished):
    """The loop stopped before the recording did. `steps` name the recorded exchanges that were never asked for."""


@_public
class RequestMismatch(RehearsalFailed):
    """A request that no recorded one fits; `str()` is the report.

    `turn` is the nearest recorded one (None where its endpoint was not recorded at all), in the file `cassette`.
    `path` is the first place in today's request where they differ, `recorded` and `today` what stands there as JSON
    text, cut to what can be read; all are None where nothing differs, but the request came once more than it was
    recorded. `likely` says what it comes from, `accept` how to record again.
    """

    def __init__(
        self,
        report: str,
        *,
        cassette: str,
        turn: int | None = None,
        path: str | None = None,
        recorded: str | None = None,
        today: str | None = None,
        likely: str = "",
        accept: str = "",
    ) -> None:
        super().__init__(report)
        self.cassette, self.turn = cassette, turn
        self.path, self.recorded, self.today = path, recorded, today
        self.likely, self.accept = likely, accept

    def __reduce__(self) -> tuple[object, ...]:
        return (_request_mismatch, (str(self), vars(self)))


def _request_mismatch(report: str, fields: dict[str, Any]) -> RequestMismatch:
    return RequestMismatch(report, **fields)


@_public
class ScriptOver(RehearsalFailed):
    """The loop asked again after the last step. `requests` counts the requests too many."""

    def __init__(self, report: str, requests: int = 1) -> None:
        super().__init__(report)
        self.requests = requests


@_public
class ExpectationNotMet(RehearsalFailed):
    """A violation that the test expects did not happen. `rule` is its id."""

    def __init__(self, report: str, rule: str) -> None:
        super().__init__(report)
        self.rule = rule

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.rule))


@_public
class SeveralFailures(RehearsalFailed):
    """More than one thing went wrong. `failures` lists them; `str()` shows them all."""

    def __init__(self, failures: Sequence[PlayheadError]) -> None:
        super().__init__("\n\n".join(f"{type(failure).__name__}: {failure}" for failure in failures))
        self.failures = tuple(failures)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.failures,))


@_public
class ScriptError(PlayheadError, ValueError):
    """A step, or the script as a whole, is impossible. Names the step and the fix."""


@_public
class SetupError(ScriptError):
    """An option, a client or a fixture is set up wrong. Names the fix."""


@_public
class ScriptFileError(ScriptError):
    """A file holds no script, or an impossible one.

    `path` is the file, `reason` one sentence, `line` (from 1) and `field` (`script[3].turn[1].input`) say where, as far
    as that is known.
    """

    def __init__(self, path: str, reason: str, *, line: int | None = None, field: str | None = None) -> None:
        self.path, self.reason, self.line, self.field = path, reason, line, field
        super().__init__(_placed(path, reason, line, field))

    def __reduce__(self) -> tuple[object, ...]:
        return (_script_file_error, (self.path, self.reason, self.line, self.field))


def _script_file_error(path: str, reason: str, line: int | None, field: str | None) -> ScriptFileError:
    return ScriptFileError(path, reason, line=line, field=field)


def _placed(path: str, reason: str, line: int | None, field: str | None) -> str:
    place = path if line is None else f"{path}:{line}"
    return f"{place}: {reason}" if field is None else f"{place}: {field}: {reason}"


@_public
class RecordingError(PlayheadError):
    """A file cannot be read as a recording.

    `path` is the file, `reason` one sentence, `line` (from 1) and `field` say where, as far as that is known.
    """

    def __init__(self, path: str, reason: str, *, line: int | None = None, field: str | None = None) -> None:
        self.path, self.reason, self.line, self.field = path, reason, line, field
        super().__init__(_placed(path, reason, line, field))

    def __reduce__(self) -> tuple[object, ...]:
        return (_recording_error, (type(self), self.path, self.reason, self.line, self.field))


@_public
class UnknownFormat(RecordingError):
    """The file is no recording of a known format."""


@_public
class SecretFound(RecordingError):
    """What was to be written to a file holds a secret, so that nothing was written.

    `path` is the file, `pattern` names the form that was recognised, `shown` is how the secret begins; `field` is the
    JSON path and `line` the line, as far as these are known.
    """

    def __init__(
        self, path: str, pattern: str, *, shown: str = "", line: int | None = None, field: str | None = None
    ) -> None:
        self.pattern, self.shown = pattern, shown
        what = f"{pattern.replace('-', ' ')} ({shown})" if shown else pattern.replace("-", " ")
        super().__init__(
            path,
            f"nothing was saved, for this looks like a secret: {what}; keep it out of what is recorded, or remove it "
            "with a scrubber",
            line=line,
            field=field,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_secret_found, (self.path, self.pattern, self.shown, self.line, self.field))


def _secret_found(path: str, pattern: str, shown: str, line: int | None, field: str | None) -> SecretFound:
    return SecretFound(path, pattern, shown=shown, line=line, field=field)


def _recording_error(
    kind: type[RecordingError], path: str, reason: str, line: int | None, field: str | None
) -> RecordingError:
    return kind(path, reason, line=line, field=field)


@_public
class RequestLimitReached(BaseException):
    """The cap on requests is reached: the loop does not end by itself.

    No `Exception` on purpose: the SDK turns any other error of a transport into `APIConnectionError` and tries
    again, and loops catch `Exception`; either would go on for ever.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the loop sent more than {limit} requests and was stopped; give the loop a turn limit, "
            "or allow more with FakeClaude(..., max_requests=N)"
        )
        self.limit = limit

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.limit,))
