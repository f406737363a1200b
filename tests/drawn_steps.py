"""Steps of every kind, drawn by Hypothesis: what a script may hold that a file can hold too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from hypothesis import strategies as st

import playhead
from playhead.errors import ScriptError
from playhead.script.faults import NEWLINES, Connection
from playhead.script.forms import FORMS
from playhead.script.script import Script
from playhead.script.server_results import SERVER_TOOLS
from playhead.testing.strategies import TEXT, json_values, replies, tool_inputs
from playhead.wire.damage import DAMAGES
from playhead.wire.tables import ERROR_STATUS, REFUSAL_CATEGORIES

Drawn = st.SearchStrategy[Any]


class _Named(dict[str, Drawn]):
    """Strategies by name. Hypothesis shows a strategy by all that it is made of, which soon is very long."""

    def __repr__(self) -> str:
        return ", ".join(self)


_TEXT = st.one_of(
    TEXT,
    st.sampled_from(("", "\n", "a\n\n", " a\n b", "a\r\nb", "\u2028\x85", "\x00", "- a: b # c", "2026-04-14", "12:30")),
    st.sampled_from(("yes", "no", "on", "null", "~", "true", "1e3", "0x1F", "say", "drop", "*a", "&a", "!b", "é👩‍👧")),
)
_SOME = TEXT.filter(lambda text: bool(text.strip()))
_COUNT = st.integers(0, 1000)
_HEADERS = st.dictionaries(
    st.from_regex(r"[a-z-]{1,12}", fullmatch=True), st.from_regex(r"[ -~]{0,12}", fullmatch=True), max_size=2
)
_MODELS = st.sampled_from(("claude-opus-5-5", "claude-haiku-4-5"))
_USAGE = st.fixed_dictionaries(
    {}, optional={"output_tokens": _COUNT, "iterations": st.lists(json_values(), max_size=1)}
)


def _made(function: Callable[..., Any], *positions: Drawn, **options: Drawn) -> Drawn:
    """What a function makes of drawn arguments; options may be left out. What it refuses is not drawn."""

    def made(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        try:
            return function(*arguments, **named)
        except ScriptError:
            return None

    several = st.builds(made, st.tuples(*positions), st.fixed_dictionaries({}, optional=options))
    return several.filter(lambda step: step is not None)


def _rest(function: Callable[..., Any], item: Drawn, *positions: Drawn, least: int = 0, **options: Drawn) -> Drawn:
    """The same of a function that takes several at the end."""
    several = st.lists(item, min_size=least, max_size=3)

    def spread(*arguments: Any, **named: Any) -> Any:
        return function(*arguments[:-1], *arguments[-1], **named)

    return _made(spread, *positions, several, **options)


_CALL = st.one_of(
    _made(playhead.call, TEXT, tool_inputs()),
    _made(playhead.call, TEXT, st.sampled_from(('{"a": 1.10', "[1", "", '{"input": 3}'))),
    st.just(playhead.call("f", input=3, name="g")),
    st.just(playhead.call("f")),
)
_PAGES = st.lists(TEXT | st.fixed_dictionaries({"url": TEXT}, optional={"title": TEXT}), max_size=2)
_RESULT = st.one_of(_TEXT, _PAGES, st.booleans(), st.fixed_dictionaries({"stdout": _TEXT}, optional={"stderr": _TEXT}))
_CODE = st.sampled_from(("unavailable", "too_many_requests"))

BLOCKS: dict[str, Drawn] = {
    "say": _made(playhead.say, _TEXT, citations=_PAGES),
    "call": _CALL,
    "think": _made(playhead.think, _TEXT, st.none() | _TEXT),
    "redacted": _made(playhead.redacted, st.none() | TEXT),
    "block": _made(
        playhead.block, st.fixed_dictionaries({"type": st.just("text"), "text": _TEXT, "new": json_values()})
    ),
    "upload": _made(playhead.upload, st.none() | TEXT),
    "fallback": _made(playhead.fallback, _MODELS, by=_MODELS, category=st.sampled_from(REFUSAL_CATEGORIES)),
    "server_call": st.one_of(
        _made(playhead.server_call, st.sampled_from([*SERVER_TOOLS]), tool_inputs() | _SOME | st.none(), _RESULT),
        _made(playhead.server_call, st.sampled_from([*SERVER_TOOLS]), tool_inputs(), error=_CODE),
    ),
    "server_result": _made(
        playhead.server_result, st.sampled_from([*SERVER_TOOLS, "mcp"]), _RESULT | st.none(), error=_CODE
    ),
    "search": _made(playhead.search, _TEXT, _PAGES, error=_CODE),
    "mcp": _made(playhead.mcp, TEXT, TEXT, tool_inputs() | st.none(), _TEXT | st.none(), error=_TEXT),
    "mcp_listing": _rest(playhead.mcp_listing, _SOME | st.fixed_dictionaries({"name": TEXT}), TEXT),
    "by_code": _rest(playhead.by_code, _CALL, st.none() | _TEXT, least=1),
}
"""Blocks of every kind by the function that makes them."""


@st.composite
def _any_of(draw: st.DrawFn, kinds: _Named) -> Any:
    """A step of one of these kinds."""
    return draw(kinds[draw(st.sampled_from([*kinds]))])


_BLOCK = _any_of(_Named(BLOCKS))

REPLIES: dict[str, Drawn] = {
    "turn": _rest(
        playhead.turn,
        _BLOCK,
        stop_reason=st.sampled_from(("max_tokens", "end_turn")),
        usage=_USAGE,
        model=_MODELS,
        stop_sequence=_TEXT,
    ),
    "reply": replies(max_blocks=2) | _made(playhead.reply, st.dictionaries(TEXT, json_values()), check=st.just(False)),
    "pause": _rest(playhead.pause, _BLOCK, usage=_USAGE),
    "refuse": _rest(
        playhead.refuse,
        _BLOCK,
        st.none() | st.sampled_from(REFUSAL_CATEGORIES),
        st.none() | _TEXT,
        details=tool_inputs(),
        usage=_USAGE,
    ),
    "truncated": _rest(
        playhead.truncated,
        _BLOCK,
        least=1,
        keep=st.integers(0, 5),
        usage=_USAGE,
        stop_reason=st.sampled_from(("max_tokens", "model_context_window_exceeded")),
    ),
    "compact": _rest(
        playhead.compact,
        _BLOCK,
        st.none() | TEXT,
        encrypted_content=_TEXT,
        tool_changes=st.lists(tool_inputs(), max_size=2),
        usage=_USAGE,
    ),
}
"""Whole replies of every kind."""

_REPLY = _any_of(_Named({**BLOCKS, **REPLIES}))
_OPTIONS: dict[str, dict[str, Drawn]] = {
    "cut": {
        "events": _COUNT,
        "bytes": _COUNT,
        "how": st.sampled_from(("reset", "close", "timeout", "end", "error")),
        "error": st.sampled_from([*ERROR_STATUS]),
    },
    "deliver": {
        "pieces": st.none() | _COUNT,
        "chunks": st.sampled_from(("whole", "event", "byte", 7, (1, 1, 9), [2])),
        "delay": st.sampled_from((0, 0.5, 3)),
        "pace": st.floats(0, 9),
        "newline": st.sampled_from(NEWLINES),
        "headers": _HEADERS,
    },
}
_SENT = _any_of(
    _Named(
        {
            "cut": _made(playhead.cut, _REPLY, **_OPTIONS["cut"]),
            "damage": _made(playhead.damage, _REPLY, st.sampled_from([*DAMAGES]), at=_COUNT),
            "deliver": _made(playhead.deliver, _REPLY, **_OPTIONS["deliver"]),
        }
    )
)

FAULTS: dict[str, Drawn] = {
    "cut": _made(playhead.cut, _SENT, **_OPTIONS["cut"]),
    "damage": _made(playhead.damage, _SENT, st.sampled_from([*DAMAGES])),
    "deliver": _made(playhead.deliver, _SENT, **_OPTIONS["deliver"]),
    "fail": _made(
        playhead.fail,
        st.sampled_from((400, 404, 418, 429, 500, 529, 599)),
        error_code=_TEXT,
        message=_TEXT,
        details=st.dictionaries(TEXT | st.just("error_code"), json_values(), max_size=2),
        retry_after_ms=st.none() | _COUNT,
        times=st.integers(1, 3),
        headers=_HEADERS
        | st.sampled_from(
            (
                {"Retry-After-Ms": "007"},
                {"retry-after-ms": "5"},
                {"anthropic-ratelimit-tokens-limit": "3"},
            )
        ),
    ),
    "drop": _made(playhead.drop, st.sampled_from(get_args(Connection)), times=st.integers(1, 3)),
    "raw": _made(
        playhead.raw,
        st.one_of(_TEXT, st.binary(max_size=20), st.lists(st.binary(max_size=5) | st.just(b"data: x"), max_size=3)),
        status=st.integers(200, 599),
        content_type=st.sampled_from(("text/html", "application/json")),
        headers=_HEADERS,
    ),
}
"""What is no reply, or a reply with something that happens on its way."""


def _stands_alone(step: Any) -> bool:
    """Whether it may be a step of a script: a server's call without a result, say, is a part of a reply only."""
    try:
        Script(steps=(step,))
    except ScriptError:
        return False
    return True


STEPS: dict[str, Drawn] = {name: drawn.filter(_stands_alone) for name, drawn in {**BLOCKS, **REPLIES, **FAULTS}.items()}
"""Every step by the function that makes it."""

assert STEPS.keys() == FORMS.keys(), "each step is drawn"

SCRIPTS: st.SearchStrategy[list[Any]] = st.lists(_any_of(_Named(STEPS)), max_size=4)
