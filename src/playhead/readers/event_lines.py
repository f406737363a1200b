"""Stream events saved as JSON: one event on each line, or an array of them.

Law: reads the events; one file may hold several streams one after the other. Each event is its data, or
`{"event": name, "data": data}` with the data as an object or as JSON text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from playhead.readers.json_lines import objects
from playhead.readers.opening import first_item, first_lines
from playhead.readers.source import Format, Recording, Source
from playhead.readers.streams import is_event, keeps_events, stream_exchanges
from playhead.wire.codec import JsonError, JsonObject, decode


def _data(item: JsonObject) -> object:
    """The data of an event, out of its wrapping."""
    data = item.get("data")
    if data is None or "type" in item:
        return item
    if isinstance(data, str):
        try:
            return decode(data)
        except JsonError:
            return data
    return data


def _matches_lines(source: Source) -> bool:
    return any(is_event(_data(item)) for item in first_lines(source, 1))


def _matches_list(source: Source) -> bool:
    item = first_item(source)
    return item is not None and is_event(_data(item))


def _read(source: Source) -> Recording:
    skipped: Counter[str] = Counter()

    def events() -> Iterator[JsonObject]:
        for _, item in objects(source):
            data = _data(item)
            if isinstance(data, dict) and isinstance(data.get("type"), str):
                yield data
            else:
                skipped["an item that is no stream event"] += 1

    return Recording(exchanges=stream_exchanges(events(), keep=keeps_events(source)), skipped=skipped)


LINES = Format(
    name="event-json-lines",
    about="stream events as JSON, one on each line",
    tells="nothing",
    matches=_matches_lines,
    read=_read,
)
LIST = Format(
    name="event-json-list",
    about="stream events as one JSON list",
    tells="nothing",
    matches=_matches_list,
    read=_read,
)
FORMATS = (LINES, LIST)
