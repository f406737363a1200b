"""Makes the recordings in cassettes/: real clients, our own recorder, and a fake Claude in place of the API.

    python examples/record_cassettes.py            # all of them anew
    python examples/record_cassettes.py DIRECTORY  # into another folder

Each loop is an ordinary one. It is what `tests/test_cassettes_folder.py` replays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import anthropic

from playhead import FakeClaude, call, fail, record, say, think, turn
from playhead.loop import Tools, date_tools, run_conversation, text_from_message

QUESTION = "what date is it in 103 days?"
PORTS = "How high is the tide in Brest and in Saint-Malo?"
FOLDER = Path(__file__).resolve().parent.parent / "cassettes"
TOOLS: list[Any] = [
    {
        "name": "get_tide",
        "description": "The height of the tide in metres.",
        "input_schema": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
    }
]


class Recorded(NamedTuple):
    """A session to record: what Claude says, and the loop that hears it."""

    script: Sequence[Any]
    loop: Callable[[anthropic.Anthropic], str]


def dates(client: anthropic.Anthropic) -> str:
    """The reference loop on a day that is always the same: two tools, one after the other."""
    known, tools = date_tools([]), Tools()
    for schema in known.schemas:
        is_clock = schema["name"] == "get_current_datetime"
        tools.add(schema, _today if is_clock else known.functions[schema["name"]])
    return text_from_message(run_conversation(client, [{"role": "user", "content": QUESTION}], tools))


def _today(date_format: str = "%Y-%m-%d %H:%M:%S") -> str:
    return "2025-01-01"


def tides(client: anthropic.Anthropic) -> str:
    """Streams, and answers all calls of a turn in one message."""
    messages: list[Any] = [{"role": "user", "content": PORTS}]
    while True:
        with client.messages.stream(model="claude-opus-5-5", max_tokens=1024, tools=TOOLS, messages=messages) as stream:
            reply = stream.get_final_message()
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return "".join(block.text for block in reply.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "4.1 m"}
            for block in reply.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})


SESSIONS: Mapping[str, Recorded] = {
    "103_days.yaml": Recorded(
        [
            turn(say("Let me look."), call("get_current_datetime", date_format="%Y-%m-%d")),
            call("add_duration_to_datetime", datetime_str="2025-01-01", duration=103, unit="days"),
            say("It will be Monday, April 14, 2025."),
        ],
        dates,
    ),
    "two_ports.yaml": Recorded(
        [
            turn(think("Two ports."), call("get_tide", port="Brest"), call("get_tide", port="Saint-Malo")),
            say("Both stand at 4.1 m."),
        ],
        tides,
    ),
    "overloaded.yaml": Recorded(
        [call("get_tide", port="Brest"), fail(529, times=2), say("4.1 m in Brest, as the SDK's third attempt said.")],
        tides,
    ),
}
"""Which file holds which session."""


def main(folder: Path = FOLDER) -> None:
    """Records every session into a folder."""
    folder.mkdir(exist_ok=True)
    for name, (script, loop) in SESSIONS.items():
        with FakeClaude(script) as fake, record(folder / name, fake.transport) as recording:
            print(f"{name}: {loop(recording.client(api_key='any'))}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
