"""The Messages API as clouds offer it: their URLs carry the model and whether the answer is a stream.

Law: pure; knows URLs and the few members in which a cloud's body differs from the API's own.

Sources: platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai and .../claude-on-amazon-bedrock, and the
SDK's clients for both (anthropic 2.14.0, `lib/vertex/_client.py`, `lib/bedrock/_client.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from playhead.wire.codec import JsonObject
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH

_BEDROCK = re.compile(r"/model/([^/]+)/(invoke-with-response-stream|invoke)\Z")
_VERTEX = re.compile(r"/publishers/anthropic/models/([^/:]+)(?::|%3[aA])(streamRawPredict|rawPredict)\Z")
_STREAMS = frozenset({"invoke-with-response-stream", "streamRawPredict"})
_COUNTING = "count-tokens"
_VERSION = "2023-06-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """Where a cloud's URL leads: `vendor` is `"bedrock"` or `"vertex"`, `endpoint` the API's path.

    `model` is None where the body names it, as when tokens are counted on Vertex.
    """

    vendor: str
    endpoint: str
    model: str | None
    stream: bool


@lru_cache(maxsize=256)
def cloud_of(path: str) -> Cloud | None:
    """The cloud whose URL shape a path has; None for the API's own paths."""
    path = path.partition("?")[0]
    vertex = _VERTEX.search(path)
    if vertex is not None and vertex.group(1) == _COUNTING:
        return Cloud(vendor="vertex", endpoint=COUNT_TOKENS_PATH, model=None, stream=False)
    match = vertex or _BEDROCK.search(path)
    if match is None:
        return None
    return Cloud(
        vendor="vertex" if vertex else "bedrock",
        endpoint=MESSAGES_PATH,
        model=unquote(match.group(1)),
        stream=match.group(2) in _STREAMS,
    )


def as_the_api_has_it(cloud: Cloud, body: JsonObject, headers: Mapping[str, str]) -> tuple[JsonObject, dict[str, str]]:
    """A cloud's request as it would be on the API: model and stream in the body, version and betas in the headers."""
    plain = {key: value for key, value in body.items() if key not in ("anthropic_version", "anthropic_beta")}
    if cloud.model is not None:
        plain["model"] = cloud.model
    if cloud.stream:
        plain["stream"] = True
    said = {"anthropic-version": _VERSION, **headers}
    betas = body.get("anthropic_beta")
    if isinstance(betas, list):
        said["anthropic-beta"] = ",".join(map(str, betas))
    return plain, said
