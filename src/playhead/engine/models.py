"""What `GET /v1/models` and `GET /v1/models/{id}` answer.

Law: pure; what a model takes comes from the table of `rules`, what is only told of it stands here.

Sources: the Python SDK 2.14.0 (`types/model_info.py`, `types/model_capabilities.py`, `_data/deprecated_models.py`),
public recordings of the endpoint of 2026-05 to 2026-08, and the API's page on deprecations
(platform.claude.com/docs/en/about-claude/model-deprecations). A release date that is not known is the epoch, as the API
has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, unquote

from playhead.rules.checker import error_body
from playhead.rules.models import ALL_EFFORTS, MODELS, Model, Models, short_name
from playhead.wire.codec import JsonObject

Lifecycle = Literal["active", "deprecated", "retired"]
Answer = tuple[int, JsonObject]
"""An HTTP status and the body that goes with it."""

_PATH = re.compile(r"(?:.*)/v1/models(?:/(?P<id>[^/]+))?/?\Z")
_EPOCH = "1970-01-01"
_M, _K = 1_000_000, 1000
_USUAL_LIMIT, _MOST = 20, 1000


@dataclass(frozen=True, slots=True)
class _Listed:
    """What the list tells of a model: its name, its full id's date, its release, the longest input, its stage."""

    name: str
    released: str = _EPOCH
    date: str = ""
    input: int | None = _M
    lifecycle: Lifecycle = "active"
    retires: str | None = None

    @property
    def id(self) -> str:
        return f"{self.name}-{self.date}" if self.date else self.name


def _gone(name: str, date: str, released: str, retires: str | None = None, input: int = 200 * _K) -> _Listed:
    return _Listed(name, released, date, input, "retired", retires)


_LISTED: tuple[_Listed, ...] = (
    _Listed("claude-fable-5-2"),
    _Listed("claude-mythos-5-2"),
    _Listed("claude-haiku-5-5"),
    _Listed("claude-sonnet-5-5"),
    _Listed("claude-fable-5-1"),
    _Listed("claude-opus-5-5"),
    _Listed("claude-mythos-5-1"),
    _Listed("claude-opus-5", "2026-07-24"),
    _Listed("claude-sonnet-5", "2026-06-29"),
    _Listed("claude-fable-5", "2026-06-07"),
    _Listed("claude-mythos-5"),
    _Listed("claude-opus-4-8", "2026-05-28"),
    _Listed("claude-opus-4-7", "2026-04-14"),
    _Listed("claude-mythos-preview", lifecycle="retired", retires="2026-06-30"),
    _Listed("claude-sonnet-4-6", "2026-02-17"),
    _Listed("claude-opus-4-6", "2026-02-04"),
    _Listed("claude-opus-4-5", "2025-11-24", "20251101", 200 * _K, "deprecated", "2027-01-22"),
    _Listed("claude-haiku-4-5", "2025-10-15", "20251001", 200 * _K),
    _Listed("claude-sonnet-4-5", "2025-09-29", "20250929", _M, "deprecated", "2026-11-30"),
    _gone("claude-opus-4-1", "20250805", "2025-08-05", "2026-08-05"),
    _gone("claude-opus-4", "20250514", "2025-05-22", "2026-06-15"),
    _gone("claude-sonnet-4", "20250514", "2025-05-22", "2026-06-15", input=_M),
    _gone("claude-3-7-sonnet", "20250219", "2025-02-24", "2026-02-19"),
    _gone("claude-3-5-sonnet", "20241022", "2024-10-22", "2025-10-28"),
    _gone("claude-3-5-haiku", "20241022", "2024-10-22"),
    _gone("claude-3-haiku", "20240307", "2024-03-07"),
    _gone("claude-3-opus", "20240229", "2024-02-29"),
    _gone("claude-3-sonnet", "20240229", "2024-02-29"),
)
"""The models, the newest first."""

_FIRST = frozenset({"claude-3-haiku", "claude-3-opus", "claude-3-sonnet"})
_OLD = _FIRST | {"claude-3-5-haiku", "claude-3-5-sonnet", "claude-3-7-sonnet"}
_UNSTRUCTURED = _OLD | {"claude-opus-4", "claude-sonnet-4"}
_CODE_CALLS_NOTHING = _UNSTRUCTURED | {"claude-opus-4-1", "claude-haiku-4-5"}
_NEVER_COMPACTED = _CODE_CALLS_NOTHING | {"claude-sonnet-4-5", "claude-opus-4-5"}


def models_answer(path: str, models: Models, request_id: str = "req_0001") -> Answer:
    """The answer to a GET of `path`, which may have a query. What is no model and no list of them is a 404."""
    place, _, query = path.partition("?")
    match = _PATH.match(place)
    if match is None:
        return 404, error_body("not_found_error", "Not Found", request_id)
    if match["id"] is None:
        return _list(parse_qs(query), models, request_id)
    name = unquote(match["id"])
    listed = next(
        (listed for listed in _known(models) if name in (listed.id, listed.name) or _alias(name, listed)), None
    )
    if listed is None:
        return 404, error_body("not_found_error", f"model: {name}", request_id)
    return 200, _told(listed, models)


