"""A script's file to the script: YAML or JSON in, steps out.

Law: pure; bytes come in. Every error says the line, the field and what to do. What a step takes is said by `forms`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from playhead.cassettes.yaml_document import MAX_DEPTH, YamlError, parse
from playhead.cassettes.yaml_nodes import Path, compose, line_at, twice
from playhead.errors import ScriptError, ScriptFileError
from playhead.script.cases import Case, when
from playhead.script.checks import nearest
from playhead.script.faults import Delivery
from playhead.script.forms import BLOCKS, FORMAT, FORMS, OPTIONS, REPLIES, STEPS, VERSION, Form, Makes, Param, Steps
from playhead.script.kinds import TEXT, Kind
from playhead.script.script import Script, as_item
from playhead.script.steps import Step, say
from playhead.wire.codec import JsonError, decode, kind

TOP = ("version", "format", "options", "script", "cases", "$schema")
CASE = ("when", "script")
_CASSETTE = "playhead"
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """What a file says: the script, or the cases, and options of `FakeClaude`."""

    script: Script | tuple[Case, ...]
    options: Mapping[str, Any]
    source: Source

    def blame(self, make: Callable[[Mapping[str, Any]], object], given: Iterable[str]) -> None:
        """Raises `ScriptFileError` where an option of the file is at fault: `make` fails with it, and not without.

        `given` are the options that are given elsewhere, and win.
        """
        left = [name for name in self.options if name not in {*given}]
        for name in (None, *left):
            try:
                make({} if name is None else {name: self.options[name]})
            except ScriptError as error:
                if name is None:
                    return
                self.source.fail(("options", name), str(error))


def read(data: bytes, name: str) -> ScriptFile:
    """The script in a file's bytes; `name` stands in errors. Raises `ScriptFileError`."""
    source, document = _parsed(data, name)
    _require_unique(source)
    _require_plain(document, source)
    if not isinstance(document, dict):
        source.fail((), f"a script is a mapping with version, format and script, not {kind(document)}")
    _require_script(document, source)
    try:
        return _script_file(document, source)
    except RecursionError:
        source.fail((), "its steps are nested too deep")


