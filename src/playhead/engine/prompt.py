"""What a request gives the model to read, in tokens, and how much of it is in the prompt cache.

Law: pure and incremental: `read_prompt` looks at the messages that are new; what an earlier prompt began with is taken
from there.

The cache as the API describes it (platform.claude.com/docs/en/build-with-claude/prompt-caching): a `cache_control` mark
stores all that stands up to it; the longest part that an earlier request stored is read instead; what follows the last
mark is not cached. What was stored of the messages is found no more where tool choice, thinking or the schema of the
output changed, and nothing is where tools or system prompt did. Of a conversation's marks the last twenty are held,
since the API looks back over twenty blocks. Not simulated: that an entry expires (there is no clock), that prompts of
less than some thousand tokens are not cached, and that a mark finds no entry more than twenty blocks before it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from playhead.engine.tokens import Rates, block_tokens, envelope_tokens, message_tokens, rates_of, schema_of
from playhead.wire.codec import JsonObject
from playhead.wire.equality import same_settings
from playhead.wire.follow import Link
from playhead.wire.value import Value

Ttl = Literal["5m", "1h"]
Place = tuple[int, int]
"""A message and a block in it; message -1 is what stands before the messages."""

_CACHED_BY = ("model", "tools", "system")
"""What must be the same for any part of a prompt to be found in the cache."""

_SETTINGS = (*_CACHED_BY, "tool_choice", "thinking")
"""What stands before the messages, or adds to it, as the schema of an output does."""

_FORMATS = frozenset({"output_config", "output_format"})
_BEFORE = -1
_LOOK_BACK = 20


class Mark(NamedTuple):
    """A cache mark: where it stands, the tokens up to it, and how long it holds."""

    place: Place
    tokens: int
    ttl: Ttl


class InputTokens(Value, frozen=True):
    """The input tokens of a request: read afresh, read from the cache, and stored there for each time to live."""

    fresh: int
    read: int = 0
    stored_5m: int = 0
    stored_1h: int = 0

    @property
    def stored(self) -> int:
        """All that was stored."""
        return self.stored_5m + self.stored_1h

    @property
    def total(self) -> int:
        """The length of the prompt."""
        return self.fresh + self.read + self.stored


class Prompt(Value, frozen=True):
    """A request's prompt: `head` tokens before the messages, `tokens` in all; its marks, and what the cache then holds.

    `messages` is the number of its messages, `settings` what stands before them, or adds to that; `before` are the
    marks that stand before the messages, and are among `marks`.
    """

    settings: tuple[object, ...]
    messages: int
    head: int
    tokens: int
    before: tuple[Mark, ...] = ()
    marks: tuple[Mark, ...] = ()
    cached: tuple[Mark, ...] = ()


def read_prompt(
    body: JsonObject,
    earlier: Prompt | None = None,
    known: int = 0,
    *,
    last: Prompt | None = None,
    places: Sequence[int] | None = None,
) -> Prompt:
    """The prompt of a request. Its first `known` messages are those of `earlier`, or as many of them.

    `last` is any other, whose settings may be the same; it counts where there is no `earlier`. `places` are the
    positions of the messages that may hold a cache mark, in order; None says that any may.
    """
    rates = rates_of(str(body.get("model")))
    settings: tuple[object, ...] = (
        *map(body.get, _SETTINGS),
        None if _FORMATS.isdisjoint(body) else schema_of(body),
    )
    messages = body.get("messages")
    messages = messages if isinstance(messages, list) else []
    begun = last if earlier is None else earlier
    if begun is not None and (all(map(operator.is_, begun.settings, settings)) or _same(begun.settings, settings)):
        settings, head, before = begun.settings, begun.head, begun.before
    else:
        head = envelope_tokens(body, rates)
        before = tuple(_before_messages(body, head, rates))
    tokens, new = head, messages
    if earlier is not None and known == earlier.messages and earlier.settings[0] == settings[0]:
        tokens, new = head + earlier.tokens - earlier.head, messages[known:]
    for message in new:
        tokens += message_tokens(message, rates)
    stored = _still_cached(earlier, settings, head) if earlier is not None and earlier.cached else ()
    may_hold = range(len(messages)) if places is None else places
    if not (may_hold or before or stored or "cache_control" in body):
        return Prompt(settings, len(messages), head, tokens)
    held = tuple([mark for mark in stored if mark.place[0] < known])
    marks = (*before, *_in_order(body, messages, may_hold, head, tokens, held, rates))
    taken = {mark.place for mark in marks}
    cached = (*(mark for mark in held if mark.place not in taken), *marks)[-_LOOK_BACK:]
    return Prompt(settings, len(messages), head, tokens, before, marks, cached)


class Prompts:
    """The prompts of one session, by the positions of their requests."""

    def __init__(self) -> None:
        self._of: dict[int, Prompt] = {}
        self._last: Prompt | None = None

    def cost(
        self, body: JsonObject, position: int | None, link: Link | None, marked: Sequence[int] | None
    ) -> InputTokens:
        """Takes in a request and tells what its prompt counts, and how much of it the cache holds.

        `link` says where the request at this position stands, `marked` which of its messages hold a cache mark.
        """
        earlier, known = None, 0
        if link is not None and link.parent is not None:
            earlier, known = self._of.get(link.parent), link.shared
        self._last = prompt = read_prompt(body, earlier, known, last=self._last, places=marked)
        if position is not None:
            self._of[position] = prompt
        return input_tokens(prompt, earlier, known)


def input_tokens(prompt: Prompt, earlier: Prompt | None = None, known: int = 0) -> InputTokens:
    """How a prompt is charged, after `earlier`, whose first `known` messages it has too."""
    if not prompt.marks:
        return InputTokens(prompt.tokens)
    last = prompt.marks[-1].tokens
    cached = () if earlier is None else _still_cached(earlier, prompt.settings, prompt.head)
    stored_before = [mark for mark in cached if mark.place[0] < known and mark.tokens <= last]
    read = max((mark.tokens for mark in stored_before), default=0)
    stored = {"5m": 0, "1h": 0}
    reached = read
    for mark in prompt.marks:
        stored[mark.ttl] += max(0, mark.tokens - reached)
        reached = max(reached, mark.tokens)
    return InputTokens(prompt.tokens - reached, read, stored["5m"], stored["1h"])


def _same(theirs: Sequence[object], ours: Sequence[object]) -> bool:
    """Whether settings are the same to the letter: the same objects, or equal strings. To Python 1, 1.0 and true are
    equal, and as JSON they differ.
    """
    return all(
        their is our or (isinstance(their, str) and their == our) for their, our in zip(theirs, ours, strict=True)
    )


def _still_cached(earlier: Prompt, settings: Sequence[object], head: int) -> Sequence[Mark]:
    """The marks of an earlier prompt that the cache holds for one with these settings, with the tokens up to each where
    `head` stand before the messages.

    None where model, tools or system prompt are others, marks aside; of the messages none where what the model is told
    beside them is another.
    """
    count = len(_CACHED_BY)
    theirs, ours = earlier.settings, settings
    if not all(a == b or same_settings(a, b) for a, b in zip(theirs[:count], ours[:count], strict=True)):
        return ()
    longer, also_messages = head - earlier.head, theirs[count:] == ours[count:]
    if also_messages and not longer:
        return earlier.cached
    held = [mark for mark in earlier.cached if also_messages or mark.place[0] == _BEFORE]
    return [mark._replace(tokens=mark.tokens + longer) for mark in held]


def _in_order(
    body: JsonObject,
    messages: Sequence[object],
    may_hold: Sequence[int],
    head: int,
    tokens: int,
    held: Sequence[Mark],
    rates: Rates,
) -> Iterator[Mark]:
    """The marks in a request's messages, each with the tokens up to it, and the automatic one."""
    known = {mark.place: mark.tokens for mark in held}
    for place, control in _in_messages(messages, may_hold):
        size = known[place] if place in known else _up_to(messages, place, head, tokens, rates)
        yield Mark(place, size, _ttl(control))
    automatic = body.get("cache_control")
    if isinstance(automatic, dict) and messages:
        yield Mark((len(messages) - 1, _last_block(messages[-1])), tokens, _ttl(automatic))


