"""The tables against themselves and against the types of the installed SDK."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator

import pytest

from playhead.wire.stream import _DELTAS, _EMPTY, _HANDLERS, _PIECES, _WHOLE
from playhead.wire.tables import (
    BLOCKS,
    COUNT_TOKENS_PATH,
    DELTAS,
    ERROR_STATUS,
    EVENTS,
    MESSAGES_PATH,
    SERVER_CALLS,
    STOP_REASONS,
    USAGE_COUNTS,
    BlockType,
)

# newer than the oldest SDK that is supported, and unknown to it
LATER = {
    "advisor_tool_result",
    "bash_code_execution_tool_result",
    "compaction",
    "fallback",
    "mcp_tool_listing",
    "text_editor_code_execution_tool_result",
    "tool_addition",
    "tool_removal",
    "tool_search_tool_result",
    "web_fetch_tool_result",
}


def members_of(union: object) -> Iterator[type]:
    """The classes of a union, however it is annotated or nested."""
    if isinstance(union, type):
        yield union
        return
    for part in typing.get_args(union):
        if isinstance(part, type) or typing.get_args(part):
            yield from members_of(part)


def tags_of(union: object) -> set[str]:
    """The values of `type` that a union of SDK types allows."""
    found: set[str] = set()
    for member in members_of(union):
        fields = getattr(member, "model_fields", None)
        tag = fields["type"].annotation if fields else typing.get_type_hints(member)["type"]
        found.update(typing.get_args(tag))
    return found


def unions() -> dict[str, object]:
    from anthropic.types import ContentBlock, ContentBlockParam, RawContentBlockDelta, RawMessageStreamEvent, StopReason
    from anthropic.types.beta import (
        BetaContentBlock,
        BetaContentBlockParam,
        BetaRawContentBlockDelta,
        BetaRawMessageStreamEvent,
        BetaStopReason,
    )

    return {
        "reply": ContentBlock,
        "request": ContentBlockParam,
        "delta": RawContentBlockDelta,
        "event": RawMessageStreamEvent,
        "stop": StopReason,
        "beta reply": BetaContentBlock,
        "beta request": BetaContentBlockParam,
        "beta delta": BetaRawContentBlockDelta,
        "beta event": BetaRawMessageStreamEvent,
        "beta stop": BetaStopReason,
    }


BLOCK_UNIONS: dict[str, Callable[[BlockType], bool]] = {
    "reply": lambda block: block.replies and not block.beta,
    "request": lambda block: block.requests and not block.beta,
    "beta reply": lambda block: block.replies,
    "beta request": lambda block: block.requests,
}


@pytest.mark.parametrize("union", BLOCK_UNIONS)
def test_blocks_are_those_of_the_sdk(union: str) -> None:
    """Each block type of the SDK is in the table, on the same side, and the table has no other."""
    theirs = tags_of(unions()[union])
    ours = {name for name, block in BLOCKS.items() if BLOCK_UNIONS[union](block)}
    assert theirs - ours == set()
    assert ours - theirs - (LATER if "fallback" not in tags_of(unions()["beta reply"]) else set()) == set()


def test_required_members_are_members_of_the_sdk_types() -> None:
    """What a block cannot do without is a required field of the SDK's type, and no field is misspelt."""
    for union in ("beta reply", "reply"):
        for member in members_of(unions()[union]):
            its = member.model_fields  # type: ignore[attr-defined]
            fields = {field.alias or name: field for name, field in its.items()}
            (name,) = typing.get_args(fields["type"].annotation)
            optional = {"content"} if name == "compaction" else set()  # null where the summary failed
            for needed in BLOCKS[name].required:
                assert fields[needed].is_required() or needed in optional, f"{name}.{needed}"
            for streamed in BLOCKS[name].streamed:
                assert streamed in fields, f"{name}.{streamed}"


def test_deltas_are_those_of_the_sdk() -> None:
    """Each delta of the SDK is in the table, with the member that carries its piece."""
    ours = set(DELTAS)
    theirs = tags_of(unions()["delta"]) | tags_of(unions()["beta delta"])
    assert theirs - ours == set()
    assert ours - theirs <= {"compaction_delta"}
    for union in ("delta", "beta delta"):
        for member in members_of(unions()[union]):
            fields = member.model_fields  # type: ignore[attr-defined]
            (name,) = typing.get_args(fields["type"].annotation)
            assert DELTAS[name] in fields


