"""The tables of keys against the installed SDK: what it can send, and what it can get and send back, is known."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import anthropic.types
import anthropic.types.beta
import pydantic
import pytest
from typing_extensions import get_type_hints

from playhead.rules import key_tables as tables
from playhead.rules.key_tables import Keys

PACKAGES = (anthropic.types, anthropic.types.beta)
TABLES: Mapping[str, Mapping[str, Keys]] = {
    "blocks": tables.BLOCKS,
    "tools": tables.TOOLS,
    "sources": tables.SOURCES,
    "callers": tables.CALLERS,
    "citations": tables.CITATIONS,
    "tool-choices": tables.TOOL_CHOICES,
    "thinking": tables.THINKING,
    "output-format": tables.OUTPUT_FORMAT,
    "context-edits": tables.CONTEXT_EDITS,
    "mcp-servers": tables.MCP_SERVERS,
}
# classes whose `type` is that of something else: filters, references within messages of role system, results
ELSEWHERE = ("URLSource", "ToolChange", "ThinkingTurns", "Browser", "Computer", "ManagedAgents", "Thread")


def typed_dicts() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each parameter object of the SDK with its annotations."""
    for package in PACKAGES:
        for found in pkgutil.iter_modules(package.__path__):
            if found.name.endswith(("_param", "_params")):
                module: ModuleType = importlib.import_module(f"{package.__name__}.{found.name}")
                for name, value in vars(module).items():
                    if hasattr(value, "__required_keys__") and value.__module__ == module.__name__:
                        yield name, get_type_hints(value)


def types_of(annotation: object) -> tuple[object, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(name for part in get_args(annotation) for name in types_of(part))


PARAMETERS = [(name, hints) for name, hints in typed_dicts() if not any(part in name for part in ELSEWHERE)]


def tables_of(name: str, kind: str) -> list[Keys]:
    """The tables that an object of the SDK belongs to, by its name."""
    chosen = {
        "Source": "sources",
        "Caller": "callers",
        "Location": "citations",
        "ToolChoice": "tool-choices",
        "ThinkingConfig": "thinking",
        "OutputFormat": "output-format",
        "EditParam": "context-edits",
        "MCPServerURL": "mcp-servers",
        "BlockParam": "blocks",
        "Tool": "tools",
    }
    table = next((TABLES[table] for part, table in chosen.items() if part in name), {})
    return [table[kind]] if kind in table else []


def test_every_parameter_object_is_known() -> None:
    """No key of the SDK's parameter types is unknown; and the comparison sees most of what the tables hold."""
    unknown, seen = [], set()
    for name, hints in PARAMETERS:
        for kind in types_of(hints.get("type")):
            for keys in tables_of(name, str(kind)):
                seen.add(kind)
                unknown += [(name, key) for key in hints if key not in keys]
    assert unknown == []
    assert len(seen) > 40


def test_every_field_of_a_request_is_known() -> None:
    """What `messages.create` and `count_tokens` put into the body; some of their parameters become headers."""
    sent_as_headers = {"betas", "user_profile_id", "workspace_id"}
    calls = [hints for name, hints in PARAMETERS if name in ("MessageCreateParamsBase", "MessageCountTokensParams")]
    assert len(calls) == 4
    for hints in calls:
        assert hints.keys() - sent_as_headers <= tables.TOP_LEVEL


def test_a_reply_can_be_sent_back() -> None:
    """No key of a block in a reply is unknown in a request but `parsed_output`, which the SDK makes up itself."""
    unknown = set()
    for package in PACKAGES:
        for model in vars(package).values():
            if isinstance(model, type) and issubclass(model, pydantic.BaseModel) and "type" in model.model_fields:
                fields = {field.alias or name for name, field in model.model_fields.items()}
                for kind in get_args(model.model_fields["type"].annotation):
                    if model.__name__.endswith("Block") and kind in tables.BLOCKS:
                        unknown |= {(kind, key) for key in fields - tables.BLOCKS[kind]}
                    if "Location" in model.__name__ and kind in tables.CITATIONS:
                        unknown |= {(kind, key) for key in fields - tables.CITATIONS[kind]}
    assert unknown == {("text", "parsed_output")}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_every_typed_object_has_a_type(table: Mapping[str, Keys]) -> None:
    """The tables are chosen by type, so each row knows the key."""
    assert all("type" in keys for keys in table.values())
