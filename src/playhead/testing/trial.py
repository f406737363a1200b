"""A trial: all that one rehearsal of a loop is given, and the Python that gives it again.

Law: frozen values; knows no loop and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from playhead.script.request import Request
from playhead.script.script import Item, Script, as_item
from playhead.script.source import literal
from playhead.script.steps import Step, say
from playhead.testing.tools import Outcome
from playhead.wire.codec import JsonObject

Conversations = Literal["one", "in turn", "at once"]
CONVERSATIONS: tuple[Conversations, ...] = get_args(Conversations)
PROMPT = "Go."
FIRST, SECOND = "Where is the red fox?", "Where is the blue whale?"
"""How two conversations begin, so that nobody takes one for the other."""
DONE = say("Done.")
"""What Claude says once the steps are played, as often as it is asked."""


def asked(prompt: str) -> tuple[JsonObject, ...]:
    """The messages of a conversation that begins with this."""
    return ({"role": "user", "content": prompt},)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """`steps` are what Claude says, then "Done." as often as it is asked; with `endless` the last step again and again.

    `messages` are what the loop is given. `outcomes` says what tools do that do not just answer. `conversations`
    says whether the loop is called once, or twice, one after the other, or the second while the first is at work;
    the second plays the same steps. With `slow_first` the first of parallel calls takes the longest,
    where the loop runs them side by side. With `server_tools` the loop is also given `SERVER_TOOLS`.
    """

    steps: tuple[Step, ...]
    messages: tuple[JsonObject, ...] = asked(PROMPT)
    outcomes: Mapping[str, Outcome] = field(default_factory=lambda: MappingProxyType({}))
    endless: bool = False
    conversations: Conversations = "one"
    slow_first: bool = False
    server_tools: bool = False

    @property
    def script(self) -> Script:
        """What can be pasted or written to a file: the steps alone."""
        return Script(steps=self.steps)

    @property
    def played(self) -> Script:
        """What the fake plays; it never comes to an end."""
        last = as_item(self.steps[-1] if self.endless and self.steps else DONE, "the last step")
        return Script(steps=self.steps, responder=_Again(last))

    @property
    def size(self) -> tuple[int, int]:
        """How many turns, and how many blocks in them."""
        return len(self.steps), sum(len(getattr(step, "blocks", ())) for step in self.script.steps)

    def options(self) -> Iterator[tuple[str, str]]:
        """The arguments of `check_loop` that give this trial again, as Python, but for the steps."""
        if self.messages != asked(PROMPT) and self.conversations == "one":
            yield "messages", literal(self.messages)
        if self.outcomes:
            yield "functions", literal(self.outcomes)
        if self.endless:
            yield "endless", "True"
        if self.conversations != "one":
            yield "conversations", repr(self.conversations)
        if self.slow_first:
            yield "slow_first", "True"
        if self.server_tools:
            yield "server_tools", "True"


@dataclass(frozen=True, slots=True)
class _Again:
    """A responder that says the same each time."""

    step: Item

    def __call__(self, request: Request) -> Any:
        return self.step


def steps_text(steps: Sequence[Step]) -> str:
    """The steps as a Python list: on a line where there is room, else a line for each."""
    written = [literal(step) for step in steps]
    line = f"[{', '.join(written)}]"
    if len(line) <= _WIDTH:
        return line
    return "[\n" + "".join(f"        {step},\n" for step in written) + "    ]"


_WIDTH = 80
