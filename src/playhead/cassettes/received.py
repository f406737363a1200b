"""What a client understood of an answer.

Law: pure; bytes to a message, an error, or a part of one.
"""

from __future__ import annotations

from playhead.cassettes.interaction import Answer
from playhead.wire.codec import JsonError, decode
from playhead.wire.sse import EventDecoder
from playhead.wire.stream import Accumulator, event_data


def content_of(answer: Answer) -> list[object]:
    """The content blocks of the message in an answer; empty where there is none."""
    message: object = None
    if answer.streamed:
        made = Accumulator()
        for event in EventDecoder().feed(answer.body):
            try:
                made.add(event_data(event))
            except JsonError:
                break
        made.close()
        message = made.message
    else:
        try:
            message = decode(answer.body)
        except JsonError:
            return []
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []
