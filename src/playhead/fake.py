"""FakeClaude: an engine, a lock and a door.

Law: no decisions; what is right or wrong is said by the engine and its verdict.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

from playhead.cassettes.masking import Mask
from playhead.cassettes.parsing import Cassette
from playhead.cassettes.scrubbers import Scrubber
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.cassettes.volatile import VolatileLike
from playhead.doors.clock import Clock
from playhead.doors.sdk import Transport
from playhead.engine.ending import end_of
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming, Outgoing
from playhead.engine.player import Share
from playhead.engine.tape import Tape, how_to_record
from playhead.engine.verdict import as_one, failures
from playhead.errors import ExpectationNotMet, PlayheadError, RecordingError, ScriptError, ScriptFileError, SetupError
from playhead.files import is_there, read_bytes
from playhead.plugins import installed_rules
from playhead.rules.choice import all_rules, choose, known_ids
from playhead.rules.models import Model, Models, models_with
from playhead.rules.rule import LEVELS, Level, Rule, Violation
from playhead.script.cases import Case, Scripts, as_cases
from playhead.script.faults import USUAL, Delivery
from playhead.script.script import Script, is_async
from playhead.wire.session import Session

if TYPE_CHECKING:
    import anthropic

    from playhead.script.reading import ScriptFile

Fake = TypeVar("Fake", bound="FakeClaude")
_DEFAULT_LIMIT = 100
_BEYOND_SCRIPT = 10
_KEY = "playhead-needs-no-key"


class Options(TypedDict, total=False):
    """The options of `FakeClaude`."""

    strict: bool
    ignore: Collection[str]
    rules: Sequence[Rule]
    conversations: Literal["one", "any", "each"] | None
    max_requests: int | None
    level: Level
    models: Sequence[Model] | Models
    threads: bool
    delivery: Delivery | None
    sleep: Callable[[float], object] | None


class FakeClaude:
    """A fake Claude that plays a script under the real SDK and refuses what the API refuses.

    `script` is a list of steps (`say`, `call`, `think`, `turn`, `reply`, `fail`, ... or functions `Request -> step`), a
    `Script`, or one such function that answers every request. Several scripts are a list of `when(...)`, or a mapping
    from the text of a first user message to a script: each conversation plays the one that fits, from its start.
    `strict=False` refuses nothing, and fails nothing but what
    is wrong with the script itself. `ignore` names rules to switch off, `rules` are further `Rule`s of your own.
    `conversations="one"` means that every request must continue or retry what came before; `"any"` allows fresh
    starts, which go on with the script; with `"each"` every conversation plays the script from its start.
    `max_requests` is the cap that stops a loop which does not end (100, or ten more than the script holds).
    `level` is the weakest level of violation that fails the rehearsal; `models` are added to the table of
    models; `Models(complete=True)` says that those known are all there are. With `threads=False` the server holds no
    conversations, and refuses a request that asks for it. `delivery` is how replies travel: in how many pieces, how
    fast. Pauses cost no real time, they only add up in `waited`; `sleep` is called with the seconds of each
    (`time.sleep`, `asyncio.sleep`, a frozen clock's `tick`).

    Use it as a context manager: leaving it calls `assert_ok()`, unless the body raised. Raises `ScriptError` for a
    script that is impossible and `SetupError` for options that make no sense.
    """

    def __init__(
        self,
        script: Scripts | Tape,
        *,
        strict: bool = True,
        ignore: Collection[str] = (),
        rules: Sequence[Rule] = (),
        conversations: Literal["one", "any", "each"] | None = None,
        max_requests: int | None = None,
        level: Level = "broken",
        models: Sequence[Model] | Models = (),
        threads: bool = True,
        delivery: Delivery | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        checked = script if isinstance(script, Tape) else as_cases(script)
        if max_requests is not None and max_requests < 1:
            raise SetupError(f"max_requests is at least 1, not {max_requests}")
        if not isinstance(delivery, Delivery | None):
            raise SetupError(f"delivery is a Delivery, such as Delivery(chunks='byte'), not {delivery!r}")
        if sleep is not None and not callable(sleep):
            raise SetupError(f"sleep is a function of seconds, such as time.sleep, not {sleep!r}")
        limit = max_requests or _limit(checked)
        own = (*installed_rules(), *rules)
        settings = Settings(
            strict=strict,
            share=_share(conversations, checked),
            limit=limit,
            rules=choose(own, ignore),
            models=models_with(models),
            failing=_failing(level),
            threads=threads,
            delivery=delivery or USUAL,
        )
        self._engine = Engine(checked, settings)
        # reentrant, since a function of the script may look at `fake.session`
        self._lock = threading.RLock()
        self._expected: set[Violation] = set()
        self._rules = all_rules(own)
        self._clock = Clock(sleep, self._complain)
        self.transport = Transport(self.answer, self._clock.pause)

    @classmethod
    def from_cassette(
        cls: type[Fake],
        path: str | os.PathLike[str],
        *,
        volatile: VolatileLike | Iterable[VolatileLike] = (),
        strict: bool = True,
        ignore: Collection[str] = (),
        rules: Sequence[Rule] = (),
        conversations: Literal["one", "any"] = "any",
        max_requests: int | None = None,
        level: Level = "broken",
        models: Sequence[Model] | Models = (),
        sleep: Callable[[float], object] | None = None,
        accept: str | None = None,
        allow_unplayed: bool = False,
        scrubbers: Scrubber | Iterable[Scrubber] = (),
        patterns: Sequence[Pattern] = PATTERNS,
        known: Iterable[str] = (),
    ) -> Fake:
        """A fake that answers from a recording: each request gets what was recorded for one that means the same.

        Requests are matched by conversation and content, never by their order; each recorded exchange is played once,
        and one that is not asked for fails the rehearsal, as does a request that fits none: it gets a 400 that says
        where it leaves the recording. The order of members, `cache_control`, null or absent and `metadata` never
        count; `volatile` says what else may differ: names of `playhead.cassettes.volatile.VOLATILE` (`"dates"`,
        `"ids"`, `"cwd"`, ...), places (`"$.system"`), patterns (`re.compile(...)`), functions of texts.

        Rules judge every request all the same, but what was recorded is what is answered. With `strict=False` only
        requests that fit nothing fail. `accept` is the command that records anew, for messages. Pauses are those of
        the recording; they cost no time without a `sleep`. The other options are those of `FakeClaude`, but the cap is
        ten requests more than the recording holds.

        With `allow_unplayed` recorded exchanges that are not asked for fail nothing: several tests share a cassette.

        A recording holds placeholders in place of secrets; today's requests are matched as if they did.
        `scrubbers`, `patterns` and `known` are those that it was recorded with.

        Raises `RecordingError` where there is no such file or it cannot be read, naming line and field, and
        `SetupError` for options that make no sense.
        """
        if conversations not in ("one", "any"):
            raise SetupError(f"conversations of a cassette is 'one' or 'any', not {conversations!r}")
        name = os.fsdecode(path)
        mask = Mask(scrubbers, patterns, known)
        tape = Tape(
            _cassette(name, accept),
            name,
            volatile=volatile,
            mask=mask,
            accept=accept,
            allow_unplayed=allow_unplayed,
            hurry=sleep is None,
        )
        return cls(
            tape,
            strict=strict,
            ignore=ignore,
            rules=rules,
            conversations=conversations,
            max_requests=max_requests,
            level=level,
            models=models,
            sleep=sleep,
        )

    @classmethod
    def from_file(cls: type[Fake], path: str | os.PathLike[str], **options: Unpack[Options]) -> Fake:
        """A fake that plays the script in a file, YAML or JSON (`docs/script_files.md`).

        The options are those of `FakeClaude`; they win over those of the file. Raises `ScriptFileError`, naming line
        and field, where there is no such file or it holds no script, and `SetupError` for options that make no sense.
        """
        found = _script_file(os.fsdecode(path))
        try:
            return cls(found.script, **{**found.options, **options})
        except SetupError:
            found.blame(lambda its: cls(found.script, **{**its, **options}), given=options)
            raise

    @property
    def session(self) -> Session:
        """What was seen so far: exchanges, turns, conversations."""
        with self._lock:
            return self._engine.session

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every violation so far, whatever the code under test caught or hid."""
        with self._lock:
            return self._engine.violations

    @property
    def waited(self) -> float:
        """The seconds that pauses of answers would have taken: delays, pacing, a client's timeouts."""
        return self._clock.waited

    def client(self, **options: Any) -> anthropic.Anthropic:
        """The real `anthropic.Anthropic` over this fake. `options` are its own (`max_retries`, `timeout`, ...)."""
        import anthropic

        _require_no_client(options, "client", anthropic.DefaultHttpxClient)
        http_client = anthropic.DefaultHttpxClient(transport=self.transport)
        return anthropic.Anthropic(**{"api_key": _KEY, **options, "http_client": http_client})

    def async_client(self, **options: Any) -> anthropic.AsyncAnthropic:
        """The real `anthropic.AsyncAnthropic` over this fake."""
        import anthropic

        _require_no_client(options, "async_client", anthropic.DefaultAsyncHttpxClient)
        http_client = anthropic.DefaultAsyncHttpxClient(transport=self.transport)
        return anthropic.AsyncAnthropic(**{"api_key": _KEY, **options, "http_client": http_client})

    def watch(self, functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
        """The same functions, counted: over HTTP nobody can see what a loop runs, or how often.

        Each run is noted with the call it belongs to (the latest of its name and input), in `tools_run` and `results`
        of the exchange that asked for it. Async functions stay async.
        """
        if not isinstance(functions, Mapping):
            raise SetupError(f"watch() takes a mapping of tool names to functions, not {functions!r}")
        with self._lock:
            self._engine.watching = True
        return {name: self._watched(name, function) for name, function in functions.items()}

    @contextmanager
    def expect(self, rule: str) -> Iterator[None]:
        """A violation of this rule is wanted inside the block, and then fails nothing.

        The fake answers it as ever, so a refusal still reaches the loop. Raises `ExpectationNotMet` where none came,
        unless the block raised.
        """
        (wanted,) = known_ids([rule], self._rules)
        before = self._matching(wanted)
        try:
            yield
        finally:
            met = self._matching(wanted) - before
            self._expected |= met
        if not met:
            others = sorted({violation.rule for violation in self.violations})
            seen = f"; seen so far: {', '.join(others)}" if others else "; nothing else was violated either"
            raise ExpectationNotMet(f"no violation of {wanted} came, but the test expects one{seen}", wanted)

    def ended(self, how: Literal["returned", "raised", "running"], value: object = None) -> None:
        """Tells how the loop ended, which cannot be seen over HTTP: what it returned, or the exception that it raised;
        `running` where it was stopped.

        `violations` then has what only the end shows: an answer that is none, an error that was hidden, a tool's
        failure that ended the loop. No further request is expected.
        """
        with self._lock:
            self._engine.end = end_of(how, value)

    def expire_threads(self) -> None:
        """Forgets every conversation that the server holds: who continues one gets a 404 `thread_not_found`."""
        with self._lock:
            self._engine.threads.expire()

    def assert_ok(self) -> None:
        """Raises at once with everything that went wrong; see `playhead.errors` for what it may be."""
        error = self.failure()
        if error is not None:
            raise error

    def failure(self) -> PlayheadError | None:
        """What `assert_ok` would raise; None if all is well."""
        with self._lock:
            return as_one(failures(self._engine, self._expected))

    def __enter__(self: Fake) -> Fake:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.assert_ok()
        else:
            annotate(error, self)

    def __repr__(self) -> str:
        tape, seen = self._engine.tape, f"{len(self._engine.exchanges)} exchanges"
        if tape is not None:
            return f"<FakeClaude: {tape.name}, {tape.played} of {len(tape.interactions)} played, {seen}>"
        players = self._engine.players.all
        endless = any(player.script.endless for player in players)
        script = "a function" if endless else f"{sum(len(player.script) for player in players)} steps"
        played = sum(player.played for player in players)
        return f"<FakeClaude: {script}, {played} played, {seen}>"

    def _complain(self, error: ScriptError) -> None:
        """Keeps an error of the test's own for its end, once however often it comes."""
        with self._lock:
            if str(error) not in map(str, self._engine.errors):
                self._engine.errors.append(error)

    def answer(self, incoming: Incoming) -> Outgoing:
        """The answer to a request, for doors of one's own. Raises `RequestLimitReached` once the cap is reached."""
        with self._lock:
            return self._engine.answer(incoming)

    def pause(self, seconds: float, awaits: bool) -> Awaitable[object] | None:
        """Lets a pause of an answer pass by the fake's clock; `awaits` says that the result can be awaited."""
        return self._clock.pause(seconds, awaits)

    def _mismatched(self) -> bool:
        """Whether a request came that no recorded one fits."""
        with self._lock:
            return self._engine.tape is not None and bool(self._engine.tape.mismatches)

    def _matching(self, rule: str) -> set[Violation]:
        return {violation for violation in self.violations if violation.rule == rule}

    def _watched(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def note(given: tuple[Any, ...], arguments: dict[str, Any], outcome: object) -> None:
            with self._lock:
                self._engine.ran(name, {**_positional(function, given), **arguments}, outcome)

        if is_async(function):

            @functools.wraps(function)
            async def watched_async(*given: Any, **arguments: Any) -> Any:
                try:
                    value = await function(*given, **arguments)
                except BaseException as error:
                    note(given, arguments, {"raised": str(error)})
                    raise
                note(given, arguments, value)
                return value

            return watched_async

        @functools.wraps(function)
        def watched(*given: Any, **arguments: Any) -> Any:
            try:
                value = function(*given, **arguments)
            except BaseException as error:
                note(given, arguments, {"raised": str(error)})
                raise
            note(given, arguments, value)
            return value

        return watched


def violations_by_rule(fake: FakeClaude) -> tuple[Violation, ...]:
    """The violations of a fake, together with what other rules say of the same faults (`same_as` names the first)."""
    with fake._lock:
        return fake._engine.violations_by_rule


def annotate(error: BaseException, fake: FakeClaude) -> None:
    """Adds to an error that ended a test what the fake saw, so that neither hides the other."""
    failure = fake.failure()
    if failure is not None and failure is not error and (fake.violations or fake._mismatched()):
        error.add_note(f"What the fake Claude saw:\n{type(failure).__name__}: {failure}")


def _positional(function: Callable[..., Any], given: tuple[Any, ...]) -> dict[str, Any]:
    """Arguments that were passed by position, under their names as far as the function tells them."""
    try:
        names = [*inspect.signature(function).parameters] if given else []
    except (TypeError, ValueError):
        names = []
    return dict(zip(names, given, strict=False))


def _requests(script: Script | Sequence[Case]) -> int:
    """How many requests a script answers, or each of several."""
    scripts = (script,) if isinstance(script, Script) else tuple(case.script for case in script)
    return sum(getattr(step, "times", 1) for its in scripts for step in its.steps)


def _limit(script: Script | Sequence[Case] | Tape) -> int:
    """The cap on requests, unless one is given."""
    if isinstance(script, Tape):
        return len(script.interactions) + _BEYOND_SCRIPT
    return max(_DEFAULT_LIMIT, _requests(script) + _BEYOND_SCRIPT)


def _cassette(name: str, accept: str | None) -> Cassette:
    """The cassette in a file. Raises `RecordingError`."""
    from playhead.cassettes.hosts import without_others

    if not is_there(name):
        raise RecordingError(name, f"there is no such cassette; record it: {accept or how_to_record(name)}")
    cassette = cassette_of(name, read_bytes(name))
    return replace(cassette, interactions=without_others(cassette.interactions).claudes)


def cassette_of(name: str, data: bytes) -> Cassette:
    """The cassette that a file's bytes are. Raises `RecordingError`."""
    from playhead.cassettes.document import CassetteError, read  # loads YAML, which no script needs

    try:
        return read(data)
    except CassetteError as error:
        raise RecordingError(name, error.reason, line=error.line, field=error.field) from None


def _script_file(name: str) -> ScriptFile:
    """The script in a file. Raises `ScriptFileError`."""
    from playhead.script.reading import read  # loads YAML, which no other script needs

    try:
        return read(read_bytes(name), name)
    except RecordingError as error:
        raise ScriptFileError(name, error.reason) from None


def _share(conversations: Share | None, script: Script | Sequence[Case] | Tape) -> Share:
    """Who plays the script. Raises `SetupError`."""
    if conversations not in (None, "one", "any", "each"):
        raise SetupError(f"conversations is 'one', 'any' or 'each', not {conversations!r}")
    if isinstance(script, Script):
        return conversations or "one"
    if isinstance(script, Tape):
        return conversations or "any"
    if conversations in ("one", "any"):
        raise SetupError(f"several scripts are for several conversations: leave out conversations={conversations!r}")
    return "each"


def _failing(level: object) -> tuple[Level, ...]:
    """The levels that fail a rehearsal. Raises `SetupError`."""
    if level not in LEVELS:
        raise SetupError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
    return LEVELS[: LEVELS.index(level) + 1]


def _require_no_client(options: Mapping[str, Any], method: str, default: type) -> None:
    """Refuses an HTTP client of the caller's own: it would go past the fake. Names the module that is needed."""
    given = options.get("http_client")
    if given is None:
        return
    needed = default.__mro__[1].__module__.partition(".")[0]
    theirs = type(given).__module__.partition(".")[0]
    kind = "AsyncClient" if method == "async_client" else "Client"
    wrong = f", and this anthropic speaks through {needed}, not {theirs}" if theirs != needed else ""
    raise SetupError(
        f"fake.{method}() makes its own http_client, which the fake answers{wrong}: leave http_client out, or build "
        f"the SDK's client yourself with http_client={needed}.{kind}(transport=fake.transport)"
    )
