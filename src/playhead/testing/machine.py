"""A state machine for chats: objects that are told one thing after another, and keep the conversation themselves.

Law: imports hypothesis. It draws what the user says and what Claude does next; the rules judge all of it as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from playhead.errors import RequestLimitReached, RuleViolations
from playhead.fake import FakeClaude
from playhead.rules.report import report
from playhead.rules.rule import LEVELS, Rule, told_once
from playhead.script.faults import fail
from playhead.script.replies import refuse, truncated
from playhead.script.request import Request
from playhead.script.script import Item, as_item
from playhead.script.steps import Block, Step, Turn, say, turn
from playhead.testing.actor import client
from playhead.testing.families import Offer
from playhead.testing.tools import TOOLS, Function, functions_for, is_run_by_client
from playhead.testing.trial import steps_text
from playhead.wire.codec import JsonObject

MakeChat = Callable[[Any, Sequence[JsonObject], Mapping[str, Function]], Callable[[str], object]]
"""`make(client, tools, functions)` gives a function that is called with what the user says, each time."""

_SAID = st.sampled_from(("Go on.", "And now?", "é 🦊", "Thank you."))


def chat_machine(
    make: MakeChat,
    *,
    tools: Sequence[JsonObject] | None = None,
    functions: Mapping[str, Function] | None = None,
    ignore: Collection[str] = (),
    rules: Sequence[Rule] = (),
    cap: int = 1000,
) -> type[ChatMachine]:
    """A Hypothesis state machine for a chat: `TestChat = chat_machine(make_chat).TestCase`.

    `make(client, tools, functions)` makes a chat, a function that takes what the user says, talks with Claude, runs
    tools, and keeps the conversation for the next time. Each step of the machine is one call of it, for which Claude
    plays a script of its own. A chat may raise where Claude refuses, is cut off, or fails; the next words must find the
    conversation in order. `ignore` and `rules` are those of `FakeClaude`, `cap` is the most requests of one run.

    A subclass of what this returns may add rules and invariants of its own.
    """
    offered = [*(TOOLS if tools is None else tools)]
    offer = Offer(tuple((str(tool["name"]), tool["input_schema"]) for tool in offered if is_run_by_client(tool)))
    calls = st.lists(offer.calls, min_size=1, max_size=3).map(lambda several: turn(*several))
    members = {
        "make": staticmethod(make),
        "tools": offered,
        "functions": {**functions_for(offered), **(functions or {})},
        "options": {"ignore": tuple(ignore), "rules": tuple(rules), "max_requests": cap},
        "work": st.lists(calls, max_size=2),
        "one_call": offer.calls,
    }
    return type("ChatMachine", (ChatMachine,), members)


class ChatMachine(RuleBasedStateMachine):
    """One conversation, as long as Hypothesis wants it; made by `chat_machine`."""

    make: MakeChat
    tools: Sequence[JsonObject]
    functions: Mapping[str, Function]
    options: Mapping[str, Any]
    work: st.SearchStrategy[list[Turn]]
    one_call: st.SearchStrategy[Block]

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[Item] = []
        self.fake = FakeClaude(self._next, **self.options)
        self.chat = self.make(client(self.fake.transport), self.tools, self.fake.watch(self.functions))

    def _next(self, request: Request) -> Any:
        return self._steps.pop(0) if self._steps else say("Done.")

    def user_says(self, words: str, *steps: Step, may_raise: bool = False) -> None:
        """The user says something, and Claude plays these steps."""
        self._steps = [as_item(step, "a step") for step in steps]
        note(f"    Claude: {steps_text(steps)}")
        try:
            self.chat(words)
        except RequestLimitReached:
            pass  # the rules tell of it
        except Exception as error:
            if not may_raise:
                raise AssertionError(f"the chat raised {type(error).__name__}: {error}") from error

    @rule(words=_SAID, data=st.data())
    def claude_works(self, words: str, data: st.DataObject) -> None:
        """Claude runs tools, and answers."""
        self.user_says(words, *data.draw(self.work), say("Done."))

    @rule(words=_SAID, data=st.data())
    def claude_is_cut_off(self, words: str, data: st.DataObject) -> None:
        """Claude's answer is cut off, in a text or within the input of a call."""
        end = data.draw(st.one_of(st.just(say("It is a long")), self.one_call))
        self.user_says(words, *data.draw(self.work), truncated(end), may_raise=True)

    @rule(words=_SAID)
    def claude_refuses(self, words: str) -> None:
        """Claude refuses."""
        self.user_says(words, refuse(), may_raise=True)

    @rule(words=_SAID, status=st.sampled_from((529, 500, 429)), data=st.data())
    def the_api_fails_for_a_moment(self, words: str, status: int, data: st.DataObject) -> None:
        """The API fails once, and is there again."""
        self.user_says(words, *data.draw(self.work), fail(status), say("Done."))

    @rule(words=_SAID, data=st.data())
    def the_api_fails(self, words: str, data: st.DataObject) -> None:
        """The API fails for long."""
        self.user_says(words, *data.draw(self.work), fail(529, times=5), may_raise=True)

    @invariant()
    def no_rule_is_broken(self) -> None:
        """Nothing that was sent so far breaks a rule."""
        failing = LEVELS[: LEVELS.index("broken") + 1]
        found = [its for its in told_once(self.fake.violations) if its.level in failing]
        if found:
            raise RuleViolations(report(found), found)
