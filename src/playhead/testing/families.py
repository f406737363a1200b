"""Families of trials: for each thing that can go wrong in a loop, the scripts in which it would.

Law: draws values; imports hypothesis. Plain random scripts hardly ever hold what is rare (an endless model, an integer
beyond 2**53, a fault on the very request that carries the results), so that each such thing has a family of its own,
searched within. All of them shrink towards fewer turns, then fewer calls, then simpler input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from hypothesis import strategies as st

from playhead.script.faults import cut, damage, drop, fail
from playhead.script.replies import compact, redacted, refuse, truncated
from playhead.script.server_tools import by_code, server_result
from playhead.script.steps import Block, Step, Turn, call, reply, say, think, turn
from playhead.testing.schemas import inputs, invalid_inputs, telling_inputs
from playhead.testing.tools import Outcome, Raises, Returns
from playhead.testing.trial import Trial, asked
from playhead.wire.codec import JsonObject

Trials = st.SearchStrategy[Trial]


@dataclass(frozen=True)
class Offer:
    """The client tools that a loop offers, by name, each with its input's schema."""

    schemas: tuple[tuple[str, JsonObject], ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.schemas)

    @cached_property
    def calls(self) -> st.SearchStrategy[Block]:
        """A call of one of the tools, with an input that its schema allows."""
        return self._calls(inputs)

    @cached_property
    def telling_calls(self) -> st.SearchStrategy[Block]:
        """The same with values that loops are known to spoil."""
        return self._calls(telling_inputs)

    @cached_property
    def wrong_calls(self) -> st.SearchStrategy[Block]:
        """Calls with an input that the tool's schema does not allow."""
        fallible = [(name, schema) for name, schema in self.schemas if schema.get("properties")]
        return self._calls(invalid_inputs, fallible)

    def _calls(
        self,
        draw: Callable[[JsonObject], st.SearchStrategy[Any]],
        schemas: Sequence[tuple[str, JsonObject]] | None = None,
    ) -> st.SearchStrategy[Block]:
        chosen = self.schemas if schemas is None else schemas
        return st.one_of([draw(schema).map(partial(call, name)) for name, schema in chosen])


def _trial(*steps: Step, **options: Any) -> Trial:
    return Trial(steps=steps, **options)


def _of(steps: Sequence[Step]) -> Trial:
    return Trial(steps=tuple(steps))


_TEXTS = st.sampled_from(
    ("Let me look.", "", "\n\n", " so ", "é 👩‍👩‍👧 \u2028", "1. a\n2. b", '{"tool": 1}', "<tool_use>", "x" * 300)
)


def pairing(offer: Offer) -> Trials:
    """One call at a time."""
    return st.lists(offer.calls, min_size=1, max_size=3).map(_of)


def parallel_calls(offer: Offer) -> Trials:
    """Several calls in one reply."""
    several = st.lists(offer.calls, min_size=2, max_size=4).map(lambda calls: turn(*calls))
    return st.lists(several, min_size=1, max_size=2).map(_of)


def repeated_calls(offer: Offer) -> Trials:
    """The same call again, in one reply and in the next."""
    return st.builds(
        lambda one, width, turns: _trial(*[turn(*[one] * width)] * turns),
        offer.calls,
        st.integers(1, 3),
        st.integers(1, 3),
    ).filter(lambda trial: trial.size != (1, 1))


def order(offer: Offer) -> Trials:
    """Parallel calls of which the first takes longest."""
    several = st.lists(offer.calls, min_size=2, max_size=3, unique_by=repr).map(lambda calls: turn(*calls))
    return st.lists(several, min_size=1, max_size=2).map(lambda steps: replace(_of(steps), slow_first=True))


_IDS = ("a", "call_0", "toolu_01A09q90qw90lq917835lq9", "9-Z_", "toolu_vrtx_01", "x" * 64, "0")


def ids(offer: Offer) -> Trials:
    """Ids of every form that the API has for a tool_use."""

    def made(calls: Sequence[Block], names: Sequence[str]) -> Trial:
        content = [{**one.data, "id": name} for one, name in zip(calls, names, strict=False)]
        return _trial(reply({"content": content, "stop_reason": "tool_use"}))

    two = st.lists(offer.calls, min_size=1, max_size=2)
    return st.builds(made, two, st.permutations(_IDS))


_TALK: tuple[tuple[JsonObject, ...], ...] = (
    asked("Go on, please."),
    ({"role": "user", "content": [{"type": "text", "text": "Look at this:"}, {"type": "text", "text": "fox, é 🦊"}]},),
    (*asked("Who are you?"), {"role": "assistant", "content": "I am Claude."}, *asked("Then go.")),
    (
        *asked("First."),
        {"role": "assistant", "content": [{"type": "text", "text": "Second."}]},
        *asked("Third."),
        {"role": "assistant", "content": "Fourth."},
        *asked("Fifth, and go."),
    ),
)


