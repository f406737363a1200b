"""Rules on keys that an object of a request does not have.

Law: pure checks against the tables of keys. What a beta brings is unknown only where the headers are known and do not
ask for it. An object that lacks what its type is about has another fault, which hides this one.

Sources: the text was measured for the body, its messages and its objects on claude-sonnet-5 in 2026-08
(kangminlee-maker/local-OAuth-CLI-API-adapter, docs/conformance-matrix.md); the paths within blocks are those of public
reports (`messages.1.content.1.tool_use.caller`, `system.0.cache_control.ephemeral.scope`). Null is no excuse: a key
that is known may be null, one that is not is refused all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from playhead.rules import key_tables as tables
from playhead.rules.headers import asked_betas, taken
from playhead.rules.key_tables import Keys
from playhead.rules.models import short_name
from playhead.rules.order import FIELD, UNKNOWN_KEYS
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.tables import BLOCKS

_AFTER_ALL = 1 << 30
"""Within a message or a block the API names unknown keys after every other fault."""


def _unknown(
    data: Mapping[str, object], keys: Keys, path: str, api: str, rank: int, place: tuple[int, ...] = ()
) -> Iterator[Finding]:
    """The keys of `data` beyond these, each at its path."""
    if data.keys() <= keys:
        return
    known = ", ".join(f"`{key}`" for key in sorted(keys))
    for key in data:
        if key not in keys:
            yield Finding(
                path=f"{path}.{key}",
                what=f"`{key}` is no key of this object, which takes {known}",
                values={"path": f"{api}.{key}", "key": key},
                rank=rank,
                place=(*place, _AFTER_ALL),
            )


def _typed(
    data: object,
    table: Mapping[str, Keys],
    path: str,
    api: str,
    rank: int,
    place: tuple[int, ...] = (),
    *,
    named: bool = True,
) -> Iterator[Finding]:
    """The same for an object whose type, if the table has it, chooses the keys; the API's path names it if `named`."""
    kind = data.get("type") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(kind, str) and kind in table:
        yield from _unknown(data, table[kind], path, f"{api}.{kind}" if named else api, rank, place)


def _brought(keys: Keys, betas: frozenset[str] | None, by_beta: Mapping[str, str]) -> Keys:
    """The keys, and those that a beta brings which was asked for; all of them where the betas are not known."""
    return keys | {key for key, beta in by_beta.items() if betas is None or _asked(betas, beta)}


def _asked(betas: Iterable[str], *beginnings: str) -> bool:
    return any(beta.startswith(beginnings) for beta in betas)


def _cache_control(
    view: RequestView, holder: Mapping[str, object], path: str, api: str, rank: int, place: tuple[int, ...] = ()
) -> Iterator[Finding]:
    control = holder.get("cache_control")
    if isinstance(control, dict) and control.get("type") == "ephemeral" and not control.keys() <= tables.CACHE_CONTROL:
        keys = _brought(tables.CACHE_CONTROL, asked_betas(view), tables.CACHE_CONTROL_BETAS)
        table = {"ephemeral": keys}
        yield from _typed(control, table, f"{path}.cache_control", f"{api}cache_control", rank, place)


def _envelope(view: RequestView) -> Iterator[Finding]:
    yield from _top_level(view)
    yield from _tools(view)
    system = view.body.get("system")
    for index, block in enumerate(system if isinstance(system, list) else ()):
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            path, api = f"$.system[{index}]", f"system.{index}"
            yield from _unknown(block, tables.BLOCKS["text"], path, api, FIELD["system"], (index,))
            yield from _cache_control(view, block, path, f"{api}.", FIELD["system"], (index,))
    yield from _cache_control(view, view.body, "$", "", FIELD["cache_control"])
    yield from _typed(view.body.get("thinking"), tables.THINKING, "$.thinking", "thinking", FIELD["thinking"])
    choice = view.body.get("tool_choice")
    yield from _typed(choice, tables.TOOL_CHOICES, "$.tool_choice", "tool_choice", FIELD["tool_choice"])
    container = "container.ContainerParams"
    yield from _unknown(view.member("container"), tables.CONTAINER, "$.container", container, FIELD["container"])
    path, api, rank = "$.output_config.format", "output_config.format", FIELD["output_config"]
    yield from _typed(view.member("output_config").get("format"), tables.OUTPUT_FORMAT, path, api, rank, named=False)
    yield from _context_management(view)
    servers, rank = view.body.get("mcp_servers"), FIELD["mcp_servers"]
    for index, server in enumerate(servers if isinstance(servers, list) else ()):
        path, api = f"$.mcp_servers[{index}]", f"mcp_servers.{index}"
        yield from _typed(server, tables.MCP_SERVERS, path, api, rank, (index,), named=False)


def _top_level(view: RequestView) -> Iterator[Finding]:
    betas = asked_betas(view)
    for key, value in view.body.items():
        beta = None
        if key in tables.TOP_LEVEL:
            beta = _missing_beta(view, key, betas) if value is not None else None
            if beta is None:
                continue
        reason = "is no key of a request" if beta is None else f"needs a beta of the name `{beta}...`"
        yield Finding(
            path=f"$.{key}",
            what=f"`{key}` {reason}",
            values={"path": key, "key": key},
            rank=UNKNOWN_KEYS,
        )


