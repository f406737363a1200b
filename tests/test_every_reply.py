"""Every reply that the installed SDK knows: a step makes it, the SDK reads it every way, and it can be sent back."""

from __future__ import annotations

import asyncio
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import ContentBlock, StopReason
from anthropic.types.beta import BetaContentBlock, BetaStopReason, BetaTextCitation

from playhead import FakeClaude, say
from playhead.engine.compose import body_of
from playhead.script.steps import Turn
from playhead.wire.codec import decode
from playhead.wire.stream import accumulate
from playhead.wire.tables import REFUSAL_CATEGORIES, STOP_REASONS
from reply_rows import ASK, MODEL, PLAIN, ROWS, Row, made, page, sent

DOCS = Path(__file__).resolve().parent.parent / "docs"
CHECKED = [row for row in ROWS if "check=False" not in row.code]
IDS = [f"{row.code[:60]}-{'beta' if row.beta else 'ga'}{number}" for number, row in enumerate(CHECKED)]
every_row = pytest.mark.parametrize("row", CHECKED, ids=IDS)


def members_of(union: object) -> Iterator[Any]:
    """The classes of a union, however it is annotated or nested."""
    if isinstance(union, type) and hasattr(union, "model_fields"):
        yield union
    for part in typing.get_args(union):
        yield from members_of(part)


def tag_of(its: Any) -> str:
    """The value of `type` of an SDK class."""
    return str(typing.get_args(its.model_fields["type"].annotation)[0])


def classes(union: object) -> dict[str, Any]:
    return {tag_of(its): its for its in members_of(union)}


GENERAL, BETA = classes(ContentBlock), classes(BetaContentBlock)


def played(row: Row) -> FakeClaude:
    """A strict fake that plays a row, after what comes before it."""
    before = [made(row.before)] if row.before else []
    return FakeClaude([*before, row.step, say("Done.")])


def api(client: Any, row: Row, *, beta: bool | None = None) -> Any:
    return client.beta.messages if (row.beta if beta is None else beta) else client.messages


def arguments(row: Row, *messages: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 64, "messages": [*messages] or [ASK], **row.offer}


def asked(row: Row, client: Any, *, beta: bool | None = None) -> dict[str, Any]:
    """The arguments with which a row's step is asked for, after what comes before it."""
    if row.before is None:
        return arguments(row)
    first = api(client, row, beta=beta).create(**arguments(row))
    held = {"container": first.container.id} if first.container is not None else {}
    return {**arguments(row, ASK, *answered(first)), **held}


def answered(message: Any) -> list[Any]:
    """A reply sent back as a correct loop sends it, with what the API then waits for."""
    echo = [{"role": "assistant", "content": message.content}] if message.content else []
    calls = [block for block in message.content if block.type == "tool_use"]
    reason = STOP_REASONS[message.stop_reason]
    if calls:
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": "3",
                **({} if reason.whole else {"is_error": True}),
                **({"toolset_name": call.toolset_name} if getattr(call, "toolset_name", None) else {}),
            }
            for call in calls
        ]
        return [*echo, {"role": "user", "content": results}]
    if reason.then == "resume" and message.stop_reason == "pause_turn":
        return echo
    return [*echo, {"role": "user", "content": "Go on."}]


def plain(value: Any) -> Any:
    """What a message says, without what the SDK adds of its own; a tool's input is left alone."""
    if isinstance(value, dict):
        return {
            key: item if key == "input" else plain(item)
            for key, item in value.items()
            if item is not None and key != "parsed_output"
        }
    return [plain(item) for item in value] if isinstance(value, list) else value


def written(row: Row) -> dict[str, Any]:
    """The message that a row sends, as the composing of it alone tells."""
    message: dict[str, Any] = plain(sent(row).message)
    return {key: value for key, value in message.items() if key != "usage"}


def told(message: Any) -> dict[str, Any]:
    return {key: value for key, value in plain(message.to_dict(mode="json")).items() if key != "usage"}


# there is a step for everything


