"""Rules on `output_config.effort`: how much work the model puts into an answer.

Law: pure checks on the envelope of a request; the levels that a model takes are read from the table of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.rules.json_words import shown
from playhead.rules.models import ALL_EFFORTS, FIRST_EFFORTS
from playhead.rules.order import CAPABILITY, FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.thinking_config import asks_for

_PATH = "$.output_config.effort"

_WITHOUT_THINKING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"claude-opus-5": FIRST_EFFORTS, "claude-haiku-5-5": FIRST_EFFORTS}
)
"""The levels that these models take with thinking disabled; others that take `disabled` have no such limit."""


def _level(view: RequestView) -> str | None:
    """The level asked for, None where none is or it is none of the API's."""
    level = view.member("output_config").get("effort")
    return level if isinstance(level, str) and level in ALL_EFFORTS else None


def _unknown_level(view: RequestView) -> Iterator[Finding]:
    level = view.member("output_config").get("effort")
    if level is not None and _level(view) is None:  # the SDK's type has null for absent
        yield Finding(path=_PATH, what=f"effort is {shown(level)}; it is one of {', '.join(ALL_EFFORTS)}")


def _level_not_taken(view: RequestView) -> Iterator[Finding]:
    level, taken = _level(view), view.model.effort
    if level and taken and level not in taken:
        yield Finding(
            path=_PATH,
            what=f"{view.model.name} does not take effort {level}, only {', '.join(taken)}",
            values={"level": level, "levels": ", ".join(sorted(taken))},
        )


def _not_taken_at_all(view: RequestView) -> Iterator[Finding]:
    if _level(view) and view.model.effort == ():
        yield Finding(path=_PATH, what=f"{view.model.name} has no effort parameter", values={"model": view.model.name})


def _high_without_thinking(view: RequestView) -> Iterator[Finding]:
    level, taken = _level(view), _WITHOUT_THINKING.get(view.model.name)
    if level and taken and level not in taken and asks_for(view, "disabled"):
        yield Finding(
            path=_PATH,
            what=f"effort is {level} with thinking disabled; {view.model.name} then takes {', '.join(taken)}",
        )


def _high_between_tools(view: RequestView) -> Iterator[Finding]:
    level = _level(view)
    if level and level not in FIRST_EFFORTS and asks_for(view, "between_tools"):
        yield Finding(
            path=_PATH,
            what=f'effort is {level} with thinking "between_tools", which takes {", ".join(FIRST_EFFORTS)}',
        )


RULES = (
    Rule(
        id="effort-enum",
        level="reject",
        wording=("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",),
        fix="use one of the five levels, or leave `effort` out",
        rank=FIELD["output_config"],
        envelope=_unknown_level,
    ),
    Rule(
        id="effort-param-unsupported",
        level="reject",
        wording=("This model does not support the effort parameter.",),
        fix="leave `output_config.effort` out for {model}",
        rank=CAPABILITY,
        envelope=_not_taken_at_all,
    ),
    Rule(
        id="effort-level-unsupported",
        level="reject",
        wording=("This model does not support effort level '{level}'. Supported levels: {levels}.",),
        fix="use one of {levels}",
        rank=CAPABILITY,
        envelope=_level_not_taken,
    ),
    Rule(
        id="thinking-disabled-high-effort",
        level="reject",
        fix="lower the effort to high or less, or let the model think",
        rank=CAPABILITY,
        envelope=_high_without_thinking,
    ),
    Rule(
        id="thinking-between-tools-effort",
        level="reject",
        fix="lower the effort to high or less, or use adaptive thinking",
        rank=CAPABILITY,
        envelope=_high_between_tools,
    ),
)
