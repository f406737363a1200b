"""One trial of a loop: a fake that plays its steps, functions that are counted, and all that was seen.

Law: plays and gathers; `judging` says what was wrong.
"""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from playhead.engine.http import Incoming, Outgoing
from playhead.fake import FakeClaude, violations_by_rule
from playhead.rules.rule import Rule, Violation
from playhead.testing.actor import Actor, Ending, Loop, Scene
from playhead.testing.served import served
from playhead.testing.tools import SERVER_TOOLS, Function
from playhead.testing.trial import FIRST, SECOND, Trial, asked
from playhead.testing.worker import Left, Worker
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.turns import blocks_of

_SLOW = 0.02
"""The longest that a slow tool waits, in seconds, for another to be done before it."""
_IN_VAIN = 3
"""How often it waits in vain before it is plain that the loop runs one tool after the other."""
_YIELDS = 20


class Execution(NamedTuple):
    """A tool that the loop ran: the tool's name, and its arguments as they were then."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that was seen of one trial.

    `silent` says that the loop did nothing for long, and was left behind; `counted`, that its tools are those it was
    given, so that each run of one was seen. `runs_tools` says that it ran one, in this trial or in one before, and
    `answers_calls` that it sent a result; `blank` is what it returns when Claude says nothing at all, as far as that is
    known.
    """

    trial: Trial
    exchanges: tuple[Exchange, ...]
    violations: tuple[Violation, ...]
    endings: tuple[Ending, ...]
    executions: tuple[Execution, ...]
    silent: bool = False
    counted: bool = True
    runs_tools: bool = True
    answers_calls: bool = True
    blank: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all trials of a loop have in common."""

    tools: Sequence[JsonObject] = ()
    functions: Mapping[str, Function] = field(default_factory=dict)
    rules: Sequence[Rule] = ()
    ignore: Collection[str] = ()
    cap: int = 100
    patience: float = 10.0
    async_functions: bool = False
    served: bool = False
    counted: bool = True


class Stage:
    """Plays trials of one loop, one after the other."""

    def __init__(self, loop: Loop, setting: Setting) -> None:
        self.setting = setting
        self._loop = loop
        self._open = ExitStack()
        self._url = self._open.enter_context(served(self._answer)) if setting.served else None
        self._worker: Worker[list[Ending]] = Worker()
        self._actor = Actor(loop, self._worker, self._url)
        self._in_vain = 0
        self._runs_tools = self._answers_calls = False
        self.blank: object = None
        """What the loop returns when Claude says nothing at all."""

    def _answer(self, incoming: Incoming) -> Outgoing:
        return self._actor.answer(incoming)

    def play(self, trial: Trial, *, patience: float | None = None) -> Run:
        """Calls the loop, as often as the trial says, and gathers what came of it; `patience` in place of the usual."""
        setting, played = self.setting, trial.played
        both = trial.conversations != "one"
        fake = FakeClaude(
            {FIRST: played, SECOND: played} if both else played,
            rules=setting.rules,
            ignore=setting.ignore,
            max_requests=setting.cap,
        )
        executions: list[Execution] = []
        slow = _Slow(self._actor, self) if trial.slow_first else None
        functions = {
            name: self._function(name, trial.outcomes.get(name, function), executions, slow)
            for name, function in setting.functions.items()
        }
        scene = Scene(
            fake=fake,
            tools=_with_servers(setting.tools) if trial.server_tools else setting.tools,
            functions=fake.watch(functions),
            turn_begins=slow.turn_begins if slow is not None else _nothing,
            meanwhile=asked(SECOND) if trial.conversations == "at once" else None,
        )
        messages = [asked(FIRST)] if both else [trial.messages]
        if trial.conversations == "in turn":
            messages.append(asked(SECOND))
        actor = self._actor
        played_out = self._worker.run(
            lambda: actor.play(scene, messages),
            patience=setting.patience if patience is None else patience,
            pulse=lambda: actor.requests + len(executions),
        )
        if isinstance(played_out, Left):
            # what is left behind keeps its client, its event loop and its thread
            self._actor = Actor(self._loop, self._worker, self._url)
            scene.endings.append(Ending(how="running"))
        silent = isinstance(played_out, Left) and not played_out.waits
        self._runs_tools = self._runs_tools or bool(executions)
        run = _seen(trial, scene, executions, silent=silent)
        self._answers_calls = self._answers_calls or any(map(_answers, run.exchanges))
        return replace(
            run,
            counted=setting.counted,
            runs_tools=self._runs_tools,
            answers_calls=self._answers_calls,
            blank=self.blank,
        )

    def close(self) -> None:
        """Closes the client, and lets the thread and the server end."""
        self._worker.run(self._close_actor, patience=self.setting.patience, pulse=lambda: 0)
        self._worker.close()
        self._open.close()

    def _close_actor(self) -> list[Ending]:
        self._actor.close()
        return []

    def _function(self, name: str, function: Function, executions: list[Execution], slow: _Slow | None) -> Function:
        """The function as the loop gets it."""

        def run(**arguments: Any) -> Any:
            executions.append(Execution(name, copy.deepcopy(arguments)))
            if slow is not None and not self.setting.async_functions:
                slow.wait()
            try:
                return function(**arguments)
            finally:
                if slow is not None:
                    slow.done()

        async def run_async(**arguments: Any) -> Any:
            if slow is not None:
                await slow.wait_async()
            value = run(**arguments)
            return await value if hasattr(value, "__await__") else value

        return run_async if self.setting.async_functions else run

    @property
    def waits(self) -> bool:
        """Whether a slow tool has ever been overtaken, or has not waited often enough to tell."""
        return self._in_vain < _IN_VAIN

    def waited(self, in_vain: bool) -> None:
        """Takes in whether a slow tool was overtaken."""
        self._in_vain = self._in_vain + 1 if in_vain else 0


class _Slow:
    """Makes the first tool that runs after a reply the last to be done, where others run beside it."""

    def __init__(self, actor: Actor, stage: Stage) -> None:
        self._actor = actor
        self._stage = stage
        self._first = True
        self._other_done = threading.Event()

    def turn_begins(self) -> None:
        self._first = True
        self._other_done = threading.Event()

    def _is_first(self) -> bool:
        first, self._first = self._first, False
        return first and self._stage.waits

    def wait(self) -> None:
        # in the loop's own thread nothing runs beside it
        if threading.get_ident() != self._actor.thread and self._is_first():
            self._stage.waited(not self._other_done.wait(_SLOW))

    async def wait_async(self) -> None:
        if self._is_first():
            for _ in range(_YIELDS):
                if self._other_done.is_set():
                    break
                await asyncio.sleep(0)

    def done(self) -> None:
        if not self._first:
            self._other_done.set()


def _with_servers(tools: Sequence[JsonObject]) -> Sequence[JsonObject]:
    given = {tool.get("name") for tool in tools}
    return [*tools, *(tool for tool in SERVER_TOOLS if tool["name"] not in given)]


def _nothing() -> None:
    pass


def _answers(exchange: Exchange) -> bool:
    """Whether a request has a result in it."""
    return any(block.type == "tool_result" for message in exchange.messages for block in blocks_of(message))


def _seen(trial: Trial, scene: Scene, executions: Sequence[Execution], *, silent: bool) -> Run:
    fake = scene.fake
    if len(scene.endings) == 1:
        fake.ended(scene.endings[0].how, scene.endings[0].value)
    return Run(
        trial=trial,
        exchanges=fake.session.exchanges,
        violations=violations_by_rule(fake),
        endings=tuple(scene.endings),
        executions=tuple(executions),
        silent=silent,
    )
