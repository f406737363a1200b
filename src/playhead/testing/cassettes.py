"""The cassettes of one test: opened in the mode of the run, closed when the test's body is over.

Law: knows no pytest; the plugin hands it plain values.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any

from playhead.errors import SetupError
from playhead.fake import FakeClaude
from playhead.recording import Mode, Recording

_OF_A_REPLAY = frozenset(inspect.signature(FakeClaude.from_cassette).parameters) - {"path", "accept"}
_OF_A_RECORDING = frozenset(inspect.signature(Recording).parameters) - {"path", "mode"}


def mode_of(option: str | None, ini: str, ci: str) -> Mode:
    """The mode of a run: what the command line says, else the ini file, but in CI (`CI` is set) a replay.

    Raises `SetupError`.
    """
    if ini not in ("", "replay", "record", "rewrite"):
        raise SetupError(f"the ini option playhead_mode is one of replay, record, rewrite, not {ini!r}")
    if option is None and ci.lower() not in ("", "0", "false", "no"):
        return "replay"
    return option or ini or "replay"  # type: ignore[return-value]


def opened(
    path: str,
    mode: Mode,
    options: Mapping[str, Any],
    *,
    accept: str,
    ignore: Sequence[str] = (),
    level: str | None = None,
) -> FakeClaude | Recording:
    """A fake that replays a cassette, or a recording into it, not yet begun.

    `options` are those of a replay and of a recording together; each takes its own. Raises `SetupError` for one that is
    neither's, and what `from_cassette` raises.
    """
    for name in options:
        if name not in _OF_A_REPLAY | _OF_A_RECORDING:
            known = ", ".join(sorted(_OF_A_REPLAY | _OF_A_RECORDING))
            raise SetupError(f"claude_cassette has no option {name!r}; it takes a path and {known}")
    if mode != "replay":
        own = {name: value for name, value in options.items() if name in _OF_A_RECORDING}
        return Recording(path, mode=mode, **own)
    own = {name: value for name, value in options.items() if name in _OF_A_REPLAY}
    merged = {**({} if level is None else {"level": level}), **own}
    if ignore:
        merged["ignore"] = [*ignore, *own.get("ignore", ())]
    return FakeClaude.from_cassette(_shown(path), accept=accept, **merged)


def _shown(path: str) -> str:
    """A path as people read it: from where they are, if that is above."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
