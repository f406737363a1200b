"""Rules on what messages say: blank texts, prefills, search results, citations, the system prompt.

Law: pure checks. Blocks of the wrong form are a fault of another kind and are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.block_search import adds, blocks_of_types
from playhead.rules.headers import taken
from playhead.rules.json_words import shown
from playhead.rules.order import CAPABILITY, CONVERSATION, FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.codec import JsonObject
from playhead.wire.equality import is_blank_text
from playhead.wire.tables import BLOCKS
from playhead.wire.turns import PlacedBlock, blocks_of

_THINKING_ON = ("enabled", "adaptive", "between_tools")

_ENDS_NO_TURN = tuple(name for name, block in BLOCKS.items() if block.called or block.answers or name == "compaction")
"""With one of these in it, a last assistant message is no prefill: calls wait for results, paused turns are resumed."""


_CITABLE = ("document", "search_result")


def _some_blank(view: RequestView) -> bool:
    """Whether any text is blank: nearly never, so that the rules on it need not look closer."""
    for turn in view.turns:
        for block in turn.blocks:
            text = block.data.get("text")
            if isinstance(text, str) and not text.strip():
                return True
    return False


def _empty_text(view: RequestView) -> Iterator[Finding]:
    if not _some_blank(view):
        return
    # Measured on claude-sonnet-5: refused in the last user turn, taken in one before it. Reports of 400 elsewhere are
    # older, so that there it is a warning.
    for turn in view.turns:
        certain = turn is view.turns[-1] and turn.role == "user"
        for block in turn.of_type("text") if certain or not taken(view) else ():
            cached = isinstance(block.data.get("cache_control"), dict)  # has a rule and a text of its own
            if block.data.get("text") == "" and block.block is not None and not cached:
                yield Finding(
                    path=f"{block.path}.text",
                    what="the text block is empty",
                    place=(block.message, block.block),
                    level=None if certain else "warn",
                )


def _blank_text(view: RequestView) -> Iterator[Finding]:
    if not _some_blank(view):
        return
    # Recorded: beside other blocks of an assistant turn it is taken (cassettes of llm-anthropic and LangChain, with
    # claude-haiku-4-5); there are older reports of 400 for that too.
    for turn in view.turns:
        blank = [block for block in turn.of_type("text") if is_blank_text(block.data)]
        certain = turn.role == "user" or len(blank) == len(turn.blocks)
        for block in blank if certain or not taken(view) else ():
            if block.data["text"]:
                yield Finding(
                    path=block.path if block.block is None else f"{block.path}.text",
                    what=f"the text is nothing but white space: {shown(block.data['text'])}",
                    place=(block.message, block.block or 0),
                    level=None if certain else "warn",
                )


def _prefill(view: RequestView) -> PlacedBlock | None:
    """The last block of the request where that is the start of an answer, to be gone on with."""
    last = view.messages[-1] if view.messages else None
    if view.counting or not isinstance(last, dict) or last.get("role") != "assistant" or not view.turns:
        return None
    blocks = list(blocks_of(last, len(view.messages) - 1))
    if all(is_blank_text(block.data) for block in blocks):
        return None  # an empty message is no prefill, a blank one a fault of its own
    if view.turns[-1].of_type(*_ENDS_NO_TURN) or view.body.get("fallback_credit_token") is not None:
        return None
    return blocks[-1]


def _prefill_taken(view: RequestView) -> Iterator[Finding]:
    block = _prefill(view)
    block = block if block is not None and view.model.prefill is False else None
    if block is not None:
        yield Finding(
            path=f"$.messages[{block.message}]",
            what=f"the last message is the assistant's; {view.model.name} does not go on from the start of an answer",
            place=(block.message,),
        )


def _text_prefill(view: RequestView) -> PlacedBlock | None:
    block = _prefill(view) if view.model.prefill else None
    return block if block is not None and block.type == "text" else None


def _trailing_space(view: RequestView) -> Iterator[Finding]:
    block = _text_prefill(view)
    text = block.data.get("text") if block is not None else None
    if block is not None and isinstance(text, str) and text != text.rstrip():
        yield Finding(
            path=block.path if block.block is None else f"{block.path}.text",
            what=f"the text to go on from ends in white space: {text[-20:]!r}",
            place=(block.message, block.block or 0),
        )


def _prefill_and_thinking(view: RequestView) -> Iterator[Finding]:
    thinking = view.member("thinking").get("type")
    block = _text_prefill(view) if thinking in _THINKING_ON else None
    if block is not None:
        yield Finding(
            path=f"$.messages[{block.message}]",
            what=f"the last message is the assistant's while thinking is {thinking}",
            place=(block.message,),
        )


def _search_result_of_assistant(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.role == "assistant" and block.within is None:
        what = "a search_result block stands in an assistant message"
        yield Finding(path=block.path, what=what, place=block.place)


def _search_results_mixed(view: RequestView, block: BlockView) -> Iterator[Finding]:
    content = block.data.get("content")
    kinds = [one.get("type") if isinstance(one, dict) else None for one in content] if isinstance(content, list) else []
    if "search_result" not in kinds:
        return
    for number, kind in enumerate(kinds):
        if kind is not None and kind != "search_result":
            yield Finding(
                path=f"{block.path}.content[{number}]",
                what=f"the result holds search results and a block of type {shown(kind)}",
                place=(*block.place, number),
            )
            return


def _cited(block: BlockView) -> bool:
    citations = block.data.get("citations")
    return isinstance(citations, dict) and citations.get("enabled") is True


def _citations_mixed(view: RequestView) -> Iterator[Finding]:
    if taken(view) or not adds(view, _CITABLE):
        return  # that it was taken would be better evidence than the page that says it is not
    blocks = list(blocks_of_types(view, _CITABLE))
    for kind in _CITABLE:
        # whether documents in a tool result count is not documented; search results there do
        same = [block for block in blocks if block.type == kind and (kind != "document" or block.within is None)]
        odd = next((block for block in same if _cited(block) is not _cited(same[0])), None)
        if odd is not None:
            on, off = (odd, same[0]) if _cited(odd) else (same[0], odd)
            what = f"citations are enabled on the {kind} at {on.path}, and not on the one at {off.path}"
            yield Finding(path=odd.path, what=what, values={"kind": kind}, place=odd.place)


def _citations_and_format(view: RequestView) -> Iterator[Finding]:
    if view.member("output_config").get("format") is None or taken(view):
        return
    cited = next((block for block in blocks_of_types(view, _CITABLE) if _cited(block)), None)
    if cited is not None:
        what = f"citations are enabled on a {cited.type}, and `output_config.format` is set"
        yield Finding(path=f"{cited.path}.citations", what=what, place=cited.place)


def _system_texts(system: object) -> Iterator[tuple[str, int, JsonObject]]:
    if isinstance(system, str):
        if system:  # an empty string is taken: it was recorded
            yield "$.system", 0, {"type": "text", "text": system}
        return
    for number, block in enumerate(system if isinstance(system, list) else ()):
        if isinstance(block, dict):
            yield f"$.system[{number}].text", number, block


def _blank_system(view: RequestView) -> Iterator[Finding]:
    for path, number, block in _system_texts(view.body.get("system")):
        if not is_blank_text(block):
            continue
        empty = block["text"] == ""
        if empty and isinstance(block.get("cache_control"), dict):
            continue  # has a rule and a text of its own
        what = "a text of the system prompt is " + ("empty" if empty else f"blank: {shown(block['text'])}")
        yield Finding(path=path, what=what, place=(number,), wording=int(empty))


RULES = (
    Rule(
        id="text-block-nonempty",
        level="reject",
        wording=("messages: text content blocks must be non-empty",),
        fix="leave empty text blocks out",
        rank=CONVERSATION,
        request=_empty_text,
        holding=("text",),
        ordinary=False,
    ),
    Rule(
        id="text-block-nonwhitespace",
        level="reject",
        wording=("messages: text content blocks must contain non-whitespace text",),
        fix="leave texts out that hold nothing but white space",
        rank=CONVERSATION,
        request=_blank_text,
        holding=("text",),
        ordinary=False,
    ),
    Rule(
        id="final-assistant-trailing-whitespace",
        level="reject",
        wording=("messages: final assistant content cannot end with trailing whitespace",),
        fix="strip the white space from the end of the last assistant message",
        rank=CONVERSATION,
        request=_trailing_space,
        ordinary=False,
    ),
    Rule(
        id="prefill-unsupported",
        level="reject",
        wording=(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        fix="end with a user message; for a fixed form of answer use `output_config.format` or the system prompt",
        rank=CAPABILITY,
        request=_prefill_taken,
        ordinary=False,
    ),
    Rule(
        id="prefill-with-thinking",
        level="reject",
        fix="end with a user message, or leave `thinking` out of this request",
        rank=CAPABILITY,
        request=_prefill_and_thinking,
        ordinary=False,
    ),
    Rule(
        id="search-result-user-only",
        level="reject",
        fix="send the search result in a user message, or in a tool_result of one",
        rank=CONVERSATION,
        block=_search_result_of_assistant,
        types=("search_result",),
    ),
    Rule(
        id="search-result-mixing",
        level="reject",
        fix="make every block of that result a search_result, or send none; put other text after the results",
        rank=CONVERSATION,
        block=_search_results_mixed,
        types=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="citations-all-or-none",
        level="reject",
        fix='give every {kind} of the request "citations": {{"enabled": true}}, or none',
        rank=CONVERSATION,
        request=_citations_mixed,
        holding=_CITABLE,
    ),
    Rule(
        id="citations-with-format",
        level="reject",
        fix="turn the citations off, or leave `output_config.format` out",
        rank=CAPABILITY,
        request=_citations_and_format,
        holding=_CITABLE,
    ),
    Rule(
        id="system-text-nonwhitespace",
        level="reject",
        wording=(
            "system: text content blocks must contain non-whitespace text",
            "system: text content blocks must be non-empty",
        ),
        fix="leave the blank text out, and `system` too if nothing is left of it",
        rank=FIELD["system"],
        envelope=_blank_system,
    ),
)