def _in_messages(messages: Sequence[object], may_hold: Sequence[int]) -> Iterator[tuple[Place, JsonObject]]:
    """The marks in messages, old ones too, to which a mark may have come."""
    for index in may_hold:
        message = messages[index]
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            continue
        for number, block in enumerate(content):
            if not isinstance(block, dict) or ("cache_control" not in block and block.get("type") != "tool_result"):
                continue
            if "cache_control" in block or isinstance(block.get("content"), list):
                control = _control(block)
                if control is not None:
                    yield (index, number), control


def _before_messages(body: JsonObject, head: int, rates: Rates) -> Iterator[Mark]:
    """The last mark of the tools, and the last of the system prompt, which comes after them."""
    system, tools = body.get("system"), body.get("tools")
    marked_tools = [control for tool in (tools if isinstance(tools, list) else ()) if (control := _control(tool))]
    if marked_tools:
        bare = envelope_tokens({**body, "system": None}, rates)
        yield Mark((_BEFORE, 0), min(bare, head), _ttl(marked_tools[-1]))
    marked = [control for block in (system if isinstance(system, list) else ()) if (control := _control(block))]
    if marked:
        yield Mark((_BEFORE, 1), head, _ttl(marked[-1]))


def _control(block: object) -> JsonObject | None:
    """The mark of a block, or the last one among the blocks of a tool's result."""
    if not isinstance(block, dict):
        return None
    control = block.get("cache_control")
    if isinstance(control, dict):
        return control
    nested = block.get("content") if block.get("type") == "tool_result" else None
    marked = [control for part in (nested if isinstance(nested, list) else ()) if (control := _control(part))]
    return marked[-1] if marked else None


def _ttl(control: JsonObject) -> Ttl:
    return "1h" if control.get("ttl") == "1h" else "5m"


def _last_block(message: object) -> int:
    content = message.get("content") if isinstance(message, dict) else None
    return max(0, len(content) - 1) if isinstance(content, list) else 0


def _up_to(messages: Sequence[object], place: Place, head: int, tokens: int, rates: Rates) -> int:
    """The tokens up to the end of a block: what stands behind it taken off, or, if that is more, what is before it."""
    index, number = place
    message = messages[index]
    content = message["content"] if isinstance(message, dict) else []
    if index < len(messages) // 2:
        before = head + sum(message_tokens(earlier, rates) for earlier in messages[:index]) + rates.message
        return before + sum(block_tokens(block, rates) for block in content[: number + 1])
    behind = sum(message_tokens(later, rates) for later in messages[index + 1 :])
    return tokens - behind - sum(block_tokens(block, rates) for block in content[number + 1 :])
