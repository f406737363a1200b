"""Rules on the kind and the choice of values of the top-level fields.

Law: pure checks on the envelope, driven by tables. A value of the wrong kind is the fault of one rule; those on its
range or its members are silent about it.

The texts, and which fields take null as absence, were measured on claude-sonnet-5 in 2026-08
(kangminlee-maker/local-OAuth-CLI-API-adapter, docs/conformance-matrix.md): numbers and booleans are read strictly, so
that "256", 256.0 and true are no integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeGuard

from playhead.rules.api_version import SAMPLING, drops_sampling
from playhead.rules.json_words import shown
from playhead.rules.models import UNKNOWN
from playhead.rules.order import FIELD
from playhead.rules.rule import Finding, RequestView, Rule


def is_integer(value: object) -> TypeGuard[int]:
    """Whether this is an integer as the API reads one; JSON's booleans and 1.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number as the API reads one; JSON's booleans are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of JSON value: how it is recognised, what it is called, and which of the API's texts demands it."""

    takes: Callable[[object], bool]
    called: str
    wording: int


_FIELD_TYPE_WORDINGS = (
    "{field}: Input should be a valid string",
    "{field}: Input should be a valid array",
    "{field}: Input should be an object",
    "{field}: Input does not match the expected shape.",
    "{field}: Input should be a valid integer",
    "{field}: Input should be a valid number",
    "{field}: Input should be a valid boolean",
    "container.ContainerParams: Input does not match the expected shape.",
)

_STRING = _Kind(lambda value: isinstance(value, str), "a string", 0)
_ARRAY = _Kind(lambda value: isinstance(value, list), "an array", 1)
# the text asks for an array although a string is taken too
_TEXT_OR_ARRAY = _Kind(lambda value: isinstance(value, (str, list)), "a string or an array", 1)
_OBJECT = _Kind(lambda value: isinstance(value, dict), "an object", 2)
_SHAPE = _Kind(lambda value: isinstance(value, dict), "an object", 3)
_INTEGER = _Kind(is_integer, "an integer", 4)
_NUMBER = _Kind(is_number, "a number", 5)
_BOOLEAN = _Kind(lambda value: isinstance(value, bool), "true or false", 6)
_CONTAINER = _Kind(lambda value: isinstance(value, (str, dict)), "a container's id or an object", 7)

_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "model": _STRING,
        "tool_choice": _OBJECT,
        "tools": _ARRAY,
        "messages": _ARRAY,
        "system": _TEXT_OR_ARRAY,
        "thinking": _OBJECT,
        "output_config": _SHAPE,
        "cache_control": _OBJECT,
        "max_tokens": _INTEGER,
        "metadata": _SHAPE,
        "stop_sequences": _ARRAY,
        "temperature": _NUMBER,
        "top_k": _INTEGER,
        "top_p": _NUMBER,
        "stream": _BOOLEAN,
        "container": _CONTAINER,
        "inference_geo": _STRING,
    }
)
"""The kind of each field. `service_tier` is not here: whatever its kind, the answer is the list of its values."""

_NULL_IS_ABSENT = frozenset(("metadata", "inference_geo", "stop_sequences", "cache_control", "container"))


def _wrong_kind(view: RequestView) -> Iterator[Finding]:
    for field, kind in _KINDS.items():
        if field not in view.body:
            continue
        value = view.body[field]
        if kind.takes(value) or (value is None and field in _NULL_IS_ABSENT):
            continue
        if field in SAMPLING and drops_sampling(view):
            continue  # there the field itself is the fault, whatever its value
        yield Finding(
            path=f"$.{field}",
            what=f"`{field}` is {shown(value)}, it has to be {kind.called}",
            values={"field": field, "kind": kind.called},
            wording=kind.wording,
            rank=FIELD[field],
        )


def _empty_model(view: RequestView) -> Iterator[Finding]:
    if view.body.get("model") == "":
        yield Finding(path="$.model", what="`model` is an empty string, it has to name a model")


def _unknown_model(view: RequestView) -> Iterator[Finding]:
    """A name that the table of models does not hold; it may be newer than the table, hence a warning by default."""
    model = view.body.get("model")
    if isinstance(model, str) and model and view.model is UNKNOWN and not model.startswith("arn:"):
        yield Finding(
            path="$.model",
            what=f"{shown(model)} is no model that is known here",
            values={"model": model},
            level="reject" if view.models.complete else None,
        )


def _max_tokens_integer(view: RequestView) -> Iterator[Finding]:
    if "max_tokens" not in view.body:
        return
    value = view.body["max_tokens"]
    if not is_integer(value):
        yield Finding(path="$.max_tokens", what=f"`max_tokens` is {shown(value)}, it has to be an integer")
    elif value < 0:
        yield Finding(path="$.max_tokens", what=f"`max_tokens` is {shown(value)}, less than 0", wording=1)


_SERVICE_TIERS = ("auto", "standard_only")
_INFERENCE_GEOS = ("global", "us")


def _service_tier(view: RequestView) -> Iterator[Finding]:
    if "service_tier" in view.body and view.body["service_tier"] not in _SERVICE_TIERS:
        value = shown(view.body["service_tier"])
        yield Finding(path="$.service_tier", what=f"`service_tier` is {value}, it has to be 'auto' or 'standard_only'")


