"""The search: for each capability, the smallest script with which a loop breaks a rule.

Law: imports hypothesis. Draws trials, has them played and judged, keeps the smallest that fails.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

from playhead.errors import SetupError
from playhead.rules.rule import Rule, Violation
from playhead.script.script import as_script, is_async
from playhead.script.steps import Block, Step, turn
from playhead.testing.capabilities import CAPABILITIES, OWNERS, Capability, chosen
from playhead.testing.families import Offer
from playhead.testing.findings import Finding, Report, Row, Status, value_at
from playhead.testing.judging import extra_messages, judge, leftovers, told_otherwise
from playhead.testing.stage import Run, Setting, Stage
from playhead.testing.tools import TOOLS, Function, Outcome, Raises, Returns, functions_for, is_run_by_client
from playhead.testing.trial import CONVERSATIONS, DONE, PROMPT, Conversations, Trial, asked
from playhead.wire.codec import JsonObject

Loop = Callable[..., Any]
Progress = Callable[[Row], object]

_ROUNDS = 3
"""How many things are looked for in one capability: what breaks most hides the rest."""
_FIRST_CALL = 6
"""How many times more patience the first call of a loop gets: it may import half a framework."""
_CALLS = 20
"""How many calls a loop that runs none is tried with, until it is taken for one that never does."""
_IN_VAIN = 25
"""After so many trials in a row that fail as earlier ones did, no more are played."""


def check_loop(
    loop: Loop,
    *,
    tools: Sequence[JsonObject] | None = None,
    functions: Mapping[str, Function] | None = None,
    max_examples: int = 100,
    faults: bool = True,
    features: Collection[str] | None = None,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    ignore: Collection[str] = (),
    rules: Sequence[Rule] = (),
    async_functions: bool = False,
    served: bool = False,
    cap: int = 100,
    patience: float = 10.0,
    name: str | None = None,
    progress: Progress | None = None,
    script: Iterable[Step] | None = None,
    messages: Sequence[JsonObject] | None = None,
    endless: bool = False,
    conversations: Conversations = "one",
    slow_first: bool = False,
    server_tools: bool = False,
) -> Report:
    """Searches for the scripts with which a loop breaks a rule, and makes each as small as it can.

    `loop(client, messages, tools, functions)` gets an SDK client (an async one where it is a coroutine function),
    message dicts, tool definitions and a mapping of tool names to functions that take keyword arguments; it is called
    anew for each script. `tools` and `functions` are those that it needs; by default it gets four of the kit's own,
    and if it offers others, those. The functions of `tools` are made up unless they are given.

    Each capability (`playhead.testing.capabilities.CAPABILITIES`) is tried with up to `max_examples` scripts. `only`
    and `without` choose among them by name, `features` are the optional ones that the loop claims (all by default),
    `faults=False` leaves out errors of API and connection. `ignore` and `rules` are those of `FakeClaude`.
    `async_functions` hands out coroutine functions. With `served` the client is one for a base URL on this machine, and
    loops that build their own find it by `ANTHROPIC_BASE_URL` (needs the extra `serve`). `cap` is the number of
    requests after which a loop is stopped, `patience` the seconds without a request or a tool run after which it is
    left behind. `progress` is called with
    each capability's row when it is done.

    With a `script` nothing is searched: it is played once, with what the other arguments say (see `Trial`), as a
    finding's `code` does. Hypothesis' settings hold: its profile (in CI derandomised), its database for reruns.

    Raises `SetupError` where the loop ends before its first request, or a name is unknown.
    """
    setting = Setting(
        rules=tuple(rules),
        ignore=tuple(ignore),
        cap=cap,
        patience=patience,
        async_functions=async_functions,
        served=served,
    )
    given, outcomes = _split(functions)
    trial = None
    if script is not None:
        trial = Trial(
            steps=tuple(as_script(script).steps),  # type: ignore[arg-type]
            messages=asked(PROMPT) if messages is None else tuple(messages),
            outcomes=outcomes,
            endless=endless,
            conversations=_one_of(conversations),
            slow_first=slow_first,
            server_tools=server_tools,
        )
    off = chosen(only=only, without=without, features=features, faults=faults)
    search = _Search(loop, name or _name(loop), setting, max_examples, progress or (lambda row: None))
    return search.run(tools, given, off, trial)


def _one_of(conversations: Conversations) -> Conversations:
    if conversations not in CONVERSATIONS:
        raise SetupError(f"conversations is one of {', '.join(map(repr, CONVERSATIONS))}, not {conversations!r}")
    return conversations


def _split(functions: Mapping[str, Function] | None) -> tuple[dict[str, Function] | None, dict[str, Outcome]]:
    """The functions that are given, and what is only said of the kit's own."""
    outcomes = {n: function for n, function in (functions or {}).items() if isinstance(function, Raises | Returns)}
    given = {n: function for n, function in (functions or {}).items() if n not in outcomes}
    return given or None, outcomes


