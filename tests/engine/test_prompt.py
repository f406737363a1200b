"""Prompts and the prompt cache: counted from what is new, and charged as the API charges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from playhead.engine.prompt import InputTokens, Prompt, input_tokens, read_prompt
from playhead.rules.checker import Checker
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange

MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
LONG = "word " * 400
TOOL = {"name": "add", "input_schema": {"type": "object"}}


def text(content: str, mark: dict[str, str] | None = None) -> dict[str, Any]:
    return {"type": "text", "text": content, **({"cache_control": mark} if mark else {})}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [*blocks]}


def said(content: str = "ok") -> dict[str, Any]:
    return {"role": "assistant", "content": [text(content)]}


def body(*messages: Any, **more: Any) -> JsonObject:
    return {"model": "claude-opus-5-5", "max_tokens": 64, "messages": [*messages], **more}


def play(*bodies: JsonObject) -> list[InputTokens]:
    """What each of these requests costs, one continuing the other."""
    earlier: Prompt | None = None
    costs = []
    for request in bodies:
        known = earlier.messages if earlier is not None else 0
        prompt = read_prompt(request, earlier, known)
        costs.append(input_tokens(prompt, earlier, known))
        earlier = prompt
    return costs


def test_without_marks_nothing_is_cached() -> None:
    """All is read afresh, however often."""
    first, second = play(body(user(text(LONG))), body(user(text(LONG)), said(), user(text("more"))))
    assert first.fresh > 400
    assert second.fresh > first.fresh
    assert (first.read, first.stored, second.read, second.stored) == (0, 0, 0, 0)


def test_a_moving_mark_reads_what_it_stored() -> None:
    """Each turn reads what the one before stored, stores what was added, and reads nothing afresh."""
    first, second, third = play(
        body(user(text(LONG, MARK))),
        body(user(text(LONG)), said(LONG), user(text(LONG, MARK))),
        body(user(text(LONG)), said(LONG), user(text(LONG)), said(LONG), user(text("go on", MARK))),
    )
    assert (first.fresh, first.read) == (0, 0)
    assert first.stored_5m == first.total
    assert (second.read, second.stored, second.fresh) == (first.total, second.total - first.total, 0)
    assert (third.read, third.stored, third.fresh) == (second.total, third.total - second.total, 0)


def test_what_follows_the_last_mark_is_fresh() -> None:
    """A mark that stays where it is is stored once, and what comes after it is paid each time."""
    document = user(text(LONG, MARK), text("a question"))
    first, second = play(body(document), body(document, said(), user(text("another question"))))
    assert first.stored > 400
    assert 0 < first.fresh < 20
    assert (second.read, second.stored) == (first.stored, 0)
    assert second.fresh == second.total - first.stored


@pytest.mark.parametrize(
    "marked",
    [
        {"system": [text(LONG, MARK)]},
        {"tools": [{"name": "a", "description": LONG, "input_schema": {}, "cache_control": MARK}]},
    ],
    ids=["system", "tools"],
)
def test_what_stands_before_the_messages_is_cached(marked: dict[str, Any]) -> None:
    """A mark on the system prompt or the last tool stores all up to it; a fresh start reads it too."""
    first, second = play(body(user(text("a")), **marked), body(user(text("a")), said(), user(text("b")), **marked))
    assert first.stored > 400
    assert (second.read, second.stored) == (first.stored, 0)
    again = read_prompt(body(user(text("x")), **marked))
    assert input_tokens(again, read_prompt(body(user(text("a")), **marked)), 0).read == first.stored


def test_tools_before_system() -> None:
    """A mark on the tools stores less than one on the system prompt after them; both are stored once."""
    tools = [{"name": "a", "description": LONG, "input_schema": {}, "cache_control": HOUR}]
    (cost,) = play(body(user(text("x")), tools=tools, system=[text(LONG, MARK)]))
    assert cost.stored_1h > 400
    assert cost.stored_5m > 400
    assert cost.stored + cost.fresh == cost.total


def test_times_to_live_are_told_apart() -> None:
    """What is stored up to a mark of an hour counts for that, the rest for five minutes."""
    (cost,) = play(body(user(text(LONG, HOUR)), said(), user(text("more", MARK))))
    assert cost.stored_1h > 400
    assert 0 < cost.stored_5m < 30


def test_the_automatic_mark_is_at_the_end() -> None:
    """`cache_control` of the request itself stores all of it."""
    first, second = play(
        body(user(text(LONG)), cache_control=MARK),
        body(user(text(LONG)), said(), {"role": "user", "content": "more"}, cache_control=HOUR),
    )
    assert first == InputTokens(0, 0, first.total, 0)
    assert (second.read, second.stored_1h) == (first.total, second.total - first.total)


def test_a_mark_within_a_result_counts_at_the_result() -> None:
    """The blocks of a tool's result may be marked as well."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": [text(LONG, MARK)]}
    (cost,) = play(body(user(result, text("and?"))))
    assert cost.stored > 400
    assert 0 < cost.fresh < 20


