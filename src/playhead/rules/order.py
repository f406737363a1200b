"""In which order the API looks at a request: of several faults it answers the first.

Law: numbers only. Measured on claude-sonnet-5 in 2026-08 with pairs of faults: credentials and headers, then the fields
one after the other (each with all that is in it), then unknown top-level keys, then the conversation as a whole, then
the container. Where pairing, thinking and the model's capabilities fall was not measured; they are put after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TOO_LARGE = -40
CREDENTIALS = -30
VERSION = -20
BETAS = -10

FIELDS = (
    "model",
    "tool_choice",
    "tools",
    "messages",
    "system",
    "thinking",
    "output_config",
    "cache_control",
    "max_tokens",
    "metadata",
    "stop_sequences",
    "temperature",
    "service_tier",
    "top_k",
    "top_p",
    "stream",
    "container",
    "inference_geo",
    "context_management",
    "mcp_servers",
)
"""The fields as the API reads them; the last two are beta fields, whose place is assumed."""

FIELD: Mapping[str, int] = MappingProxyType({name: 10 * position for position, name in enumerate(FIELDS)})
"""The rank of faults within one field."""

UNKNOWN_KEYS = 300
CONVERSATION = 400
CONTAINER = 500
PAIRING = 600
CAPABILITY = 700
SIZE = 800
