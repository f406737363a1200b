"""Judging only what is new gives the verdicts that judging every request from scratch gives."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming
from playhead.readers.table import session_of
from playhead.rules.catalogue import load_catalogue
from playhead.rules.checker import Checker, Judgement, check
from playhead.rules.registry import RULES
from playhead.rules.rule import Finding, RequestView, Rule, Violation
from playhead.script.script import as_script
from playhead.script.steps import reply
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session

Json = dict[str, Any]
MARK = {"cache_control": {"type": "ephemeral"}}

# from scratch: every request is judged by a checker that has seen no other, and only links and replies are known to it;
# and every rule is asked of what is ordinary, too

NO_STEP: dict[str, Any] = {"step": None, "calls": None, "echo": None, "answer": None, "end": None, "ordinary": True}
ONLY_STEP: dict[str, Any] = {"envelope": None, "message": None, "block": None, "request": None, "ordinary": True}
ON_ONE: Sequence[Rule] = [replace(rule, **NO_STEP) for rule in RULES]
ACROSS: Sequence[Rule] = [replace(rule, **ONLY_STEP) for rule in RULES]
ON_MESSAGES = {rule.id for rule in RULES if (rule.message or rule.block) and not rule.request}


Key = tuple[str, str, str]


def key(violation: Violation) -> Key:
    return violation.rule, violation.path, violation.message


def alone(exchange: Exchange, before: Sequence[Exchange]) -> Judgement:
    """The verdict on a request by itself, where the replies of those before it are known."""
    checker = Checker(ON_ONE)
    for number, earlier in enumerate(before):
        words = [{"role": "user", "content": f"nothing like it {number}"}]
        asked = Exchange(request={"model": "claude-opus-5-5", "max_tokens": 1, "messages": words})
        position = checker.ask(asked).position
        assert position is not None
        answer: Json = {"response": earlier.response, "error": earlier.error, "status": earlier.status}
        checker.answered(position, structs.replace(asked, **answer))
    return checker.ask(exchange)


def from_scratch(exchanges: Sequence[Exchange], **how: bool) -> list[tuple[list[str], set[Key]]]:
    """For each request its violations, without what an accepted parent had as well, and what it may be refused for."""
    across = Checker(ACROSS, **how)
    found: list[set[Key]] = []
    once: list[set[Key]] = []
    told: list[tuple[list[str], set[Key]]] = []
    for number, exchange in enumerate(exchanges):
        judgement = across.ask(exchange)
        assert judgement.position is not None
        across.answered(judgement.position, exchange)
        link, by_itself = judgement.link, alone(exchange, exchanges[:number])
        assert link is not None
        place: Json = {"exchange": exchange.number, "turn": link.turn, "conversation": link.conversation}
        own = [replace(violation, **place) for violation in by_itself.violations]
        accepted = link.parent is not None and not exchanges[link.parent].failed
        inherited = set() if link.parent is None else found[link.parent] if accepted else once[link.parent]
        now = [violation for violation in [*own, *judgement.violations] if key(violation) not in inherited]
        found.append(inherited | {key(violation) for violation in now})
        before = set() if link.parent is None else once[link.parent]
        once.append(before | {key(violation) for violation in now if is_told_once(violation)})
        refusals = {key(one.refusal) for one in (judgement, by_itself) if one.refusal is not None}
        told.append((sorted(map(in_words, now)), refusals))
    return told


def is_told_once(violation: Violation) -> bool:
    """Whether it concerns a message that the API takes: it is not told again, although the request failed."""
    return violation.path.startswith("$.messages[") and violation.level != "reject" and violation.rule in ON_MESSAGES


def in_words(violation: Violation) -> str:
    """All of it but in whose words it is told as well, which depends on what else was found at once."""
    return repr(replace(violation, same_as=None))


def incremental(exchanges: Sequence[Exchange], **how: bool) -> list[tuple[list[str], Key | None]]:
    """The violations of each request, and what it is refused for, as the checker tells them."""
    checker = Checker(**how)
    told: list[tuple[list[str], Key | None]] = []
    for exchange in exchanges:
        judgement = checker.ask(exchange)
        assert judgement.position is not None
        checker.answered(judgement.position, exchange)
        refusal = None if judgement.refusal is None else key(judgement.refusal)
        told.append((sorted(map(in_words, judgement.violations)), refusal))
    return told


def require_same(told: list[tuple[list[str], Key | None]], expected: list[tuple[list[str], set[Key]]]) -> None:
    for (ours, _), (theirs, _) in zip(told, expected, strict=True):
        assert set(ours) ^ set(theirs) == set()
        assert Counter(ours) - Counter(theirs) == Counter(theirs) - Counter(ours) == Counter()
    for (_, refusal), (_, refusals) in zip(told, expected, strict=True):
        assert refusal in refusals if refusals else refusal is None


# the ways in which requests come in: as data, as bytes of several kinds, and with nothing shared at all


def compact(body: Json) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def messages_first(body: Json) -> bytes:
    return compact({"messages": body["messages"], **body} if "messages" in body else body)


def messages_last(body: Json) -> bytes:
    return json.dumps({**{key: body[key] for key in body if key != "messages"}, **_messages(body)}).encode()


def _messages(body: Json) -> Json:
    return {"messages": body["messages"]} if "messages" in body else {}


def as_data(body: Json) -> Json:
    return copy.deepcopy(body)


WAYS: dict[str, Callable[[Json], Json | bytes]] = {
    "data": as_data,
    "compact": compact,
    "messages-first": messages_first,
    "messages-last-and-blanks": messages_last,
}


def session(exchanges: Sequence[Json], way: str) -> Session:
    return Session.from_exchanges({**one, "request": WAYS[way](one["request"])} for one in exchanges)


def unshared(made: Session) -> list[Exchange]:
    """The same exchanges without any object in common, and with nothing said of it."""
    return [structs.replace(one, sent=None, request=copy.deepcopy(one.request)) for one in made.exchanges]


# sessions of all sorts, made of what the catalogue calls right and wrong

EXAMPLES: list[Json] = [
    {"headers": example.get("headers"), **example}
    for entry in load_catalogue().values()
    for example in (entry.fail, entry.ok)
    if "body" in example and "grow" not in example and isinstance(example["body"].get("messages"), list)
]
SAID = [
    message
    for example in EXAMPLES
    for message in example["body"]["messages"]
    if isinstance(message, dict) and isinstance(message.get("content"), str | list)
]
REPLIES = [message["content"] for message in SAID if isinstance(message["content"], list)]
MOVES = ("say", "say", "echo", "echo", "again", "drop", "edit", "insert", "swap", "role", "white", "tools", "other")
MARKS = ("none", "none", "last", "last-two", "all-users", "fixed")
STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(MOVES),
        st.integers(0, 10_000),
        st.sampled_from(MARKS),
        st.sampled_from(("ok", "ok", "ok", "none", "overloaded", "refused", "cut")),
    ),
    min_size=1,
    max_size=7,
)


def marked(messages: Sequence[Any], how: str) -> list[Any]:
    """The messages with cache marks on blocks of the user's, as clients set them."""
    made = copy.deepcopy(list(messages))
    users = [at for at, one in enumerate(made) if isinstance(one, dict) and one.get("role") == "user"]
    chosen = {"last": users[-1:], "last-two": users[-2:], "all-users": users, "fixed": users[:1]}.get(how, [])
    for at in chosen:
        content = made[at].get("content")
        if isinstance(content, str) and content:
            content = made[at]["content"] = [{"type": "text", "text": content}]
        if isinstance(content, list) and content and isinstance(content[-1], dict):
            content[-1] = {**content[-1], **MARK}
    return made


