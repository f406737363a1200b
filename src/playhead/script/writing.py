"""A script to the text of a file, from which an equal script is read.

Law: pure; values in, text out. How a step is written is said by `forms`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playhead.cassettes.yaml_text import Unwritable, member
from playhead.errors import ScriptError
from playhead.script.cases import Scripts, as_cases
from playhead.script.faults import Delivery
from playhead.script.forms import FORMAT, FORMS, OPTIONS, VERSION, Form, Steps
from playhead.script.script import Script
from playhead.script.source import Made
from playhead.script.steps import Written


def script_text(script: Scripts, *, options: Mapping[str, object] | None = None, schema: str | None = None) -> str:
    """The text of a file (YAML) that holds a script, or cases, and options of `FakeClaude`.

    `schema` is where the JSON Schema of such files stands, for editors. Raises `ScriptError` for what no file can hold,
    such as a function, naming the step.
    """
    given = as_cases(script)
    parts = [f"# yaml-language-server: $schema={schema}\n" if schema else "", _head()]
    if options:
        parts.append(_written("options", _options(options), 0, "an option"))
    if isinstance(given, Script):
        parts.append(_steps(given, 0, ""))
    else:
        parts.append("cases:\n")
        for number, case in enumerate(given, 1):
            if not isinstance(case.test, str):
                raise ScriptError(f"case {number} is chosen by a function, which no file can hold: give it a text")
            parts.append(f"- {_written('when', case.test, 2, f'case {number}')[2:]}")
            parts.append(_steps(case.script, 2, f" of case {number}"))
    return "".join(parts)


def _head() -> str:
    return f"version: {VERSION}\nformat: {FORMAT}\n"


def _options(given: Mapping[str, object]) -> dict[str, object]:
    for name in given:
        if name not in OPTIONS:
            raise ScriptError(f"the option {name!r} cannot stand in a file: give it in Python")
    return {name: _plain(value.options if isinstance(value, Delivery) else value) for name, value in given.items()}


def _steps(script: Script, indent: int, where: str) -> str:
    pad = " " * indent
    if script.responder is not None:
        raise ScriptError(f"the script{where} is a function, which no file can hold: write a list of steps")
    if not script.steps:
        return f"{pad}script: []\n"
    items = (_item(step, indent, f"step {number}{where}") for number, step in enumerate(script.steps, 1))
    return f"{pad}script:\n{''.join(items)}"


def _item(step: object, indent: int, name: str) -> str:
    """A step's item in the list: a line for each of its members."""
    if not isinstance(step, Written):
        raise ScriptError(f"{name} is a function, which no file can hold: write a step in its place")
    members = as_mapping(step.made_by).items()
    lines = "".join(_written(key, value, indent + 2, name) for key, value in members)
    return f"{' ' * indent}- {lines[indent + 2 :]}"


def _written(name: str, value: object, indent: int, where: str) -> str:
    try:
        return member(name, value, indent)
    except Unwritable as error:
        raise ScriptError(f"{where} cannot be written to a file: {error}") from None


def as_mapping(made: Made) -> dict[str, object]:
    """A step's call as a file has it."""
    form = FORMS[made.function]
    given = dict(_given(form, made))
    written: dict[str, object] = {}
    for key, param in form.members.items():
        value = given.get(param.name, param.default)
        first = key == form.name
        if not first and (param.name not in given or _same(value, param.default)):
            continue
        plain = _plain(value)
        written[key] = plain if isinstance(param.kind, Steps) else param.kind.write(plain)
    return written


def _given(form: Form, made: Made) -> Iterator[tuple[str, object]]:
    """The arguments of a call by the names of the parameters."""
    arguments = made.arguments
    for param in form.params:
        if param.how == "position" and arguments:
            yield param.name, arguments[0]
            arguments = arguments[1:]
        elif param.how == "rest":
            yield param.name, arguments
        elif param.gathers and made.options:
            yield param.name, made.options
            return
    yield from made.options.items()


def _same(value: object, usual: object) -> bool:
    return type(value) is type(usual) and value == usual


def _plain(value: object) -> object:
    """Steps as mappings, and any mapping or sequence as JSON has it."""
    if isinstance(value, Made):
        return as_mapping(value)
    if isinstance(value, Written):
        return as_mapping(value.made_by)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(inner) for inner in value]
    return value
