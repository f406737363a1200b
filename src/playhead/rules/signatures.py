"""What can be told of a signature without the key it was made with.

Law: pure. Genuine is what a reply carried; of all else only this can be said: a seal of the fake's own shows whether
the text under it was changed, and a few bytes are no signature at all. The rest is not judged: whether it verifies,
only the API knows, and a recorder may have put a word of its own in the place of a secret.

Signatures and redacted data that the API issued are base64 of 150 bytes and more (in public recordings of 2025 and
2026). Stand-ins seen in recordings and tests: `signature_REDACTED_1`, `sig_abc123`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable

_MARK = b"playhead"
_DIGEST = hashlib.sha256().digest_size
_SHORTEST = 44
"""Characters of base64 for 32 bytes: less than that holds no seal of any kind."""

_STAND_IN = re.compile(r"[^A-Za-z0-9+/=]|redact|sig|mask|scrub|filter|placeholder", re.IGNORECASE)

_SEALED = frozenset({"signature", "data", "encrypted_content", "encrypted_index", "encrypted_stdout"})

_TEXT = frozenset({"type", "text"})


def seal(text: str) -> str:
    """The signature that the fake puts under a text."""
    return base64.b64encode(_MARK + _digest(text)).decode()


def is_broken(signature: object, text: object) -> bool:
    """Whether this is a seal of the fake's, and made for another text. A text left out, then or now, breaks none."""
    if not isinstance(signature, str) or not isinstance(text, str) or not text:
        return False
    try:
        sealed = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    if len(sealed) != len(_MARK) + _DIGEST or not sealed.startswith(_MARK):
        return False
    return sealed.removeprefix(_MARK) not in (_digest(text), _digest(""))


def never_issued(value: str) -> bool:
    """Whether a signature, or redacted data, is none that the API can have issued: empty, or a few bytes of base64."""
    return len(value) < _SHORTEST and not _STAND_IN.search(value)


def sealed_in(content: Iterable[object]) -> list[str]:
    """The strings in a reply that only the API can make."""
    found: list[str] = []
    open_values: list[object] = []  # it grows while it is read: no depth is too deep for it
    for block in content:
        if not (isinstance(block, dict) and block.keys() == _TEXT and isinstance(block["text"], str)):
            open_values.append(block)
    for value in open_values:
        if isinstance(value, list):
            open_values.extend(value)
        elif isinstance(value, dict):
            for name, member in value.items():
                if isinstance(member, str):
                    if name in _SEALED:
                        found.append(member)
                elif isinstance(member, dict | list) and name != "input":
                    open_values.append(member)
    return found


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
