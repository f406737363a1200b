"""The table of formats, and `load`: a file to a session.

Law: what a file is, is told by its content, never by its name. The most certain tests come first.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace

from playhead.errors import RecordingError, UnknownFormat
from playhead.files import read_beside, read_pieces
from playhead.readers import (
    bare_response,
    braintrust_js,
    claude_code,
    claude_stream_json,
    event_lines,
    go_vcr,
    har,
    httpmock,
    httprr,
    langchain_cassette,
    messages_list,
    nock,
    parsed_body,
    pi_session,
    playhead_cassette,
    r_vcr,
    raw_sse,
    request_response,
    ruby_vcr,
    vcrpy,
    wiremock,
)
from playhead.readers.body import MAX_BODY, BodyError, unzipped
from playhead.readers.call import Shape
from playhead.readers.depth import TOO_DEEP, is_too_deep
from playhead.readers.document import fitting, is_json, is_yaml, parse_yaml, recording
from playhead.readers.source import Format, Recording, Source, first_match
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session, number_exchanges, with_retries

_SCRIPT = re.compile(rb"(?m)[\"']?format[\"']?[ ]*:[ ]*[\"']?playhead-script\b")

SHAPES: tuple[Shape, ...] = (
    har.SHAPE,
    braintrust_js.SHAPE,
    nock.SHAPE,
    wiremock.SHAPE,
    go_vcr.SHAPE,
    parsed_body.SHAPE,
    vcrpy.SHAPE,
    langchain_cassette.SHAPE,
    r_vcr.SHAPE,
    ruby_vcr.SHAPE,
    httpmock.SHAPE,
    request_response.SHAPE,
)
"""The formats whose files are one document, JSON or YAML. Each file is parsed once, then told by its shape."""

FORMATS: tuple[Format, ...] = (
    playhead_cassette.FORMAT,
    httprr.FORMAT,
    claude_stream_json.FORMAT,
    claude_code.FORMAT,
    pi_session.FORMAT,
    request_response.LINES,
    *event_lines.FORMATS,
    bare_response.FORMAT,
    messages_list.FORMAT,
    raw_sse.FORMAT,
)
"""The formats whose files are bytes or lines, and documents that hold no HTTP calls."""


def formats_table() -> str:
    """The formats as a table in Markdown, for the documentation."""
    kinds: tuple[Shape | Format, ...] = (*SHAPES, *FORMATS)
    rows = [("format", "what it is", "what it tells of a request"), ("---", "---", "---")]
    rows += [(known.name, known.about, known.tells) for known in kinds]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def load(path: str | os.PathLike[str]) -> Session:
    """The session that a recording holds; what was no Claude traffic is counted in its `skipped`.

    Raises `RecordingError`, naming file and line or field, where the file cannot be read, is of no known format, is
    damaged, or holds nothing at all.
    """
    return session_from(
        Source(
            name=os.fsdecode(path),
            begin=lambda: unzipped(read_pieces(path)),
            beside=lambda name, root: read_beside(path, name, root=root, limit=MAX_BODY),
        )
    )


def session_of(data: bytes, name: str) -> Session:
    """The session that a recording's bytes hold, zipped or not; `name` stands in errors. Raises `RecordingError`."""
    return session_from(Source(name=name, begin=lambda: unzipped((data,))))


def session_from(source: Source) -> Session:
    """The session that a source holds. Raises `RecordingError`."""
    try:
        found = read(source)
        exchanges = _numbered(found.exchanges)
        for exchange in exchanges:
            if any(map(is_too_deep, (exchange.response, exchange.error, exchange.events and [*exchange.events]))):
                source.fail(TOO_DEEP, field=f"the answer of exchange {exchange.number}")
    except BodyError as error:
        raise RecordingError(source.name, str(error)) from None
    except RecursionError:
        raise RecordingError(source.name, TOO_DEEP) from None
    return Session(
        exchanges=with_retries(exchanges),
        skipped=dict(found.skipped),
        format=found.format,
        finished=found.finished,
    )


def _numbered(exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    if all(exchange.number == number for number, exchange in enumerate(exchanges, 1)):
        return exchanges
    return number_exchanges(exchanges)


def read(source: Source) -> Recording:
    """What a source holds. Raises `RecordingError`."""
    if source.is_short and not source.head.strip():
        source.fail("the file holds only blanks" if source.head else "the file is empty")
    if is_json(source):
        if (shape := fitting(SHAPES, source.json)) is not None:
            return replace(recording(source, shape.name, shape.calls(source.json)), format=shape.name)
    elif not any(known.matches(source) for known in (httprr.FORMAT, playhead_cassette.FORMAT)) and is_yaml(source):
        return _read_yaml(source)
    if (known := first_match(FORMATS, source)) is None:
        raise UnknownFormat(source.name, _unknown(source))
    return _not_empty(replace(known.read(source), format=known.name), source)


def _not_empty(found: Recording, source: Source) -> Recording:
    if not found.exchanges and not found.skipped:
        source.fail(f"this is a recording ({found.format}), but it holds nothing")
    return found


def _read_yaml(source: Source) -> Recording:
    document = parse_yaml(source)
    if (shape := fitting(SHAPES, document)) is None:
        reason = "this is YAML, but no recording of a known format; see `playhead.readers.table` for the list"
        raise UnknownFormat(source.name, reason)
    return replace(recording(source, shape.name, shape.calls(document)), format=shape.name)


def _unknown(source: Source) -> str:
    """Why a file is no recording, as far as that can be told."""
    if b"\x00" in source.head:
        return "this is a binary file, no recording"
    if _SCRIPT.search(source.head):
        return "this is a script, no recording: play it with FakeClaude.from_file"
    names = ", ".join([*(shape.name for shape in SHAPES), *(known.name for known in FORMATS)])
    return f"no known format of recordings is recognised in it; known are {names}"
