"""Rules on how a request asks for thinking: `thinking` itself, and what may stand beside it.

Law: pure checks on the envelope of a request; what a model takes is read from the table of models. Where that is not
known, only manual thinking (`enabled`) is judged, whose terms were the same on every model that had it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.rules.json_words import shown
from playhead.rules.models import UNKNOWN
from playhead.rules.order import CAPABILITY, FIELD
from playhead.rules.rule import Finding, RequestCheck, RequestView, Rule

TYPES = ("enabled", "disabled", "adaptive", "between_tools")
"""The values of `thinking.type` (anthropic 2.14.0, `types/thinking_config_param.py`)."""

LEAST_BUDGET = 1024
INTERLEAVED = "interleaved-thinking-2025-05-14"
BINDING_CONTROLS = "thinking-binding-controls-2026-08-01"
FORCING = ("any", "tool")

_THINKING = FIELD["thinking"]
_TOGETHER = CAPABILITY - 10
"""Before the model's own limits: measured on claude-opus-4-8 for temperature with adaptive thinking."""

_DOCS = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"


def asked_type(view: RequestView) -> str | None:
    """The type of thinking that is asked for; None where nothing is, or nothing that exists."""
    value = view.member("thinking").get("type")
    return value if isinstance(value, str) and value in TYPES else None


def asks_for(view: RequestView, *types: str) -> str | None:
    """The type of thinking, if it is one of these and the model takes it. Of an unknown model it is manual thinking."""
    asked = asked_type(view)
    taken = view.model.thinking
    return asked if asked in types and (asked == "enabled" if taken is None else asked in taken) else None


def interleaves(view: RequestView) -> bool:
    """Whether thinking between calls is asked for by beta header, or in the body as the clouds have it."""
    named = view.body.get("anthropic_beta")
    in_body = INTERLEAVED in named if isinstance(named, list) else False
    return in_body or INTERLEAVED in (view.betas or ())


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _shape(view: RequestView) -> Iterator[Finding]:
    thinking = view.body.get("thinking")
    if not isinstance(thinking, dict):
        return  # absent, or of a type that the rule on field types reports
    if "type" not in thinking:
        yield Finding(path="$.thinking", what="`thinking` has no `type`")
    elif thinking["type"] != "enabled":
        return
    elif "budget_tokens" not in thinking:
        yield Finding(path="$.thinking", what="manual thinking has no `budget_tokens`", wording=1)
    else:
        budget = thinking["budget_tokens"]
        whole = isinstance(budget, float) and budget.is_integer()  # 2048.0 was not tried
        if _integer(budget) is None and not whole:
            yield Finding(
                path="$.thinking.budget_tokens",
                what=f"the thinking budget is {shown(budget)} where an integer is expected",
                wording=2,
            )


def _type(view: RequestView) -> Iterator[Finding]:
    thinking = view.member("thinking")
    if "type" not in thinking or asked_type(view) or view.model is UNKNOWN:
        return  # a model that is not known may bring a type that is not known
    given = thinking["type"]
    yield Finding(
        path="$.thinking.type",
        what=f"`thinking.type` is {shown(given)}; it is one of {', '.join(TYPES)}",
        values={"type": given if isinstance(given, str) else shown(given)},
    )


def _budget_too_small(view: RequestView) -> Iterator[Finding]:
    budget = _integer(view.member("thinking").get("budget_tokens"))
    if budget is not None and budget < LEAST_BUDGET and asks_for(view, "enabled"):
        yield Finding(
            path="$.thinking.budget_tokens",
            what=f"the thinking budget is {shown(budget)} tokens; the least is {LEAST_BUDGET}",
        )


def _budget_too_large(view: RequestView) -> Iterator[Finding]:
    """The budget is part of `max_tokens`, but for interleaved thinking, where it is that of the whole turn."""
    budget = _integer(view.member("thinking").get("budget_tokens"))
    limit = _integer(view.body.get("max_tokens"))
    if budget is None or limit is None or budget < limit or view.counting:
        return
    if asks_for(view, "enabled") and not interleaves(view):
        yield Finding(
            path="$.thinking.budget_tokens",
            what=f"a thinking budget of {shown(budget)} leaves nothing of `max_tokens`, which is {shown(limit)}",
            values={"budget": shown(budget)},
        )


_DISABLED_TEXTS: Mapping[str, int] = MappingProxyType({"claude-opus-5-5": 0, "claude-sonnet-5-5": 1})
_DISABLED_TEXT = 2
"""Which wording a model answers to `disabled`: two have one of their own, the others that of the errors page."""


def _not_taken(kind: str, wordings: Mapping[str, int] = MappingProxyType({}), other: int = 0) -> RequestCheck:
    """The check that finds this type of thinking asked of a model that is known not to take it."""

    def check(view: RequestView) -> Iterator[Finding]:
        model = view.model
        if asked_type(view) != kind or model.thinking is None or kind in model.thinking:
            return
        taken = " or ".join(f'"{name}"' for name in model.thinking)
        yield Finding(
            path="$.thinking.type",
            what=f'{model.name} does not take thinking of type "{kind}", only {taken}',
            values={"model": model.name, "taken": taken},
            wording=wordings.get(model.name, other),
        )

    return check


