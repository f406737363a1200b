"""How a JSON value is called in a sentence.

Law: pure, total; every value that JSON or Python can hold has a short name.
"""

from __future__ import annotations

_LONGEST = 40
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a number"),
    (str, "a string"),
    (list, "an array"),
    (dict, "an object"),
)


def kind_of(value: object) -> str:
    """The JSON kind of a value with its article: `a string`, `an array`, `null`."""
    if value is None:
        return "null"
    # bool comes first: in Python it is an int as well
    return next((name for kind, name in _KINDS if isinstance(value, kind)), type(value).__name__)


def shown(value: object) -> str:
    """A value as a sentence can hold it: scalars as JSON writes them and cut short, the others by their kind."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else value[: _LONGEST - 3] + "...")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        # Python refuses to print integers of thousands of digits
        return repr(value) if value.bit_length() <= 128 else f"an integer of {value.bit_length()} bits"
    return kind_of(value)
