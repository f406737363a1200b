"""Requests with one seeded fault each, and the rules by which it must be found.

Law: imports hypothesis. A fault is a change of a request that is right, and stands in one table.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from playhead.errors import SetupError
from playhead.testing.drawn_scripts import Tool
from playhead.testing.drawn_transcripts import transcripts
from playhead.wire.codec import JsonObject


@dataclass(frozen=True, slots=True)
class Scene:
    """A request, and the turn in it that is to go wrong: what Claude said in it and what the user answered."""

    body: JsonObject
    at: int

    @property
    def messages(self) -> list[JsonObject]:
        messages: list[JsonObject] = self.body["messages"]
        return messages

    @property
    def said(self) -> JsonObject:
        return self.messages[self.at]

    @property
    def answered(self) -> JsonObject:
        return self.messages[self.at + 1]

    @property
    def calls(self) -> list[JsonObject]:
        return [block for block in self.said["content"] if block["type"] == "tool_use"]

    @property
    def results(self) -> list[JsonObject]:
        results: list[JsonObject] = self.answered["content"]
        return results

    @property
    def thinking(self) -> JsonObject:
        block: JsonObject = self.said["content"][0]
        return block


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededFault:
    """One way in which a request can be wrong.

    `rules` are the ids of those of which one must be found. `change` makes a request wrong that is right, at one of
    its turns, which has at least `calls` calls; `last` says that it must be the last turn, `thinking` whether
    Claude thinks, None that it may.
    """

    what: str
    rules: tuple[str, ...]
    change: Callable[[Scene], object]
    calls: int = 1
    last: bool = False
    thinking: bool | None = None


_TEXT = {"type": "text", "text": "Go on."}
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}


def _unanswered(scene: Scene) -> None:
    scene.results.pop()
    if not scene.results:
        scene.results.append(dict(_TEXT))


def _renamed(scene: Scene) -> None:
    scene.results[0]["tool_use_id"] += "x"


def _bad_id(scene: Scene) -> None:
    scene.calls[0]["id"] = scene.results[0]["tool_use_id"] = "toolu 1"


def _same_id(scene: Scene) -> None:
    scene.calls[1]["id"] = scene.calls[0]["id"]
    del scene.results[1]


def _as_assistant(scene: Scene) -> None:
    scene.answered["role"] = "assistant"
    if scene.answered is scene.messages[-1]:
        scene.messages.append({"role": "user", "content": "Go on."})


def _text_blocks(scene: Scene, text: str) -> None:
    """The last user turn, with a text of that kind at its end."""
    content = scene.messages[-1]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    scene.messages[-1]["content"] = [*blocks, {"type": "text", "text": text}]


def _without_beginning(scene: Scene) -> None:
    del scene.messages[: scene.at + 1]


def _between(scene: Scene) -> None:
    scene.messages.insert(scene.at + 1, {"role": "user", "content": "Wait."})


def _forgotten(scene: Scene) -> None:
    del scene.messages[scene.at + 1]


def _error_image(scene: Scene) -> None:
    scene.results[0].update(is_error=True, content=[copy.deepcopy(_IMAGE)])


def _marked(scene: Scene) -> None:
    mark = {"type": "ephemeral"}
    scene.messages[0]["content"] = [{"type": "text", "text": str(n), "cache_control": mark} for n in range(5)]


def _fault(what: str, *rules: str, change: Callable[[Scene], object], **needs: Any) -> SeededFault:
    return SeededFault(what=what, rules=rules, change=change, **needs)


SEEDED: Mapping[str, SeededFault] = MappingProxyType(
    {
        "unanswered-call": _fault("one call has no result", "tool-use-unanswered", change=_unanswered),
        "results-left-out": _fault("the results are not sent at all", "tool-use-unanswered", change=_forgotten),
        "orphan-result": _fault(
            "a result for a call that there is not",
            "tool-result-orphan",
            change=lambda scene: scene.results.append({"type": "tool_result", "tool_use_id": "toolu_orphan"}),
        ),
        "duplicate-result": _fault(
            "one call is answered twice",
            "tool-result-duplicate",
            change=lambda scene: scene.results.append(dict(scene.results[0])),
        ),
        "renamed-id": _fault(
            "a result under another id than its call's", "tool-result-orphan", "tool-use-unanswered", change=_renamed
        ),
        "result-without-id": _fault(
            "a result that does not say which call it answers",
            "tool-result-id-required",
            change=lambda scene: scene.results[0].pop("tool_use_id"),
        ),
        "result-not-first": _fault(
            "text before the results",
            "tool-result-not-first",
            change=lambda scene: scene.results.insert(0, dict(_TEXT)),
        ),
        "text-between": _fault("a message between calls and results", "tool-result-not-first", change=_between),
        "trimmed-to-results": _fault(
            "the history is cut between a call and its result",
            "tool-result-orphan",
            "trim-keeps-pairs",
            change=_without_beginning,
        ),
        "result-as-assistant": _fault(
            "the results stand in a message of the assistant's", "block-role-tool-result", change=_as_assistant
        ),
        "call-as-user": _fault(
            "the calls stand in a message of the user's",
            "block-role-tool-use",
            change=lambda scene: scene.said.update(role="user"),
        ),
        "result-as-object": _fault(
            "the content of a result is an object",
            "tool-result-content-type",
            change=lambda scene: scene.results[0].update(content={"temperature": 21}),
        ),
        "is-error-as-string": _fault(
            "is_error is a string",
            "tool-result-is-error-type",
            change=lambda scene: scene.results[0].update(is_error="true"),
        ),
        "error-with-image": _fault(
            "a result that reports an error with an image", "tool-result-is-error-text-only", change=_error_image
        ),
        "input-as-string": _fault(
            "the input of a call is JSON text",
            "tool-use-input-dict",
            change=lambda scene: scene.calls[0].update(input='{"city": "Oslo"}'),
        ),
        "input-missing": _fault(
            "a call without its input", "tool-use-input-required", change=lambda scene: scene.calls[0].pop("input")
        ),
        "id-with-blank": _fault("an id with characters that none has", "tool-use-id-pattern", change=_bad_id),
        "same-id-twice": _fault(
            "two calls of a turn with one id", "tool-use-id-unique-in-turn", change=_same_id, calls=2
        ),
        "call-without-name": _fault(
            "a call whose name is empty",
            "tool-use-name-limits",
            change=lambda scene: scene.calls[0].update(name=""),
        ),
        "signature-missing": _fault(
            "thinking without its signature",
            "thinking-signature-required",
            change=lambda scene: scene.thinking.pop("signature"),
            thinking=True,
        ),
        "signature-cut": _fault(
            "thinking under a signature that was never issued",
            "thinking-signature-invalid",
            change=lambda scene: scene.thinking.update(signature="c2ln"),
            thinking=True,
            last=True,
        ),
        "thinking-edited": _fault(
            "thinking whose text was changed",
            "thinking-block-modified",
            change=lambda scene: scene.thinking.update(thinking="I have thought again."),
            thinking=True,
            last=True,
        ),
        "empty-text": _fault(
            "an empty text", "text-block-nonempty", change=lambda scene: _text_blocks(scene, ""), calls=0
        ),
        "blank-text": _fault(
            "a text of blanks alone",
            "text-block-nonwhitespace",
            change=lambda scene: _text_blocks(scene, " \n"),
            calls=0,
        ),
        "empty-message": _fault(
            "a message of the user's without content",
            "content-nonempty-message",
            change=lambda scene: scene.messages[-1].update(content=[]),
            calls=0,
        ),
        "unknown-block": _fault(
            "a block of a type that there is not",
            "content-block-type-unknown",
            change=lambda scene: scene.said["content"].append({"type": "tool_call", "name": "a"}),
        ),
        "unknown-role": _fault(
            "a role that there is not",
            "message-role-enum",
            change=lambda scene: scene.answered.update(role="tool"),
        ),
        "prefill": _fault(
            "the conversation ends with the assistant",
            "prefill-unsupported",
            change=lambda scene: scene.messages.append({"role": "assistant", "content": "Well"}),
            thinking=True,
        ),
        "no-messages": _fault(
            "there are no messages",
            "req-messages-nonempty",
            change=lambda scene: scene.messages.clear(),
            calls=0,
        ),
        "no-max-tokens": _fault(
            "max_tokens is left out",
            "req-required-fields",
            change=lambda scene: scene.body.pop("max_tokens"),
            calls=0,
        ),
        "unknown-field": _fault(
            "a field that there is not",
            "req-extra-inputs-forbidden",
            change=lambda scene: scene.body.update(functions=[]),
            calls=0,
        ),
        "same-tool-twice": _fault(
            "two tools of one name",
            "tool-names-unique",
            change=lambda scene: scene.body["tools"].append(dict(scene.body["tools"][0])),
            calls=0,
        ),
        "tool-name-with-blank": _fault(
            "a tool's name with a blank",
            "tool-name-pattern",
            change=lambda scene: scene.body["tools"][0].update(name="get weather"),
            calls=0,
        ),
        "schema-without-type": _fault(
            "an input schema without its type",
            "tool-schema-type-required",
            change=lambda scene: scene.body["tools"][0]["input_schema"].pop("type"),
            calls=0,
        ),
        "unknown-tool-choice": _fault(
            "tool_choice names a tool that is not offered",
            "tool-choice-unknown-name",
            change=lambda scene: scene.body.update(
                model="claude-haiku-4-5", tool_choice={"type": "tool", "name": "no_such_tool"}
            ),
            calls=0,
            thinking=False,
        ),
        "five-cache-marks": _fault(
            "five places are marked for caching", "cache-control-max-4", change=_marked, calls=0
        ),
    }
)
"""Faults by name, each with the rules that find it."""


def faulty_transcripts(
    *names: str, tools: Sequence[Tool] | None = None, max_turns: int = 4, max_calls: int = 3
) -> st.SearchStrategy[tuple[JsonObject, str, tuple[str, ...]]]:
    """Requests as `transcripts` has them, but with one fault: the body, the fault's name in `SEEDED`, and the ids of
    the rules of which one must be found.

    `names` are the faults to choose from, all where none is named. Raises `SetupError` for a name that there is not,
    and as `transcripts` does.
    """
    for name in names:
        if name not in SEEDED:
            raise SetupError(f"faulty_transcripts() takes names of faults ({', '.join(SEEDED)}), not {name!r}")
    transcripts(tools, max_turns=max_turns, max_calls=max_calls)  # what is wrong with them is told at once
    return st.sampled_from(names or tuple(SEEDED)).flatmap(lambda name: _seeded(name, tools, max_turns, max_calls))


@st.composite
def _seeded(
    draw: st.DrawFn, name: str, tools: Sequence[Tool] | None, max_turns: int, max_calls: int
) -> tuple[JsonObject, str, tuple[str, ...]]:
    fault = SEEDED[name]
    turns = (1, max(1, max_turns)) if fault.calls else (0, max_turns)
    body = draw(
        transcripts(
            tools,
            min_turns=turns[0],
            max_turns=turns[1],
            min_calls=fault.calls,
            max_calls=max(fault.calls, max_calls),
            thinking=fault.thinking,
        )
    )
    count = len(body["messages"]) // 2
    back = 0 if fault.last or count < 2 else draw(st.integers(0, count - 1))
    fault.change(Scene(body, 2 * (count - back) - 1))
    return body, name, fault.rules
