"""What each tool that Anthropic runs gives as its result: a table, a short form in, the API's form out.

Law: pure; data and the functions that complete it.

Source: the types of the Python SDK 2.14.0 (`types/*_tool_result_block.py`, `types/*_result_error*.py`, the same
under `types/beta`), and public recordings of 2025 and 2026.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from playhead.script.opaque import opaque
from playhead.wire.codec import JsonObject

_RETRIEVED = "2026-01-01T00:00:00+00:00"
"""When the fake fetches: it has no clock."""


class Unfit(Exception):
    """A result that is none of this tool's; says what would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTool:
    """One tool that Anthropic runs.

    `result` is the type of its result block, and with `_error` after it that of the content that reports a failure;
    `errors` are the codes of failures. `main` is the member of the input that a lone string gives. `content` makes the
    content of a result from its short form and the call's input.
    """

    name: str
    result: str
    errors: tuple[str, ...]
    content: Callable[[Any, JsonObject], object]
    main: str | None = None


def _found(given: Any, input: JsonObject) -> object:
    if not isinstance(given, list):
        raise Unfit("a list of URLs, or of dicts with url, title and page_age")
    return [_page(page) for page in given]


def _page(given: Any) -> JsonObject:
    page = {"url": given} if isinstance(given, str) else given
    if not isinstance(page, dict) or not isinstance(page.get("url"), str):
        raise Unfit("a list of URLs, or of dicts with url, title and page_age")
    url, title = page["url"], page.get("title", page["url"])
    sealed = {"encrypted_content": opaque("search result", url, str(title))}
    return {"type": "web_search_result", "title": title, "url": url, **sealed, "page_age": None, **page}


def _fetched(given: Any, input: JsonObject) -> object:
    if isinstance(given, str):
        given = {"content": {"type": "document", "source": _plain_text(given)}}
    if not isinstance(given, dict) or not isinstance(given.get("content"), dict):
        raise Unfit("the page's text, or a dict with `content`, a document block")
    return {"type": "web_fetch_result", "url": str(input.get("url", "")), "retrieved_at": _RETRIEVED, **given}


def _plain_text(text: str) -> JsonObject:
    return {"type": "text", "media_type": "text/plain", "data": text}


def _ran(prefix: str) -> Callable[[Any, JsonObject], object]:
    """What a program did: its output, or a dict that tells more. `content` are the ids of files that it made."""

    def ran(given: Any, input: JsonObject) -> object:
        if isinstance(given, str):
            given = {"stdout": given}
        if not isinstance(given, dict):
            raise Unfit("what was printed, or a dict with stdout, stderr, return_code and content (ids of files)")
        files = [_file(file, prefix) for file in given.get("content") or []]
        told = {"stderr": "", "return_code": 0, **given, "content": files}
        if prefix == "code_execution" and "encrypted_stdout" in given:
            return {"type": "encrypted_code_execution_result", **told}
        return {"type": f"{prefix}_result", "stdout": "", **told}

    return ran


def _file(given: Any, prefix: str) -> JsonObject:
    return {"type": f"{prefix}_output", "file_id": given} if isinstance(given, str) else given


def _edited(given: Any, input: JsonObject) -> object:
    """What an editor did; the members, or the command of the call, say which of its results this is."""
    if isinstance(given, str):
        given = {"content": given}
    elif isinstance(given, bool):
        given = {"is_file_update": given}
    elif isinstance(given, list):
        given = {"lines": given}
    kind_of_result = (
        next((name for name, told_by in _EDITS.items() if told_by & given.keys()), None)
        if isinstance(given, dict)
        else None
    )
    if kind_of_result is None:
        raise Unfit(
            "the text that was viewed, True or False (a file was updated), the list of changed lines, or a dict with "
            "the API's members"
        )
    usual: JsonObject = {}
    if kind_of_result == "view":
        lines = str(given.get("content", "")).count("\n") + 1
        usual = {"file_type": "text", "num_lines": lines, "start_line": 1, "total_lines": lines}
    return {"type": f"text_editor_code_execution_{kind_of_result}_result", **usual, **given}


_EDITS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "view": frozenset({"content"}),
        "create": frozenset({"is_file_update"}),
        "str_replace": frozenset({"lines", "old_start", "old_lines", "new_start", "new_lines"}),
    }
)


def _tools_found(given: Any, input: JsonObject) -> object:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise Unfit("a list of names of tools")
    references = [{"type": "tool_reference", "tool_name": name} for name in given]
    return {"type": "tool_search_tool_search_result", "tool_references": references}


def _advised(given: Any, input: JsonObject) -> object:
    if isinstance(given, str):
        given = {"text": given}
    if not isinstance(given, dict) or not given.keys() & {"text", "encrypted_content"}:
        raise Unfit("the advice as a text, or a dict with text or encrypted_content")
    type_ = "advisor_result" if "text" in given else "advisor_redacted_result"
    return {"type": type_, "stop_reason": "end_turn", **given}


_ANY = ("invalid_tool_input", "unavailable", "too_many_requests")
_RUN = (*_ANY, "execution_time_exceeded")

_TOOLS = (
    ServerTool(
        name="web_search",
        result="web_search_tool_result",
        errors=(*_ANY, "max_uses_exceeded", "query_too_long", "request_too_large"),
        content=_found,
        main="query",
    ),
    ServerTool(
        name="web_fetch",
        result="web_fetch_tool_result",
        errors=(
            *_ANY,
            "max_uses_exceeded",
            "url_too_long",
            "url_not_allowed",
            "url_not_in_prior_context",
            "url_not_accessible",
            "unsupported_content_type",
            "content_too_large",
        ),
        content=_fetched,
        main="url",
    ),
    ServerTool(
        name="code_execution",
        result="code_execution_tool_result",
        errors=_RUN,
        content=_ran("code_execution"),
        main="code",
    ),
    ServerTool(
        name="bash_code_execution",
        result="bash_code_execution_tool_result",
        errors=(*_RUN, "output_file_too_large"),
        content=_ran("bash_code_execution"),
        main="command",
    ),
    ServerTool(
        name="text_editor_code_execution",
        result="text_editor_code_execution_tool_result",
        errors=(*_RUN, "file_not_found"),
        content=_edited,
    ),
    ServerTool(
        name="tool_search_tool_regex",
        result="tool_search_tool_result",
        errors=_RUN,
        content=_tools_found,
        main="pattern",
    ),
    ServerTool(
        name="tool_search_tool_bm25",
        result="tool_search_tool_result",
        errors=_RUN,
        content=_tools_found,
        main="query",
    ),
    ServerTool(
        name="advisor",
        result="advisor_tool_result",
        errors=(
            "max_uses_exceeded",
            "prompt_too_long",
            "too_many_requests",
            "overloaded",
            "unavailable",
            "execution_time_exceeded",
            "model_not_found",
        ),
        content=_advised,
    ),
)

SERVER_TOOLS: Mapping[str, ServerTool] = MappingProxyType({tool.name: tool for tool in _TOOLS})
"""Every tool that Anthropic runs, by its name; those of MCP servers have none of ours."""
