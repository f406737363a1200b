"""Hypothesis strategies for what a tool may be given: inputs that fit its `input_schema`, and inputs that do not.

Law: imports hypothesis; knows JSON Schema (draft 2020-12, the part that tools use) and nothing of scripts. Whatever is
drawn was put before jsonschema last, so that a keyword that is not understood here costs time and no truth.
"""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from playhead.errors import SetupError
from playhead.rules.json_schemas import schema_fault
from playhead.testing.schema_merging import Impossible
from playhead.testing.schema_nodes import Document, judged, strategy_of
from playhead.testing.schema_wrongs import wrong_inputs
from playhead.wire.codec import Json, JsonError, JsonObject, decode, encode, kind

Inputs = st.SearchStrategy[dict[str, Json]]

_DEPTHS = (5, 10, 20)


def inputs(schema: JsonObject) -> Inputs:
    """Inputs that fit a tool's `input_schema`; the smallest has the required members only, "" and 0 and [].

    Where properties are declared there are no others: a function that implements the tool takes the declared ones.

    Raises `SetupError` for what is no JSON Schema of an object, and where nothing fits it.
    """
    return _inputs(_text(schema, "inputs()"), telling=False)


def telling_inputs(schema: JsonObject) -> Inputs:
    """Inputs that fit a tool's `input_schema`, made of values that loops are known to spoil.

    Integers beyond 2**53, `3.0` and `-0.0`, padded and empty text, text that looks like JSON, `{}`, nested nulls:
    wherever the schema allows them. Raises `SetupError` as `inputs` does.
    """
    return _inputs(_text(schema, "telling_inputs()"), telling=True)


def invalid_inputs(schema: JsonObject) -> Inputs:
    """Objects that do not fit a tool's `input_schema`: a required member is missing, a value has the wrong type or is
    out of range, a member is not declared.

    Raises `SetupError` for what is no JSON Schema of an object, and where every object fits it.
    """
    return _invalid_inputs(_text(schema, "invalid_inputs()"))


def _text(schema: object, where: str) -> bytes:
    """The schema as text, by which its strategy is kept."""
    if not isinstance(schema, dict):
        raise SetupError(f"{where} takes a tool's input_schema as a dict, not {kind(schema)}")
    if "input_schema" in schema and "name" in schema:
        raise SetupError(f"{where} takes a tool's input_schema, not the whole tool: give tool['input_schema']")
    try:
        return encode(schema)
    except (TypeError, ValueError, JsonError) as error:
        raise SetupError(f"{where} takes a schema that can be written as JSON: {error}") from None


def _document(text: bytes) -> Document:
    schema = decode(text)
    if (fault := schema_fault(schema)) is not None:
        raise SetupError(f"this is no JSON Schema: ${fault.path}: {fault.said}")
    # an empty registry fetches nothing
    return Document(schema, Draft202012Validator(schema, registry=Registry()))


@lru_cache(maxsize=512)
def _inputs(text: bytes, *, telling: bool) -> Inputs:
    document = _document(text)
    for depth in _DEPTHS:
        try:
            found = strategy_of({"allOf": [document.schema, {"type": "object"}]}, document.drawn(telling, depth))
            break
        except Impossible as impossible:
            why = impossible
    else:
        raise SetupError(f"nothing fits this schema: ${why.place}: {why.reason}")
    return judged(found, document.validator)


@lru_cache(maxsize=512)
def _invalid_inputs(text: bytes) -> Inputs:
    document = _document(text)
    try:
        base: Inputs | None = _inputs(text, telling=False)
    except SetupError:
        base = None
    return wrong_inputs(document, base)