@pytest.mark.parametrize(
    "change",
    [{"model": "claude-sonnet-5"}, {"system": "other"}, {"tools": [{"name": "b", "input_schema": {}}]}],
    ids=["model", "system", "tools"],
)
def test_another_prompt_finds_nothing(change: dict[str, Any]) -> None:
    """Model, system prompt and tools stand before the messages: changed, nothing after them is found."""
    first, second = play(body(user(text(LONG, MARK))), body(user(text(LONG)), said(), user(text("b", MARK)), **change))
    assert first.stored > 0
    assert second.read == 0
    assert second.stored == second.total


def test_what_was_stored_for_another_prompt_stays_lost() -> None:
    """Once the system prompt has changed, later turns do not find what was stored under the old one."""
    *_, last = play(
        body(user(text(LONG, MARK))),
        body(user(text(LONG)), said(), user(text("b")), system="other"),
        body(user(text(LONG)), said(), user(text("b")), said(), user(text("c", MARK)), system="other"),
    )
    assert last.read == 0


def test_marks_alone_do_not_change_a_prompt() -> None:
    """A mark that comes or goes on the system prompt or a tool leaves the cache as it is."""
    bare, marked = {"system": [text(LONG)]}, {"system": [text(LONG, MARK)]}
    then = body(user(text(LONG)), said(), user(text("b", MARK)), **bare)
    first, second = play(body(user(text(LONG, MARK)), **marked), then)
    assert second.read == first.stored


def test_history_that_departs_reads_only_what_it_shares() -> None:
    """Of the marks of an earlier request only those in messages that came again are found."""
    earlier = read_prompt(body(user(text(LONG, MARK)), said(LONG), user(text(LONG, MARK))))
    changed = body(user(text(LONG)), said("other"), user(text("x", MARK)))
    cost = input_tokens(read_prompt(changed, earlier, 1), earlier, 1)
    assert cost.read == earlier.marks[0].tokens
    gone = input_tokens(read_prompt(changed, earlier, 0), earlier, 0)
    assert gone.read == 0


def test_the_cache_of_earlier_turns_stays() -> None:
    """A turn without a mark reads nothing; the next marked one finds what was stored before it."""
    first, second, third = play(
        body(user(text(LONG, MARK))),
        body(user(text(LONG)), said(), user(text("b"))),
        body(user(text(LONG)), said(), user(text("b")), said(), user(text("c", MARK))),
    )
    assert (second.read, second.stored) == (0, 0)
    assert third.read == first.stored


def test_of_many_marks_the_last_twenty_are_held() -> None:
    """A conversation whose mark moves with every turn holds no more of them than the API could find."""
    messages: list[JsonObject] = []
    earlier: Prompt | None = None
    for number in range(30):
        request = body(*messages, user(text(f"{number} {LONG}", MARK)))
        known = earlier.messages if earlier is not None else 0
        prompt = read_prompt(request, earlier, known)
        cost = input_tokens(prompt, earlier, known)
        assert cost.read == (earlier.marks[-1].tokens if earlier is not None else 0)
        messages += [user(text(f"{number} {LONG}")), said()]
        earlier = prompt
    assert earlier is not None
    assert [mark.place for mark in earlier.cached] == [(2 * number, 0) for number in range(10, 30)]


