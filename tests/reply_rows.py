"""Every reply that the API can give, each as the step that makes it: for the tests, and for `docs/replies.md`.

`PYTHONPATH=src:tests python tests/reply_rows.py > docs/replies.md` writes that page anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import playhead
from playhead.engine.compose import Composed, Minted, compose
from playhead.engine.prompt import InputTokens
from playhead.script.request import Request
from playhead.script.steps import Block, Reply, Turn, as_turn
from playhead.wire.codec import encode_text

MODEL = "claude-opus-5-5"
ASK: dict[str, Any] = {"role": "user", "content": "When is high water?"}
ADD: dict[str, Any] = {"name": "add", "description": "adds", "input_schema": {"type": "object"}}
WEB: list[dict[str, Any]] = [
    {"type": "web_search_20250305", "name": "web_search"},
    {"type": "web_fetch_20250910", "name": "web_fetch"},
]
CODE: dict[str, Any] = {"type": "code_execution_20260120", "name": "code_execution"}
FIND: list[dict[str, Any]] = [
    {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
    {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
]
SERVER: dict[str, Any] = {"type": "url", "name": "deepwiki", "url": "https://mcp.deepwiki.com/mcp"}

PLAIN: dict[str, Any] = {"tools": [ADD, *WEB, CODE, *FIND]}
ADVISED: dict[str, Any] = {
    "tools": [{"type": "advisor_20260301", "name": "advisor", "model": "claude-fable-5"}],
    "betas": ["advisor-tool-2026-03-01"],
}
CONNECTED: dict[str, Any] = {
    "tools": [ADD, {"type": "mcp_toolset", "mcp_server_name": "deepwiki"}],
    "mcp_servers": [SERVER],
    "betas": ["mcp-client-2025-11-20"],
}
COMPACTED: dict[str, Any] = {
    "tools": [ADD],
    "context_management": {"edits": [{"type": "compact_20260112"}]},
    "betas": ["compact-2026-01-12"],
}
ON_DEMAND: dict[str, Any] = {"tools": [ADD], "compaction": {"type": "summarize"}, "betas": ["compact-2026-09-04"]}
FALLING_BACK: dict[str, Any] = {
    "tools": [ADD],
    "fallbacks": [{"model": "claude-sonnet-5"}],
    "betas": ["server-side-fallback-2026-07-01"],
}
BROWSING: dict[str, Any] = {"tools": [{"type": "browser_toolset_20260801"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A step as Python, what Claude does there, and what the request offers for it.

    `beta` rows need the SDK's beta client. `before` is the source of the step that the loop answered first.
    """

    code: str
    what: str
    offer: dict[str, Any] = field(default_factory=lambda: PLAIN)
    beta: bool = False
    before: str | None = None

    @property
    def step(self) -> Block | Turn | Reply:
        """The step."""
        return made(self.code)


def made(code: str) -> Block | Turn | Reply:
    step = eval(code, {name: getattr(playhead, name) for name in playhead.__all__})
    assert isinstance(step, Block | Turn | Reply)
    return step


def _row(code: str, what: str, **options: Any) -> Row:
    return Row(code=code, what=what, **options)


def _beta(code: str, what: str, offer: dict[str, Any], **options: Any) -> Row:
    return Row(code=code, what=what, offer=offer, beta=True, **options)


