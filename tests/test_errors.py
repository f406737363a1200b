"""The exceptions: whose fault, what they carry, and that they survive a copy."""

from __future__ import annotations

import copy
import pickle

import pytest

from playhead import errors
from playhead.errors import (
    CassetteNotFinished,
    ExpectationNotMet,
    PlayheadError,
    RecordingError,
    RehearsalFailed,
    RequestLimitReached,
    RequestMismatch,
    RuleViolations,
    ScriptError,
    ScriptFileError,
    ScriptNotFinished,
    ScriptOver,
    SecretFound,
    SetupError,
    SeveralFailures,
    UnknownFormat,
)

TREE: list[tuple[type[BaseException], type[BaseException]]] = [
    (PlayheadError, Exception),
    (RehearsalFailed, PlayheadError),
    (RehearsalFailed, AssertionError),
    (RuleViolations, RehearsalFailed),
    (ScriptNotFinished, RehearsalFailed),
    (CassetteNotFinished, ScriptNotFinished),
    (RequestMismatch, RehearsalFailed),
    (ScriptOver, RehearsalFailed),
    (ExpectationNotMet, RehearsalFailed),
    (SeveralFailures, RehearsalFailed),
    (ScriptError, PlayheadError),
    (ScriptError, ValueError),
    (SetupError, ScriptError),
    (ScriptFileError, ScriptError),
    (RecordingError, PlayheadError),
    (UnknownFormat, RecordingError),
    (SecretFound, RecordingError),
    (RequestLimitReached, BaseException),
]


@pytest.mark.parametrize(("error", "base"), TREE, ids=lambda error: error.__name__)
def test_the_tree(error: type[BaseException], base: type[BaseException]) -> None:
    """Each error derives from the fault it is."""
    assert issubclass(error, base)


def test_the_limit_is_no_exception() -> None:
    """A loop that swallows every Exception must still stop."""
    assert not issubclass(RequestLimitReached, Exception)


def test_the_docstring_draws_every_error() -> None:
    """The tree in the module's docstring is the tree."""
    defined = {
        name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, BaseException)
    }
    assert len(defined) > 10
    drawn = {word for line in (errors.__doc__ or "").splitlines() for word in line.split() if word in defined}
    assert drawn == defined


RECORDING = [
    (ScriptFileError("a.yaml", "it is empty"), "a.yaml: it is empty"),
    (ScriptFileError("a.yaml", "no list", line=7, field="a.b"), "a.yaml:7: a.b: no list"),
    (RecordingError("a.yaml", "it is empty"), "a.yaml: it is empty"),
    (RecordingError("a.yaml", "no list", line=7), "a.yaml:7: no list"),
    (RecordingError("a.yaml", "no list", field="interactions"), "a.yaml: interactions: no list"),
    (RecordingError("a.yaml", "no list", line=7, field="a.b"), "a.yaml:7: a.b: no list"),
]


@pytest.mark.parametrize(("error", "sentence"), RECORDING, ids=str)
def test_an_error_of_a_file_names_the_place(error: RecordingError | ScriptFileError, sentence: str) -> None:
    """File, line and field, as far as they are known."""
    assert str(error) == sentence
    assert error.path == "a.yaml"


def test_a_secret_that_was_found_is_not_told() -> None:
    """The pattern, the place, how it begins, and what to do."""
    error = SecretFound("a.yaml", "anthropic-key", shown="sk-a...", field="$.messages[0].content")
    assert str(error) == (
        "a.yaml: $.messages[0].content: nothing was saved, for this looks like a secret: anthropic key (sk-a...); "
        "keep it out of what is recorded, or remove it with a scrubber"
    )
    assert (error.path, error.pattern, error.field) == ("a.yaml", "anthropic-key", "$.messages[0].content")


def test_the_limit_says_what_to_do() -> None:
    """The message names the number and both ways out."""
    assert str(RequestLimitReached(100)) == (
        "the loop sent more than 100 requests and was stopped; give the loop a turn limit, or allow more with "
        "FakeClaude(..., max_requests=N)"
    )
    assert RequestLimitReached(100).limit == 100


def test_several_failures_show_them_all() -> None:
    """One error with every failure, each under its name."""
    one, two = ScriptOver("too many", 2), RuleViolations("bad", ["v"])
    several = SeveralFailures([one, two])
    assert str(several) == "ScriptOver: too many\n\nRuleViolations: bad"
    assert several.failures == (one, two)


EVERY: list[BaseException] = [
    PlayheadError("a"),
    RehearsalFailed("a"),
    RuleViolations("report", ["v"]),
    ScriptNotFinished("report", ["s"]),
    CassetteNotFinished("report", ["s"]),
    RequestMismatch(
        "report", cassette="a.yaml", turn=3, path="$.model", recorded="1", today="2", likely="b", accept="c"
    ),
    ScriptOver("report", 3),
    ExpectationNotMet("report", "tool-use-unanswered"),
    SeveralFailures([ScriptOver("report", 2)]),
    ScriptError("a"),
    SetupError("a"),
    RecordingError("a.yaml", "no list", line=7, field="a.b"),
    UnknownFormat("a.bin", "no known format"),
    ScriptFileError("a.yaml", "no list", line=7, field="a.b"),
    SecretFound("a.yaml", "anthropic-key", shown="sk-a...", line=7, field="$.messages[0]"),
    RequestLimitReached(3),
]


@pytest.mark.parametrize("error", EVERY, ids=lambda error: type(error).__name__)
def test_every_error_survives_a_copy_and_another_process(error: BaseException) -> None:
    """Test runners pickle errors between processes: type, text and fields come through."""
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert repr(vars(again)) == repr(vars(error))


def test_every_error_is_tried() -> None:
    """No error is added without these tests."""
    defined = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, BaseException)}
    assert {type(error) for error in EVERY} == defined