def test_what_is_said_to_hold_no_mark_is_not_searched() -> None:
    """`places=()` takes the caller's word on the messages, and the count is the same."""
    request = body(user(text(LONG, MARK)))
    assert read_prompt(request, places=()).marks == ()
    assert read_prompt(request, places=()).tokens == read_prompt(request).tokens


@pytest.mark.parametrize("where", ["tools", "system", "automatic"])
def test_marks_before_the_messages_are_found_where_no_message_has_one(where: str) -> None:
    """They are kept from one request to the next, and looked for again when tools or system prompt change."""
    tool = {"name": "add", "input_schema": {"type": "object"}}
    marked: dict[str, Any] = {
        "tools": {"tools": [{**tool, "cache_control": MARK}]},
        "system": {"system": [text(LONG, MARK)]},
        "automatic": {"cache_control": MARK},
    }
    request = {**body(user(text(LONG))), **marked[where]}
    first = read_prompt(request, places=())
    assert first == read_prompt(request)
    assert len(first.marks) == 1
    again = read_prompt(request, first, 1, places=())
    assert again.marks == first.marks
    bare = body(user(text(LONG)))
    assert read_prompt(bare, first, 1, places=()).marks == ()
    assert read_prompt(request, read_prompt(bare), 1, places=()).marks == first.marks


@pytest.mark.parametrize(
    "change",
    [
        {"system": "Be kind."},
        {"system": [text("Be kind.", MARK)]},
        {"tools": [{"name": "add", "input_schema": {"type": "object"}, "cache_control": MARK}]},
        {"tool_choice": {"type": "any"}},
        {"thinking": {"type": "adaptive"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        {"output_format": {"type": "json_schema", "schema": {"type": "object"}}},
        {"model": "claude-sonnet-4-5"},
    ],
    ids=lambda change: next(iter(change)),
)
@pytest.mark.parametrize("same", [True, False], ids=["the-same-conversation", "another"])
def test_what_stands_before_the_messages_is_counted_as_it_is_now(change: JsonObject, same: bool) -> None:
    """What an earlier prompt began with is taken from there where nothing of it has changed, and only there."""
    usual = {"tools": [{"name": "add", "input_schema": {"type": "object"}}], "system": [text("Be kind.")]}
    usual["thinking"] = {"type": "disabled"}
    before = read_prompt(body(user(text("a")), **usual))
    messages = [user(text("a")), said(), user(text("b"))] if same else [user(text("c"))]
    for request in (body(*messages, **{**usual, **change}), body(*messages, **usual)):
        alone = read_prompt(request)
        earlier = read_prompt(request, before, 1) if same else read_prompt(request, last=before)
        assert (earlier.head, earlier.tokens, earlier.marks) == (alone.head, alone.tokens, alone.marks)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, "messages"),
        ({"tools": [{**TOOL, "cache_control": MARK}]}, "messages"),
        ({"tool_choice": {"type": "auto"}}, "system"),
        ({"tool_choice": None}, "system"),
        ({"thinking": {"type": "adaptive"}}, "system"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}, "system"),
        ({"output_config": {"effort": "low"}}, "messages"),
        ({"tools": []}, ""),
        ({"system": [text("Be brief.", MARK)]}, ""),
        ({"model": "claude-sonnet-4-5"}, ""),
    ],
    ids=repr,
)
def test_what_a_change_leaves_in_the_cache(change: JsonObject, found: str) -> None:
    """The messages are found where all before and beside them is as it was, the system prompt where it and the tools
    are.
    """
    usual = {"system": [text("Be kind." * 99, MARK)], "tools": [TOOL], "tool_choice": {"type": "any"}}
    asked = user(text(LONG, MARK))
    changed = {name: value for name, value in {**usual, **change}.items() if value is not None}
    first, second = play(body(asked, **usual), body(asked, said(), user(text("more", MARK)), **changed))
    added = read_prompt(body(**changed)).head - read_prompt(body(**usual)).head
    of_system = input_tokens(read_prompt(body(user(text("a")), **usual))).stored + added
    assert second.read == {"messages": first.stored + added, "system": of_system, "": 0}[found]
    assert min(structs.astuple(second)) >= 0


