"""A request in its normal form: two that mean the same are equal there, however a client writes them.

Law: pure. What means the same: members in another order, null and absent, `1.0` and `1`, a text and one text block,
with and without `cache_control`, a default and its absence; and whatever volatile rules look past. A user's own data,
a tool's input or a schema, is taken as it is. More is told apart than in wire/equality.py: there the question is what
a reply's echo may lose, here whether the API would have got the same request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from playhead.cassettes.masking import Mask
from playhead.cassettes.volatile import Volatile, VolatileLike, alike, below, chosen, without
from playhead.wire.codec import Json, JsonObject, by_value
from playhead.wire.equality import is_blank_text

Steps = tuple[str | int, ...]
"""The way to a place in a value: names of members and positions of items."""

_DATA = frozenset({"input", "input_schema", "input_examples", "schema"})
_UNSAID = frozenset({"cache_control", "caller", "parsed_output"})
_DEFAULTS: Mapping[str, bool] = {"is_error": False, "stream": False}
_EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Rules:
    """The volatile rules in force; `mask` looks past secrets."""

    rules: tuple[Volatile, ...]
    mask: Mask = field(default_factory=Mask)

    @classmethod
    def of(cls, given: VolatileLike | Iterable[VolatileLike] = (), mask: Mask | None = None) -> Rules:
        """Those asked for, and the usual ones. Raises `SetupError`."""
        return cls(chosen(given), mask or Mask())

    def applied(self, value: Json, steps: Steps = ()) -> Json:
        """The value that stands there in a request, with what is volatile in it looked past."""
        places = tuple(rule.place for rule in self.rules if rule.place is not None)
        for step in steps:
            places = below(places, step)
        if () in places:
            return None
        told = self.mask.value(without(value, places))
        return alike(told, [rule.text for rule in self.rules if rule.text is not None])


def normal_message(message: object, position: int, rules: Rules) -> Json:
    """A message in its normal form: its content is a list of blocks."""
    if not isinstance(message, dict):
        return rules.applied(by_value(message), ("messages", position))  # type: ignore[arg-type]
    made = {name: _member(name, value) for name, value in message.items() if not _is_unsaid(name, value)}
    made["content"] = _content(message.get("content"))
    return rules.applied(made, ("messages", position))


def normal_reply(response: JsonObject, rules: Rules) -> JsonObject:
    """What a reply says, in its normal form: why it stopped and its content; of another answer, all of it."""
    if "content" not in response:
        said = _normal(response)
    else:
        said = {"stop_reason": response.get("stop_reason"), "content": _content(response["content"])}
    applied = rules.applied(said, ("$response",))
    return applied if isinstance(applied, dict) else {}


def normal_envelope(body: JsonObject, rules: Rules) -> JsonObject:
    """All of a request but its messages, in its normal form: what is empty is absent, the system prompt is blocks."""
    made: JsonObject = {}
    for name, value in body.items():
        if (name == "messages" and isinstance(value, list)) or _is_unsaid(name, value):
            continue
        member = _content(value) if name == "system" else _member(name, value)
        if member not in _EMPTY:
            made[name] = member
    applied = rules.applied(made)
    return applied if isinstance(applied, dict) else {}


def _is_unsaid(name: str, value: object) -> bool:
    if value is None or name in _UNSAID or value is _DEFAULTS.get(name):
        return True
    # of a text they are what the API has found; in a document they are a setting
    return name == "citations" and not isinstance(value, dict)


def _member(name: str, value: Json) -> Json:
    if type(value) is str:
        return value
    return by_value(value) if name in _DATA else _normal(value)


def _normal(value: Json) -> Json:
    if isinstance(value, dict):
        made = {name: _member(name, member) for name, member in value.items() if not _is_unsaid(name, member)}
        if "tool_use_id" in value and "content" in made:
            made["content"] = _content(value["content"])
            if not made["content"]:
                del made["content"]
        return made
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return by_value(value) if isinstance(value, float) else value


def _content(content: Json) -> Json:
    """Content as a list of blocks without blank text, which the API does not take."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if content is None:
        return []
    if not isinstance(content, list):
        return _normal(content)
    return [_normal(block) for block in content if not is_blank_text(block)]


def sent_path(steps: Sequence[str | int], body: object) -> str:
    """The JSON path, in a request as it was sent, of a place in its normal form."""
    path, value = "$", body
    for step in steps:
        if isinstance(value, str):
            break  # a text, which is a list of blocks in the normal form
        if isinstance(step, int) and isinstance(value, list):
            step = _as_sent(step, value)
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
        value = _below(value, step)
    return path


def _as_sent(position: int, items: Sequence[object]) -> int:
    told = [at for at, item in enumerate(items) if not is_blank_text(item)]
    return told[position] if position < len(told) else len(items) + position - len(told)


def _below(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