def _name(loop: Loop) -> str:
    module, name = getattr(loop, "__module__", None), getattr(loop, "__qualname__", None)
    return f"{module or 'your_module'}:{name or 'loop'}"


@dataclass
class _Search:
    """One search: what is known so far."""

    loop: Loop
    name: str
    setting: Setting
    max_examples: int
    progress: Progress
    rows: list[Row] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    extra: int = 0
    stage: Stage | None = None
    offer: Offer = field(default_factory=lambda: Offer(()))
    streams: bool = False
    beta: bool = False
    ours: bool = True
    dirty: Violation | None = None

    def run(
        self,
        tools: Sequence[JsonObject] | None,
        functions: Mapping[str, Function] | None,
        off: Mapping[str, str],
        trial: Trial | None,
    ) -> Report:
        """Searches for all that is not `off`, or plays one trial."""
        start = time.perf_counter()
        try:
            # what the SDK warns of is no fault, and must not become an error in the midst of a loop
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.open(tools, functions)
                if trial is None:
                    self.all(off)
                else:
                    self.one(trial)
        finally:
            self.close()
        seconds = time.perf_counter() - start
        return Report(loop=self.name, rows=tuple(self.rows), findings=tuple(self.findings), seconds=seconds)

    def open(self, tools: Sequence[JsonObject] | None, functions: Mapping[str, Function] | None) -> None:
        """Calls the loop once, to see what it offers. Raises `SetupError` where it asks for nothing."""
        offered = [*(TOOLS if tools is None else tools)]
        run = self._probe(offered, functions)
        request = run.exchanges[0].request or {}
        sent = [tool for tool in request.get("tools") or () if isinstance(tool, dict) and is_run_by_client(tool)]
        names = {tool["name"] for tool in offered}
        if tools is None and sent and names.isdisjoint(tool["name"] for tool in sent):
            self.ours = False  # the loop has tools of its own, and runs them itself
            offered = sent
            self._probe(offered, functions)
        elif names and sent and names.isdisjoint(tool["name"] for tool in sent):
            raise SetupError(f"the loop offers other tools than it was given: {', '.join(t['name'] for t in sent)}")
        first = run.exchanges[0]
        self.extra = extra_messages(run, first)
        self.streams, self.beta = request.get("stream") is True, "beta=true" in first.path
        mine = [tool for tool in offered if is_run_by_client(tool)]
        if not mine:
            raise SetupError("the loop is rehearsed with tools, and there is none: give tools=[...]")
        self.offer = Offer(tuple((str(tool["name"]), tool["input_schema"]) for tool in mine))
        if self.ours:
            self._call_until_run()
        assert self.stage is not None
        blank = self.stage.play(Trial(steps=(turn(),))).endings
        self.stage.blank = blank[0].value if blank and blank[0].how == "returned" else None

    def _call_until_run(self) -> None:
        """Plays calls until the loop has run one: then a call that it refuses is refused on purpose."""

        def runs(one: Block) -> bool:
            assert self.stage is not None
            return self.stage.play(Trial(steps=(one,))).runs_tools

        chosen = settings(
            max_examples=_CALLS,
            deadline=None,
            suppress_health_check=[*HealthCheck],
            phases=(Phase.generate,),
            verbosity=Verbosity.quiet,
            database=None,
        )
        with suppress(NoSuchExample, Unsatisfiable, Flaky):
            find(self.offer.calls, runs, settings=chosen)

    def _probe(self, tools: Sequence[JsonObject], functions: Mapping[str, Function] | None) -> Run:
        if self.stage is not None:
            self.stage.close()
        functions = {**functions_for(tools), **(functions or {})}
        setting = replace(self.setting, tools=tools, functions=functions, counted=self.ours)
        self.stage = Stage(self.loop, setting)
        patience = _FIRST_CALL * self.setting.patience
        run = self.stage.play(Trial(steps=(DONE,)), patience=patience)
        if not any(exchange.is_message for exchange in run.exchanges):
            error = run.endings[0].value
            told = f"it raised {type(error).__name__}: {error}" if isinstance(error, BaseException) else "it returned"
            if run.silent:
                told = f"it did nothing for {patience:g} s"
            kind = "async client" if is_async(self.loop) else "client"
            raise SetupError(
                f"the loop asked for no message: {told}. It is called as loop(client, messages, tools, functions), and "
                f"what it sends has to go through that {kind}"
            ) from (error if isinstance(error, Exception) else None)
        return run

    def close(self) -> None:
        if self.stage is not None:
            self.stage.close()

    def all(self, off: Mapping[str, str]) -> None:
        """Tries every capability that is not off."""
        for name, capability in CAPABILITIES.items():
            why = off.get(name) or self._impossible(capability)
            if why is not None:
                status: Status = "off" if name in off else "not tried"
                self._done(Row(capability=name, says=capability.says, status=status, note=why))
            else:
                self._try(capability)
        self._attribute()

    def one(self, trial: Trial) -> None:
        """Plays one trial."""
        assert self.stage is not None
        run = self.stage.play(trial)
        found = judge(run)
        for violation in _each_once([*found, *told_otherwise(run, found)]):
            self._add(trial, run, violation, OWNERS.get(violation.rule, "script"), always=True)
        status: Status = "broken" if found else "ok"
        self._done(Row(capability="script", says="the script given", status=status, tried=1))

    def _impossible(self, capability: Capability) -> str | None:
        if self.dirty is not None:
            return "the loop carries one conversation into the next"
        if capability.needs in ("functions", "tools") and not self.ours:
            return "the loop has tools of its own"
        if capability.needs == "compaction" and self.streams and not self.beta:
            return "the SDK reads it in a stream of client.beta only"
        if capability.needs == "streams" and not self.streams:
            return "the loop does not stream"
        if capability.needs == "door" and self.setting.served:
            return "behind a base URL nobody can hold a request back"
        if capability.needs == "fallible" and not any(schema.get("properties") for _, schema in self.offer.schemas):
            return "any input is good for its tools"
        return None

    def _done(self, row: Row) -> None:
        self.rows.append(row)
        self.progress(row)

    def _try(self, capability: Capability) -> None:
        """Looks for what is wrong, then for what else is, until nothing new comes."""
        done = next((row for row in self.rows if row.tried and _same_family(row, capability)), None)
        if done is not None:
            its: Status = "ok" if done.status == "broken" else done.status
            self._done(replace(done, capability=capability.name, says=capability.says, status=its))
            return
        examples = max(1, round(self.max_examples * capability.share))
        known = frozenset(finding.rule for finding in self.findings)
        tried, before, again = 0, len(self.findings), set[str]()
        for _ in range(_ROUNDS):
            hunt = _Hunt(self, capability, known)
            hunt.run(max(examples - tried, 1))
            tried += hunt.searched
            again |= hunt.again
            if hunt.best is None:
                break
            trial, run, violations = self._begun_afresh(*hunt.best)
            for violation in violations:
                self._add(trial, run, violation, OWNERS.get(violation.rule, capability.name), always=hunt.always)
            for violation in _each_once(told_otherwise(run, violations)):
                if violation.rule not in known:
                    self._add(trial, run, violation, self.findings[-1].capability, always=hunt.always)
            known |= {finding.rule for finding in self.findings}
            if self.dirty is not None or tried >= examples:
                break
        status: Status = "ok"
        note = ""
        if len(self.findings) > before:
            status = "broken"
        elif again - OWNERS.keys() or again & {rule for rule in again if OWNERS.get(rule) == capability.name}:
            status, note = "as above", ", ".join(sorted(again))
        self._done(Row(capability=capability.name, says=capability.says, status=status, tried=tried, note=note))

    def _begun_afresh(self, trial: Trial, run: Run, violations: list[Violation]) -> tuple[Trial, Run, list[Violation]]:
        """What was found, by two conversations where one trial showed what an earlier one had left behind."""
        if leftovers(run, self.extra) is None:
            return trial, run, violations
        self.dirty = violations[0]
        assert self.stage is not None
        both = Trial(steps=trial.steps, conversations="in turn")
        shown = self.stage.play(both)
        new = [violation for violation in judge(shown) if violation.rule == self.dirty.rule]
        return (both, shown, _each_once(new)) if new else (trial, run, violations)

    def _add(self, trial: Trial, run: Run, violation: Violation, capability: str, *, always: bool) -> None:
        exchange = next((its for its in run.exchanges if its.number == violation.exchange), None)
        sent = value_at(exchange.request, violation.path) if exchange is not None else None
        self.findings.append(
            Finding(
                rule=violation.rule,
                violation=violation,
                trial=trial,
                capability=capability,
                sent=sent if not isinstance(sent, list) or violation.path != "$.messages" else None,
                loop=self.name,
                always=always,
            )
        )

    def _attribute(self) -> None:
        """Marks the capabilities as broken that findings are about, wherever they were found."""
        about = {finding.capability: finding for finding in reversed(self.findings)}
        for index, row in enumerate(self.rows):
            finding = about.get(row.capability)
            status = row.status
            if finding is not None:
                turns, calls = finding.trial.size
                note = f"smallest script: {turns} turn{'s' * (turns != 1)}, {calls} block{'s' * (calls != 1)}"
                status = "broken"
            elif row.status == "broken":
                others = sorted({its.capability for its in self.findings})
                status, note = "ok", f"{row.tried} scripts; what they showed is under {', '.join(others)}"
            else:
                note = row.note
            self.rows[index] = Row(capability=row.capability, says=row.says, status=status, tried=row.tried, note=note)