ROWS = (
    _row('say("At nine.")', "says something and ends its turn"),
    _row(
        'say("At nine.", citations=["https://tides.example"])',
        "cites a page that it found",
    ),
    _row(
        'say("At nine.", citations=[{"start_char_index": 0, "end_char_index": 4}, {"start_page_number": 1, '
        '"end_page_number": 2}, {"start_block_index": 0, "end_block_index": 1}, {"search_result_index": 0, "source": '
        '"kb", "start_block_index": 0, "end_block_index": 1}])',
        "cites documents and search results that the request brought: characters, pages, blocks",
    ),
    _row('call("add", a=1, b=2)', "calls a tool, the input as keywords or one dict"),
    _row("""call("add", '{"a": 1.10, "b": 12345678901234567890123}')""", "the JSON text of the input to the letter"),
    _row("""call("add", '{"a": 1, "b": ')""", "input that is no JSON; a JSON body has what can be read of it"),
    _row('think("First the moon.")', "thinks, with a signature"),
    _row("redacted()", "thinks what nobody may read"),
    _row('turn(think("Hm."), say("Let me see."), call("add", a=1), call("add", a=2))', "several things in one reply"),
    _row("turn()", "says nothing"),
    _row('turn(say("At ni"), stop_sequence="ne")', "comes upon a stop sequence"),
    _row('truncated(say("At nine."))', "is cut off by `max_tokens`, in its last block"),
    _row('truncated(call("add", a=1, b="two words"), keep=20)', "is cut off within the JSON of a call"),
    _row(
        'truncated(say("At nine."), keep=5, stop_reason="model_context_window_exceeded")',
        "is cut off by the end of the context window",
    ),
    _row('refuse("cyber", "This is not allowed.")', "refuses; HTTP 200, with `stop_details`"),
    _row('refuse("bio", None, say("You would"))', "refuses in the middle of what it says"),
    _row('pause(server_call("web_search", "tides Brest"))', "pauses with a server tool at work; send it back as it is"),
    _row(
        'turn(server_result("web_search", ["https://tides.example"]), say("At nine."))',
        "goes on with the result of that tool",
        before='pause(server_call("web_search", "tides Brest"))',
    ),
    _row('turn(search("tides Brest", ["https://tides.example"]), say("At nine."))', "searches the web"),
    _row('search("tides Brest", error="max_uses_exceeded")', "searches in vain: an error code in place of results"),
    _row('turn(server_call("web_fetch", "https://tides.example", "High water: 9 h"), say("At nine."))', "reads a page"),
    _row(
        'server_call("code_execution", "print(1 + 2)", "3\\n")', "runs code: what it printed, or a dict that tells more"
    ),
    _row('server_call("code_execution", "print(1)", {"encrypted_stdout": "EqQB"})', "runs code, its output sealed"),
    _row('server_call("bash_code_execution", "ls", "a.txt\\n")', "runs a shell command"),
    _row(
        'server_call("text_editor_code_execution", {"command": "view", "path": "a.txt"}, "one\\ntwo")',
        "views a file",
    ),
    _row(
        'server_call("text_editor_code_execution", {"command": "create", "path": "a.txt"}, False)',
        "creates a file; True: it was there",
    ),
    _row(
        'server_call("text_editor_code_execution", {"command": "str_replace", "path": "a.txt"}, ["-one", "+two"])',
        "edits a file",
    ),
    _row('turn(server_call("tool_search_tool_bm25", "sum", ["add"]), call("add", a=1))', "finds a tool and calls it"),
    _row('server_call("tool_search_tool_regex", "su[", error="invalid_tool_input")', "looks for a tool in vain"),
    _row('by_code("print(await add(a=1))", call("add", a=1))', "runs code that calls a tool and waits for its result"),
    _row(
        'turn(server_result("code_execution", "3\\n"), say("Three."))',
        "has the result of that code",
        before='by_code("print(await add(a=1))", call("add", a=1))',
    ),
    _row("upload()", "puts a file into its container"),
    _beta(
        'block({"type": "tool_use", "name": "screenshot", "toolset_name": "browser", "input": {}})',
        "any block in the API's form: here a member of a toolset",
        BROWSING,
    ),
    _beta('server_call("advisor", None, "Look at the moon.")', "asks an advisor", ADVISED),
    _beta(
        'server_call("advisor", None, {"encrypted_content": "EqQB"})', "asks an advisor whose advice is sealed", ADVISED
    ),
    _beta(
        'turn(mcp_listing("deepwiki", "ask"), mcp("deepwiki", "ask", {"q": "tides?"}, "At nine."), say("Nine."))',
        "lists the tools of an MCP server and calls one",
        CONNECTED,
    ),
    _beta('mcp("deepwiki", "ask", {"question": "?"}, error="no such page")', "calls one in vain", CONNECTED),
    _beta('compact("They asked about tides.")', "compacts the conversation, and stops", COMPACTED),
    _beta('compact("They asked about tides.", say("At nine."))', "compacts the conversation, and goes on", COMPACTED),
    _beta("compact(None, say('At nine.'))", "fails to compact it", COMPACTED),
    _beta('compact("They asked about tides.")', "compacts on demand: the block is signed", ON_DEMAND),
    _beta(
        'turn(fallback("claude-sonnet-5", category="bio"), say("At nine."))',
        "hands over to another model",
        FALLING_BACK,
    ),
    _row('reply({"content": [{"type": "text", "text": "At nine."}]})', "a whole message in the API's form"),
    _row('reply({"stop_reason": "napping"}, check=False)', "what the API never sends"),
)


