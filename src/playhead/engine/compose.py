"""A step made into the message that the API would send: ids, usage, defaults.

Law: pure; the counters come in and go out as values. Ids are counted, so that a run is the same every time and a
report can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, structs

from playhead.engine.prompt import InputTokens
from playhead.engine.usage import usage_of
from playhead.errors import ScriptError
from playhead.rules.signatures import seal
from playhead.script.opaque import opaque
from playhead.script.request import Request
from playhead.script.server_tools import BY_CODE
from playhead.script.steps import Block, Reply, Turn
from playhead.wire.codec import JsonError, JsonObject, decode, decode_part, encode, encode_text
from playhead.wire.tables import BLOCKS
from playhead.wire.turns import blocks_of
from playhead.wire.value import Value

_PREFIX = {"tool_use": "toolu", "server_tool_use": "srvtoolu", "mcp_tool_use": "mcptoolu"}
_FINE_GRAINED = "fine-grained-tool-streaming-2025-05-14"
_EXPIRES = "2099-01-01T00:00:00Z"
"""When a container of the fake's expires: there is no clock, and it is to be good whenever a test runs."""

_CODE = "code_execution"
_TYPE = itemgetter("type")
_SAID = frozenset({"text", "thinking", "redacted_thinking"})
"""Blocks that have to do with nothing but the model."""

_WHOLE = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"})
_TOTALS = frozenset({"input_tokens", "output_tokens"})

NO_TEXTS: Mapping[int, str] = MappingProxyType({})


class Minted(Value, frozen=True):
    """How many messages, calls, containers and files have got an id."""

    messages: int = 0
    calls: int = 0
    containers: int = 0
    files: int = 0


class Composed(Value, frozen=True):
    """A message, the counters after it, and the inputs that a stream carries to the letter, by the block's position."""

    message: JsonObject
    minted: Minted
    texts: Mapping[int, str] = NO_TEXTS


def compose(step: Turn | Reply, request: Request, *, tokens: InputTokens, minted: Minted) -> Composed:
    """The message for a step. `tokens` are those of the request.

    Raises `ScriptError` for a result of a server tool that no open call waits for.
    """
    if isinstance(step, Turn):
        given = _of_turn(step)
    elif step.check:
        given = step.message
    else:
        return Composed(step.message, minted)
    making = _Making(request, minted)
    content, texts = making.content(step)
    if "usage" in given and _is_whole(given):
        message = {**given, "content": content, "usage": dict(given["usage"])}
    else:
        message = _completed(given, content, making, tokens)
    counted = making.minted
    minted = Minted(counted.messages + 1, counted.calls, counted.containers, counted.files)
    return Composed(message, minted, texts)


def _is_whole(message: JsonObject) -> bool:
    """Whether it has all that the API always sends: it is sent as it stands, and says nothing that was not said."""
    usage = message.get("usage")
    return message.keys() >= _WHOLE and isinstance(usage, dict) and usage.keys() >= _TOTALS


def _completed(given: JsonObject, content: list[JsonObject], making: _Making, tokens: InputTokens) -> JsonObject:
    """A message with what the API would add to what is given."""
    body = making.request.body
    kinds = frozenset(map(_TYPE, content))
    message: JsonObject = {
        "id": f"msg_{making.minted.messages + 1:04d}",
        "type": "message",
        "role": "assistant",
        "model": ("fallback" in kinds and _served_by(content)) or str(body.get("model", "claude")),
        "content": content,
        "stop_reason": "tool_use" if "tool_use" in kinds else "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        **given,
    }
    message["content"] = content
    usage = message["usage"] = usage_of(content, tokens, body, message["stop_reason"], kinds)
    if "usage" in given:
        usage.update(given["usage"] or {})
    if not kinds <= _SAID and "container" not in message and any(map(_runs_in_container, content)):
        message["container"] = making.container()
    if body.get("context_management") and "context_management" not in message:
        message["context_management"] = {"applied_edits": []}
    return message


