"""What the rules across exchanges ask of calls: are they offered, does their input fit, how did they arrive.

Law: pure questions on values; which answer is a fault is said by the rules. What is not known is None, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from playhead.rules.rule import StepView
from playhead.wire.codec import JsonError, JsonObject, decode
from playhead.wire.exchange import Exchange
from playhead.wire.tables import SERVER_CALLS
from playhead.wire.turns import PlacedBlock


def id_of(call: Mapping[str, object]) -> str:
    """A call's id as results name it."""
    return str(call.get("id"))


def choice_kind(exchange: Exchange) -> object:
    """The type of a request's `tool_choice`; None where it has none."""
    choice = (exchange.request or {}).get("tool_choice")
    return choice.get("type") if isinstance(choice, dict) else None


def named(call: Mapping[str, object]) -> str:
    """A call as a sentence names it: `toolu_01 (add)`."""
    return f"{id_of(call)} ({call.get('name')})"


def unanswered(step: StepView) -> list[JsonObject]:
    """The calls of the reply before that the request goes on without a result for."""
    return [call for call in step.calls if id_of(call) not in step.results] if step.answers_calls else []


def where(step: StepView, call: Mapping[str, object]) -> str:
    """The JSON path at which a call of the reply before stands in the request, or the messages' if it does not."""
    block = step.echoed.get(id_of(call))
    return block.path if block is not None else "$.messages"


def result_text(block: PlacedBlock) -> str:
    """The text of a result; blocks of other types have none."""
    content = block.data.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "".join(str(p.get("text", "")) for p in parts if isinstance(p, dict) and p.get("type") == "text")


def is_error(block: PlacedBlock) -> bool:
    """Whether a result says that its call failed."""
    return bool(block.data.get("is_error"))


def server_calls(exchange: Exchange) -> Mapping[str, JsonObject]:
    """The calls of a reply that Anthropic runs, by id."""
    return {
        str(block.get("id")): block
        for block in exchange.content
        if isinstance(block, dict) and block.get("type") in SERVER_CALLS
    }


def offered(exchange: Exchange) -> Mapping[str, JsonObject] | None:
    """The tools that a request offers, by name; None where they are not known, or come from elsewhere too."""
    tools = (exchange.request or {}).get("tools")
    if not exchange.knows("tools") or not isinstance(tools, list):
        return None
    if not all(isinstance(tool, dict) and isinstance(tool.get("name"), str) for tool in tools):
        return None  # a toolset has no name: what is in it only the server knows
    return {tool["name"]: tool for tool in tools}


def raised_text(outcome: object) -> str | None:
    """What a tool raised, None where it returned."""
    if isinstance(outcome, Mapping) and set(outcome) == {"raised"}:
        return str(outcome["raised"])
    return None


def input_fault(exchange: Exchange, call: Mapping[str, object]) -> str | None:
    """What is wrong with a call's input by the tool's own schema, as the end of a sentence; None where it fits."""
    if id_of(call) in unparsed_inputs(exchange):
        return "whose input is no JSON"
    given = call.get("input")
    if not isinstance(given, dict):
        return "whose input is no object"
    tool = (offered(exchange) or {}).get(str(call.get("name")))
    schema = tool.get("input_schema") if tool is not None else None
    return _misfit(given, schema) if isinstance(schema, dict) else None


def _misfit(given: Mapping[str, object], schema: Mapping[str, object]) -> str | None:
    required = schema.get("required")
    missing = (
        [key for key in required if isinstance(key, str) and key not in given] if isinstance(required, list) else []
    )
    if missing:
        return f"whose input lacks {', '.join(missing)}"
    properties = schema.get("properties")
    for name, value in given.items():
        wanted = properties.get(name) if isinstance(properties, dict) else None
        kinds = wanted.get("type") if isinstance(wanted, dict) else None
        if kinds is not None and not _is_one_of(value, [kinds] if isinstance(kinds, str) else kinds):
            return f"whose input has another kind of {name} than the schema asks for"
    return None


def _is_list(value: object) -> bool:
    return isinstance(value, list)


_TYPES: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        "string": lambda value: isinstance(value, str),
        "integer": lambda value: _is_number(value) and float(value).is_integer(),  # type: ignore[arg-type]
        "number": lambda value: _is_number(value),
        "boolean": lambda value: isinstance(value, bool),
        "array": _is_list,
        "object": lambda value: isinstance(value, dict),
        "null": lambda value: value is None,
    }
)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_one_of(value: object, kinds: object) -> bool:
    """Whether a value has one of these JSON types; a type that nobody knows takes anything."""
    if not isinstance(kinds, Sequence):
        return True
    checks = [_TYPES.get(kind) for kind in kinds if isinstance(kind, str)]
    return not checks or any(check is None or check(value) for check in checks)


def is_streamed(exchange: Exchange) -> bool:
    """Whether the answer came as a stream."""
    return exchange.events is not None or (exchange.request or {}).get("stream") is True


def unparsed_inputs(exchange: Exchange) -> Mapping[str, str]:
    """The inputs of a streamed reply that are no JSON, by the id of their call: what arrived of them."""
    found: dict[str, str] = {}
    for call, text in _inputs(exchange):
        if text:
            try:
                decode(text)
            except JsonError:
                found[call] = text
    return found


def without_input(exchange: Exchange) -> Sequence[str]:
    """The ids of the calls in a streamed reply for whose input nothing came but empty pieces."""
    if not is_streamed(exchange):
        return ()
    if exchange.events is not None:
        return [call for call, text in _inputs(exchange) if not text]
    return [id_of(call) for call in exchange.calls() if call.get("input") == {}]


def _inputs(exchange: Exchange) -> list[tuple[str, str]]:
    """The calls of a recorded stream with the text of their input, in order."""
    calls: dict[object, tuple[str, list[str]]] = {}
    for event in exchange.events or ():
        kind, index = event.get("type"), str(event.get("index"))
        if kind == "content_block_start":
            block = event.get("content_block")
            if isinstance(block, dict) and block.get("type") == "tool_use":
                calls[index] = id_of(block), []
        elif kind == "content_block_delta" and index in calls:
            delta = event.get("delta")
            piece = delta.get("partial_json") if isinstance(delta, dict) else None
            if isinstance(piece, str):
                calls[index][1].append(piece)
    return [(call, "".join(pieces)) for call, pieces in calls.values()]
