"""What a tool returns becomes content that can always be sent."""

from __future__ import annotations

import datetime
import enum
import json
from dataclasses import dataclass
from typing import Any

import anthropic.types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop import UnknownTool
from playhead.loop.results import content_of_failure, content_of_result


class Color(str, enum.Enum):  # noqa: UP042  # its str() is not its value, unlike StrEnum's
    RED = "red"


@dataclass
class Point:
    x: int
    when: datetime.date


class Opaque:
    def __str__(self) -> str:
        return "opaque thing"


TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image", "source": {"type": "url", "url": "u"}}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        pytest.param("plain", "plain", id="string"),
        pytest.param("", "", id="empty-string"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone-surrogate"),
        pytest.param(None, "null", id="none"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(2**70, "1180591620717411303424", id="big-integer"),
        pytest.param(3.0, "3.0", id="float"),
        pytest.param(float("nan"), '"NaN"', id="nan"),
        pytest.param([float("inf"), -float("inf")], '["Infinity", "-Infinity"]', id="infinite"),
        pytest.param({"größe": ["é", 1]}, '{"größe": ["é", 1]}', id="utf-8-kept"),
        pytest.param({"a": 1}.items(), None, id="items-view"),
        pytest.param({2: "a", None: "b", True: "c"}, '{"2": "a", "null": "b", "true": "c"}', id="odd-keys"),
        pytest.param((1, 2), "[1, 2]", id="tuple"),
        pytest.param({"b", "a"}, '["a", "b"]', id="set-in-order"),
        pytest.param(b"caf\xc3\xa9", "café", id="bytes-utf-8"),
        pytest.param(b"\xff\x00", "/wA=", id="bytes-base64"),
        pytest.param(Color.RED, "red", id="enum"),
        pytest.param({"c": Color.RED}, '{"c": "red"}', id="enum-inside"),
        pytest.param(Point(1, datetime.date(2025, 4, 3)), '{"x": 1, "when": "2025-04-03"}', id="dataclass"),
        pytest.param(Opaque(), '"opaque thing"', id="unknown-object"),
        pytest.param(anthropic.types.Usage.construct(input_tokens=1), '{"input_tokens": 1}', id="sdk-object"),
        pytest.param([], "[]", id="empty-list"),
        pytest.param([TEXT, IMAGE], [TEXT, IMAGE], id="content-blocks"),
        pytest.param(
            [anthropic.types.TextBlock.construct(type="text", text="a")],
            [TEXT],
            id="sdk-content-blocks",
        ),
        pytest.param(TEXT, json.dumps(TEXT), id="one-block-is-data"),
        pytest.param([TEXT, {"type": "user"}], json.dumps([TEXT, {"type": "user"}]), id="not-all-blocks"),
        pytest.param([{"type": "image"}], '[{"type": "image"}]', id="image-without-source-is-data"),
        pytest.param(
            [{"type": "text", "text": " "}],
            '[{"type": "text", "text": " "}]',
            id="blank-text-is-data",
        ),
        pytest.param([{"type": ["x"]}], '[{"type": ["x"]}]', id="type-that-is-a-list"),
    ],
)
def test_content_of_result(value: object, content: object) -> None:
    """Strings as they are, content blocks as blocks, all else as JSON."""
    if content is None:  # only that it can be sent
        json.loads(str(content_of_result(value)))
    else:
        assert content_of_result(value) == content


def test_search_results_are_not_mixed() -> None:
    """The API takes search results alone or not at all, so a mixture is data."""
    found = {"type": "search_result", "source": "s", "title": "t", "content": [TEXT]}
    assert content_of_result([found]) == [found]
    assert isinstance(content_of_result([found, TEXT]), str)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary()
    | st.dates()
    | st.complex_numbers()
    | st.sampled_from(Color),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.none() | st.booleans() | st.floats() | st.text() | st.tuples(st.integers()),
            inner,
        )
    ),
    max_leaves=10,
)


@given(ANYTHING)
def test_any_result_can_be_sent(value: Any) -> None:
    """Whatever a tool returns, the content is text that UTF-8 can carry, and JSON unless it was text."""
    content = content_of_result(value)
    assert isinstance(content, str)
    content.encode()
    if not isinstance(value, str | bytes):
        json.loads(content, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("cannot even say it")


class ToolError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(ValueError("bad date"), "ValueError: bad date", id="type-and-text"),
        pytest.param(ValueError(), "ValueError", id="no-text"),
        pytest.param(ValueError("\ud800"), "ValueError: \ufffd", id="lone-surrogate"),
        pytest.param(KeyError("a"), "KeyError: 'a'", id="key-error"),
        pytest.param(Mute(), "Mute", id="broken-str"),
        pytest.param(ToolError("Just this."), "Just this.", id="tool-error"),
        pytest.param(ToolError(), "ToolError", id="empty-tool-error"),
        pytest.param(UnknownTool("f", ()), "There is no tool named 'f'. No tool can be run here.", id="ours"),
    ],
)
def test_content_of_failure(error: Exception, text: str) -> None:
    """Never empty, and says what kind of error it was."""
    assert content_of_failure(error) == text
