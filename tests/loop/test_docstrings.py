"""Docstrings: what is description, what is a parameter's text."""

from __future__ import annotations

import pytest

from playhead.loop.docstrings import read_docstring

CASES = {
    "none": (None, "", {}),
    "one-line": ("Just this.", "Just this.", {}),
    "indented-paragraphs": ("Do.\n\n    More.\n    ", "Do.\n\nMore.", {}),
    "args": ("Do.\n\nArgs:\n    a: one\n    b (int): two", "Do.", {"a": "one", "b": "two"}),
    "continued": (
        "Do.\n\nArgs:\n    a: one\n        more: of it\n\n    b: two",
        "Do.",
        {"a": "one more: of it", "b": "two"},
    ),
    "text-below": ("Do.\n\nArgs:\n    a:\n        below", "Do.", {"a": "below"}),
    "other-sections": ("Do.\n\nReturns:\n    a: no parameter", "Do.", {}),
    "order-of-sections": ("Do.\n\nRaises:\n    E: never\n\nParameters:\n    a: one", "Do.", {"a": "one"}),
    "fields": ("Do.\n\n:param a: one\n:param dict[str, int] b: two", "Do.", {"a": "one", "b": "two"}),
    "returns-field": ("Do.\n\n:returns: x\n    a: y", "Do.", {}),
    "a-colon-is-no-section": ("Note that: this is text.", "Note that: this is text.", {}),
}


@pytest.mark.parametrize(("docstring", "description", "parameters"), CASES.values(), ids=CASES)
def test_read_docstring(docstring: str | None, description: str, parameters: dict[str, str]) -> None:
    """Both styles, and what is neither."""
    assert read_docstring(docstring) == (description, parameters)