def body_of(message: JsonObject, texts: Mapping[int, str] = NO_TEXTS) -> bytes:
    """A message as the body of an answer; inputs whose text is whole JSON stand in it to the letter."""
    if not texts:
        return encode(message)
    whole = {index: text for index, text in texts.items() if _is_json(text)}
    if not whole:
        return encode(message)
    mark = "\x00"  # stands for each text while the rest is encoded; longer than any run of it in the message
    while encode_text(mark)[1:-1].encode() in encode(message):
        mark += "\x00"
    content = [{**block, "input": f"{mark}{i}"} if i in whole else block for i, block in enumerate(message["content"])]
    body = encode({**message, "content": content})
    for index, text in whole.items():
        body = body.replace(encode(f"{mark}{index}"), text.encode(), 1)
    return body


def _is_json(text: str) -> bool:
    try:
        decode(text)
    except JsonError:
        return False
    return True


def _of_turn(turn: Turn) -> JsonObject:
    message: JsonObject = {"stop_reason": turn.stop_reason, "stop_sequence": turn.stop_sequence}
    if turn.usage:
        message["usage"] = dict(turn.usage)
    if turn.model is not None:
        message["model"] = turn.model
    if turn.stop_details is not None:
        message["stop_details"] = dict(turn.stop_details)
    return message


def _served_by(content: Sequence[JsonObject]) -> str | None:
    """The model that the last `fallback` block names."""
    hops = [block for block in content if block.get("type") == "fallback"]
    return str(hops[-1]["to"]["model"]) if hops else None


def _runs_in_container(block: JsonObject) -> bool:
    """Whether a block has to do with code that runs: its call, its result, what it calls, a file for it."""
    kind = str(block.get("type"))
    if kind == "container_upload" or kind.endswith(f"{_CODE}_tool_result"):
        return True
    if kind == "server_tool_use":
        return str(block.get("name")).endswith(_CODE)
    caller = block.get("caller")
    return isinstance(caller, dict) and str(caller.get("type")).startswith(_CODE)


