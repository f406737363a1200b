"""What a docstring says about a function and about each of its parameters.  Text in, text out.

Two styles are read: sections ("Args:", indented entries) and fields (":param name: ...").
"""

from __future__ import annotations

import inspect
import re

_PARAMETERS = ("args", "arguments", "parameters", "params")
_OTHER_SECTIONS = (
    "returns", "return", "yields", "yield", "raises",
    "example", "examples", "note", "notes", "attributes", "see also",
)  # fmt: skip
_SECTION = re.compile(rf"^({'|'.join((*_PARAMETERS, *_OTHER_SECTIONS))}):\s*$", re.IGNORECASE)
_ENTRY = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_FIELD = re.compile(r"^:(\w+)(?:\s+(?:[^:]*\s)?(\w+))?:\s*(.*)$")


def read_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    """The description (everything before the sections) and the text of each parameter that has one."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    end = next((i for i, line in enumerate(lines) if _SECTION.match(line) or _FIELD.match(line)), len(lines))
    description = "\n".join(lines[:end]).strip()
    return description, {**_section_entries(lines[end:]), **_field_entries(lines[end:])}


def _section_entries(lines: list[str]) -> dict[str, str]:
    """The entries of the parameter sections; a line indented deeper than its entry continues it."""
    entries: dict[str, str] = {}
    inside, name, depth = False, "", 0
    for line in lines:
        section = _SECTION.match(line)
        indent = len(line) - len(line.lstrip())
        if section:
            inside, name, depth = section[1].lower() in _PARAMETERS, "", 0
        elif not line.strip() or not inside:
            continue
        elif indent == 0:  # text that is not indented ends the section
            inside = False
        elif name and indent > depth:
            entries[name] = f"{entries[name]} {line.strip()}".strip()
        elif entry := _ENTRY.match(line.strip()):
            name, depth = entry[1], indent
            entries[name] = entry[2].strip()
        else:
            name = ""
    return entries


def _field_entries(lines: list[str]) -> dict[str, str]:
    """The `:param name:` and `:param type name:` fields; an indented line continues the field above it."""
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        found = _FIELD.match(line)
        if found:
            name = (found[2] or "") if found[1] in ("param", "parameter", "arg", "argument") else ""
            if name:
                entries[name] = found[3].strip()
        elif name and line[:1].isspace() and line.strip():
            entries[name] = f"{entries[name]} {line.strip()}".strip()
        elif line.strip():
            name = ""
    return entries
