"""Recorded requests and answers as vcrpy hands them around, whose bodies are put together only when they are read.

Law: values between vcrpy's types and a cassette's interactions; no file and no matching is known here. This module
loads vcrpy, so only the bridge imports it.

vcrpy copies every request it loads, and again for each hook and each comparison. A copy of one of these shares its
body with the others, so that 1,000 turns do not become 1,000 histories.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from vcr.request import Request

from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.encodings import Damaged, decoder_of
from playhead.cassettes.exporting import REASONS, url_of
from playhead.cassettes.interaction import Answer, Interaction


class LazyBody:
    """A body on its way through vcrpy's loading, which takes whatever stands there for one."""

    def __init__(self, shelved: Body) -> None:
        self.shelved = shelved


class RecordedRequest(Request):  # type: ignore[misc]
    """A request of vcrpy's whose body is made from what the cassette holds when it is asked for.

    `shelved` is that body; None once somebody, a scrubbing hook say, has set another.
    """

    def __init__(self, method: str, uri: str, shelved: Body, headers: Mapping[str, str]) -> None:
        super().__init__(method, uri, None, headers)
        self.shelved: Body | None = shelved

    @property
    def body(self) -> Any:
        """The body, as bytes."""
        return super().body if self.shelved is None else self.shelved.to_bytes()

    @body.setter
    def body(self, value: Any) -> None:
        self.shelved = None
        Request.body.fset(self, value)

    @property
    def body_bytes(self) -> Any:
        """The body, as bytes."""
        return super().body_bytes if self.shelved is None else self.shelved.to_bytes()

    def __deepcopy__(self, memo: dict[int, object]) -> RecordedRequest:
        copied = copy.copy(self)
        copied.headers = dict(self.headers.items())
        return copied

    def _to_dict(self) -> dict[str, Any]:
        # vcrpy turns requests into dicts with this when it saves. It is private there: should it be called otherwise
        # one day, a serializer gets the body as text and puts it on the shelf again, which only takes longer.
        return request_dict(self, self.body if self.shelved is None else LazyBody(self.shelved))


def request_dict(request: Any, body: object) -> dict[str, Any]:
    """A request as a serializer of vcrpy's gets it."""
    return {
        "method": request.method,
        "uri": request.uri,
        "body": body,
        "headers": {name: [value] for name, value in request.headers.items()},
    }


class RecordedResponse(dict[str, Any]):
    """A response of vcrpy's, with the answer that it was made from: what vcrpy has no place for is not lost."""

    def __init__(self, members: Mapping[str, Any], answer: Answer) -> None:
        super().__init__(members)
        self.answer = answer

    def __deepcopy__(self, memo: dict[int, object]) -> RecordedResponse:
        return RecordedResponse(copy.deepcopy(dict(self), memo), self.answer)


def as_recorded(request: Any, shelf: Shelf) -> RecordedRequest:
    """The request with a body that is made when it is asked for; one that came whole is put on the shelf."""
    body = request.body
    shelved = body.shelved if isinstance(body, LazyBody) else shelf.put(to_bytes(body))
    return RecordedRequest(request.method, request.uri, shelved, request.headers)


def to_vcrpy(interaction: Interaction, *, lazy: bool) -> dict[str, Any]:
    """An interaction as a serializer of vcrpy's gives it."""
    body = interaction.body
    return {
        "request": {
            "method": interaction.method,
            "uri": url_of(interaction),
            "body": LazyBody(body) if lazy else body.to_bytes(),
            "headers": {name: [value] for name, value in interaction.headers.items()},
        },
        "response": RecordedResponse(_response(interaction.answer), interaction.answer),
    }


def _response(answer: Answer) -> dict[str, Any]:
    return {
        "status": {"code": answer.status, "message": REASONS.get(answer.status, "")},
        "headers": {name: [value] for name, value in answer.headers.items()},
        "body": {"string": answer.body},
    }


def to_answer(response: Mapping[str, Any]) -> Answer:
    """The answer that a response of vcrpy's is, its content decoded."""
    headers = {str(name).lower(): _joined(values) for name, values in (response.get("headers") or {}).items()}
    body = to_bytes((response.get("body") or {}).get("string"))
    if isinstance(response, RecordedResponse) and _is_as_loaded(response, headers, body):
        return response.answer
    encoding = headers.get("content-encoding")
    decoder = decoder_of(encoding) if encoding and body else None
    if decoder is not None:
        with suppress(Damaged):  # a hook has decoded it and left the header
            body = decoder.feed(body)
        headers = {name: value for name, value in headers.items() if name not in _OF_THE_WAY}
    return Answer(status=int(response["status"]["code"]), headers=headers, body=body)


_OF_THE_WAY = ("content-encoding", "content-length", "transfer-encoding")


def _is_as_loaded(response: RecordedResponse, headers: Mapping[str, str], body: bytes) -> bool:
    answer = response.answer
    return headers == dict(answer.headers) and body == answer.body and response["status"]["code"] == answer.status


def to_bytes(body: object) -> bytes:
    """A body of any type that vcrpy lets pass: none, text, bytes, a file, pieces."""
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    if body is None:
        return b""
    if hasattr(body, "read"):
        return to_bytes(body.read())
    return b"".join(map(to_bytes, body))  # type: ignore[call-overload]


def _joined(values: object) -> str:
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        return ", ".join(map(_text, values))
    return _text(values)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