def _known(models: Models) -> Iterator[_Listed]:
    """Every model there is: those that the user added first, as the newest are."""
    known = {listed.name for listed in _LISTED}
    for model in models.own.values():
        if model.name not in known and short_name(model.name) not in known:
            yield _Listed(model.name, input=model.context)
    yield from _LISTED


def _alias(name: str, listed: _Listed) -> bool:
    """Whether this is another name of the model: `-latest`, or `-0`; with a date it has to be the right one."""
    return name in (f"{listed.name}-latest", f"{listed.name}-0")


def _list(query: dict[str, list[str]], models: Models, request_id: str) -> Answer:
    stages = [*query.get("lifecycle[]", []), *query.get("lifecycle", [])] or ["active", "deprecated"]
    known = [listed for listed in _known(models) if listed.lifecycle in stages]
    given = query.get("limit", [str(_USUAL_LIMIT)])[-1]
    if not given.isdecimal() or not 1 <= int(given) <= _MOST:
        message = f"limit: Input should be a number from 1 to {_MOST}"
        return 400, error_body("invalid_request_error", message, request_id)
    limit, ids = int(given), [listed.id for listed in known]
    start, end = 0, len(ids)
    for cursor in ("after_id", "before_id"):
        place = query.get(cursor, [""])[-1]
        if place and place not in ids:
            return 400, error_body("invalid_request_error", f"{cursor}: no model is called {place}", request_id)
        if place and cursor == "after_id":
            start = ids.index(place) + 1
        elif place:
            end = ids.index(place)
    backwards = "before_id" in query and "after_id" not in query
    page = known[max(start, end - limit) : end] if backwards else known[start : min(end, start + limit)]
    more = start < end - limit if backwards else start + limit < end
    return 200, _page([_told(listed, models) for listed in page], more)


def _page(data: Sequence[JsonObject], more: bool) -> JsonObject:
    first, last = (data[0]["id"], data[-1]["id"]) if data else (None, None)
    return {"data": [*data], "has_more": more, "first_id": first, "last_id": last}


def _told(listed: _Listed, models: Models) -> JsonObject:
    """A model as the API tells of it."""
    model = models.find(listed.id)
    line = next((word for word in listed.name.split("-")[1:] if word.isalpha()), None)
    return {
        "type": "model",
        "id": listed.id,
        "display_name": _title(listed.name),
        "created_at": f"{listed.released}T00:00:00Z",
        "lifecycle": listed.lifecycle,
        "deprecated_at": None,
        "retires_at": f"{listed.retires}T00:00:00Z" if listed.retires else None,
        "line": line if listed.name in MODELS else None,
        "max_input_tokens": listed.input,
        "max_tokens": model.max_output,
        "capabilities": _capabilities(listed.name, model),
    }


def _title(name: str) -> str:
    """`claude-opus-4-8` as Claude Opus 4.8, `claude-3-5-haiku` as Claude Haiku 3.5."""
    words = [word for word in name.split("-") if word and not word.isdecimal()]
    number = ".".join(word for word in name.split("-") if word.isdecimal())
    return " ".join([*(word.capitalize() for word in words), *([number] if number else [])])


def _capabilities(name: str, model: Model) -> JsonObject:
    efforts, thinking = model.effort or (), model.thinking or ()
    modes = {mode: _is(mode in thinking) for mode in ("adaptive", "enabled", "between_tools")}
    tools = {"web_search": _is(name not in _FIRST), "code_execution": _is(name not in _FIRST | {"claude-3-5-sonnet"})}
    return {
        "batch": _is(True),
        "citations": _is(name not in _FIRST),
        "code_execution": _is(name not in _CODE_CALLS_NOTHING),
        "context_management": {
            "supported": name not in _OLD,
            "clear_tool_uses_20250919": _is(name not in _OLD),
            "clear_thinking_20251015": _is(name not in _OLD),
            "compact_20260112": _is(name not in _NEVER_COMPACTED),
        },
        "effort": {"supported": bool(efforts), **{level: _is(level in efforts) for level in ALL_EFFORTS}},
        "image_input": _is(True),
        "pdf_input": _is(name not in _FIRST),
        "server_tools": {"supported": any(tool["supported"] for tool in tools.values()), **tools},
        "structured_outputs": _is(name not in _UNSTRUCTURED),
        "thinking": {
            "supported": any(mode["supported"] for mode in modes.values()),
            # a model that does not think takes `disabled`
            "types": {**modes, "disabled": _is("disabled" in thinking or not thinking)},
        },
    }


def _is(supported: bool) -> JsonObject:
    return {"supported": supported}