def moved(messages: list[Any], move: str, pick: int, content: list[Any]) -> list[Any]:
    """The messages of the next request of a loop that goes right, or wrong in one of the ways there are."""
    made, at = copy.deepcopy(messages), pick % max(len(messages), 1)
    if move == "say":
        made.append(copy.deepcopy(SAID[pick % len(SAID)]))
    elif move == "echo":
        calls = [block for block in content if isinstance(block, dict) and block.get("type") == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": block.get("id"), "content": "3"} for block in calls]
        made += [{"role": "assistant", "content": content}, {"role": "user", "content": results or "go on"}]
    elif move == "insert":
        made.insert(at, copy.deepcopy(SAID[pick % len(SAID)]))
    elif move == "drop" and made:
        del made[at]
    elif move == "swap" and made:
        made[at], made[at - 1] = made[at - 1], made[at]
    elif made and isinstance(made[at], dict):
        if move == "edit":
            made[at] = {**made[at], "content": f"edited {pick}"}
        elif move == "role":
            made[at] = {**made[at], "role": "user" if made[at].get("role") == "assistant" else "assistant"}
        elif move == "white":
            made[at] = json.loads(json.dumps(made[at]).replace(" ", "  ", 1))
    return made


@st.composite
def sessions(draw: st.DrawFn) -> list[Json]:
    """Exchanges of up to three conversations side by side, each begun with an example of the catalogue."""
    open_conversations: dict[int, Json] = {}
    made: list[Json] = []
    for which, move, pick, marks, answer in draw(STEPS):
        now = open_conversations.get(which)
        if now is None:
            example = copy.deepcopy(EXAMPLES[pick % len(EXAMPLES)])
            now = {"body": example["body"], "headers": example["headers"], "reply": []}
        else:
            now = {**now, "body": {**now["body"]}}
            now["body"]["messages"] = moved(now["body"]["messages"], move, pick, now["reply"])
            other = EXAMPLES[pick % len(EXAMPLES)]
            if move == "tools":
                now["body"]["tools"] = other["body"].get("tools", [])
            elif move == "other":
                now["body"] = {**copy.deepcopy(other["body"]), "messages": now["body"]["messages"]}
                now["headers"] = other["headers"]
        content = copy.deepcopy(REPLIES[pick % len(REPLIES)])
        now["reply"] = content if answer == "ok" else []
        open_conversations[which] = now
        response: Json | None = {"content": content, "stop_reason": "tool_use", "role": "assistant", "type": "message"}
        if answer in ("overloaded", "refused"):
            status, kind = (529, "overloaded_error") if answer == "overloaded" else (400, "invalid_request_error")
            response = {"status": status, "error": {"type": kind, "message": "..."}}
        elif answer == "cut":
            response = {"events": [{"type": "message_start", "message": {**(response or {}), "content": []}}]}
        body = {**now["body"], "messages": marked(now["body"]["messages"], marks)}
        one: Json = {"request": body, "headers": now["headers"]}
        made.append(one if answer == "none" else {**one, "response": response})
    return copy.deepcopy(made)


@settings(max_examples=150, deadline=None)
@given(sessions(), st.sampled_from([*WAYS]), st.booleans())
def test_the_same_as_from_scratch(exchanges: list[Json], way: str, one: bool) -> None:
    """Law: whatever a loop does to its history and settings, and however requests come in, the verdict is the same."""
    expected = from_scratch(unshared(session(exchanges, "data")), alone=one)
    require_same(incremental(session(exchanges, way).exchanges, alone=one), expected)
    require_same(incremental(unshared(session(exchanges, way)), alone=one), expected)


# one long conversation, and one thing done to it


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


TURNS = 14
HEADERS = {"x-api-key": "any", "anthropic-version": "2023-06-01"}


def content_of(number: int) -> list[Json]:
    call = {"type": "tool_use", "id": f"toolu_{number:02}", "name": "add", "input": {"a": number, "b": "]} ,{"}}
    return [text(f"Turn {number}: I add."), call]


def conversation(change: Callable[[list[Json]], list[Json]], at: int, marks: str) -> list[Json]:
    """A tool loop whose messages are changed, for good, before request `at`."""
    messages = [user(text("Add them all up, please."))]
    made: list[Json] = []
    envelope = {
        "model": "claude-opus-5-5",
        "max_tokens": 99,
        "system": [{**text("You add [{numbers}]."), **MARK}],
        "tools": [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}],
    }
    for number in range(TURNS):
        if number == at:
            messages = change(copy.deepcopy(messages))
        content = content_of(number)
        reply = {"content": content, "stop_reason": "tool_use", "role": "assistant", "type": "message"}
        made.append({"request": {**envelope, "messages": marked(messages, marks)}, "response": reply})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number:02}", "content": f"the sum is {number}"}
        messages = [*messages, {"role": "assistant", "content": content}, user(result)]
    return made