def history(offer: Offer) -> Trials:
    """Conversations that begin with some talk."""
    return st.builds(
        lambda messages, calls: Trial(steps=tuple(calls), messages=messages),
        st.sampled_from(_TALK),
        st.lists(offer.calls, max_size=2),
    )


def long_chains(offer: Offer) -> Trials:
    """Many turns, one after the other: four to ten."""
    return st.builds(lambda one, count: _trial(*[one] * count), offer.calls, st.integers(4, 10))


def text_around_calls(offer: Offer) -> Trials:
    """Text before, between and after calls, blank text too."""
    mixed = st.builds(
        lambda before, one, after: turn(*map(say, before), one, *after),
        st.lists(_TEXTS, max_size=2),
        offer.calls,
        st.lists(st.one_of(_TEXTS.map(say), offer.calls), max_size=2),
    )
    return st.lists(mixed, min_size=1, max_size=2).map(_of)


def input_values(offer: Offer) -> Trials:
    """Numbers, texts and nested values that loops spoil on the way."""
    return st.lists(offer.telling_calls, min_size=1, max_size=2).map(lambda calls: _trial(turn(*calls)))


def thinking(offer: Offer) -> Trials:
    """Thinking before and between calls, some of it redacted."""
    thoughts = st.sampled_from((think("Hm."), think(""), think("One.\n\nTwo é."), redacted()))
    mixed = st.builds(
        lambda before, one, between: turn(*before, one, *between),
        st.lists(thoughts, min_size=1, max_size=2),
        offer.calls,
        st.lists(st.one_of(thoughts, offer.calls), max_size=2).filter(_ends_with_call),
    )
    return st.lists(mixed.filter(_thinks_anew), min_size=1, max_size=2).map(_of)


def _thinks_anew(step: Step) -> bool:
    """Whether no two thoughts of a reply are alike to the letter, signature and all: Claude's never are."""
    thoughts = [str(one) for one in getattr(step, "blocks", ()) if one.type == "thinking"]
    return len({*thoughts}) == len(thoughts)


def _ends_with_call(blocks: Sequence[Block]) -> bool:
    return not blocks or blocks[-1].type == "tool_use"


_SEARCHED: tuple[JsonObject, ...] = (
    {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": "foxes"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_01",
        "content": [
            {
                "type": "web_search_result",
                "title": "Foxes",
                "url": "https://example.com/foxes",
                "encrypted_content": "ZW5jcnlwdGVk",
                "page_age": None,
            }
        ],
    },
    {
        "type": "text",
        "text": "Foxes are red.",
        "citations": [
            {
                "type": "web_search_result_location",
                "cited_text": "Foxes are red.",
                "url": "https://example.com/foxes",
                "title": "Foxes",
                "encrypted_index": "aW5kZXg=",
            }
        ],
    },
)


def server_tools(offer: Offer) -> Trials:
    """What Anthropic's own tools did, in a reply that also calls the client's."""
    failed = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_01",
        "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"},
    }
    searches = st.sampled_from((_SEARCHED, (_SEARCHED[0], failed), _SEARCHED[:2]))

    def made(search: Sequence[JsonObject], calls: Sequence[Block]) -> Trial:
        mine = [{**one.data, "id": f"toolu_s{number}"} for number, one in enumerate(calls)]
        return _trial(reply({"content": [*search, *mine], "stop_reason": "tool_use"}), server_tools=True)

    return st.builds(made, searches, st.lists(offer.calls, min_size=1, max_size=2))


def containers(offer: Offer) -> Trials:
    """Code in a container that calls the client's tools, waits for their results, and may call again."""

    def made(calls: Sequence[Block], further: Sequence[Block]) -> Trial:
        again = [by_code(None, *further)] if further else []
        return _trial(by_code("await ask()", *calls), *again, turn(server_result("code_execution", "1"), say("There.")))

    some = st.lists(offer.calls, min_size=1, max_size=2)
    return st.builds(made, some, st.lists(offer.calls, max_size=1)).map(lambda its: replace(its, server_tools=True))


_MESSAGES = ("no such key", "", "é 👩‍👩‍👧", "line\nline", "x" * 500, "{'a': 1}")


def tool_errors(offer: Offer) -> Trials:
    """Tools that raise, alone and beside others that do not."""

    def made(calls: Sequence[Block], further: Sequence[Block], message: str) -> Trial:
        outcomes: dict[str, Outcome] = {str(calls[0].data["name"]): Raises(message)}
        return Trial(steps=(turn(*calls), *further), outcomes=outcomes)

    few = st.lists(offer.calls, min_size=1, max_size=3)
    return st.builds(made, few, st.lists(offer.calls, max_size=1), st.sampled_from(_MESSAGES))


