"""Opens and drops connections to a served fake by the thousand: it holds nothing of them, and answers as before.

usage: hostile_server.py [count]; so many connections (10,000), some of them with nothing sent, some in the middle of a
request, some with a whole one, a third of them ended with a reset, twenty held open at any time. Every thousand a good
request is asked. Exit code 0 when all were answered rightly and no descriptor, thread, connection or task is left.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile import asking, connected, hosted, nothing_leaks, request, seen, still_good

RESET = struct.pack("ii", 1, 0)
HELD = 20


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    whole = request(asking(), connection="keep-alive")
    with hosted() as server:
        still_good(server)
        with nothing_leaks(server):
            held: deque[socket.socket] = deque()
            for number in range(count):
                held.append(connected(server, whole[: number % (len(whole) + 1)]))
                if len(held) > HELD:
                    gone = held.popleft()
                    if number % 3 == 0:
                        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    gone.close()
                if number % 1000 == 0:
                    still_good(server)
            for connection in held:
                connection.close()
        still_good(server)
        asked = seen(server)
    print(
        f"{count} connections dropped, {asked} requests among them; every good one was answered, nothing is left open"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
