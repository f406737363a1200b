"""The rules on what messages say."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, check_request
from playhead.rules.content import RULES
from playhead.wire.exchange import Exchange
from playhead.wire.tables import COUNT_TOKENS_PATH

Json = dict[str, Any]
Fault = tuple[str, str, str | None]


def user(*content: object) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(*content: object) -> Json:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def text(words: object, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def document(cited: object = None, **more: object) -> Json:
    citations = {} if cited is None else {"citations": {"enabled": cited}}
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}, **citations}


def found(cited: object = None) -> Json:
    citations = {} if cited is None else {"citations": {"enabled": cited}}
    return {"type": "search_result", "source": "s", "title": "t", "content": [text("x")], **citations}


def call(identifier: str = "toolu_1") -> Json:
    return {"type": "tool_use", "id": identifier, "name": "look_up", "input": {}}


def result(*content: object, identifier: str = "toolu_1") -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": list(content)}


def body(*messages: object, model: str = "claude-haiku-4-5", **more: object) -> Json:
    return {"model": model, "max_tokens": 9, "messages": list(messages), **more}


Q = user("What date is it?")
THOUGHT = {"type": "thinking", "thinking": "so", "signature": "s"}
SEARCHED = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]
FORMAT = {"format": {"type": "json_schema", "schema": {"type": "object"}}}

EMPTY = "messages: text content blocks must be non-empty"
BLANK = "messages: text content blocks must contain non-whitespace text"
TRAILING = "messages: final assistant content cannot end with trailing whitespace"
PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
SYSTEM = "system: text content blocks must contain non-whitespace text"


def blank(path: str) -> list[Fault]:
    return [("text-block-nonwhitespace", path, BLANK)]


def prefill(index: int) -> list[Fault]:
    return [("prefill-unsupported", f"$.messages[{index}]", PREFILL)]


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "empty-before-text": (
        body(user(text(""), text("hi"))),
        [("text-block-nonempty", "$.messages[0].content[0].text", EMPTY)],
    ),
    "empty-alone": (body(user(text(""))), [("text-block-nonempty", "$.messages[0].content[0].text", EMPTY)]),
    "empty-in-the-last-of-two-user-messages": (
        body(Q, said("a"), user("b"), user(text("c"), text(""))),
        [("text-block-nonempty", "$.messages[3].content[1].text", EMPTY)],
    ),
    "empty-in-the-first-message-of-the-last-turn": (
        body(Q, said("a"), user(text("")), user("c")),
        [("text-block-nonempty", "$.messages[2].content[0].text", EMPTY)],
    ),
    "empty-after-results": (
        body(Q, said(call()), user(result(text("x")), text(""))),
        [("text-block-nonempty", "$.messages[2].content[1].text", EMPTY)],
    ),
    "blank-string": (body(user(" ")), blank("$.messages[0].content")),
    "blank-block": (body(user(text("\n"))), blank("$.messages[0].content[0].text")),
    "blank-beside-text": (body(user(text("hi"), text("\t "))), blank("$.messages[0].content[1].text")),
    "blank-in-an-old-user-turn": (
        body(user(text("hi"), text(" ")), said("a"), user("b")),
        blank("$.messages[0].content[1].text"),
    ),
    "blank-no-break-space": (body(user("\u00a0")), blank("$.messages[0].content")),
    "blank-assistant": (body(Q, said("\n\n"), user("b")), blank("$.messages[1].content")),
    "blank-assistant-blocks": (
        body(Q, said(text(" "), text("\n")), user("b")),
        blank("$.messages[1].content[0].text") + blank("$.messages[1].content[1].text"),
    ),
    "blank-assistant-last": (body(Q, said(" ")), blank("$.messages[1].content")),
    "blank-assistant-last-on-a-new-model": (
        body(Q, said(" "), model="claude-sonnet-5"),
        blank("$.messages[1].content"),
    ),
    "trailing-space": (
        body(Q, said("The answer is ")),
        [("final-assistant-trailing-whitespace", "$.messages[1].content", TRAILING)],
    ),
    "trailing-newline-in-the-last-block": (
        body(Q, said(text("a "), text("b\n"))),
        [("final-assistant-trailing-whitespace", "$.messages[1].content[1].text", TRAILING)],
    ),
    "trailing-space-on-claude-3": (
        body(Q, said("["), said("{ "), model="claude-3-haiku-20240307"),
        [("final-assistant-trailing-whitespace", "$.messages[2].content", TRAILING)],
    ),
    "prefill-sonnet-5": (body(Q, said("{"), model="claude-sonnet-5"), prefill(1)),
    "prefill-opus-4-6-blocks": (body(Q, said(text("{")), model="claude-opus-4-6"), prefill(1)),
    "prefill-on-a-cloud-name": (body(Q, said("{"), model="us.anthropic.claude-opus-4-6-v1:0"), prefill(1)),
    "prefill-mythos-preview": (body(Q, said("{"), model="claude-mythos-preview"), prefill(1)),
    "prefill-with-trailing-space": (body(Q, said("{ "), model="claude-opus-5-5"), prefill(1)),
    "prefill-with-thinking-blocks": (body(Q, said(THOUGHT, text("so")), model="claude-opus-5"), prefill(1)),
    "prefill-null-token": (body(Q, said("{"), model="claude-opus-5", fallback_credit_token=None), prefill(1)),
    "prefill-with-manual-thinking": (
        body(Q, said("{"), model="claude-sonnet-4-5", thinking={"type": "enabled", "budget_tokens": 1024}),
        [("prefill-with-thinking", "$.messages[1]", None)],
    ),
    "prefill-with-thinking-where-none-is-taken": (
        body(Q, said("{"), model="claude-opus-4-6", thinking={"type": "adaptive"}),
        prefill(1),
    ),
    "search-result-of-the-assistant": (
        body(Q, said(text("a"), found()), user("go")),
        [("search-result-user-only", "$.messages[1].content[1]", None)],
    ),
    "search-result-after-text": (
        body(Q, said(call()), user(result(text("x"), found()))),
        [("search-result-mixing", "$.messages[2].content[0].content[0]", None)],
    ),
    "search-result-before-image": (
        body(Q, said(call()), user(result(found(), {"type": "image", "source": {}}))),
        [("search-result-mixing", "$.messages[2].content[0].content[1]", None)],
    ),
    "citations-on-one-document": (
        body(user(document(True), document(), text("?"))),
        [("citations-all-or-none", "$.messages[0].content[1]", None)],
    ),
    "citations-off-on-one-document": (
        body(user(document(False), text("?")), said("a"), user(document(True))),
        [("citations-all-or-none", "$.messages[2].content[0]", None)],
    ),
    "citations-on-one-search-result": (
        body(user(found(True)), said(call()), user(result(found(True), found()))),
        [("citations-all-or-none", "$.messages[2].content[0].content[1]", None)],
    ),
    "citations-and-format": (
        body(user(text("?"), document(True)), output_config=FORMAT),
        [("citations-with-format", "$.messages[0].content[1].citations", None)],
    ),
    "citations-of-a-search-result-and-format": (
        body(Q, said(call()), user(result(found(True))), output_config=FORMAT),
        [("citations-with-format", "$.messages[2].content[0].content[0].citations", None)],
    ),
    "system-blank": (body(Q, system=" "), [("system-text-nonwhitespace", "$.system", SYSTEM)]),
    "system-blank-block": (
        body(Q, system=[text("a"), text("\n")]),
        [("system-text-nonwhitespace", "$.system[1].text", SYSTEM)],
    ),
    "system-empty-block": (
        body(Q, system=[text("")]),
        [("system-text-nonwhitespace", "$.system[0].text", "system: text content blocks must be non-empty")],
    ),
}

OK: dict[str, Json] = {
    "texts": body(user(text("a")), said("b"), user("c")),
    "empty-string-beside-text": body(user(""), user("a")),
    "empty-in-a-result": body(Q, said(call()), user(result(text("")))),
    "blank-in-a-result": body(Q, said(call()), user(result(text(" ")))),
    "empty-with-a-cache-mark": body(user(text("a"), text("", cache_control={"type": "ephemeral"}))),
    "text-of-another-kind": body(user(text(None)), said(text(5)), user(text([" "]))),
    "zero-width-is-no-space": body(user("\u200b")),
    "prefill": body(Q, said("The answer is")),
    "prefill-blocks": body(Q, said(text("The answer "), text("is"))),
    "space-in-an-old-assistant-message": body(Q, said("a "), user("b"), model="claude-sonnet-5"),
    "empty-assistant-last": body(Q, {"role": "assistant", "content": []}, model="claude-sonnet-5"),
    "empty-string-last": body(Q, {"role": "assistant", "content": ""}, model="claude-opus-4-6"),
    "prefill-on-an-unknown-model": body(Q, said("{ "), model="someone-elses", thinking={"type": "enabled"}),
    "prefill-without-a-model": {"max_tokens": 9, "messages": [Q, said("{ ")]},
    "paused-turn": body(Q, said(text("Searching"), SEARCHED[0]), model="claude-sonnet-5"),
    "paused-turn-after-a-result": body(Q, said(*SEARCHED), model="claude-opus-5"),
    "paused-turn-that-ends-in-text": body(Q, said(*SEARCHED, text("more ")), model="claude-opus-5"),
    "compacted": body(Q, said({"type": "compaction", "content": "so far"}), model="claude-opus-5"),
    "open-call": body(Q, said(text("so"), call()), model="claude-sonnet-5"),
    "prefill-by-token": body(Q, said("so far"), model="claude-opus-5", fallback_credit_token="fct_1"),
    "prefill-with-thinking-disabled": body(Q, said("{"), model="claude-sonnet-4-5", thinking={"type": "disabled"}),
    "search-results-of-the-user": body(user(found(), text("?"))),
    "search-results-in-a-result": body(Q, said(call()), user(result(found(), found()), text("?"))),
    "search-results-in-one-of-two-results": body(
        Q, said(call(), call("toolu_2")), user(result(found()), result(text("x"), identifier="toolu_2"))
    ),
    "citations-on-all": body(user(document(True), document(True)), said("a"), user(document(True))),
    "citations-off-and-absent": body(user(document(False), document())),
    "citations-of-documents-and-not-of-search-results": body(user(document(True), found())),
    "citations-of-a-text": body(
        user(document(True)), said(text("a", citations=[{"type": "char_location"}])), user("b")
    ),
    "citations-of-an-odd-kind": body(user(document("yes"), {**document(), "citations": 5})),
    "format-without-citations": body(user(document()), output_config=FORMAT),
    "citations-with-effort": body(user(document(True)), output_config={"effort": "low", "format": None}),
    "system": body(Q, system="be brief"),
    "system-empty-string": body(Q, system=""),
    "system-empty-list": body(Q, system=[]),
    "system-empty-with-a-cache-mark": body(Q, system=[text("", cache_control={"type": "ephemeral"})]),
    "system-of-another-kind": body(Q, system=[" ", None, {"type": "text"}, text(5)]),
}


def judged(request: Json) -> list[Fault]:
    return [(v.rule, v.path, v.api) for v in check_request(request, only=RULES)]


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_is_refused(request_body: Json, expected: list[Fault]) -> None:
    """The rule, the place, and the API's words where they are known."""
    assert judged(request_body) == expected
    assert all(violation.level == "reject" for violation in check_request(request_body, only=RULES)[:1])