def test_events_are_those_of_the_sdk() -> None:
    """The SDK's events, and the two that it handles before they get a type."""
    for union in ("event", "beta event"):
        assert tags_of(unions()[union]) | {"ping", "error"} == set(EVENTS)


def test_stop_reasons_are_those_of_the_sdk() -> None:
    """Stop reasons, told apart by whether they are beta."""
    assert {name for name, reason in STOP_REASONS.items() if not reason.beta} == set(typing.get_args(unions()["stop"]))
    beta = set(typing.get_args(unions()["beta stop"]))
    assert beta - set(STOP_REASONS) == set()
    assert set(STOP_REASONS) - beta <= {"compaction"}


def test_actions_are_those_of_the_sdk_tool_runner() -> None:
    """What follows each stop reason, and which replies may have been cut."""
    assert {name: reason.then for name, reason in STOP_REASONS.items()} == {
        "end_turn": "stop",
        "max_tokens": "stop",
        "stop_sequence": "stop",
        "tool_use": "run tools",
        "pause_turn": "resume",
        "refusal": "stop",
        "model_context_window_exceeded": "stop",
        "compaction": "resume",
    }
    cut = {name for name, reason in STOP_REASONS.items() if not reason.whole}
    assert cut == {"max_tokens", "refusal", "model_context_window_exceeded"}


def test_every_streamed_member_has_a_delta() -> None:
    """No member is streamed by a delta that the tables or the codec do not know."""
    used = {(member, delta) for block in BLOCKS.values() for member, delta in block.streamed.items()}
    assert used == {
        ("text", "text_delta"),
        ("citations", "citations_delta"),
        ("thinking", "thinking_delta"),
        ("signature", "signature_delta"),
        ("input", "input_json_delta"),
        ("content", "compaction_delta"),
        ("encrypted_content", "compaction_delta"),
    }
    for member, delta in used:
        assert delta in DELTAS
        assert member in _EMPTY
        assert delta in _PIECES or delta in _WHOLE


def test_the_codec_knows_every_event_and_delta() -> None:
    """Each event of the table has a handler, each delta a way to be taken in and a way to be made."""
    assert set(_HANDLERS) == set(EVENTS)
    assert set(_DELTAS) | {"input_json_delta"} == set(DELTAS)
    assert set(_PIECES) | {"compaction_delta"} == set(DELTAS)


def test_only_replies_are_streamed() -> None:
    """A block that no reply contains has nothing to stream, and calls bring their input in pieces."""
    for block in BLOCKS.values():
        assert block.replies or not block.streamed
        assert block.replies or block.requests
        if block.called:
            assert block.required[:3] == ("id", "name", "input")
            assert "input" in block.streamed
        if block.answers:
            assert "tool_use_id" in block.required


def test_server_calls() -> None:
    """The calls that a client must leave alone."""
    assert set(SERVER_CALLS) == {"server_tool_use", "mcp_tool_use"}
    assert [block.name for block in BLOCKS.values() if block.called == "client"] == ["tool_use"]


def test_error_statuses() -> None:
    """Each error type's status, as the API's page on errors lists them."""
    assert dict(ERROR_STATUS) == {
        "invalid_request_error": 400,
        "authentication_error": 401,
        "billing_error": 402,
        "permission_error": 403,
        "not_found_error": 404,
        "conflict_error": 409,
        "request_too_large": 413,
        "rate_limit_error": 429,
        "api_error": 500,
        "timeout_error": 504,
        "overloaded_error": 529,
    }


def test_usage_counts_are_members_of_the_sdk_type() -> None:
    """The counters exist and are numbers or null."""
    from anthropic.types import Usage

    for name in USAGE_COUNTS:
        assert int in (Usage.model_fields[name].annotation, *typing.get_args(Usage.model_fields[name].annotation))


def test_paths() -> None:
    """The two endpoints, as every SDK writes them."""
    assert (MESSAGES_PATH, COUNT_TOKENS_PATH) == ("/v1/messages", "/v1/messages/count_tokens")


@pytest.mark.parametrize("table", [BLOCKS, STOP_REASONS, DELTAS, ERROR_STATUS, BLOCKS["text"].streamed])
def test_tables_cannot_be_changed(table: dict[str, object]) -> None:
    """No module-level mutable state: two fakes in two threads never meet in a table."""
    with pytest.raises(TypeError):
        table["new"] = 1
