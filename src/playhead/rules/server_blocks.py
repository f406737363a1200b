"""Rules on single blocks of tools that Anthropic runs, as they come back in a request.

Law: pure checks, a block at a time; whether call and result belong together is the matter of `server_tools`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from types import MappingProxyType

from playhead.rules.order import FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule, StepView
from playhead.rules.tool_types import ADVISOR, SERVER_TOOL_NAMES
from playhead.wire.tables import BLOCKS, SERVER_RESULTS

_SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
_ID_PATTERN = "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"
_WITH_CALLER = ("tool_use", *(name for name in BLOCKS if name.startswith("server_") or name.endswith("_tool_result")))


def _id_pattern(view: RequestView, block: BlockView) -> Iterator[Finding]:
    identifier = block.data.get("id")
    if block.type == "server_tool_use" and isinstance(identifier, str) and not _SERVER_ID.fullmatch(identifier):
        yield Finding(
            path=f"{block.path}.id",
            what=f"the id of a server_tool_use begins with srvtoolu_, this is {identifier!r}",
            values={"at": block.api},
            place=block.place,
        )
    caller = block.data.get("caller")
    if not isinstance(caller, dict) or not str(caller.get("type")).startswith("code_execution_"):
        return
    code = caller.get("tool_id")
    if isinstance(code, str) and not _SERVER_ID.fullmatch(code):
        yield Finding(
            path=f"{block.path}.caller.tool_id",
            what=f"the code execution that made this call is named by an id with srvtoolu_, this is {code!r}",
            values={"at": block.api, "type": block.type, "caller": caller["type"]},
            place=block.place,
            wording=1,
        )


def _name_enum(view: RequestView, block: BlockView) -> Iterator[Finding]:
    name = block.data.get("name")
    if not isinstance(name, str) or name in SERVER_TOOL_NAMES or (name == ADVISOR and _may_advise(view)):
        return
    yield Finding(
        path=f"{block.path}.name",
        what=f"Anthropic runs no tool called {name!r}"
        + (" without its beta header" if name == ADVISOR else f"; those it runs are {', '.join(SERVER_TOOL_NAMES)}"),
        values={"at": block.api},
        place=block.place,
    )


def _may_advise(view: RequestView) -> bool:
    # recordings often keep only some headers: without the version they tell nothing of betas
    return not view.version or any(beta.startswith("advisor-") for beta in view.betas or ())


_INVALID, _ABSENT, _INVALID_STDOUT = range(3)
_SEALED: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "web_search_result": ("encrypted_content", _INVALID),
        "encrypted_code_execution_result": ("encrypted_stdout", _INVALID_STDOUT),
    }
)
"""Parts of results that only Anthropic can read: type, member, and the wording where that is not as it was."""


def _parts(content: object) -> Iterator[tuple[str, int, dict[str, object]]]:
    """The parts of a result that are objects: a list of them, or a single one."""
    if isinstance(content, dict):
        yield "", 0, content
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, dict):
            yield f"[{number}]", number, part


_STAND_IN = re.compile(r"redact|encrypt|mask|scrub|filter|placeholder|omitted|\.\.\.|…", re.IGNORECASE)


def _never_issued(value: str, returned: Container[str] | None) -> bool:
    """Whether an `encrypted_content` cannot be the API's own.

    All that it issues begin with the same byte, an E in base64 (public recordings of 2025 and 2026). `returned` are
    those that replies of the session carried, genuine whatever they look like; None where that is not known. What a
    recorder puts in the place of a secret is not judged.
    """
    if not value.strip():
        return True
    stand_in = value.isupper() or _STAND_IN.search(value)
    return returned is not None and value not in returned and not value.startswith("E") and not stand_in


def _encrypted(view: RequestView, block: BlockView) -> Iterator[Finding]:
    returned = view.returned
    for key, number, part in _parts(block.data.get("content")):
        if part.get("type") != "web_search_result":
            continue
        value = part.get("encrypted_content")
        absent = "encrypted_content" not in part
        has = "no `encrypted_content`" if absent else f"{value!r:.60} as `encrypted_content`, which no reply had"
        if absent or (isinstance(value, str) and _never_issued(value, returned)):
            yield Finding(
                path=f"{block.path}.content{key}" + ("" if absent else ".encrypted_content"),
                what=f"the search result {part.get('url')} has {has}",
                values={"at": block.api, "k": number},
                place=(*block.place, number),
                wording=_ABSENT if absent else _INVALID,
            )


def _tampered(view: StepView) -> Iterator[Finding]:
    """What came sealed in the reply and is sent back as something else."""
    given = {key: part for block in view.parent.content for key, part in _sealed(block)} if view.parent else {}
    if not given:
        return
    for index, message in enumerate(view.added, start=view.link.shared):
        content = message.get("content") if isinstance(message, dict) else None
        for number, block in enumerate(content if isinstance(content, list) else ()):
            for (identifier, key), part in _sealed(block):
                before = given.get((identifier, key))
                member, wording = _SEALED[str(part["type"])]
                if before is None or member not in part or before.get(member) == part[member]:
                    continue
                yield Finding(
                    path=f"$.messages[{index}].content[{number}].content{key}.{member}",
                    what=f"`{member}` in the result of {identifier} is not what the API sent",
                    values={"at": f"messages.{index}.content.{number}"},
                    place=(index, number),
                    wording=wording,
                )


def _sealed(block: object) -> Iterator[tuple[tuple[str, str], dict[str, object]]]:
    if not isinstance(block, dict) or not str(block.get("type")).endswith("_tool_result"):
        return
    for key, _, part in _parts(block.get("content")):
        if str(part.get("type")) in _SEALED:
            yield (str(block.get("tool_use_id")), key), part


RULES = (
    Rule(
        id="server-tool-use-id-pattern",
        level="reject",
        wording=("{at}.server_tool_use.id: " + _ID_PATTERN, "{at}.{type}.caller.{caller}.tool_id: " + _ID_PATTERN),
        fix="send the id back that the API gave; calls of other providers' tools are no server_tool_use",
        rank=FIELD["messages"],
        block=_id_pattern,
        types=_WITH_CALLER,
        ordinary=False,
    ),
    Rule(
        id="server-tool-use-name-enum",
        level="reject",
        wording=("{at}.server_tool_use.name: Input should be " + ", ".join(f"'{name}'" for name in SERVER_TOOL_NAMES),),
        fix="send calls that your own code runs as tool_use, with their tool_result in the next user message",
        rank=FIELD["messages"],
        block=_name_enum,
        types=("server_tool_use",),
    ),
    Rule(
        id="web-search-encrypted-content",
        level="reject",
        wording=(
            "{at}: Invalid `encrypted_content` in `search_result` block",
            "{at}.web_search_tool_result.content.list[RequestWebSearchResultBlock].{k}.encrypted_content: "
            "Field required",
            "{at}: Invalid `encrypted_stdout` in `encrypted_code_execution_result` block",
        ),
        fix="send the result back as it came; if its encrypted part is lost, leave call and result out together",
        rank=FIELD["messages"],
        block=_encrypted,
        types=("web_search_tool_result",),
        step=_tampered,
        holding=SERVER_RESULTS,
    ),
)