def _sampling(view: RequestView) -> Iterator[Finding]:
    """Sampling parameters while thinking is on: temperature 1 only, no top_k, top_p from 0.95."""
    if not asks_for(view, "enabled", "adaptive"):
        return
    temperature = _number(view.body.get("temperature"))
    if temperature is not None and 0 <= temperature <= 1 and temperature != 1:
        yield Finding(
            path="$.temperature",
            what=f"temperature is {temperature} while thinking is on; it may only be 1",
            values={"field": "temperature"},
        )
    if view.model.sampling == "default":
        return  # these models take neither of the others, thinking or not
    if _number(view.body.get("top_k")) is not None:
        yield Finding(
            path="$.top_k", what="top_k is sent while thinking is on", values={"field": "top_k"}, wording=1, place=(1,)
        )
    top_p = _number(view.body.get("top_p"))
    if top_p is not None and 0 <= top_p < 0.95:
        yield Finding(
            path="$.top_p",
            what=f"top_p is {top_p} while thinking is on; it may be 0.95 to 1",
            values={"field": "top_p"},
            wording=2,
            place=(2,),
        )


def _forced(view: RequestView) -> Iterator[Finding]:
    forcing = view.member("tool_choice").get("type")
    if forcing in FORCING and asks_for(view, "enabled"):
        yield Finding(
            path="$.tool_choice",
            what=f'tool_choice "{forcing}" forces a call while manual thinking is on',
        )


def _binding_without_beta(view: RequestView) -> Iterator[Finding]:
    thinking = view.member("thinking")
    if "block_binding" not in thinking or view.betas is None or BINDING_CONTROLS in view.betas:
        return
    if (asked := asked_type(view)) is not None:
        yield Finding(
            path="$.thinking.block_binding",
            what=f"`thinking.block_binding` is sent without {BINDING_CONTROLS} in the `anthropic-beta` header",
            values={"type": asked},
        )


def _display_when_disabled(view: RequestView) -> Iterator[Finding]:
    thinking = view.member("thinking")
    if asked_type(view) == "disabled" and "display" in thinking:
        display = shown(thinking["display"])
        yield Finding(path="$.thinking.display", what=f"`display` is {display} although thinking is disabled")


RULES = (
    Rule(
        id="thinking-shape",
        level="reject",
        wording=(
            "thinking.type: Field required",
            "thinking.enabled.budget_tokens: Field required",
            "thinking.enabled.budget_tokens: Input should be a valid integer",
        ),
        fix='send {{"type": "adaptive"}}, or {{"type": "enabled", "budget_tokens": 1024}} to models before 4.6',
        rank=_THINKING,
        envelope=_shape,
    ),
    Rule(
        id="thinking-type-enum",
        level="reject",
        wording=(
            "thinking: Input tag '{type}' found using 'type' does not match any of the expected tags: "
            "'enabled', 'disabled', 'adaptive', 'between_tools'",
        ),
        fix='use "adaptive", or leave `thinking` out',
        rank=_THINKING,
        envelope=_type,
    ),
    Rule(
        id="thinking-budget-min",
        level="reject",
        wording=("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",),
        fix="give `budget_tokens` 1024 or more, or leave `thinking` out",
        rank=_THINKING,
        envelope=_budget_too_small,
    ),
    Rule(
        id="thinking-display-with-disabled",
        level="reject",
        wording=("thinking.disabled.display: Extra inputs are not permitted",),
        fix="leave `display` out: without thinking there is nothing to show",
        rank=_THINKING,
        envelope=_display_when_disabled,
    ),
    Rule(
        id="block-binding-needs-beta",
        level="reject",
        wording=("thinking.{type}.block_binding: Extra inputs are not permitted",),
        fix=f"send `anthropic-beta: {BINDING_CONTROLS}`, or leave `block_binding` out",
        rank=_THINKING,
        envelope=_binding_without_beta,
    ),
    Rule(
        id="thinking-budget-lt-max-tokens",
        level="reject",
        wording=("`max_tokens` must be greater than `thinking.budget_tokens`",),
        fix="raise `max_tokens` above {budget}, or lower `budget_tokens`",
        rank=_TOGETHER,
        envelope=_budget_too_large,
    ),
    Rule(
        id="thinking-temperature",
        level="reject",
        wording=(
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our "
            f"documentation at {_DOCS}#important-considerations-when-using-extended-thinking",
            "`top_k` is not allowed when thinking is enabled.",
            "",  # not known for top_p
        ),
        fix="leave `{field}` out while thinking is on",
        rank=_TOGETHER,
        envelope=_sampling,
    ),
    Rule(
        id="thinking-forced-tool-choice",
        level="reject",
        wording=("Thinking may not be enabled when tool_choice forces tool use.",),
        fix='use tool_choice "auto", or adaptive thinking where the model has it',
        rank=_TOGETHER,
        envelope=_forced,
    ),
    Rule(
        id="thinking-type-enabled-unsupported",
        level="reject",
        wording=(
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
        ),
        fix='send {{"type": "adaptive"}} and say how much with `output_config.effort`',
        rank=CAPABILITY,
        envelope=_not_taken("enabled"),
    ),
    Rule(
        id="thinking-type-adaptive-unsupported",
        level="reject",
        wording=("adaptive thinking is not supported on this model",),
        fix='send {{"type": "enabled", "budget_tokens": ...}} to {model}',
        rank=CAPABILITY,
        envelope=_not_taken("adaptive"),
    ),
    Rule(
        id="thinking-type-disabled-unsupported",
        level="reject",
        wording=(
            '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" for the '
            'lowest thinking setting, or "thinking.type.adaptive" and "output_config.effort" to control thinking '
            "behavior.",
            '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode when not '
            'specified; use "thinking.type.enabled" with "budget_tokens" for extended thinking.',
        ),
        fix="leave `thinking` out: {model} always thinks; `output_config.effort` says how much",
        rank=CAPABILITY,
        envelope=_not_taken("disabled", _DISABLED_TEXTS, _DISABLED_TEXT),
    ),
    Rule(
        id="thinking-between-tools-unsupported",
        level="reject",
        wording=('"thinking.type.between_tools" is not supported for this model.',),
        fix="use a type that {model} takes: {taken}",
        rank=CAPABILITY,
        envelope=_not_taken("between_tools"),
    ),
)
