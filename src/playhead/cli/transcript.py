"""A session as a transcript that a person enjoys reading.

Law: values to lines of plain text, each with its kind; colour is put on by whoever prints them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from playhead.rules.rule import Violation
from playhead.wire.codec import JsonObject, encode_text
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.session import Session
from playhead.wire.turns import PlacedBlock, blocks_of

Kind = Literal["user", "claude", "result", "error", "violation", "head"]

_INDENT = 15
_LONG = 600
"""Characters of one text that are shown; what is longer is cut, and says by how much."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, and what it belongs to."""

    text: str
    kind: Kind

    def __str__(self) -> str:
        return self.text


def transcript(
    session: Session, *, violations: Sequence[Violation] = (), width: int = 80, only: int | None = None
) -> Iterator[Line]:
    """The lines of a session, conversation by conversation; violations stand under the exchange they concern."""
    found: dict[int | None, list[Violation]] = {}
    for violation in violations:
        found.setdefault(violation.exchange, []).append(violation)
    links = {exchange.number: link for exchange, link in zip(session.exchanges, session.links, strict=True)}
    parts = _parts(session)
    for title, exchanges in parts:
        if only is not None and title != f"conversation {only}":
            continue
        if len(parts) > 1:
            yield from _heading(title, exchanges)
        yield from _Telling(links, found, width).conversation(exchanges)
    for violation in found.get(None, ()):
        yield from _violation(violation, width)


def _parts(session: Session) -> list[tuple[str, tuple[Exchange, ...]]]:
    """The conversations by their names, then what belongs to none."""
    parts = [(f"conversation {its.number}", its.exchanges) for its in session.conversations]
    loose = tuple(e for e, link in zip(session.exchanges, session.links, strict=True) if link is None)
    return [*parts, ("other exchanges", loose)] if loose else parts


def _heading(title: str, exchanges: Sequence[Exchange]) -> Iterator[Line]:
    models = {str(e.request["model"]) for e in exchanges if e.request and "model" in e.request}
    count = f"{len(exchanges)} exchange{'' if len(exchanges) == 1 else 's'}"
    yield Line("", "head")
    yield Line(" · ".join([title, *sorted(models), count]), "head")


