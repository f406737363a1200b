"""Kills recorders at random moments: no finished exchange may be lost, no file unreadable.

usage: kill_recordings.py [count]; starts that many recorders one after the other (200), kills each with SIGKILL at a
moment of its own, and reads what it left. A recorder prints the number of every exchange that its client has got, so
that this script knows what must be there. Exit code 0 when nothing was lost.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playhead import RecordingError, load

RECORDER = """
import sys
from playhead import FakeClaude, record, say
fake = FakeClaude(lambda request: say("a reply of some length " * 20), max_requests=100_000)
with record(sys.argv[1], upstream=fake.transport) as recording:
    client = recording.client(api_key="k")
    messages = []
    print("ready", flush=True)
    for number in range(1, 100_000):
        messages = [*messages, {"role": "user", "content": "line\\n" * 30}]
        reply = client.messages.create(model="claude-opus-5-5", max_tokens=64, messages=messages)
        messages = [*messages, {"role": "assistant", "content": reply.content}]
        print(number, flush=True)
"""


def killed(path: Path, wait: float) -> int:
    """Runs a recorder for a time, in seconds after its first exchange could come; gives the exchanges it told of."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", RECORDER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(wait)
    process.kill()
    told, _ = process.communicate()
    numbers = [line for line in told.split("\n")[:-1] if line.isdigit()]
    return int(numbers[-1]) if numbers else 0


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    chance = random.Random(0)
    lost = unreadable = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            path = Path(folder) / f"{number}.yaml"
            told = killed(path, chance.uniform(0, 0.4))
            total += told
            try:
                session = load(path)
            except RecordingError as error:
                # nothing was recorded yet
                unreadable += bool(told) or "holds nothing" not in str(error)
                continue
            lost += max(0, told - len(session.exchanges))
            assert not session.finished
    print(f"{count} recorders killed after {total} exchanges: {lost} lost, {unreadable} files unreadable")
    return 1 if lost or unreadable else 0


if __name__ == "__main__":
    sys.exit(main())