def test_what_another_conversation_began_with_counts_to_the_letter() -> None:
    """To Python true is 1; as JSON they have four letters and one."""
    one, true = ({**TOOL, "input_schema": {"type": "object", "maximum": value}} for value in (1, True))
    before = read_prompt(body(user(text("a")), tools=[one]))
    request = body(user(text("b")), tools=[true])
    assert read_prompt(request, last=before).head == read_prompt(request).head


BLOCKS = st.builds(text, st.text(max_size=30), st.sampled_from([None, None, None, MARK, HOUR]))
RESULTS = st.builds(
    lambda parts, mark: {"type": "tool_result", "tool_use_id": "toolu_1", "content": parts, **mark},
    st.lists(BLOCKS, max_size=2),
    st.sampled_from([{}, {}, {"cache_control": MARK}, {"cache_control": None}]),
)
TURNS = st.lists(st.lists(BLOCKS | RESULTS, min_size=1, max_size=3), min_size=1, max_size=5)
SYSTEM = st.none() | st.lists(BLOCKS, min_size=1, max_size=2)


def without_marks(block: dict[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    return {**bare, "content": [*map(without_marks, bare["content"])]} if "content" in bare else bare


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.sampled_from([[TOOL], [{**TOOL, "cache_control": MARK}], [{**TOOL, "description": None}]]),
        "tool_choice": st.sampled_from([{"type": "any"}, {"type": "auto"}]),
        "thinking": st.sampled_from([{"type": "adaptive"}, {"type": "disabled"}]),
        "output_config": st.just({"format": {"type": "json_schema", "schema": {"type": "object"}}}),
    },
)
"""Tools, and what is said of them and of the answer: the same in all of a conversation, or not."""


@settings(deadline=None)
@given(TURNS, SYSTEM, st.booleans(), st.lists(SETTINGS, min_size=1, max_size=5))
def test_counting_what_is_new_equals_counting_all(
    turns: list[list[dict[str, Any]]], system: Any, moving: bool, around: list[dict[str, Any]]
) -> None:
    """Turn by turn, marks kept or moved: the prompt is as long as if it were read alone, and all is paid for once."""
    earlier: Prompt | None = None
    last = read_prompt(body(user(text("before")), system="of another"))
    checker = Checker()
    messages: list[dict[str, Any]] = []
    for number, blocks in enumerate(turns):
        if moving:
            messages = [{**m, "content": [*map(without_marks, m["content"])]} for m in messages]
        messages = [*messages, *([said()] if messages else []), user(*blocks)]
        request = body(*messages, **({"system": system} if system else {}), **around[number % len(around)])
        known = earlier.messages if earlier is not None else 0
        judgement = checker.ask(Exchange(request=request))
        assert judgement.position is not None
        checker.answered(judgement.position, Exchange(request=request, response=said()))
        prompt = read_prompt(request, earlier, known, last=last, places=judgement.marked)
        alone = read_prompt(request)
        assert (prompt.tokens, prompt.head, prompt.marks) == (alone.tokens, alone.head, alone.marks)
        cost = input_tokens(prompt, earlier, known)
        assert cost.total == prompt.tokens
        assert min(structs.astuple(cost)) >= 0
        assert list(prompt.marks) == sorted(prompt.marks)
        assert all(0 < mark.tokens <= prompt.tokens for mark in prompt.marks)
        earlier = prompt


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"messages": None},
        {"messages": [None, 5, {"content": 5}]},
        {"messages": [user(text("a"))], "system": 5, "tools": 5, "model": 5},
        {"messages": [], "cache_control": MARK},
        {"messages": [5], "cache_control": MARK},
        {"messages": [{"role": "user", "content": [None, {"cache_control": MARK}]}], "tools": [None]},
    ],
    ids=[
        "nothing",
        "no messages",
        "odd messages",
        "odd members",
        "a mark on nothing",
        "a mark on a number",
        "odd blocks",
    ],
)
def test_no_request_is_too_odd(odd: JsonObject) -> None:
    """A lenient fake counts whatever it is sent."""
    prompt = read_prompt(odd)
    assert input_tokens(prompt).total == prompt.tokens
