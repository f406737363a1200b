"""Hypothesis strategies for what Claude may say, what tools may do, and what a loop may send.

Law: the names by which they are imported; each topic has a module of its own. docs/strategies.md shows them in use.
"""

from __future__ import annotations

from playhead.testing.drawn_faulty import SEEDED, faulty_transcripts
from playhead.testing.drawn_replies import replies, reply_blocks, reply_messages
from playhead.testing.drawn_requests import request_bodies
from playhead.testing.drawn_scripts import calls, faults, scripts, tool_turns
from playhead.testing.drawn_tools import input_schemas, tool_schemas
from playhead.testing.drawn_transcripts import transcripts
from playhead.testing.schemas import inputs, invalid_inputs, telling_inputs
from playhead.testing.values import SAID, TEXT, json_values, tool_inputs

__all__ = [
    "SAID",
    "SEEDED",
    "TEXT",
    "calls",
    "faults",
    "faulty_transcripts",
    "input_schemas",
    "inputs",
    "invalid_inputs",
    "json_values",
    "replies",
    "reply_blocks",
    "reply_messages",
    "request_bodies",
    "scripts",
    "telling_inputs",
    "tool_inputs",
    "tool_schemas",
    "tool_turns",
    "transcripts",
]
