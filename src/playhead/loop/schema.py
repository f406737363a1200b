"""From a typed Python function to the tool schema that is sent, and from an input back to its arguments.

What can be wrong with a function as a tool is found here, when it is registered, and named: function and
parameter.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from playhead.loop.docstrings import read_docstring
from playhead.loop.errors import InvalidInput, ToolDefinitionError
from playhead.loop.shapes import SUPPORTED, Misfit, Schema, Shape, Unsupported, object_schema, shape_of

# The API's limits.  Source: docs, agents-and-tools/tool-use/define-tools; property keys from its error text.
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

_STARS: Mapping[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A function as a tool: its schema as sent, and how each argument is read from JSON."""

    schema: Schema
    shapes: Mapping[str, Shape]

    def arguments(self, given: Mapping[str, object]) -> dict[str, object]:
        """The keyword arguments for an input that fits: enum members, dataclasses and tuples are built.

        Raises InvalidInput when a value cannot be read although the schema lets it pass.
        """
        arguments: dict[str, object] = {}
        for name, value in given.items():
            try:
                arguments[name] = self.shapes[name].read(value)
            except Misfit as error:
                raise InvalidInput(str(self.schema["name"]), [f"$.{name}: {error}"]) from error
        return arguments


def signature_of(
    function: Callable[..., object], *, name: str | None = None, description: str | None = None
) -> Signature:
    """Describe a function as a tool.

    The schema comes from the annotations, defaults (a parameter with one is not required), `Annotated`
    descriptions and the docstring (its text before "Args:" describes the tool).  Raises ToolDefinitionError.
    """
    label = str(name or getattr(function, "__name__", type(function).__name__))
    if not TOOL_NAME.fullmatch(label):
        raise ToolDefinitionError(
            f"{label!r} is not a tool name: use 1 to 128 of a-z, A-Z, 0-9, _ and -. Give one: name='...'"
        )
    text, notes = read_docstring(function.__doc__ if inspect.isroutine(function) else None)
    properties: dict[str, Schema] = {}
    shapes: dict[str, Shape] = {}
    required: list[str] = []
    for parameter in _parameters(function, label):
        shape = _shape(parameter, label)
        shapes[parameter.name] = shape
        note = {"description": notes[parameter.name]} if parameter.name in notes else {}
        properties[parameter.name] = {**note, **shape.schema, **_default(parameter)}
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    described = text if description is None else description
    schema: Schema = {"name": label, **({"description": described} if described else {})}
    return Signature(schema={**schema, "input_schema": object_schema(properties, required)}, shapes=shapes)


def _parameters(function: Callable[..., object], label: str) -> list[inspect.Parameter]:
    """The parameters with their annotations resolved; each one must be callable by its name."""
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except NameError as error:
        raise ToolDefinitionError(
            f"tool {label!r}: {error}: an annotation of the function names something its module does not "
            "have at run time. Import it there, outside TYPE_CHECKING."
        ) from error
    except (TypeError, ValueError) as error:
        raise ToolDefinitionError(
            f"{function!r} cannot become a tool: {error}. Give a typed function.",
        ) from error
    for parameter in parameters:
        place = f"tool {label!r}, parameter {_STARS.get(parameter.kind, '')}{parameter.name}"
        if parameter.kind in _STARS:
            raise ToolDefinitionError(
                f"{place}: Claude sends named arguments; name each parameter of its own",
            )
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise ToolDefinitionError(
                f"{place}: it is positional-only, Claude sends named arguments; remove the '/'",
            )
        if not PROPERTY_KEY.fullmatch(parameter.name):
            raise ToolDefinitionError(
                f"{place}: the API allows 1 to 64 of a-z, A-Z, 0-9, _ . and - in its name",
            )
    return parameters


def _shape(parameter: inspect.Parameter, label: str) -> Shape:
    place = f"tool {label!r}, parameter {parameter.name}"
    if parameter.annotation is inspect.Parameter.empty:
        raise ToolDefinitionError(
            f"{place}: it has no annotation, so it has no schema. Annotate it with {SUPPORTED}",
        )
    try:
        return shape_of(parameter.annotation)
    except (Unsupported, NameError) as error:
        raise ToolDefinitionError(f"{place}: {error}") from error


def _default(parameter: inspect.Parameter) -> Schema:
    """The default, told to Claude where JSON can say it."""
    if parameter.default is inspect.Parameter.empty:
        return {}
    try:
        return {"default": json.loads(json.dumps(parameter.default, allow_nan=False))}
    except (TypeError, ValueError):
        return {}
