"""The table of results against the SDK's types: every kind of result, every error code."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic.types import beta as sdk

from playhead.rules.tool_types import ADVISOR, SERVER_TOOL_NAMES
from playhead.script.server_results import SERVER_TOOLS

RESULTS = {
    "web_search_tool_result": sdk.BetaWebSearchToolResultBlock,
    "web_fetch_tool_result": sdk.BetaWebFetchToolResultBlock,
    "code_execution_tool_result": sdk.BetaCodeExecutionToolResultBlock,
    "bash_code_execution_tool_result": sdk.BetaBashCodeExecutionToolResultBlock,
    "text_editor_code_execution_tool_result": sdk.BetaTextEditorCodeExecutionToolResultBlock,
    "tool_search_tool_result": sdk.BetaToolSearchToolResultBlock,
    "advisor_tool_result": sdk.BetaAdvisorToolResultBlock,
}


def classes(annotation: object) -> Iterator[type]:
    """The classes in an annotation, however it is nested."""
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        yield annotation
    for part in typing.get_args(annotation):
        yield from classes(part)


def contents_of(result: str) -> dict[str, Any]:
    """The classes that the content of a result may have, by their `type`."""
    found = classes(RESULTS[result].model_fields["content"].annotation)  # type: ignore[attr-defined]
    return {typing.get_args(its.model_fields["type"].annotation)[0]: its for its in found}  # type: ignore[attr-defined]


def test_every_server_tool_is_in_the_table() -> None:
    """The names that the rules know, in beta too, and no others."""
    assert {*SERVER_TOOLS} == {*SERVER_TOOL_NAMES, ADVISOR}
    assert {tool.result for tool in SERVER_TOOLS.values()} == {*RESULTS}


@pytest.mark.parametrize("name", SERVER_TOOLS)
def test_errors_are_those_of_the_sdk(name: str) -> None:
    """Each code of the SDK's type is known, and no other."""
    tool = SERVER_TOOLS[name]
    error = contents_of(tool.result)[f"{tool.result}_error"]
    assert {*tool.errors} == {*typing.get_args(error.model_fields["error_code"].annotation)}


CASES: list[tuple[str, object, str]] = [
    ("web_search", ["https://a.example", {"url": "https://b.example", "title": "B"}], "web_search_result"),
    ("web_search", [], ""),
    ("web_fetch", "the page", "web_fetch_result"),
    (
        "web_fetch",
        {
            "content": {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
                "title": "T",
            },
            "retrieved_at": None,
        },
        "web_fetch_result",
    ),
    ("code_execution", "3\n", "code_execution_result"),
    ("code_execution", {"stderr": "no", "return_code": 1, "content": ["file_1"]}, "code_execution_result"),
    ("code_execution", {"encrypted_stdout": "E..."}, "encrypted_code_execution_result"),
    ("bash_code_execution", "3\n", "bash_code_execution_result"),
    ("bash_code_execution", {"stdout": "x", "content": ["file_1"]}, "bash_code_execution_result"),
    ("text_editor_code_execution", "a\nb", "text_editor_code_execution_view_result"),
    (
        "text_editor_code_execution",
        {"content": "", "file_type": "image", "num_lines": None},
        "text_editor_code_execution_view_result",
    ),
    ("text_editor_code_execution", False, "text_editor_code_execution_create_result"),
    ("text_editor_code_execution", {"is_file_update": True}, "text_editor_code_execution_create_result"),
    ("text_editor_code_execution", ["-a", "+b"], "text_editor_code_execution_str_replace_result"),
    ("text_editor_code_execution", {"old_start": 1}, "text_editor_code_execution_str_replace_result"),
    ("tool_search_tool_regex", ["a", "b"], "tool_search_tool_search_result"),
    ("tool_search_tool_bm25", [], "tool_search_tool_search_result"),
    ("advisor", "do it", "advisor_result"),
    ("advisor", {"encrypted_content": "E..."}, "advisor_redacted_result"),
]


@pytest.mark.parametrize(("name", "given", "type_"), CASES, ids=[f"{name}-{given!r:.30}" for name, given, _ in CASES])
def test_results_are_those_of_the_sdk(name: str, given: object, type_: str) -> None:
    """Validated strictly by the SDK's own type, down to the last member, with no member that it does not know."""
    tool = SERVER_TOOLS[name]
    content: Any = tool.content(given, {"url": "https://a.example"})
    known = contents_of(tool.result)
    for part in content if isinstance(content, list) else [content]:
        assert part["type"] == type_
        its = known[type_]
        its.model_validate(part, strict=True)
        assert part.keys() <= its.model_fields.keys()
        required = {member for member, field in its.model_fields.items() if field.is_required()}
        assert required <= part.keys()


def test_every_kind_of_result_is_made() -> None:
    """The cases above make each content that the SDK knows, errors aside."""
    for result in RESULTS:
        made = {type_ for name, _, type_ in CASES if SERVER_TOOLS[name].result == result and type_}
        # documents, files and references are parts of these
        parts = ("document", "base64", "text", "code_execution_output", "bash_code_execution_output", "tool_reference")
        assert made == {name for name in contents_of(result) if not name.endswith("_error") and name not in parts}


def test_a_view_counts_its_lines() -> None:
    """As the API does: the last line counts without its end."""
    made: Any = SERVER_TOOLS["text_editor_code_execution"].content("a\nb\nc", {})
    assert (made["num_lines"], made["start_line"], made["total_lines"]) == (3, 1, 3)


def test_what_is_given_wins() -> None:
    """Members of the API's form override what would be filled in."""
    (page,) = SERVER_TOOLS["web_search"].content([{"url": "u", "encrypted_content": "Emine", "page_age": "x"}], {})  # type: ignore[misc, attr-defined]
    assert (page["encrypted_content"], page["page_age"], page["title"]) == ("Emine", "x", "u")
    made: Any = SERVER_TOOLS["code_execution"].content({"stdout": "x", "abort_reason": None}, {})
    assert made["abort_reason"] is None