def content_of_rows() -> list[dict[str, Any]]:
    return [block for row in CHECKED for block in sent(row).message["content"]]


@pytest.mark.parametrize("union", [ContentBlock, BetaContentBlock], ids=["general", "beta"])
def test_every_block_type_has_a_step(union: object) -> None:
    """Each type of the SDK's union is in some row; the general ones in a row that needs no beta."""
    rows = [row for row in CHECKED if union is BetaContentBlock or not row.beta]
    seen = {block["type"] for row in rows for block in sent(row).message["content"]}
    assert seen == {*classes(union)}


@pytest.mark.parametrize("union", [StopReason, BetaStopReason], ids=["general", "beta"])
def test_every_stop_reason_has_a_step(union: object) -> None:
    """Each stop reason of the SDK is in some row."""
    rows = [row for row in CHECKED if union is BetaStopReason or not row.beta]
    assert {sent(row).message["stop_reason"] for row in rows} == {*typing.get_args(union)}


def nested(union: object) -> set[str]:
    """The types of what result blocks may hold, of callers and of fallback triggers, as the SDK lists them."""
    found: set[str] = set()
    for its in members_of(union):
        for name in ("content", "caller", "trigger"):
            if name in its.model_fields:
                found |= {tag_of(part) for part in members_of(its.model_fields[name].annotation)}
    return found


def test_every_kind_of_result_has_a_step() -> None:
    """Each content of a result block is in some row or, if it reports a failure, made by `error=`."""
    seen = {
        part["type"]
        for block in content_of_rows()
        for name in ("content", "caller", "trigger")
        for part in _objects(block.get(name))
    }
    errors = {name for name in nested(BetaContentBlock) if name.endswith("_error")}
    # an older caller follows from an older tool, `direct` is what no caller means
    assert nested(BetaContentBlock) - errors - seen == {"direct", "code_execution_20250825"}


def _objects(value: Any) -> list[Any]:
    return [value] if isinstance(value, dict) else [part for part in value or [] if isinstance(part, dict)]


def test_every_kind_of_citation_has_a_step() -> None:
    """Each citation of the SDK's union is in some row."""
    seen = {citation["type"] for block in content_of_rows() for citation in block.get("citations") or []}
    assert seen == {*classes(BetaTextCitation)}


def test_refusal_categories_are_those_of_the_sdk() -> None:
    """The table has each of them and no other."""
    from anthropic.types.beta import BetaRefusalStopDetails

    annotation = BetaRefusalStopDetails.model_fields["category"].annotation
    (literal,) = (part for part in typing.get_args(annotation) if part is not type(None))
    assert typing.get_args(literal) == REFUSAL_CATEGORIES


# the SDK reads it


@every_row
def test_the_sdk_reads_it_as_json(row: Row) -> None:
    """Each block is of the SDK's own class for it, down to what a result holds, and says what was written."""
    fake = played(row)
    client = fake.client()
    message = api(client, row).create(**asked(row, client))
    union = BETA if row.beta else GENERAL
    assert [type(block) for block in message.content] == [union[block.type] for block in message.content]
    for block in message.content:
        for part in _parts(getattr(block, "content", None)):
            assert type(part) in {*members_of(union[block.type].model_fields["content"].annotation)}
    assert told(message) == written(row)


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None or isinstance(value, str) else [value]


@every_row
def test_the_beta_client_reads_it_too(row: Row) -> None:
    """What needs no beta is the same through the beta client."""
    client = played(row).client()
    message = api(client, row, beta=True).create(**asked(row, client, beta=True))
    assert [type(block) for block in message.content] == [BETA[block.type] for block in message.content]
    assert told(message) == written(row)


