"""Rules on how much: the most tokens, temperature and the other sampling parameters, the size of the whole.

Law: pure checks. What is no number at all has another fault; what only some models or versions refuse is refused only
where model and version are known to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from playhead.rules.api_version import SAMPLING, drops_sampling
from playhead.rules.field_types import is_integer, is_number
from playhead.rules.json_words import shown
from playhead.rules.order import CAPABILITY, FIELD, TOO_LARGE
from playhead.rules.rule import Finding, RequestView, Rule

MOST_MESSAGES = 100_000
"""anthropic 2.14.0, `types/message_create_params.py`."""

MOST_BYTES = 32 * 2**20
"""Of a request's body (platform.claude.com/docs/en/api/errors, request size limits)."""

_LARGE = (MOST_MESSAGES, MOST_BYTES)

_LONG_OUTPUT = ("output-300k-", 300_000)
"""The beta with which batches may ask for more than a model's cap, and how much."""


def _too_many_messages(view: RequestView) -> Iterator[Finding]:
    count = len(view.messages)
    if count > MOST_MESSAGES:
        yield Finding(path="$.messages", what=f"there are {count} messages, more than {MOST_MESSAGES}")


def _too_large(view: RequestView) -> Iterator[Finding]:
    size = view.size
    if size is not None and size > MOST_BYTES:
        yield Finding(path="$", what=f"the body has {size} bytes, more than {MOST_BYTES}")


def _above_cap(view: RequestView) -> Iterator[Finding]:
    asked, cap = view.body.get("max_tokens"), view.model.max_output
    if cap is None or not is_integer(asked) or asked <= cap or view.counting:
        return
    beta, more = _LONG_OUTPUT
    if asked <= more and any(value.startswith(beta) for value in view.betas or ()):
        return
    yield Finding(
        path="$.max_tokens",
        what=f"`max_tokens` is {shown(asked)}, {view.body['model']} writes at most {cap}",
        values={"n": shown(asked), "cap": cap, "model": view.body["model"]},
    )


_NOT_WITH_ZERO: tuple[tuple[str, Callable[[RequestView], bool]], ...] = (
    ("stream", lambda view: view.body.get("stream") is True),
    ("thinking", lambda view: view.member("thinking").get("type") == "enabled"),
    ("output_config.format", lambda view: view.member("output_config").get("format") is not None),
    ("tool_choice", lambda view: view.member("tool_choice").get("type") in ("any", "tool")),
)
"""What asks for an answer, and so contradicts `max_tokens: 0`, which only warms the cache."""


def _zero_with(view: RequestView) -> Iterator[Finding]:
    asked = view.body.get("max_tokens")
    if not is_integer(asked) or asked != 0 or view.counting:
        return
    for number, (member, set_so) in enumerate(_NOT_WITH_ZERO):
        if set_so(view):
            yield Finding(
                path=f"$.{member}",
                what=f"`max_tokens` is 0, which only fills the cache, and `{member}` asks for an answer",
                values={"member": member},
                place=(number,),
            )


def _out_of_range(field: str) -> Callable[[RequestView], Iterator[Finding]]:
    def check(view: RequestView) -> Iterator[Finding]:
        value = view.body.get(field)
        if drops_sampling(view) or not is_number(value) or 0 <= value <= 1:
            return
        if field == "top_p" and value == -1 and view.model.sampling not in ("one", "default"):
            return  # some clients' word for "not set", which models before 4.5 are recorded to take
        yield Finding(path=f"$.{field}", what=f"`{field}` is {shown(value)}, it has to be from 0 to 1")

    return check


def _both(view: RequestView) -> Iterator[Finding]:
    if drops_sampling(view) or view.model.sampling != "one":
        return
    if is_number(view.body.get("temperature")) and is_number(view.body.get("top_p")):
        yield Finding(
            path="$.top_p",
            what=f"`temperature` and `top_p` are both set, {view.body['model']} takes one of them",
        )


_IS_DEFAULT: Mapping[str, Callable[[float], bool]] = MappingProxyType(
    {
        "temperature": lambda value: value == 1,
        "top_p": lambda value: 0.99 <= value <= 1,
        # -1 was measured to be taken; it and 0 choose among all
        "top_k": lambda value: value <= 0,
    }
)
"""What is taken of each parameter where only defaults are."""


def _not_default(view: RequestView) -> Iterator[Finding]:
    if drops_sampling(view) or view.model.sampling != "default":
        return
    for number, field in enumerate(SAMPLING):
        value = view.body.get(field)
        if not is_number(value) or _IS_DEFAULT[field](value):
            continue
        if field == "top_k" and not is_integer(value):
            continue
        yield Finding(
            path=f"$.{field}",
            what=f"`{field}` is {shown(value)}, {view.body['model']} takes the default only",
            values={"field": field},
            place=(number,),
        )


RULES = (
    Rule(
        id="req-messages-max-count",
        level="reject",
        fix="send fewer messages: summarise or drop the oldest turns",
        rank=FIELD["messages"],
        extent=_too_many_messages,
        large=_LARGE,
    ),
    Rule(
        id="req-too-large",
        level="reject",
        wording=("Request exceeds the maximum size",),
        fix="send less: upload large files once and refer to them by `file_id`, or drop old turns",
        rank=TOO_LARGE,
        status=413,
        error_type="request_too_large",
        extent=_too_large,
        large=_LARGE,
    ),
    Rule(
        id="max-tokens-model-cap",
        level="reject",
        wording=("max_tokens: {n} > {cap}, which is the maximum allowed number of output tokens for {model}",),
        fix="ask for at most {cap} tokens",
        rank=FIELD["max_tokens"],
        envelope=_above_cap,
    ),
    Rule(
        id="max-tokens-zero-combinations",
        level="reject",
        fix="ask for at least one token, or leave `{member}` out while the cache is warmed",
        rank=FIELD["max_tokens"],
        envelope=_zero_with,
    ),
    Rule(
        id="temperature-range",
        level="reject",
        wording=("temperature: range: 0..1",),
        fix="send `temperature` from 0 to 1; other APIs go to 2, this one does not",
        rank=FIELD["temperature"],
        envelope=_out_of_range("temperature"),
    ),
    Rule(
        id="top-p-range",
        level="reject",
        wording=("top_p: range: 0..1",),
        fix="send `top_p` from 0 to 1",
        rank=FIELD["top_p"],
        envelope=_out_of_range("top_p"),
    ),
    Rule(
        id="temperature-and-top-p",
        level="reject",
        wording=("`temperature` and `top_p` cannot both be specified for this model. Please use only one.",),
        fix="send `temperature` or `top_p`, not both",
        rank=CAPABILITY,
        envelope=_both,
    ),
    Rule(
        id="sampling-removed-on-model",
        level="reject",
        wording=("`{field}` is deprecated for this model.",),
        fix="leave `{field}` out; this model is steered by the prompt and by `output_config.effort`",
        rank=CAPABILITY,
        envelope=_not_default,
    ),
)