@pytest.mark.parametrize("request_body", OK.values(), ids=OK)
def test_what_is_taken(request_body: Json) -> None:
    """Nothing at all is said."""
    assert judged(request_body) == []


WARNED: dict[str, tuple[Json, list[Fault]]] = {
    "empty-in-an-old-turn": (
        body(user(text(""), text("a")), said("b"), user("c")),
        [("text-block-nonempty", "$.messages[0].content[0].text", EMPTY)],
    ),
    "empty-of-the-assistant": (
        body(Q, said(text("")), user("c")),
        [("text-block-nonempty", "$.messages[1].content[0].text", EMPTY)],
    ),
    "empty-before-a-prefill": (
        body(user(text(""), text("a")), said("b")),
        [("text-block-nonempty", "$.messages[0].content[0].text", EMPTY)],
    ),
    "blank-beside-calls": (
        body(Q, said(text(" "), call()), user(result())),
        blank("$.messages[1].content[0].text"),
    ),
    "blank-message-of-a-longer-turn": (body(Q, said(" "), said("a"), user("b")), blank("$.messages[1].content")),
    "blank-beside-thinking": (
        body(Q, said(THOUGHT, text("\n\n")), user("b")),
        blank("$.messages[1].content[1].text"),
    ),
}


@pytest.mark.parametrize(("request_body", "expected"), WARNED.values(), ids=WARNED)
def test_what_is_taken_sometimes(request_body: Json, expected: list[Fault]) -> None:
    """Measurements and reports differ: a warning."""
    violations = check_request(request_body, only=RULES)
    assert [(v.rule, v.path) for v in violations] == [fault[:2] for fault in expected]
    assert [(v.level, v.status) for v in violations] == [("warn", None)]
    recorded = Checker(RULES).ask(Exchange(request=request_body, status=200))
    assert recorded.violations == ()


