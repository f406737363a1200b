"""What a client understood of an answer.

Law: pure; bytes to a message, an error, or a part of one.
"""

from __future__ import annotations

from collections.abc import Iterable

from playhead.cassettes.interaction import Answer, Interaction
from playhead.wire.codec import JsonError, decode, decode_object
from playhead.wire.exchange import Exchange
from playhead.wire.sse import EventDecoder
from playhead.wire.stream import Accumulator, event_data


def content_of(answer: Answer) -> list[object]:
    """The content blocks of the message in an answer; empty where there is none."""
    if answer.streamed:
        message: object = _accumulated(answer)[0].message
    else:
        try:
            message = decode(answer.body)
        except JsonError:
            return []
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def is_over(answer: Answer) -> bool:
    """Whether a stream told its end, or its failure: a client that reads no further has missed nothing."""
    made, _ = _accumulated(answer)
    return made.complete or made.error is not None


def exchanges_of(interactions: Iterable[Interaction]) -> tuple[Exchange, ...]:
    """The exchanges that a cassette tells; messages that are sent again are the very same objects."""
    return tuple(_exchange(number, interaction) for number, interaction in enumerate(interactions, 1))


def _exchange(number: int, interaction: Interaction) -> Exchange:
    try:
        request = interaction.body.values()
    except JsonError:
        request = None
    answer = interaction.answer
    return Exchange(
        number=number,
        method=interaction.method,
        path=interaction.path,
        headers=interaction.headers,
        request=request,
        status=answer.status or None,
        response_headers=answer.headers,
        **_seen(answer),  # type: ignore[arg-type]
    )


def _seen(answer: Answer) -> dict[str, object]:
    """The fields of an exchange that tell its answer."""
    if answer.streamed and answer.status < 400:
        made, readable = _accumulated(answer)
        return {"response": made.message, "error": made.error, "complete": made.complete and readable}
    try:
        value = decode_object(answer.body)
    except JsonError:
        return {"complete": False}
    error = value.get("error")
    if answer.status >= 400 or value.get("type") == "error":
        return {"error": error if isinstance(error, dict) else {"type": "api_error", "message": str(error)}}
    return {"response": value, "complete": answer.fault is None}


def _accumulated(answer: Answer) -> tuple[Accumulator, bool]:
    """What the events made, and whether all of them could be read."""
    made, readable = Accumulator(), True
    for event in EventDecoder().feed(answer.body):
        if event.name == "ping":
            continue  # its data is never parsed
        try:
            made.add(event_data(event))
        except JsonError:
            readable = False
            break
    made.close()
    return made, readable