def _missing_beta(view: RequestView, key: str, betas: frozenset[str] | None) -> str | None:
    """The beta that this key needs and the headers surely lack."""
    if betas is None:
        return None
    beginnings = tables.BETA_TOP_LEVEL.get(key, ())
    if key == "speed" and short_name(str(view.body.get("model"))) in tables.SPEED_NEEDS_BETA:
        beginnings = ("fast-mode-",)
    return beginnings[0] if beginnings and not _asked(betas, *beginnings) else None


def _tools(view: RequestView) -> Iterator[Finding]:
    tools = view.body.get("tools")
    rank = FIELD["tools"]
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        if not isinstance(tool, dict):
            continue
        kind = tool.get("type") or "custom"
        if kind == "custom" and not {"name", "input_schema"} <= tool.keys():
            continue  # the spelling of another API: what is missing is the fault
        if not isinstance(kind, str) or kind not in tables.TOOLS:
            continue
        path, api = f"$.tools[{index}]", f"tools.{index}.{kind}"
        yield from _unknown(tool, tables.TOOLS[kind], path, api, rank, (index,))
        yield from _cache_control(view, tool, path, f"{api}.", rank, (index,))


def _context_management(view: RequestView) -> Iterator[Finding]:
    management, rank = view.member("context_management"), FIELD["context_management"]
    path = "$.context_management"
    yield from _unknown(management, tables.CONTEXT_MANAGEMENT, path, "context_management", rank)
    edits = management.get("edits")
    for index, edit in enumerate(edits if isinstance(edits, list) else ()):
        api = f"context_management.edits.{index}"
        yield from _typed(edit, tables.CONTEXT_EDITS, f"{path}.edits[{index}]", api, rank, (index,))


def _message(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if not isinstance(message, dict) or message.keys() <= tables.MESSAGE:
        return
    role = message.get("role")
    if role not in ("user", "assistant", "system") or "content" not in message:
        return
    keys = tables.MESSAGE
    if role == "system":
        keys = _brought(keys, asked_betas(view), tables.SYSTEM_MESSAGE_BETAS)
    yield from _unknown(message, keys, f"$.messages[{index}]", f"messages.{index}", FIELD["messages"], (index,))


_TYPED_MEMBERS = (("source", tables.SOURCES), ("caller", tables.CALLERS))


def _block(view: RequestView, block: BlockView) -> Iterator[Finding]:
    data, kind = block.data, block.type
    if not isinstance(kind, str) or kind not in tables.BLOCKS:
        return
    if kind in BLOCKS and not all(name in data for name in BLOCKS[kind].required):
        return
    rank, api = FIELD["messages"], f"{block.api}.{kind}"
    keys = tables.BLOCKS[kind]
    if not data.keys() <= keys:
        if kind in ("thinking", "redacted_thinking"):
            keys |= {"cache_control"}  # which has a rule of its own
        yield from _unknown(data, keys, block.path, api, rank, block.place)
    if "cache_control" in data:
        yield from _cache_control(view, data, block.path, f"{api}.", rank, block.place)
    for member, table in _TYPED_MEMBERS:
        if member in data:
            yield from _typed(data[member], table, f"{block.path}.{member}", f"{api}.{member}", rank, block.place)
    if "citations" in data:
        yield from _citations(data["citations"], f"{block.path}.citations", f"{api}.citations", rank, block.place)


def _citations(citations: object, path: str, api: str, rank: int, place: tuple[int, ...]) -> Iterator[Finding]:
    """What a text cites, or whether a document may be cited."""
    if isinstance(citations, dict):
        yield from _unknown(citations, tables.CITATIONS_CONFIG, path, api, rank, place)
    for number, citation in enumerate(citations if isinstance(citations, list) else ()):
        yield from _typed(citation, tables.CITATIONS, f"{path}[{number}]", f"{api}.{number}", rank, place)


def _output_config(view: RequestView) -> Iterator[Finding]:
    asked = asked_betas(view)
    if view.headers is None and not taken(view):
        asked = frozenset()  # measured without betas; who checks a body alone asks for none
    keys = _brought(tables.OUTPUT_CONFIG, asked, tables.OUTPUT_CONFIG_BETAS)
    path, api = "$.output_config", "output_config"
    yield from _unknown(view.member("output_config"), keys, path, api, FIELD["output_config"])


RULES = (
    Rule(
        id="req-extra-inputs-forbidden",
        level="reject",
        wording=("{path}: Extra inputs are not permitted",),
        fix="leave `{key}` out, or ask for the beta that brings it",
        envelope=_envelope,
        message=_message,
        block=_block,
        ordinary=False,
    ),
    Rule(
        id="output-config-keys",
        level="reject",
        wording=("output_config.{key}: Extra inputs are not permitted",),
        fix="leave `{key}` out of `output_config`, or ask for the beta that brings it",
        envelope=_output_config,
    ),
)