def test_what_was_taken_is_taken() -> None:
    """A recording in which documents with and without citations were taken outweighs the documentation."""
    request = body(user(document(True), document()), output_config=FORMAT)
    assert Checker(RULES).ask(Exchange(request=request, status=200)).violations == ()
    assert len(Checker(RULES).ask(Exchange(request=request, status=400)).violations) == 2


def test_all_are_refusals() -> None:
    """Each is known word for word, or documented as a 400."""
    assert {rule.level for rule in RULES} == {"reject"}


def test_counting_tokens_is_no_prefill() -> None:
    """Nothing is known of how the other endpoint takes one."""
    exchange = Exchange(request=body(Q, said("{ "), model="claude-sonnet-5"), path=COUNT_TOKENS_PATH)
    assert Checker(RULES).ask(exchange).violations == ()


def test_a_document_that_comes_later_is_compared_with_the_first() -> None:
    """Of a conversation that grows only the new messages are looked at, but citations concern all of it."""
    checker = Checker(RULES)
    messages = [user(document(True)), said("a"), user("b"), said("c"), user("d")]
    assert checker.ask(Exchange(request=body(*messages))).violations == ()
    later = checker.ask(Exchange(request=body(*messages, said("e"), user(document())))).violations
    assert [(v.rule, v.path) for v in later] == [("citations-all-or-none", "$.messages[6].content[0]")]


def test_a_format_that_comes_later_meets_old_citations() -> None:
    """The last request of a loop often asks for JSON."""
    checker = Checker(RULES)
    messages = [user(document(True)), said("a"), user("b"), said("c"), user("d")]
    assert checker.ask(Exchange(request=body(*messages))).violations == ()
    later = checker.ask(Exchange(request=body(*messages, said("e"), user("f"), output_config=FORMAT))).violations
    assert [(v.rule, v.path) for v in later] == [("citations-with-format", "$.messages[0].content[0].citations")]
