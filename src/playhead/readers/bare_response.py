"""Answers saved without their requests: a message, an error body, or several of them.

Law: one JSON object, an array of them, or one on each line; each becomes an exchange without a request.
"""

from __future__ import annotations

import re
from collections import Counter

from playhead.readers.document import is_json
from playhead.readers.json_lines import document, objects
from playhead.readers.opening import first_item, first_keys, opening
from playhead.readers.source import Format, Recording, Source
from playhead.wire.codec import JsonObject, kind
from playhead.wire.exchange import Exchange
from playhead.wire.tables import ERROR_STATUS

_TYPE = re.compile(rb'"type"\s*:\s*"(message|error)"')


def _is_answer(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") == "error":
        return isinstance(value.get("error"), dict) and "type" in value["error"]
    return (value.get("type"), value.get("role")) == ("message", "assistant") and isinstance(value.get("content"), list)


def _matches(source: Source) -> bool:
    item = first_item(source)
    if item is not None:
        return _is_answer(item)
    keys = {*first_keys(source)}
    if "type" not in keys or not {"role", "error"} & keys or {"uuid", "session_id", "message"} & keys:
        return False
    return bool(_TYPE.search(opening(source)))


def _exchange(answer: JsonObject) -> Exchange:
    if answer.get("type") == "error":
        error = answer["error"]
        return Exchange(status=ERROR_STATUS.get(str(error.get("type"))), error=error)
    return Exchange(status=200, response=answer)


def _several(source: Source) -> bool:
    """Whether the file holds an array, or more than one line of JSON."""
    return opening(source).startswith(b"[") or not is_json(source)


def _read(source: Source) -> Recording:
    skipped: Counter[str] = Counter()
    found: list[Exchange] = []
    if _several(source):
        for _, item in objects(source):
            if _is_answer(item):
                found.append(_exchange(item))
            else:
                skipped["an item that is no message and no error of the API"] += 1
        return Recording(exchanges=tuple(found), skipped=skipped)
    value = document(source)
    if not isinstance(value, dict) or not _is_answer(value):
        source.fail(
            f"a message (`type`, `role`, `content`) or an error body is needed, this is {kind(value)} of another shape"
        )
    return Recording(exchanges=(_exchange(value),))


FORMAT = Format(
    name="bare-response-json",
    about="messages and error bodies alone, in a list, or on lines",
    tells="nothing",
    matches=_matches,
    read=_read,
)
