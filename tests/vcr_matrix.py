"""The bridge under several versions of vcrpy, each in a folder of its own that goes first on the path.

usage: vcr_matrix.py [VERSION ...]; by default the first that the extra `vcr` allows, and later ones. The bridge needs
one private member of vcrpy's, to save without making every history whole; this shows that it is still there, and that
all else works. Exit code 1 where a test fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("9.0.0", "9.1.0", "9.2.0", "9.4.2")
TESTS = Path(__file__).resolve().parent / "readers" / "test_vcr.py"


def passes(version: str, folder: Path) -> bool:
    """Installs a version of vcrpy into the folder and runs the bridge's tests with it."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*install, "--target", str(folder), f"vcrpy=={version}"], check=True, stderr=subprocess.DEVNULL)
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS)]
    result = subprocess.run(
        run, env={**os.environ, "PYTHONPATH": path}, cwd=TESTS.parents[2], capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.stdout.write(result.stdout[-2000:])
    return result.returncode == 0


def main() -> int:
    failed = []
    for version in sys.argv[1:] or VERSIONS:
        with tempfile.TemporaryDirectory() as folder:
            ok = passes(version, Path(folder))
        sys.stdout.write(f"vcrpy {version}: {'ok' if ok else 'failed'}\n")
        sys.stdout.flush()
        failed += [] if ok else [version]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
