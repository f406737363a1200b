"""A session as a transcript that a person enjoys reading.

Law: values to lines of plain text; colour is put on by whoever prints them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from playhead.wire.codec import JsonObject, encode_text
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session
from playhead.wire.turns import PlacedBlock, blocks_of

_LABEL = 14


def transcript(session: Session, *, width: int = 80) -> Iterator[str]:
    """The lines of a session: each exchange's new messages, then what Claude said."""
    shown = 0
    step = 0
    for exchange, link in zip(session.exchanges, session.links, strict=True):
        if link is None:
            continue
        added = exchange.messages[link.shared if link.kind in ("continues", "repeats") else 0 :]
        for message in added:
            if isinstance(message, dict) and message.get("role") == "assistant" and shown:
                continue  # the echo of what was shown when Claude said it
            for block in blocks_of(message):
                number = ""
                if block.type != "tool_result":
                    step += 1
                    number = str(step)
                yield from _sent(number, str(message["role"]) if isinstance(message, dict) else "", block, width)
        step += 1
        yield from _answer(str(step), exchange, width)
        shown += 1


def _sent(number: str, role: str, block: PlacedBlock, width: int) -> Iterator[str]:
    data = block.data
    if block.type == "tool_result":
        label = "  error" if data.get("is_error") else "  result"
        yield from _lines("", label, _result_text(data.get("content")), width)
    else:
        yield from _lines(number, role, _block_text(data), width)


def _answer(number: str, exchange: Exchange, width: int) -> Iterator[str]:
    if exchange.error is not None:
        yield from _lines(number, "API", f"{exchange.status} {exchange.error.get('message')}", width)
        return
    texts = [_block_text(block) for block in exchange.content if isinstance(block, dict)] or ["(nothing)"]
    usage = (exchange.response or {}).get("usage") or {}
    tokens = f" · {usage['output_tokens']} tokens" if "output_tokens" in usage else ""
    for position, text in enumerate(texts):
        lines = [*_lines(number if position == 0 else "", "claude" if position == 0 else "", text, width)]
        if position == len(texts) - 1:
            lines = _with_remark(lines, f"{exchange.stop_reason}{tokens}", width)
        yield from lines


def _with_remark(lines: list[str], remark: str, width: int) -> list[str]:
    if len(lines[-1]) + len(remark) + 2 <= width:
        return [*lines[:-1], f"{lines[-1]:<{width - len(remark)}}{remark}"]
    return [*lines, f"{remark:>{width}}"]


def _lines(number: str, label: str, text: str, width: int) -> Iterator[str]:
    indent = " " * (4 + _LABEL - 3)
    first = f"{number:>2}  {label:<{_LABEL - 3}}"
    room = max(width, 40)
    for index, paragraph in enumerate(text.splitlines() or [""]):
        yield from textwrap.wrap(
            paragraph,
            room,
            initial_indent=first if index == 0 else indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        ) or [first.rstrip() if index == 0 else ""]


def _block_text(block: JsonObject) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text"))
    if kind == "thinking":
        return f"(thinks) {block.get('thinking')}"
    if "name" in block and "input" in block:
        return f"▸ {block['name']}({_arguments(block['input'])})"
    return f"[{kind}]"


def _arguments(value: object) -> str:
    if not isinstance(value, dict):
        return encode_text(value)
    return ", ".join(f"{name}={encode_text(argument)}" for name, argument in value.items())


def _result_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts: Sequence[object] = content if isinstance(content, list) else []
    return "\n".join(_block_text(part) for part in parts if isinstance(part, dict)) or "(no content)"
