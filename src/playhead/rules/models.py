"""What each model takes: a table, and how a model's many names are found in it.

Law: data. A model that the table does not hold is judged leniently: whatever it may take, it takes.

Sources: platform.claude.com/docs/en/about-claude/models, its pages on extended thinking, effort, prefill and tool
choice, and public measurements of 2026-06 to 2026-09.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

Sampling = Literal["free", "one", "default"]
ALL_EFFORTS = ("low", "medium", "high", "xhigh", "max")
FIRST_EFFORTS = ("low", "medium", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model. None means that it is not known, and then nothing is refused on that account.

    `thinking` are the accepted values of `thinking.type`; `thinks` says whether the model thinks without being asked.
    `sampling` is `free`, `one` (temperature or top_p, not both) or `default` (only default values are taken).
    `effort` are the accepted levels, empty where the parameter is refused. `preserved` models check that thinking
    blocks come back in the conversation they were made in.
    """

    name: str
    thinking: tuple[str, ...] | None = None
    thinks: Literal["off", "on", "always"] | None = None
    sampling: Sampling | None = None
    effort: tuple[str, ...] | None = None
    prefill: bool | None = None
    forced_tool_choice: bool | None = None
    system_messages: bool | None = None
    max_output: int | None = None
    context: int | None = None
    preserved: bool = False


def _family(names: str, **known: object) -> list[Model]:
    return [Model(name=name, **known) for name in names.split()]  # type: ignore[arg-type]


_K = 1000
_MANUAL = ("enabled", "disabled")
_OLD: Mapping[str, object] = MappingProxyType({"prefill": True, "system_messages": False, "context": 200 * _K})

_MODELS: tuple[Model, ...] = (
    *_family("claude-3-haiku claude-3-opus claude-3-sonnet", max_output=4096, **_OLD),
    *_family("claude-3-5-haiku claude-3-5-sonnet", max_output=8192, **_OLD),
    *_family("claude-3-7-sonnet", thinking=_MANUAL, thinks="off", max_output=128 * _K, **_OLD),
    *_family("claude-sonnet-4", thinking=_MANUAL, thinks="off", max_output=64 * _K, **_OLD),
    *_family(
        "claude-opus-4 claude-opus-4-1",
        thinking=("enabled", "disabled"),
        thinks="off",
        prefill=True,
        max_output=32 * _K,
    ),
    *_family(
        "claude-haiku-4-5 claude-sonnet-4-5",
        thinking=("enabled", "disabled"),
        thinks="off",
        sampling="one",
        effort=(),
        prefill=True,
        forced_tool_choice=True,
        system_messages=False,
        max_output=64 * _K,
        context=200 * _K,
    ),
    *_family(
        "claude-opus-4-5",
        thinking=("enabled", "disabled"),
        thinks="off",
        sampling="one",
        effort=FIRST_EFFORTS,
        prefill=True,
        forced_tool_choice=True,
        system_messages=False,
        max_output=64 * _K,
        context=200 * _K,
    ),
    *_family(
        "claude-opus-4-6 claude-sonnet-4-6",
        thinking=("adaptive", "enabled", "disabled"),
        thinks="off",
        sampling="one",
        effort=("low", "medium", "high", "max"),
        prefill=False,
        forced_tool_choice=True,
        system_messages=False,
        max_output=128 * _K,
    ),
    *_family(
        "claude-opus-4-7",
        thinking=("adaptive", "disabled"),
        thinks="off",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=True,
        system_messages=False,
        max_output=128 * _K,
    ),
    *_family(
        "claude-opus-4-8",
        thinking=("adaptive", "disabled"),
        thinks="off",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=True,
        system_messages=True,
        max_output=128 * _K,
    ),
    *_family(
        "claude-sonnet-5 claude-opus-5",
        thinking=("adaptive", "disabled"),
        thinks="on",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=True,
        system_messages=True,
        max_output=128 * _K,
    ),
    *_family(
        "claude-fable-5 claude-mythos-5",
        thinking=("adaptive",),
        thinks="always",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=True,
        system_messages=True,
        max_output=128 * _K,
    ),
    *_family(
        "claude-mythos-preview",
        thinking=("adaptive", "enabled"),
        thinks="always",
        sampling="default",
        prefill=False,
        forced_tool_choice=False,
    ),
    *_family(
        "claude-fable-5-1 claude-mythos-5-1 claude-fable-5-2 claude-mythos-5-2 claude-opus-5-5",
        thinking=("adaptive",),
        thinks="always",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=False,
        system_messages=True,
        max_output=128 * _K,
        preserved=True,
    ),
    *_family(
        "claude-sonnet-5-5",
        thinking=("adaptive", "between_tools"),
        thinks="on",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        forced_tool_choice=False,
        max_output=128 * _K,
        preserved=True,
    ),
    *_family(
        "claude-haiku-5-5",
        thinking=("adaptive", "disabled"),
        thinks="on",
        sampling="default",
        effort=ALL_EFFORTS,
        prefill=False,
        max_output=128 * _K,
        preserved=True,
    ),
)

MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in _MODELS})
"""The models by their short names."""

UNKNOWN = Model(name="unknown")

_SHORT = re.compile(
    r"(?:.*[./])?(?P<name>claude-[a-z0-9-]*?[a-z0-9])(?:-0)?(?:-v\d+)?(?:[-@]\d{8}|@default)?"
    r"(?:-latest)?(?:-v\d+)?(?::\d+[a-z]*)*\Z"
)


@lru_cache(maxsize=256)
def short_name(model: str) -> str:
    """A model's name without date, version and what cloud platforms put around it."""
    match = _SHORT.match(model)
    return match.group("name") if match else model


@dataclass(frozen=True, slots=True)
class Models:
    """The models that a checker knows: the table, and what the user added or changed.

    With `complete` these are all there are, so that another name is refused.
    """

    own: Mapping[str, Model] = field(default_factory=lambda: MappingProxyType({}))
    complete: bool = False

    def find(self, name: object) -> Model:
        """The model of this name, `UNKNOWN` where there is none."""
        if not isinstance(name, str):
            return UNKNOWN
        return self.own.get(name) or self.own.get(short_name(name)) or MODELS.get(short_name(name), UNKNOWN)


TABLE = Models()
"""The models of the table alone."""


def models_with(added: Iterable[Model] | Models) -> Models:
    """The table with the user's models added; one of the same name takes the table's place."""
    return added if isinstance(added, Models) else Models(MappingProxyType({model.name: model for model in added}))