def dropped(messages: list[Json], place: int) -> list[Json]:
    return [*messages[:place], *messages[place + 1 :]]


def edited(messages: list[Json], place: int) -> list[Json]:
    messages[place]["content"][0] = {**messages[place]["content"][0], "content": "another", "text": "another"}
    return messages


def reordered(messages: list[Json], place: int) -> list[Json]:
    messages[place], messages[place - 1] = messages[place - 1], messages[place]
    return messages


def inserted(messages: list[Json], place: int) -> list[Json]:
    return [*messages[:place], user(text("by the way")), *messages[place:]]


def role_changed(messages: list[Json], place: int) -> list[Json]:
    messages[place]["role"] = "user" if messages[place]["role"] == "assistant" else "assistant"
    return messages


def blank_added(messages: list[Json], place: int) -> list[Json]:
    changed: list[Json] = json.loads(json.dumps(messages))
    block = changed[place]["content"][0]
    member = "text" if "text" in block else "content"
    block[member] = block[member].replace(" ", "  ", 1)
    return changed


CHANGES: dict[str, Callable[[list[Json], int], list[Json]]] = {
    "dropped": dropped,
    "edited": edited,
    "reordered": reordered,
    "inserted": inserted,
    "role-changed": role_changed,
    "white-space-in-a-string": blank_added,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("marks", ["none", "last", "last-two", "all-users", "fixed"])
def test_marks_that_move_are_no_change(way: str, marks: str) -> None:
    """Wherever a client sets its cache marks, a loop that resends all it said is a good one."""
    made = session(conversation(lambda messages: messages, TURNS, marks), way)
    assert len(made.conversations) == 1
    too_many = {"cache-control-max-4", "cache-breakpoints-not-accumulating"} if marks == "all-users" else set()
    assert {violation.rule for violation in check(made)} == too_many
    require_same(incremental(made.exchanges), from_scratch(unshared(made)))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("place", [1, 2, 11, 17, 18])
@pytest.mark.parametrize(("marks", "way"), [("none", "compact"), ("last-two", "compact"), ("last", "messages-first")])
def test_a_change_is_seen_wherever_it_is(change: str, place: int, marks: str, way: str) -> None:
    """Early or late in the history, with marks or without, from bytes and live: each kind of change is found."""
    exchanges = conversation(lambda messages: CHANGES[change](messages, place), 10, marks)
    made = session(exchanges, way)
    violations = check(made)
    assert {violation.exchange for violation in violations if violation.level != "warn"} >= {11}
    assert all((violation.exchange or 0) >= 11 for violation in violations)
    require_same(incremental(made.exchanges), from_scratch(unshared(session(exchanges, "data"))))
    assert check(loaded(exchanges, way)) == violations
    with_headers = [structs.replace(exchange, headers=HEADERS, status=None) for exchange in made.exchanges]
    assert live(exchanges, way) == [violations for violations, _ in incremental(with_headers, alone=True)]


def loaded(exchanges: Sequence[Json], way: str) -> Session:
    """The same session read from a recording that holds the bodies as text."""
    pairs = []
    for one in exchanges:
        body = WAYS[way](one["request"])
        assert isinstance(body, bytes)
        asked = {"url": "https://api.anthropic.com/v1/messages", "method": "POST", "body": body.decode()}
        pairs.append({"request": asked, "response": {"status": 200, "body": json.dumps(one["response"])}})
    return session_of(json.dumps(pairs).encode(), "pairs.json")


def live(exchanges: Sequence[Json], way: str) -> list[list[str]]:
    """The violations of each request where an engine that refuses nothing answers it."""
    steps = [reply({**one["response"], "usage": {}}, check=False) for one in exchanges]
    engine = Engine(as_script(steps), Settings(strict=False))
    for one in exchanges:
        body = WAYS[way](one["request"])
        assert isinstance(body, bytes)
        engine.answer(Incoming(method="POST", path="/v1/messages", headers=HEADERS, body=body))
    found: dict[int, list[str]] = {number: [] for number in range(1, len(exchanges) + 1)}
    for violation in engine.violations:
        found[violation.exchange or 0].append(repr(violation))
    return [sorted(one) for one in found.values()]


def told_of(bodies: Sequence[Json], headers: Sequence[Json | None] = ()) -> list[bool]:
    """Whether each of these requests is found wrong, which is what from scratch is found as well."""
    told_with = headers or [None] * len(bodies)
    made = Session.from_exchanges(
        {"request": body, "headers": told, "response": {"content": [], "stop_reason": "end_turn"}}
        for body, told in zip(bodies, told_with, strict=True)
    )
    told = incremental(made.exchanges)
    require_same(told, from_scratch(unshared(made)))
    return [bool(violations) for violations, _ in told]


def test_the_model_is_part_of_the_verdict() -> None:
    """A history that one model takes is judged again for another."""
    messages = [user(text("hi")), {"role": "system", "content": "Be kind."}]
    models = ("claude-opus-5-5", "claude-haiku-4-5", "claude-opus-5-5")
    found = told_of([{"model": model, "max_tokens": 9, "messages": messages} for model in models])
    assert found == [False, True, False]


def test_the_version_is_part_of_the_verdict() -> None:
    """A block that one version of the API takes is judged again under another."""
    cited = {**text("hi"), "citations": [{"type": "char_location", "cited_text": "hi"}]}
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [user(cited)]}
    old, new = ({"anthropic-version": version, "x-api-key": "k"} for version in ("2023-06-01", "2026-10-21"))
    assert told_of([body, body, body], [old, new, old]) == [False, True, False]


