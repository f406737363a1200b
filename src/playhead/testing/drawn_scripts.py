"""Hypothesis strategies for scripts: turns that call the tools there are, what goes wrong between them, an end.

Law: imports hypothesis. A script that is drawn can be played: what the API never sends is drawn on request only.
Fewer choices are simpler: a script shrinks to fewer turns, a turn to fewer calls, a call to the smallest input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, overload

from hypothesis import strategies as st

from playhead.errors import SetupError
from playhead.script.faults import Connection, Drop, Ending, Fail, Sent, cut, damage, drop, fail
from playhead.script.steps import Block, Reply, Turn, call, reply, say, think, turn
from playhead.testing.schemas import inputs, invalid_inputs, telling_inputs
from playhead.testing.values import SAID, tool_inputs
from playhead.wire.codec import Json, JsonObject, decode, encode
from playhead.wire.damage import DAMAGES

Tool: TypeAlias = "str | Mapping[str, Any]"
"""A tool by its name, or as `tools` of a request has it: then inputs fit its `input_schema`."""

Kind = Literal["retryable", "unrecoverable", "connection", "stream"]
Fault: TypeAlias = "Fail | Drop | Sent"

_UNKNOWN = ("unknown_tool", "toString", "A" * 64)


def _name(tool: Tool) -> str:
    if isinstance(tool, str):
        return tool
    if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
        raise SetupError(f"a tool is its name, or a dict with its name and input_schema, not {tool!r}")
    return str(tool["name"])


def _inputs(tool: Tool, draw: Callable[[JsonObject], st.SearchStrategy[dict[str, Json]]]) -> st.SearchStrategy[Any]:
    """Inputs of a tool; of one without a schema (by name, or one of Anthropic's) any at all."""
    schema = None if isinstance(tool, str) else tool.get("input_schema")
    return tool_inputs() if schema is None else draw(schema)


def _bad_inputs(schema: JsonObject) -> st.SearchStrategy[dict[str, Json]]:
    try:
        return invalid_inputs(schema)
    except SetupError:  # every object fits
        return inputs(schema)


def calls(tools: Sequence[Tool], *, telling: bool = False, bad_inputs: bool = False) -> st.SearchStrategy[Block]:
    """A call of one of the tools, with an input that fits its schema.

    `telling` draws inputs that loops are known to spoil, too; `bad_inputs` some that do not fit. Raises `SetupError`
    where there is no tool, or a schema from which nothing can be drawn.
    """
    if not tools:
        raise SetupError("calls() and scripts() need the tools to call: their names, or their definitions")
    for tool in tools:
        _name(tool)
    return _calls(encode([*tools]), telling, bad_inputs)


@lru_cache(maxsize=512)
def _calls(tools: bytes, telling: bool, bad_inputs: bool) -> st.SearchStrategy[Block]:
    ways = [inputs, *[telling_inputs] * telling, *[_bad_inputs] * bad_inputs]
    return st.one_of([_calls_of(_name(tool), _inputs(tool, way)) for tool in decode(tools) for way in ways])


def _calls_of(name: str, drawn: st.SearchStrategy[Any]) -> st.SearchStrategy[Block]:
    return drawn.map(lambda value: call(name, value))


def tool_turns(
    tools: Sequence[Tool], *, max_calls: int = 4, telling: bool = False, bad_inputs: bool = False
) -> st.SearchStrategy[Turn]:
    """A reply with one call or several, perhaps with thinking before and text around them, or the same call twice."""
    if max_calls < 1:
        raise SetupError(f"max_calls is at least 1, not {max_calls}: a turn without calls ends the script")
    several = st.lists(calls(tools, telling=telling, bad_inputs=bad_inputs), min_size=1, max_size=max_calls)
    return _turn(several, max_calls)


_SHAPES = st.integers(0, 15)
"""One choice that says what is there besides the calls."""


@st.composite
def _turn(draw: st.DrawFn, several: st.SearchStrategy[list[Block]], max_calls: int) -> Turn:
    made, has = draw(several), draw(_SHAPES)
    if has & 8 and len(made) < max_calls:
        made = [*made, made[0]]
    thought = [think(draw(SAID))] if has & 4 else []
    before = [say(draw(SAID))] if has & 2 else []
    after = [say(draw(SAID))] if has & 1 else []
    return turn(*thought, *before, *made, *after)


def _unknown(turn_: Turn, names: Sequence[str], number: int) -> Reply:
    """The turn with other tools' names, which only a reply that nobody checks can have; ids are then its own."""
    content = [dict(block.data) for block in turn_.content]
    for place, asking in enumerate(block for block in content if block["type"] == "tool_use"):
        asking |= {"id": f"toolu_unknown_{number}_{place}", "name": names[place % len(names)] or asking["name"]}
    message = {"id": f"msg_unknown_{number}", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
    end = {"stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    return reply({**message, "content": content, **end}, check=False)


@overload
def scripts(
    tools: Sequence[Tool],
    *,
    min_turns: int = 0,
    max_turns: int = 6,
    max_calls: int = 4,
    telling: bool = False,
    unknown_tools: Literal[False] = False,
    bad_inputs: bool = False,
    faults: None = None,
) -> st.SearchStrategy[list[Turn]]: ...


@overload
def scripts(
    tools: Sequence[Tool],
    *,
    min_turns: int = 0,
    max_turns: int = 6,
    max_calls: int = 4,
    telling: bool = False,
    unknown_tools: bool = False,
    bad_inputs: bool = False,
    faults: st.SearchStrategy[Fault] | None = None,
) -> st.SearchStrategy[list[Turn | Reply | Fault]]: ...


def scripts(
    tools: Sequence[Tool],
    *,
    min_turns: int = 0,
    max_turns: int = 6,
    max_calls: int = 4,
    telling: bool = False,
    unknown_tools: bool = False,
    bad_inputs: bool = False,
    faults: st.SearchStrategy[Fault] | None = None,
) -> st.SearchStrategy[Any]:
    """A whole script: turns that call tools, none to many, and a last reply that ends.

    `tools` are names, or definitions as `tools` of a request has them: then inputs fit the schemas. `min_turns` and
    `max_turns` count the turns that call tools (a long chain is `min_turns=20, max_turns=30`). On request: inputs
    that loops are known to spoil (`telling`), inputs that do not fit (`bad_inputs`), calls of tools that nobody
    offers (`unknown_tools`, as `reply({...}, check=False)`), and steps that go wrong (`faults`, see there) before
    others. Raises `SetupError` as `calls` does.
    """
    if not 0 <= min_turns <= max_turns:
        raise SetupError(f"min_turns of scripts() is from 0 to max_turns, which is {max_turns}, not {min_turns}")
    one = tool_turns(tools, max_calls=max_calls, telling=telling, bad_inputs=bad_inputs)
    last = st.lists(SAID, max_size=2).map(lambda texts: turn(*map(say, texts)))
    if not unknown_tools and faults is None:
        return st.builds(lambda turns, end: [*turns, end], st.lists(one, min_size=min_turns, max_size=max_turns), last)
    before = st.just([]) if faults is None else st.lists(faults, max_size=1)
    names = st.lists(st.sampled_from(("", *_UNKNOWN)), min_size=1, max_size=3).filter(any)
    renamed = st.none() | names if unknown_tools else st.none()
    # what belongs to a turn is drawn with it, so that a turn can be left out
    middle = st.lists(st.tuples(before, one, renamed), min_size=min_turns, max_size=max_turns)
    return st.builds(_assembled, middle, before, last)


def _assembled(
    middle: Sequence[tuple[list[Fault], Turn, list[str] | None]], before: list[Fault], last: Turn
) -> list[Turn | Reply | Fault]:
    steps: list[Turn | Reply | Fault] = []
    for number, (wrong, made, names) in enumerate(middle):
        # the first call is always renamed, so that something is unknown
        renamed = None if names is None else sorted(names, key=lambda name: not name)
        steps += [*wrong, made if renamed is None else _unknown(made, renamed, number)]
    return [*steps, *before, last]


_RETRYABLE = (529, 429, 500, 408, 409, 502, 503, 504)
_UNRECOVERABLE = (400, 401, 403, 404, 413)
_CONNECTIONS: tuple[Connection, ...] = ("connect", "read", "write", "timeout", "close")
_ENDINGS: tuple[Ending, ...] = ("reset", "close", "end", "timeout", "error")
_TEXT = st.just(turn(say("Hello")))


def _retryable(replies: st.SearchStrategy[Turn]) -> st.SearchStrategy[Fault]:
    times = st.integers(1, 2)
    return st.builds(lambda status, times: fail(status, times=times), st.sampled_from(_RETRYABLE), times)


def _unrecoverable(replies: st.SearchStrategy[Turn]) -> st.SearchStrategy[Fault]:
    return st.sampled_from(_UNRECOVERABLE).map(fail)


def _connection(replies: st.SearchStrategy[Turn]) -> st.SearchStrategy[Fault]:
    return st.sampled_from(_CONNECTIONS).map(lambda how: drop(how))


def _stream(replies: st.SearchStrategy[Turn]) -> st.SearchStrategy[Fault]:
    ends = st.sampled_from(_ENDINGS)
    cuts = st.builds(lambda step, how, events: cut(step, how=how, events=events), replies, ends, st.integers(0, 12))
    return cuts | st.builds(damage, replies, st.sampled_from([*DAMAGES]))


FAULTS: Mapping[str, Callable[[st.SearchStrategy[Turn]], st.SearchStrategy[Fault]]] = MappingProxyType(
    {
        "retryable": _retryable,
        "unrecoverable": _unrecoverable,
        "connection": _connection,
        "stream": _stream,
    }
)
"""What can go wrong, by kind."""


def faults(*kinds: Kind, replies: st.SearchStrategy[Turn] | None = None) -> st.SearchStrategy[Fault]:
    """A step that goes wrong, of the kinds named; of any kind where none is.

    `"retryable"` are statuses that a client tries again, once or twice in a row; `"unrecoverable"` those for which it
    gives up; `"connection"` connections that fail; `"stream"` answers that break off (`cut`) or are wrong (`damage`),
    which spoils one of `replies`, a greeting by default. Raises `SetupError` for a kind that there is not.
    """
    for kind in kinds:
        if kind not in FAULTS:
            raise SetupError(f"faults() takes {', '.join(map(repr, FAULTS))}, not {kind!r}")
    return st.one_of([FAULTS[kind](_TEXT if replies is None else replies) for kind in kinds or FAULTS])