@every_row
def test_the_sdk_streams_it(row: Row) -> None:
    """The raw events make the message by our accumulation, and the helper makes the same one."""
    client = played(row).client()
    events = [event.to_dict(mode="json") for event in api(client, row).create(**asked(row, client), stream=True)]
    made_of = accumulate(events)
    assert made_of.complete
    text = next(iter(sent(row).texts.values()), None)
    assert {**made_of.unparsed} == ({} if text is None or _reads(text) else {_last_call(row): text})
    if not made_of.unparsed:
        assert {key: value for key, value in plain(made_of.message).items() if key != "usage"} == written(row)
    client = played(row).client()
    with api(client, row).stream(**asked(row, client)) as stream:
        final = stream.get_final_message()
    union = BETA if row.beta else GENERAL
    assert [tag_of(type(block)) for block in final.content] == [tag_of(union[block.type]) for block in final.content]
    assert told(final) == written(row)


def _reads(text: str) -> bool:
    try:
        decode(text)
    except ValueError:
        return False
    return True


def _last_call(row: Row) -> int:
    return max(sent(row).texts)


@pytest.mark.parametrize(
    ("betas", "input"),
    [([], {"a": 1}), (["fine-grained-tool-streaming-2025-05-14"], {"a": 1, "b": "two w"})],
    ids=["usual", "fine-grained"],
)
def test_a_cut_input_is_the_same_every_way(betas: list[str], input: dict[str, object]) -> None:
    """A body has what the SDK's helper makes of the stream, with fine-grained streaming too."""
    step = made('truncated(call("add", a=1, b="two words"), keep=17)')
    asked: dict[str, Any] = {"model": MODEL, "max_tokens": 64, "messages": [ASK], **PLAIN, "betas": betas}
    as_json = FakeClaude([step]).client().beta.messages.create(**asked)
    with FakeClaude([step]).client().beta.messages.stream(**asked) as stream:
        final = stream.get_final_message()
    assert as_json.content[0].input == final.content[0].input == input
    assert (as_json.stop_reason, final.stop_reason) == ("max_tokens", "max_tokens")


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in CHECKED
        if row.code.startswith(("turn(think", "truncated(call", "pause", "compact(None", "turn(fal"))
    ],
    ids=lambda row: row.code[:40],
)
def test_the_async_sdk_reads_it(row: Row) -> None:
    """As JSON and through the helper."""

    async def run() -> tuple[Any, Any]:
        as_json = await api(played(row).async_client(), row).create(**arguments(row))
        async with api(played(row).async_client(), row).stream(**arguments(row)) as stream:
            return as_json, await stream.get_final_message()

    for message in asyncio.run(run()):
        assert told(message) == written(row)


# and it can be sent back


@pytest.mark.parametrize(
    "row",
    [row for row in CHECKED if sent(row).message["stop_reason"] != "refusal"],
    ids=[name for name, row in zip(IDS, CHECKED, strict=True) if sent(row).message["stop_reason"] != "refusal"],
)
def test_it_can_be_sent_back(row: Row) -> None:
    """The strict fake takes the reply again, echoed by the SDK's own types, and the loop comes to its end.

    A refusal is not to be sent back.
    """
    with played(row) as fake:
        client = fake.client()
        first = asked(row, client)
        message = api(client, row).create(**first)
        then = {**first, "messages": [*first["messages"], *answered(message)]}
        if message.container is not None:
            then["container"] = message.container.id
        if then.pop("compaction", None):  # asked for once; the block then stands for all that was before it
            then["messages"] = answered(message)
        last = api(client, row).create(**then)
        assert last.content[0].text == "Done."


# and it can be pasted


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.code[:60]}-{number}" for number, row in enumerate(ROWS)])
def test_the_source_of_a_step_makes_it_again(row: Row) -> None:
    """`source()` is Python for the very step, and `str()` fits on a line."""
    assert made(row.step.source()) == row.step
    assert "\n" not in str(row.step)
    if not isinstance(row.step, Turn) or len(row.step.blocks) < 2:
        assert len(str(row.step)) <= 72


@every_row
def test_a_body_is_the_message(row: Row) -> None:
    """The JSON body says what the message says."""
    composed = sent(row)
    assert plain(decode(body_of(composed.message, composed.texts))) == plain(composed.message)


def test_the_page_of_replies_is_current() -> None:
    """`docs/replies.md` is what the steps give today."""
    assert (DOCS / "replies.md").read_text("utf-8") == page()
