"""Several scripts for one fake: which conversation gets which.

Law: frozen values; choosing looks at a request and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playhead.errors import ScriptError
from playhead.script.request import Request
from playhead.script.script import Script, ScriptLike, as_script, is_async
from playhead.script.steps import Responder, Step
from playhead.wire.codec import kind
from playhead.wire.turns import blocks_of

Test: TypeAlias = str | Callable[[Request], bool]
"""What a conversation's first request must satisfy: a text of its first user message, or a function that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A script for the conversations whose first request satisfies the test. Each of them plays it from its start."""

    test: Test
    script: Script

    @property
    def name(self) -> str:
        """The case as a report names it."""
        return _named(self.test)

    def fits(self, request: Request) -> bool:
        """Whether it is this case's. Raises `ScriptError`, naming the case, where the test's own function fails."""
        if isinstance(self.test, str):
            return self.test in first_text(request)
        try:
            return bool(self.test(request))
        except Exception as error:
            # whatever the test's function raises is the test's failure, not the loop's
            raise ScriptError(f"the test of case {self.name} raised {type(error).__name__}: {error}") from error


_Item: TypeAlias = Step | Responder | Case

# no plain Iterable: a mapping is one too, and type checkers would then not know what its values are to be
Scripts: TypeAlias = Script | Sequence[_Item] | Iterator[_Item] | Responder | Mapping[str, ScriptLike]
"""What a fake plays: one script in any of its forms, a list of cases, or a script for each of several texts."""


def when(test: Test, script: ScriptLike, /) -> Case:
    """A script for the conversations that begin so; `FakeClaude([when(...), when(...)])` chooses the first that fits.

    `test` is a text that the first user message contains, or a function `Request -> bool`; `""` fits all.
    """
    if not isinstance(test, str) and (not callable(test) or isinstance(test, type) or is_async(test)):
        raise ScriptError(f"when() takes a text or a plain function Request -> bool first, not {test!r}")
    try:
        return Case(test=test, script=as_script(script))
    except ScriptError as error:
        raise ScriptError(f"the script of {_named(test)}: {error}") from None


def as_cases(given: object) -> Script | tuple[Case, ...]:
    """The script, or the cases, that were meant: a mapping of texts to scripts is a case for each.

    Raises `ScriptError`, naming the step or the case and how to write it.
    """
    if isinstance(given, Case):
        raise ScriptError("cases stand in a list: put the case into brackets, FakeClaude([when(...)])")
    if isinstance(given, Mapping):
        if _is_message(given):
            raise ScriptError("a whole message is a step: write it as FakeClaude([reply({...})])")
        if not all(isinstance(text, str) for text in given):
            raise ScriptError("a mapping of scripts has texts of first user messages for keys")
        return _several([when(text, script) for text, script in given.items()])
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Script):
        items = [*given]
        if any(isinstance(item, Case) for item in items):
            return _several(items)
        return as_script(items)
    return as_script(given)


_MESSAGE = frozenset("id type role content model stop_reason stop_sequence usage".split())


def _is_message(given: Mapping[object, object]) -> bool:
    """Whether it is a message rather than scripts by text: its members' names, and content that is no steps."""
    content = given.get("content")
    if not _MESSAGE.issuperset(given) or not isinstance(content, str | list):
        return False
    return not any(isinstance(item, Step | Script) or callable(item) for item in content)


def _several(items: list[object]) -> tuple[Case, ...]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, Case):
            shown = str(item) if isinstance(item, Step) else kind(item)
            raise ScriptError(
                f"item {number} is {shown}, others are cases: put steps into a case of their own, when('', [...])"
            )
    if not items:
        raise ScriptError("a mapping of scripts needs at least one: {'the first user message': [...]}")
    return tuple(item for item in items if isinstance(item, Case))


def _named(test: Test) -> str:
    name = repr(test) if isinstance(test, str) else getattr(test, "__name__", repr(test))
    if name != "<lambda>":
        return name
    line = getattr(getattr(test, "__code__", None), "co_firstlineno", None)
    return name if line is None else f"<lambda of line {line}>"


def choose(cases: Iterable[Case], request: Request) -> Case | None:
    """The case of a conversation that begins so: the one whose text is all of it, else the first that fits."""
    known = tuple(cases)
    text = first_text(request)
    exact = next((case for case in known if isinstance(case.test, str) and case.test and case.test == text), None)
    return exact or next((case for case in known if case.fits(request)), None)


def first_text(request: Request) -> str:
    """The text of the first user message: all its text blocks joined."""
    return first_text_of(request.messages)


def first_text_of(messages: Sequence[object]) -> str:
    """The same of messages."""
    first = next((m for m in messages if isinstance(m, dict) and m.get("role") == "user"), {})
    return "".join(str(block.data.get("text", "")) for block in blocks_of(first) if block.type == "text")
