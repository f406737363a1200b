"""What a YAML scalar says.

Law: knows single scalars only.

Plain scalars follow the JSON-like schema of YAML 1.2: what recorders leave unquoted, such as `2023-06-01`, `no` or
`12:30`, is the text it was; they all quote a string that looks like a number, `null`, `true` or `false`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:(\.[0-9]*)?([eE][-+]?[0-9]+)?)\Z")
_WORDS: Mapping[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("0123456789-+")
_MAX_DIGITS = 4000  # Python refuses to read longer integers by default


def resolve(text: str) -> object:
    """The value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or len(text) > _MAX_DIGITS or (match := _NUMBER.match(text)) is None:
        return text
    return int(text) if match.group(1) is None and match.group(2) is None else float(text)


def binary(text: str) -> bytes:
    """The bytes of a scalar in base64. Raises `binascii.Error` or `ValueError`."""
    return base64.b64decode("".join(text.split()), validate=True)
