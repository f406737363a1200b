"""Interactions written in other tools' formats: vcrpy's YAML and HTTP Archives.

Law: pure; values to text. What a format cannot say is lost in it: neither knows how a stream was cut into pieces, when
they came, or that a connection broke, so an answer that did not come to its end is left out and counted.

Sources: vcrpy's cassette format (vcrpy 9.4.2, `vcr/serialize.py`, `vcr/serializers/compat.py`); HAR 1.2
(w3c.github.io/web-performance/specs/HAR/Overview.html).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping

from playhead.cassettes import yaml_text
from playhead.cassettes.interaction import Interaction
from playhead.wire.codec import JsonObject, encode_text

HOST = "https://api.anthropic.com"
REASONS: Mapping[int, str] = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    413: "Payload Too Large",
    429: "Too Many Requests",
    500: "Internal Server Error",
    529: "Overloaded",
}
"""The reason phrase of each status that the API answers with."""


def is_whole(interaction: Interaction) -> bool:
    """Whether the answer came to its end, so that other formats can tell it."""
    return interaction.answer.status != 0 and interaction.answer.fault in (None, "abandoned")


def url_of(interaction: Interaction) -> str:
    """The whole URL of a request."""
    return interaction.path if "://" in interaction.path else f"{HOST}{interaction.path}"


def vcrpy(interactions: Iterable[Interaction]) -> str:
    """A cassette of vcrpy's, version 1."""
    items = [yaml_text.item(vcrpy_item(interaction)) for interaction in interactions]
    return "interactions:\n" + "".join(items) + "version: 1\n"


def vcrpy_item(interaction: Interaction) -> JsonObject:
    """One interaction as vcrpy has it."""
    answer = interaction.answer
    return {
        "request": {
            "body": _text(interaction.body.to_bytes()),
            "headers": {name: [text] for name, text in interaction.headers.items()},
            "method": interaction.method,
            "uri": url_of(interaction),
        },
        "response": {
            "body": {"string": _text(answer.body)},
            "headers": {name: [text] for name, text in answer.headers.items()},
            "status": {"code": answer.status, "message": REASONS.get(answer.status, "")},
        },
    }


def _text(data: bytes) -> str:
    # bytes that are no text are replaced: neither Claude's requests nor its answers hold any
    return data.decode("utf-8", "replace")


def har(interactions: Iterable[Interaction]) -> str:
    """An HTTP Archive, version 1.2."""
    entries = [_entry(interaction) for interaction in interactions]
    creator = {"name": "Playhead", "version": "1"}
    return encode_text({"log": {"version": "1.2", "creator": creator, "entries": entries}}) + "\n"


def _entry(interaction: Interaction) -> JsonObject:
    answer, sent = interaction.answer, interaction.body.to_bytes()
    content_type = answer.headers.get("content-type", "")
    took = answer.times[-1] if answer.times else 0
    return {
        # an archive needs a time, and a cassette has none: archives of the same cassette are the same
        "startedDateTime": "1970-01-01T00:00:00.000Z",
        "time": took,
        "request": {
            "method": interaction.method,
            "url": url_of(interaction),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _pairs(interaction.headers),
            "queryString": [],
            "postData": {"mimeType": interaction.headers.get("content-type", "application/json"), **_content(sent)},
            "headersSize": -1,
            "bodySize": len(sent),
        },
        "response": {
            "status": answer.status,
            "statusText": REASONS.get(answer.status, ""),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _pairs(answer.headers),
            "content": {"size": len(answer.body), "mimeType": content_type, **_content(answer.body)},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": len(answer.body),
        },
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
    }


def _pairs(headers: Mapping[str, str]) -> list[JsonObject]:
    return [{"name": name, "value": text} for name, text in headers.items()]


def _content(data: bytes) -> JsonObject:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(data).decode(), "encoding": "base64"}


Export = Callable[[Iterable[Interaction]], str]
EXPORTS: Mapping[str, Export] = {"vcrpy": vcrpy, "har": har}
"""The formats that are written besides our own."""