class _Making(Struct):
    """A message's content while it is `made`: what has been `minted` so far, and which calls `waited` for a result when
    it began, None until somebody asks.
    """

    request: Request
    minted: Minted
    made: list[JsonObject] = []
    waited: list[JsonObject] | None = None

    def content(self, step: Turn | Reply) -> tuple[list[JsonObject], Mapping[int, str]]:
        """The blocks, each with what Claude would mint, and the texts of inputs."""
        if isinstance(step, Reply):
            for data in step.message["content"]:
                self.made.append(self._with_id(dict(data)))
            return self.made, NO_TEXTS
        texts: dict[int, str] = {}
        for block in step.blocks:
            if block.data["type"] == "text":
                self.made.append(dict(block.data))  # it lacks nothing
            else:
                self._add(block, None, texts)
        return self.made, texts or NO_TEXTS

    def container(self) -> JsonObject:
        """The container that code ran in: the request's, or else a new one."""
        asked = self.request.body.get("container")
        identifier = asked.get("id") if isinstance(asked, dict) else asked
        if not isinstance(identifier, str):
            identifier = f"container_{self._next('containers'):04d}"
        made: JsonObject = {"id": identifier, "expires_at": _EXPIRES}
        skills = asked.get("skills") if isinstance(asked, dict) else None
        if skills and isinstance(skills, list):
            made["skills"] = [{"version": "latest", **skill} for skill in skills if isinstance(skill, dict)]
        return made

    def _add(self, block: Block, owner: JsonObject | None, texts: dict[int, str]) -> None:
        finish = _FINISH.get(block.type)
        data = self._with_id(dict(block.data))
        data = data if finish is None else finish(self, data, owner)
        if block.text is not None:
            texts[len(self.made)] = block.text
            if _FINE_GRAINED in self.request.headers.get("anthropic-beta", "") and not _is_json(block.text):
                data["input"] = decode_part(block.text, strings=True)
        self.made.append(data)
        for part in block.then:
            self._add(part, data, texts)

    def _with_id(self, data: JsonObject) -> JsonObject:
        known = BLOCKS.get(data["type"])
        if known is None or not known.called or data.get("id"):
            return data
        return {"type": data["type"], "id": f"{_PREFIX.get(known.name, 'toolu')}_{self._next('calls'):04d}", **data}

    def _next(self, name: Literal["calls", "containers", "files"]) -> int:
        number = int(getattr(self.minted, name)) + 1
        self.minted = structs.replace(self.minted, **{name: number})
        return number

    def _answer(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        """A result names the call that it belongs to, or the first that still waits for one of its kind."""
        if "tool_use_id" in data:
            return data
        call = owner or next((call for call in self._open_calls() if _answers(data["type"], call)), None)
        if call is None:
            raise ScriptError(
                f"the script has a {data['type']}, but no call waits for it: the reply before was not paused, or the "
                "loop did not send it back"
            )
        return {"type": data["type"], "tool_use_id": call["id"], **data}

    def _call(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        """A call that code made names the code; which generation that is, the request's tools say."""
        caller = data.get("caller")
        if not isinstance(caller, dict) or caller.get("type") != BY_CODE or "tool_id" in caller:
            return data
        if owner is not None and owner["type"] == "tool_use":
            return {**data, "caller": owner["caller"]}
        code = owner or next((call for call in self._open_calls() if call.get("name") == "code_execution"), None)
        if code is None:
            raise ScriptError(
                "by_code(None, ...) goes on with code of an earlier reply, but none waits there: give the code as text"
            )
        return {**data, "caller": {"type": self._generation(), "tool_id": code["id"]}}

    def _generation(self) -> str:
        kinds = [str(tool.get("type")) for tool in self.request.tools if isinstance(tool, dict)]
        return "code_execution_20250825" if "code_execution_20250825" in kinds else BY_CODE

    def _redacted(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        return {**data, "data": data.get("data") or opaque("thinking", str(self.minted.messages), str(len(self.made)))}

    def _upload(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        return data if "file_id" in data else {**data, "file_id": f"file_{self._next('files'):04d}"}

    def _handed_on(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        if data.get("from") is not None:
            return data
        return {**data, "from": {"model": _served_by(self.made) or str(self.request.body.get("model", "claude"))}}

    def _compacted(self, data: JsonObject, owner: JsonObject | None) -> JsonObject:
        """A summary that was asked for outright is signed, any other sealed; one that failed is neither."""
        summary = data.get("content")
        if summary is None:
            return data
        if "tool_changes" in data or self.request.body.get("compaction"):
            return {**data, "signature": seal(summary), "tool_changes": data.get("tool_changes") or []}
        return {**data, "encrypted_content": data.get("encrypted_content") or opaque("compaction", summary)}

    def _open_calls(self) -> list[JsonObject]:
        """The calls of server tools that have no result: those of the turn that goes on, then those of this message."""
        if self.waited is None:
            self.waited = open_calls(self.request.messages)
        answered = {str(block.get("tool_use_id")) for block in self.made}
        calls = [*self.waited, *(block for block in self.made if is_server_call(block))]
        return [call for call in calls if str(call.get("id")) not in answered]


_FINISH: Mapping[str, Callable[[_Making, JsonObject, JsonObject | None], JsonObject]] = {
    "tool_use": _Making._call,
    "redacted_thinking": _Making._redacted,
    "container_upload": _Making._upload,
    "fallback": _Making._handed_on,
    "compaction": _Making._compacted,
    **{name: _Making._answer for name, block in BLOCKS.items() if block.answers and block.replies},
}
"""What a block of each type still lacks when it is played."""


def open_calls(messages: Sequence[object]) -> list[JsonObject]:
    """The calls of server tools in the turn that a request goes on with, which have no result yet, oldest first.

    That turn goes back over user messages that hold nothing but results of the client's tools.
    """
    blocks: list[JsonObject] = []
    for message in reversed(messages):
        its = [block.data for block in blocks_of(message)]
        role = message.get("role") if isinstance(message, dict) else None
        if role == "user" and any(block.get("type") != "tool_result" for block in its):
            break
        blocks[:0] = its if role == "assistant" else []
    answered = {str(block.get("tool_use_id")) for block in blocks}
    return [block for block in blocks if is_server_call(block) and str(block.get("id")) not in answered]


def is_server_call(block: JsonObject) -> bool:
    known = BLOCKS.get(str(block.get("type")))
    return known is not None and known.called == "server"


def _answers(result: str, call: JsonObject) -> bool:
    """Whether a result of this type is one of such a call."""
    name = "mcp" if call.get("type") == "mcp_tool_use" else str(call.get("name"))
    return result.removesuffix("_tool_result") == ("tool_search" if name.startswith("tool_search_tool_") else name)