def request_of(row: Row, *messages: dict[str, Any], **more: Any) -> Request:
    """The request that a row's step answers."""
    body = {"model": MODEL, "max_tokens": 64, "messages": [*messages] or [ASK], **row.offer, **more}
    betas = ",".join(body.pop("betas", []))
    return Request(body=body, headers={"anthropic-beta": betas}, path="/v1/messages", number=1, turn=1)


def sent(row: Row) -> Composed:
    """What a row's step sends, after the step before it."""
    if row.before is None:
        return compose(_whole(row.step), request_of(row), tokens=InputTokens(0), minted=Minted())
    first = compose(_whole(made(row.before)), request_of(row), tokens=InputTokens(0), minted=Minted())
    echo = {"role": "assistant", "content": first.message["content"]}
    held = {"container": first.message["container"]["id"]} if "container" in first.message else {}
    return compose(_whole(row.step), request_of(row, ASK, echo, **held), tokens=InputTokens(0), minted=first.minted)


def _whole(step: Block | Turn | Reply) -> Turn | Reply:
    return as_turn(step) if isinstance(step, Block) else step


def page() -> str:
    """The page of all steps."""
    lines = [
        "# Replies",
        "",
        "What Claude can answer, and the step that makes it answer so. This page is generated by running the steps:",
        "`PYTHONPATH=src:tests python tests/reply_rows.py`. All names are imported from `playhead`.",
        "",
        "Ids are counted, so that a run is the same every time: `msg_0001`, `toolu_0001`, `srvtoolu_0001`. What only",
        "Anthropic can read (signatures, `encrypted_content`, redacted thinking) is made from what it seals. Usage is",
        "[estimated](tokens.md); `usage=` of `turn`, `pause`, `refuse`, `truncated` and `compact` overrides any of it.",
        "",
        "| step | Claude | `stop_reason` | content |",
        "|---|---|---|---|",
    ]
    for row in ROWS:
        message = sent(row).message
        blocks = "<br>".join(f"`{_short(block)}`" for block in message.get("content") or [])
        code = row.code.replace("|", "\\|")
        lines.append(f"| `{code}` | {row.what} | `{message.get('stop_reason')}` | {blocks} |")
    return "\n".join([*lines, "", *_AFTER]) + "\n"


_AFTER = (
    "## How they go together",
    "",
    "- `turn(...)` takes any of the blocks, in the order in which Claude says them; the stop reason is `tool_use` if",
    "  the client's tools are called, and `end_turn` if not, unless `stop_reason=` says otherwise.",
    "- A call of a tool that Anthropic runs has its result with it. Without `result` and `error` the tool is still at",
    "  work: in `pause(...)`, or beside calls of the client's tools. The result then comes in a later reply, by",
    '  `server_result(name, ...)`, or `server_result("mcp", ...)`; it finds the call in what the loop sent back.',
    "- A result is short or in the API's form: a dict with the API's members is taken as it is, the rest filled in.",
    "- A step that is impossible is refused when it is made. What the request does not offer is refused when it is",
    "  played: Claude calls no tool that it was not given. `reply({...}, check=False)` is for the impossible.",
    "- `str(step)` is the step in one line, `step.source()` the whole call, to be pasted into a test.",
)


_SEALED = frozenset(("signature", "data", "encrypted_content", "encrypted_index"))


def _short(block: dict[str, Any]) -> str:
    """A block on one line, what only Anthropic can read cut short."""
    return encode_text(_cut(block)).replace("|", "\\|")


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item[:12] + "…" if key in _SEALED and isinstance(item, str) else _cut(item)
            for key, item in value.items()
        }
    return [_cut(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201