def _same_family(row: Row, capability: Capability) -> bool:
    known = CAPABILITIES.get(row.capability)
    return known is not None and known.family is capability.family


def _each_once(violations: Sequence[Violation]) -> list[Violation]:
    return [*{violation.rule: violation for violation in reversed(violations)}.values()][::-1]


class _Hunt:
    """One look for a trial that fails by a rule not known yet."""

    def __init__(self, search: _Search, capability: Capability, known: frozenset[str]) -> None:
        self._search = search
        self._capability = capability
        self._known = known
        self._in_vain = 0
        self._target: str | None = None
        self.searched = 0
        self.again: set[str] = set()
        self.best: tuple[Trial, Run, list[Violation]] | None = None
        self.always = True

    def run(self, examples: int) -> None:
        chosen = settings(
            max_examples=examples,
            deadline=None,
            suppress_health_check=[*HealthCheck],
            phases=(Phase.reuse, Phase.generate, Phase.shrink),
            verbosity=Verbosity.quiet,
        )
        key = f"playhead {self._search.name} {self._capability.name}".encode()
        try:
            find(self._capability.family(self._search.offer), self._fails, settings=chosen, database_key=key)
        except (NoSuchExample, Unsatisfiable):
            pass
        except Flaky:
            self.always = False

    def _fails(self, trial: Trial) -> bool:
        """Whether the trial fails by a rule that is new, the same one as soon as there is one."""
        if self._in_vain >= _IN_VAIN:
            return False
        search = self._search
        assert search.stage is not None
        self.searched += self.best is None
        run = search.stage.play(trial)
        violations = judge(run)
        carried = leftovers(run, search.extra)
        if carried is not None:
            violations = [carried]
        new = [violation for violation in _each_once(violations) if violation.rule not in self._known]
        self.again |= {violation.rule for violation in violations if violation.rule in self._known}
        if not new or (self._target is not None and self._target not in {its.rule for its in new}):
            self._in_vain = self._in_vain + 1 if violations and self.best is None else 0
            return False
        if self._target is None:
            self._target = new[0].rule
        self.best = (trial, run, new)
        return True