def unknown_tools(offer: Offer) -> Trials:
    """Calls of tools that nobody offers, alone and beside others."""

    def made(name: str, given: JsonObject, before: Sequence[Block], after: Sequence[Block]) -> Trial:
        unknown = {"type": "tool_use", "name": name, "input": given}
        content = [*(one.data for one in before), unknown, *(one.data for one in after)]
        named = [{**block, "id": f"toolu_u{number}"} for number, block in enumerate(content)]
        return _trial(_unchecked({"content": named, "stop_reason": "tool_use"}))

    names = st.sampled_from([name for name in ("nope", "look", "exec", "__init__") if name not in offer.names])
    some = st.lists(offer.calls, max_size=1)
    return st.builds(made, names, st.sampled_from(({}, {"a": 1})), some, some)


def _unchecked(message: JsonObject) -> Step:
    whole = {
        "id": "msg_unchecked",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return reply({**whole, **message}, check=False)


def bad_input(offer: Offer) -> Trials:
    """Inputs that the tool's schema does not allow."""
    wrong = st.tuples(offer.wrong_calls, st.lists(offer.calls, max_size=1))
    return wrong.map(lambda its: _trial(turn(its[0], *its[1])))


_VALUES: tuple[object, ...] = (
    {"found": True, "key": None},
    None,
    7,
    [],
    {},
    "",
    True,
    0,
    False,
    3.5,
    2**53 + 1,
    [1, "two", None],
    " padded ",
    "é 👩‍👩‍👧 \u2028",
    "null",
    "it's",
    {"nested": {"list": [{"a": None}, {"b": False}]}},
    {"text": 'it\'s "so"'},
)


def result_values(offer: Offer) -> Trials:
    """Tools that return what is no text: objects, lists, nothing, numbers."""

    def made(one: Block, value: object, further: Sequence[Block]) -> Trial:
        return Trial(steps=(turn(one, *further),), outcomes={str(one.data["name"]): Returns(value)})

    return st.builds(made, offer.calls, st.sampled_from(_VALUES), st.lists(offer.calls, max_size=1))


def _after_calls(offer: Offer, ends: st.SearchStrategy[Step], before: int = 1) -> Trials:
    """Trials that come to such an end at once, or after a few calls."""
    return st.builds(lambda calls, end: _trial(*calls, end), st.lists(offer.calls, max_size=before), ends)


def stop_reasons(offer: Offer) -> Trials:
    """Every way in which Claude may be done, and a stop reason that nobody has heard of."""
    novel = _unchecked({"content": [{"type": "text", "text": "Well."}], "stop_reason": "out_of_ideas"})
    with_call = _unchecked(
        {
            "content": [{"type": "tool_use", "id": "toolu_n1", "name": offer.names[0], "input": {}}],
            "stop_reason": "out_of_ideas",
        }
    )
    ends = (
        turn(say("Done."), stop_reason="end_turn"),
        turn(say("Done"), stop_sequence="."),
        turn(),
        turn(say("One."), say("Two.")),
        novel,
        with_call,
    )
    return _after_calls(offer, st.sampled_from(ends), before=2)


def truncation(offer: Offer) -> Trials:
    """Replies that are cut at max_tokens, or at the end of the context window: in a text, in a call, after one; up to
    three times."""
    reasons = st.sampled_from(("max_tokens", "model_context_window_exceeded"))

    def cut_off(blocks: Sequence[Block], reason: str) -> Turn:
        return truncated(*blocks, stop_reason=reason)

    text = st.just((say("It is a long"),))
    whole = st.builds(lambda one: (one, say("and then")), offer.calls)
    part = st.builds(lambda one: (one,), offer.telling_calls)
    ends = st.builds(cut_off, st.one_of(text, whole, part), reasons)
    return st.builds(
        lambda calls, end, times: _trial(*calls, *[end] * times),
        st.lists(offer.calls, max_size=1),
        ends,
        st.integers(1, 3),
    )


_ASKS, _FINDS = _SEARCHED[0], _SEARCHED[1:]
_PAUSED = reply({"content": [{"type": "text", "text": "Let me search."}, _ASKS], "stop_reason": "pause_turn"})
_PAUSED_AGAIN = reply({"content": [_ASKS], "stop_reason": "pause_turn"})


def pauses(offer: Offer) -> Trials:
    """Turns that Claude pauses while Anthropic's own tools are at work, and goes on with; before and after calls."""

    def goes_on(calls: Sequence[Block]) -> Step:
        mine = [{**one.data, "id": f"toolu_p{number}"} for number, one in enumerate(calls)]
        return reply({"content": [*_FINDS, *mine], "stop_reason": "tool_use" if mine else "end_turn"})

    return st.builds(
        lambda before, paused, calls: _trial(*before, paused, goes_on(calls), server_tools=True),
        st.lists(offer.calls, max_size=1),
        st.sampled_from((_PAUSED_AGAIN, _PAUSED)),
        st.lists(offer.calls, max_size=1),
    )


def compaction(offer: Offer) -> Trials:
    """The server compacts the conversation, and Claude goes on when it is sent back."""
    return st.builds(
        lambda before, after: _trial(*before, compact("We talked about foxes."), *after),
        st.lists(offer.calls, max_size=2),
        st.lists(offer.calls, max_size=1),
    )


def refusal(offer: Offer) -> Trials:
    """Claude refuses, at once or in the middle of things."""
    ends = (refuse(), refuse("cyber", "Not this."), refuse(None, None, say("I would rather")))
    return _after_calls(offer, st.sampled_from(ends))


_TRANSIENT = (529, 429, 500, 503, 502, 504, 408, 409)
_FAULTS: tuple[Step, ...] = (
    *(fail(status) for status in _TRANSIENT),
    *(fail(status, times=2) for status in _TRANSIENT[:3]),
    drop("connect"),
    drop("read"),
    drop("timeout"),
)


def retries(offer: Offer) -> Trials:
    """Faults that pass, on the first request and on those that carry results."""

    def made(calls: Sequence[Block], fault: Step, at: int) -> Trial:
        place = min(at, len(calls))
        return _trial(*calls[:place], fault, *calls[place:])

    return st.builds(made, st.lists(offer.calls, min_size=1, max_size=2), st.sampled_from(_FAULTS), st.integers(0, 2))


_FINAL: tuple[Step, ...] = (
    *(fail(status) for status in (400, 401, 403, 404, 413)),
    fail(429, error_code="enforced_spend_limit_reached", headers={"x-should-retry": "false"}),
)


def api_errors(offer: Offer) -> Trials:
    """Faults that stay, at once and after calls: what is refused for good, and what never passes."""
    overloaded = st.sampled_from((fail(529), fail(500)))
    for_ever = _after_calls(offer, overloaded).map(lambda trial: replace(trial, endless=True))
    final = _after_calls(offer, st.sampled_from(_FINAL))
    return st.one_of(final, final, final, for_ever)  # there are three times as many of them


def stream_damage(offer: Offer) -> Trials:
    """Streams that break off: with the connection, without a word, with an error event."""

    def broken(blocks: Sequence[Block], events: int, how: Any) -> Step:
        return cut(turn(*blocks), events=events, how=how)

    replies = st.one_of(st.lists(offer.calls, min_size=1, max_size=2), st.just([say("It is a long answer.")]))
    breaks = st.builds(broken, replies, st.integers(0, 12), st.sampled_from(("end", "error", "reset", "close")))
    return _after_calls(offer, breaks)


def stream_oddities(offer: Offer) -> Trials:
    """What a stream may bring besides: pings, unknown events and fields, empty inputs."""
    kinds = st.sampled_from(_HARMLESS)
    return st.builds(
        lambda one, kind, further: _trial(damage(turn(say("Look:"), one), kind), *further),
        offer.calls,
        kinds,
        st.lists(offer.calls, max_size=1),
    )


_HARMLESS = ("unknown_event",)


def conversations_in_turn(offer: Offer) -> Trials:
    """Two conversations, one after the other, with the same loop."""
    return st.lists(offer.calls, max_size=2).map(lambda calls: replace(_of([*calls, *_LAST]), conversations="in turn"))


def conversations_at_once(offer: Offer) -> Trials:
    """Two conversations with the same loop, the second while the first waits for Claude."""
    some = st.lists(offer.calls, min_size=1, max_size=2)
    return some.map(lambda calls: replace(_of([*calls, *_LAST]), conversations="at once"))


_LAST = (say("There."),)


def termination(offer: Offer) -> Trials:
    """A Claude that never comes to an end: calls, pauses, failing tools, unknown tools, cut replies."""
    unknown = _unchecked(
        {"content": [{"type": "tool_use", "id": "toolu_e", "name": "nope", "input": {}}], "stop_reason": "tool_use"}
    )

    def failing(one: Block) -> Trial:
        return Trial(steps=(one,), outcomes={str(one.data["name"]): Raises("no")}, endless=True)

    ends: st.SearchStrategy[Step] = st.sampled_from((_PAUSED_AGAIN, unknown, truncated(say("It is a long"))))
    return st.one_of(
        offer.calls.map(lambda one: _trial(one, endless=True)),
        offer.calls.map(failing),
        ends.map(lambda step: _trial(step, endless=True, server_tools=True)),
    )