def test_settings_that_a_message_excuses() -> None:
    """A server without a toolset is right as long as a message brings tools of its own, and no longer."""
    server = {"type": "url", "name": "s", "url": "https://example.com/mcp"}
    start = {"model": "claude-opus-5-5", "max_tokens": 9, "mcp_servers": [server]}
    added = {"role": "system", "content": [{"type": "tool_addition", "tool": {}}]}
    bodies = [{**start, "messages": [user(text("hi")), *more]} for more in ([added], [], [added])]
    assert told_of(bodies) == [False, True, False]


class Counting:
    """A rule that counts the messages on which each request is judged."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self._seen = 0
        self.rule = Rule(id="own-count", level="warn", fix="none", message=self._message, request=self._request)

    def _message(self, view: RequestView, index: int, message: object) -> Iterator[Finding]:
        self._seen += 1
        return iter(())

    def _request(self, view: RequestView) -> Iterator[Finding]:
        self.counts.append(self._seen)
        self._seen = 0
        return iter(())


@pytest.mark.parametrize(("marks", "most"), [("none", 2), ("last", 4), ("last-two", 5), ("fixed", 2)])
@pytest.mark.parametrize("way", WAYS)
def test_the_work_is_linear_in_what_is_new(way: str, marks: str, most: int) -> None:
    """However far a conversation has come, only what it adds is judged, and the messages whose marks moved."""
    exchanges = conversation(lambda messages: messages, TURNS, marks)
    counting = Counting()
    check(session(exchanges, way), only=[*RULES, counting.rule])
    assert max(counting.counts[4:]) <= most


def test_tokens_are_counted_of_what_is_new() -> None:
    """A request for a token count is judged like the request that it counts, and only where it is new."""
    counting = Counting()
    checker = Checker([*RULES, counting.rule])
    messages = [user(text("hi")), *[{"role": "assistant", "content": [text("ho")]}, user(text("go on"))] * 30]
    for count in range(1, len(messages) + 1, 2):
        body = {"model": "claude-opus-5-5", "messages": messages[:count]}
        counted = checker.ask(Exchange(path="/v1/messages/count_tokens", request=body))
        asked = checker.ask(Exchange(request={**body, "max_tokens": 9}))
        assert counted.violations == asked.violations == ()
        assert (counted.position, asked.position) == (None, count // 2)
    assert max(counting.counts) <= 5
    no_tokens = checker.ask(Exchange(path="/v1/messages/count_tokens", request={**body, "messages": [*messages, 5]}))
    assert no_tokens.refusal is not None
