"""Which clients of other languages are installed here, and how they are run. Not tests themselves.

`make node` installs those that come from npm into `node/node_modules`. Where a client is missing its tests are
skipped, with the reason.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NODE = HERE / "node"
PACKAGES = NODE / "node_modules" / "@anthropic-ai"
SECONDS = 60
"""After which a client that hangs is ended: nobody waits for it."""

_ALONE = ("sh", "-c", 'ip link set lo up && exec "$@"', "sh")
_NAMESPACES = (("unshare", "--net"), ("unshare", "--map-root-user", "--net"))


def needs_program(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def needs_typescript_sdk() -> pytest.MarkDecorator:
    missing = shutil.which("node") is None or not (PACKAGES / "sdk").is_dir()
    return pytest.mark.skipif(missing, reason="node or @anthropic-ai/sdk is missing; `make node` installs the package")


def claude_code() -> Path | None:
    """Claude Code's program: the package of this platform brings it."""
    found = sorted(PACKAGES.glob("claude-code-*/claude"))
    return found[0] if found else None


def needs_claude_code() -> pytest.MarkDecorator:
    return pytest.mark.skipif(claude_code() is None, reason="Claude Code is missing; `make node` installs it")


@functools.cache
def isolation() -> tuple[str, ...] | None:
    """The beginning of a command that runs in a network of its own, which reaches nothing but itself; None where the
    system does not allow one.
    """
    for namespace in _NAMESPACES:
        if (
            shutil.which(namespace[0])
            and not subprocess.run([*namespace, *_ALONE, "true"], capture_output=True).returncode
        ):
            return (*namespace, *_ALONE)
    return None


def alone(command: Sequence[str | Path], **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a command that cannot reach any network. Skips the test where that is not possible."""
    inside = isolation()
    if inside is None:
        pytest.skip("no network namespace can be made here (unshare --net), and this client must not reach any network")
    return run([*inside, *command], {**os.environ, **env})


def run(
    command: Sequence[str | Path], env: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a client to its end, with nothing to read."""
    return subprocess.run(
        [str(part) for part in command],
        env=dict(env),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