def _script_file(document: dict[str, Any], source: Source) -> ScriptFile:
    reader = _Reader(source)
    options = reader.options(document.get("options"))
    if "cases" in document:
        return ScriptFile(script=reader.cases(document["cases"]), options=options, source=source)
    return ScriptFile(script=reader.script(document["script"], ("script",)), options=options, source=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file's name and nodes: what an error needs to say where."""

    name: str
    root: yaml.Node | None

    def fail(self, path: Path, reason: str) -> NoReturn:
        """Raises `ScriptFileError`."""
        raise ScriptFileError(self.name, reason, line=line_at(self.root, path) or 1, field=_field(path)) from None


def _field(path: Path) -> str | None:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or None


def _parsed(data: bytes, name: str) -> tuple[Source, object]:
    """The only document of a file, read as JSON where it is JSON, else as YAML."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise ScriptFileError(name, f"the file is empty: a script begins with `version: {VERSION}`")
    looks_like_json = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    if looks_like_json:
        try:
            document = decode(data)
        except JsonError:
            pass
        else:
            source = Source(name=name, root=compose(_as_yaml(data)))
            return source, document
    try:
        documents = parse(data)
    except YamlError as error:
        reason = (
            str(error).replace("this is no YAML", "this is neither JSON nor YAML") if looks_like_json else str(error)
        )
        raise ScriptFileError(name, reason, line=error.line) from None
    if len(documents) != 1 or documents[0] is None:
        reason = f"a script is one YAML document, not {len(documents)}" if len(documents) > 1 else "the file is empty"
        raise ScriptFileError(name, f"{reason}: a script begins with `version: {VERSION}`")
    return Source(name=name, root=compose(data)), documents[0]


def _as_yaml(data: bytes) -> bytes:
    """JSON as YAML that has the same lines and as many keys: only for finding places, its texts are others."""
    flat = _ESCAPE.sub(lambda match: b"^" + (b"'" if match[1] == b'"' else match[1]), data.replace(b"\t", b" "))
    return _CONTROLS.sub(b"^", flat)


def _require_unique(source: Source) -> None:
    found = twice(source.root)
    if found is not None:
        path, line = found
        reason = "this key stands twice in its mapping: leave one of them out"
        raise ScriptFileError(source.name, reason, line=line, field=_field(path))


def _require_plain(document: object, source: Source) -> None:
    """Bytes, which only YAML can say, are refused, since JSON and its schema know none; and what is nested too deep."""
    seen: set[int] = set()  # what aliases repeat is the same value again
    waiting: list[tuple[Path, object]] = [((), document)]
    for path, value in waiting:
        if isinstance(value, bytes):
            source.fail(path, "a script has no !!binary: write a text; the bytes of `raw` are {base64: ...}")
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        if len(path) > MAX_DEPTH:
            source.fail(path[:4], f"it is nested more than {MAX_DEPTH} deep")
        seen.add(id(value))
        members = value.items() if isinstance(value, dict) else enumerate(value)
        waiting += (((*path, key), inner) for key, inner in members)


def _require_script(document: dict[str, Any], source: Source) -> None:
    said = document.get("format")
    if said == _CASSETTE:
        reason = f"this is a cassette, no script: play it with FakeClaude.from_cassette({source.name!r})"
        source.fail(("format",), reason)
    if said != FORMAT:
        reason = f"this is no script: `format: {FORMAT}` is needed"
        source.fail(("format",), reason if said is None else f"{reason}, not {said!r}")
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        shown = "" if version is None else f", not {version!r}"
        source.fail(("version",), f"this Playhead reads scripts with `version: {VERSION}`{shown}")
    for name in document:
        if name not in TOP:
            source.fail((name,), f"a script has no such member{nearest(name, TOP, '')}")
    if ("script" in document) == ("cases" in document):
        source.fail((), "a script has either `script`, a list of steps, or `cases`, a list of `when` and `script`")


class _Reader:
    """Makes steps of a document's values."""

    def __init__(self, source: Source) -> None:
        self._fail = source.fail

    def options(self, given: object) -> dict[str, Any]:
        if given is None:
            return {}
        if not isinstance(given, dict):
            self._fail(("options",), f"a mapping is needed, not {kind(given)}")
        for name, value in given.items():
            if name not in OPTIONS:
                self._fail(("options", name), f"a file has no such option{nearest(name, OPTIONS, '')}")
            self._require(OPTIONS[name], value, ("options", name))
        made = dict(given)
        if "delivery" in given:
            made["delivery"] = self._delivery(given["delivery"], ("options", "delivery"))
        return made

    def _delivery(self, given: dict[str, Any], path: Path) -> Delivery:
        try:
            return Delivery(**given)
        except ScriptError as error:
            culprit = _at_fault(lambda its: Delivery(**its), given)
            self._fail(path if culprit is None else (*path, culprit), str(error))

    def cases(self, given: object) -> tuple[Case, ...]:
        if not isinstance(given, list) or not given:
            shown = "an empty one" if given == [] else kind(given)
            self._fail(("cases",), f"a list of `when` and `script` is needed, not {shown}")
        return tuple(self._case(case, ("cases", number)) for number, case in enumerate(given))

    def _case(self, given: object, path: Path) -> Case:
        if not isinstance(given, dict):
            self._fail(path, f"a mapping with `when` and `script` is needed, not {kind(given)}")
        for name in given:
            if name not in CASE:
                self._fail((*path, name), f"a case has no such member{nearest(name, CASE, '')}")
        for name in CASE:
            if name not in given:
                self._fail(
                    path, f"`{name}` is missing: a case has `when`, a text of the first user message, and `script`"
                )
        self._require(TEXT, given["when"], (*path, "when"))
        return when(given["when"], self.script(given["script"], (*path, "script")))

    def script(self, given: object, path: Path) -> Script:
        if not isinstance(given, list):
            self._fail(path, f"a list of steps is needed, not {kind(given)}")
        return Script(steps=tuple(self._item(item, (*path, number)) for number, item in enumerate(given)))

    def _item(self, given: object, path: Path) -> Step:
        """A step of the script itself: a lone block is a whole reply here, which not every block can be."""
        step = self._step(given, path, STEPS)
        try:
            return as_item(step, "it")
        except ScriptError as error:
            self._fail(path, str(error))

    def _step(self, given: object, path: Path, allowed: frozenset[Makes]) -> Step:
        if isinstance(given, str):
            self._require_text(given, path, allowed)
            return say(given)
        if not isinstance(given, dict):
            turn = "; several blocks in one reply are a `turn`" if isinstance(given, list) else ""
            self._fail(path, f"a step is needed, such as `say: Hello.`, not {kind(given)}{turn}")
        form = self._form(given, path)
        self._require_allowed(form, (*path, form.name), allowed)
        return self._called(form, given, path)

    def _form(self, given: dict[str, Any], path: Path) -> Form:
        names = [name for name in given if name in FORMS]
        if not names:
            if not given:
                self._fail(path, "a step is needed, such as `say: Hello.`, not an empty mapping")
            first = next(iter(given))
            self._fail((*path, first), f"there is no such step{nearest(first, FORMS, '')}")
        if len(names) > 1:
            reason = f"this is {' and '.join(names)} in one: give each its own dash, or put blocks into a `turn`"
            self._fail((*path, names[1]), reason)
        return FORMS[names[0]]

    def _require_text(self, given: str, path: Path, allowed: frozenset[Makes]) -> None:
        if given in FORMS:
            self._fail(path, f"write `{given}: ...` for the step, or `say: {given}` for the text")
        self._require_allowed(FORMS["say"], path, allowed)

    def _require_allowed(self, form: Form, path: Path, allowed: frozenset[Makes]) -> None:
        if form.makes in allowed:
            return
        if allowed == REPLIES:
            reason = f"{form.name} is no reply, to which something could happen on its way: write a step of its own"
        elif allowed == BLOCKS:
            reason = f"{form.name} is no block of a reply, but a step of its own: put it outside of this one"
        else:
            reason = f"{form.name} is no call: code calls tools, `call: ...`"
        self._fail(path, reason)

    def _called(self, form: Form, given: dict[str, Any], path: Path) -> Step:
        members = form.members
        for name in given:
            if name not in members:
                self._fail((*path, name), f"{form.name} has no such option{_options(form, name)}")
        arguments: dict[str, Any] = {}
        for name, param in members.items():
            if name in given:
                arguments[param.name] = self._argument(param, given[name], (*path, name))
            elif param.required:
                self._fail(path, f"{form.name} needs `{name}`: {_words(param.kind)}")
        names = {param.name: name for name, param in members.items()}
        try:
            return call_form(form, arguments)
        except ScriptError as error:
            culprit = _at_fault(lambda its: call_form(form, its), arguments)
            self._fail((*path, form.name if culprit is None else names[culprit]), str(error))

    def _argument(self, param: Param, value: object, path: Path) -> object:
        if value is None and param.null:
            return None
        if isinstance(param.kind, Steps):
            return self._steps(param.kind, value, path)
        self._require(param.kind, value, path)
        try:
            return param.kind.read(value)
        except ScriptError as error:
            self._fail(path, str(error))

    def _steps(self, wanted: Steps, value: object, path: Path) -> object:
        if not wanted.several:
            return self._step(value, path, wanted.makes)
        if isinstance(value, list):
            return tuple(self._step(item, (*path, number), wanted.makes) for number, item in enumerate(value))
        return (self._step(value, path, wanted.makes),)

    def _require(self, wanted: Kind, value: object, path: Path) -> None:
        fault = wanted.misfit(value)
        if fault is not None:
            self._fail((*path, *fault.path), fault.reason)


def call_form(form: Form, arguments: Mapping[str, Any]) -> Step:
    """The step that a form's function makes. Raises `ScriptError`."""
    positions: list[object] = []
    for param in form.params:
        if param.how == "position":
            positions.append(arguments.get(param.name, param.default))
        elif param.how == "rest":
            positions += arguments.get(param.name, ())
    named = {
        param.name: arguments[param.name] for param in form.params if param.how == "name" and param.name in arguments
    }
    made: Step = form.function(*positions, **named)
    return made


def _at_fault(make: Callable[[Mapping[str, Any]], object], arguments: Mapping[str, Any]) -> str | None:
    """The one argument without which nothing is wrong; None where there is none such, or several."""
    found = []
    for name in arguments:
        try:
            make({other: value for other, value in arguments.items() if other != name})
        except (ScriptError, TypeError):
            continue
        found.append(name)
    return found[0] if len(found) == 1 else None


def _options(form: Form, given: str) -> str:
    names = [name for name in form.members if name != form.name]
    return nearest(given, names, "") if names else ""


def _words(wanted: Kind | Steps) -> str:
    if isinstance(wanted, Kind):
        return wanted.words
    return "a list of steps" if wanted.several else "a step"
