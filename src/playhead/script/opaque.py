"""What only Anthropic can read, as the fake makes it: the same text for the same meaning, and nothing in it.

Law: pure. It looks as the API's does (base64, 150 bytes and more, its first letter an E), so that what judges such
texts by their looks takes it for genuine.
"""

from __future__ import annotations

import base64
import hashlib

_FIRST = b"\x12playhead"
_SIZE = 174


def opaque(*meaning: str) -> str:
    """The sealed form of something, as `encrypted_content` and redacted thinking have it."""
    told = "\x00".join(meaning).encode("utf-8", "surrogatepass")
    return base64.b64encode(_FIRST + hashlib.shake_256(told).digest(_SIZE)).decode()