def _inference_geo(view: RequestView) -> Iterator[Finding]:
    value = view.body.get("inference_geo")
    if isinstance(value, str) and value not in _INFERENCE_GEOS:
        yield Finding(path="$.inference_geo", what=f"`inference_geo` is {shown(value)}, it has to be 'global' or 'us'")


def _stop_sequences(view: RequestView) -> Iterator[Finding]:
    sequences = view.body.get("stop_sequences")
    for index, sequence in enumerate(sequences if isinstance(sequences, list) else ()):
        if not isinstance(sequence, str):
            what, wording = f"stop sequence {index} is {shown(sequence)}, it has to be a string", 1
        elif not sequence.strip():
            what, wording = f"stop sequence {index} is {shown(sequence)}, it has nothing but whitespace", 0
        else:
            continue
        path = f"$.stop_sequences[{index}]"
        yield Finding(path=path, what=what, values={"i": index}, place=(index,), wording=wording)


def _metadata(view: RequestView) -> Iterator[Finding]:
    for key, value in view.member("metadata").items():
        if key != "user_id":
            what = f"`metadata` has `{key}`, it takes `user_id` only"
            yield Finding(path=f"$.metadata.{key}", what=what, values={"key": key}, place=(1,))
        elif not (value is None or isinstance(value, str)):
            what = f"`metadata.user_id` is {shown(value)}, it has to be a string"
            yield Finding(path="$.metadata.user_id", what=what, values={"key": key}, place=(0,), wording=1)


def _system(view: RequestView) -> Iterator[Finding]:
    system = view.body.get("system")
    if "system" not in view.body or isinstance(system, str):
        return
    if not isinstance(system, list):
        what = f"`system` is {shown(system)}, it has to be a string or an array of text blocks"
        yield Finding(path="$.system", what=what, values={"i": 0})
        return
    for index, block in enumerate(system):
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            continue
        what = f"`system` holds {_as_block(block)}, it takes text blocks only"
        yield Finding(path=f"$.system[{index}]", what=what, values={"i": index}, place=(index,), wording=1)


def _as_block(block: object) -> str:
    if not isinstance(block, dict):
        return shown(block)
    kind = block.get("type")
    return "a text block without text" if kind == "text" else f"a block of type {shown(kind)}"


RULES = (
    Rule(
        id="req-field-types",
        level="reject",
        wording=_FIELD_TYPE_WORDINGS,
        fix="send `{field}` as {kind}, or leave it out where it is optional",
        envelope=_wrong_kind,
    ),
    Rule(
        id="model-nonempty",
        level="reject",
        wording=("model: String should have at least 1 character",),
        fix="name a model, `claude-opus-5-5` say",
        rank=FIELD["model"],
        envelope=_empty_model,
    ),
    Rule(
        id="req-model-unknown",
        level="warn",
        wording=("model: {model}",),
        fix="check the name against the list of models; add it to the known models if it is newer than they are",
        rank=FIELD["model"],
        status=404,
        error_type="not_found_error",
        envelope=_unknown_model,
    ),
    Rule(
        id="max-tokens-integer",
        level="reject",
        wording=(
            "max_tokens: Input should be a valid integer",
            "max_tokens: must be greater than or equal to 0",
        ),
        fix="send `max_tokens` as a whole number, not negative and not in quotes",
        rank=FIELD["max_tokens"],
        envelope=_max_tokens_integer,
    ),
    Rule(
        id="service-tier-enum",
        level="reject",
        wording=("service_tier: Input should be 'auto' or 'standard_only'",),
        fix='send "auto" or "standard_only", or leave `service_tier` out',
        rank=FIELD["service_tier"],
        envelope=_service_tier,
    ),
    Rule(
        id="inference-geo-enum",
        level="reject",
        wording=("inference_geo: must be one of ['global', 'us']",),
        fix='send "global" or "us", or leave `inference_geo` out for the workspace\'s default',
        rank=FIELD["inference_geo"],
        envelope=_inference_geo,
    ),
    Rule(
        id="stop-sequences-nonwhitespace",
        level="reject",
        wording=(
            "stop_sequences: each stop sequence must contain non-whitespace",
            "stop_sequences.{i}: Input should be a valid string",
        ),
        fix="drop stop sequence {i}, or put a visible character into it",
        rank=FIELD["stop_sequences"],
        envelope=_stop_sequences,
    ),
    Rule(
        id="metadata-shape",
        level="reject",
        wording=(
            "metadata.{key}: Extra inputs are not permitted",
            "metadata.user_id: Input should be a valid string",
        ),
        fix="send `metadata` with a string `user_id` and nothing else",
        rank=FIELD["metadata"],
        envelope=_metadata,
    ),
    Rule(
        id="system-shape",
        level="reject",
        wording=(
            "system: Input should be a valid array",
            "system.{i}: Input does not match the expected shape.",
        ),
        fix='send `system` as a string, or as an array of {{"type": "text", "text": ...}}',
        rank=FIELD["system"],
        envelope=_system,
    ),
)