@dataclass(slots=True)
class _Telling:
    """One conversation being told: the number of the step that was told last."""

    links: Mapping[int, Link | None]
    found: Mapping[int | None, Sequence[Violation]]
    width: int
    step: int = 0

    def conversation(self, exchanges: Sequence[Exchange]) -> Iterator[Line]:
        before: Exchange | None = None
        for exchange in exchanges:
            if exchange.request is not None:
                yield from self._sent(exchange, before)
            yield from self._answer(exchange)
            for violation in self.found.get(exchange.number, ()):
                yield from _violation(violation, self.width)
            before = exchange

    def _sent(self, exchange: Exchange, before: Exchange | None) -> Iterator[Line]:
        link = self.links.get(exchange.number)
        start = link.shared if link is not None and link.kind in ("continues", "repeats") else 0
        if before is None:
            yield from self._opening(exchange)
        elif exchange.retry_of is not None:
            yield Line(f"{'':4}{'again':<11}(another attempt at the same request)", "head")
        messages = exchange.messages[start:]
        for position, message in enumerate(messages, start):
            role = str(message.get("role")) if isinstance(message, dict) else "?"
            echoed = role == "assistant" and position == start and start > 0
            if not echoed:  # the echo was shown when Claude said it
                yield from self._message(role, message)

    def _opening(self, exchange: Exchange) -> Iterator[Line]:
        request = exchange.request or {}
        system = request.get("system")
        if system:
            text = " ".join(str(block.data.get("text", "")) for block in blocks_of({"content": system}))
            yield from _lines("", "system", _cut(" ".join(text.split()), 140), self.width, "head")
        tools = request.get("tools")
        if isinstance(tools, list) and tools:
            names = ", ".join(str(tool.get("name") or tool.get("type")) for tool in tools if isinstance(tool, dict))
            yield from _lines("", "tools", _cut(names, 140), self.width, "head")

    def _message(self, role: str, message: object) -> Iterator[Line]:
        for number, block in enumerate(blocks_of(message)):
            if block.type == "tool_result":
                yield from _result(block, self.width)
                continue
            if number == 0 or role == "user":
                self.step += 1
            yield from _lines(
                str(self.step) if number == 0 or role == "user" else "",
                role,
                _block_text(block.data),
                self.width,
                "user",
            )

    def _answer(self, exchange: Exchange) -> Iterator[Line]:
        self.step += 1
        number = str(self.step)
        if exchange.response is None:
            error = exchange.error or {}
            text = f"{exchange.status or ''} {error.get('type', '')}: {error.get('message', '')}".strip()
            shown = text if exchange.error or exchange.status else "(no answer was recorded)"
            yield from _lines(number, "API", shown, self.width, "error")
            return
        if not exchange.is_message and not exchange.content:
            yield from _lines(number, "API", f"{exchange.path}: {encode_text(exchange.response)}", self.width, "head")
            return
        yield from self._reply(number, exchange)
        if exchange.error is not None:
            yield from _lines("", "API", f"error event: {exchange.error.get('message')}", self.width, "error")
        elif not exchange.complete:
            yield from _lines("", "API", "the stream broke off here", self.width, "error")

    def _reply(self, number: str, exchange: Exchange) -> Iterator[Line]:
        texts = [_block_text(block) for block in exchange.content if isinstance(block, dict)] or ["(nothing)"]
        lines: list[Line] = []
        for position, text in enumerate(texts):
            first = position == 0
            lines += _lines(number if first else "", "claude" if first else "", text, self.width, "claude")
        usage = (exchange.response or {}).get("usage")
        tokens = usage.get("output_tokens") if isinstance(usage, dict) else None
        remark = f"{exchange.stop_reason or 'stop reason unknown'}{'' if tokens is None else f' · {tokens} tokens'}"
        yield from lines[:-1]
        last = lines[-1].text
        if len(last) + len(remark) + 2 <= self.width:
            yield Line(f"{last:<{self.width - len(remark)}}{remark}", "claude")
        else:
            yield Line(last, "claude")
            yield Line(f"{remark:>{self.width}}", "head")


def _result(block: PlacedBlock, width: int) -> Iterator[Line]:
    failed = bool(block.data.get("is_error"))
    text = _result_text(block.data.get("content"))
    yield from _lines("", "  error" if failed else "  result", text, width, "error" if failed else "result")


def _violation(violation: Violation, width: int) -> Iterator[Line]:
    text = f"{violation.rule} at {violation.path}: {violation.message}"
    yield from _lines(" ✗", violation.level, text, width, "violation")


def _lines(number: str, label: str, text: str, width: int, kind: Kind) -> Iterator[Line]:
    indent = " " * _INDENT
    first = f"{number:>2}  {label:<{_INDENT - 4}}"
    for index, paragraph in enumerate(_cut(_printable(text), _LONG).splitlines() or [""]):
        wrapped = textwrap.wrap(
            paragraph,
            max(width, 40),
            initial_indent=first if index == 0 else indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        yield from (Line(line, kind) for line in wrapped or [first.rstrip() if index == 0 else ""])


def _printable(text: str) -> str:
    """Text without what a terminal would obey: a recording must not move the cursor or change its title."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[:size].rstrip()} … ({len(text) - size:,} more characters)"


def _block_text(block: JsonObject) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text"))
    if kind == "thinking":
        return f"(thinks) {block.get('thinking')}"
    if "name" in block and "input" in block:
        return f"▸ {block['name']}({_arguments(block['input'])})"
    if "tool_use_id" in block and "content" in block:
        return f"[{kind}] {_result_text(block['content'])}"
    return f"[{kind}]"


def _arguments(value: object) -> str:
    if not isinstance(value, dict):
        return encode_text(value)
    return ", ".join(f"{name}={encode_text(argument)}" for name, argument in value.items())


def _result_text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return encode_text(content)
    parts: Sequence[object] = content if isinstance(content, list) else []
    return "\n".join(_block_text(part) for part in parts if isinstance(part, dict)) or "(no content)"
