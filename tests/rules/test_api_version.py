"""The rules of API version 2026-10-21."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.api_version import RULES
from playhead.rules.checker import api_error, check_request

Json = dict[str, Any]
NEW = {"anthropic-version": "2026-10-21", "authorization": "Bearer k"}
OLD = {"anthropic-version": "2023-06-01", "x-api-key": "k"}
HI: Json = {"role": "user", "content": "hi"}
DOCUMENT: Json = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}
CITED: Json = {"type": "text", "text": "x", "citations": [{"type": "char_location", "cited_text": "x"}]}
PLAIN: Json = {"type": "text", "text": "x"}


def body(*messages: object, **more: object) -> Json:
    return {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": list(messages) or [HI], **more}


def found(*content: object) -> Json:
    return {"type": "search_result", "source": "s", "title": "t", "content": list(content)}


def result(*content: object) -> Json:
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": list(content)}


def by(role: str, *content: object) -> Json:
    return {"role": role, "content": list(content)}


FAILING: dict[str, tuple[Json, list[tuple[str, str]]]] = {
    "temperature-at-its-default": (body(temperature=1), [("sampling-removed-in-2026-10-21", "$.temperature")]),
    "top-p": (body(top_p=0.9), [("sampling-removed-in-2026-10-21", "$.top_p")]),
    "top-k": (body(top_k=5), [("sampling-removed-in-2026-10-21", "$.top_k")]),
    "null": (body(temperature=None), [("sampling-removed-in-2026-10-21", "$.temperature")]),
    "all-on-any-model": (
        body(model="my-model", top_p=1, temperature=0, top_k=1),
        [
            ("sampling-removed-in-2026-10-21", "$.temperature"),
            ("sampling-removed-in-2026-10-21", "$.top_k"),
            ("sampling-removed-in-2026-10-21", "$.top_p"),
        ],
    ),
    "document": (
        body(HI, by("assistant", PLAIN, DOCUMENT), HI),
        [("document-in-assistant-2026-10-21", "$.messages[1].content[1]")],
    ),
    "citations": (
        body(by("user", PLAIN, CITED)),
        [("citations-in-user-text-2026-10-21", "$.messages[0].content[1].citations")],
    ),
    "citations-in-a-search-result": (
        body(by("user", found(PLAIN, CITED))),
        [("citations-in-user-text-2026-10-21", "$.messages[0].content[0].content[1].citations")],
    ),
    "citations-in-a-search-result-of-a-tool": (
        body(by("user", result(found(CITED)))),
        [("citations-in-user-text-2026-10-21", "$.messages[0].content[0].content[0].content[0].citations")],
    ),
}


@pytest.mark.parametrize(("request_body", "faults"), FAILING.values(), ids=FAILING.keys())
def test_what_the_version_refuses(request_body: Json, faults: list[tuple[str, str]]) -> None:
    """It is a 400 in our own words, as the API's are not known; the version before takes it."""
    violations = check_request(request_body, NEW, only=RULES)
    assert [(violation.rule, violation.path) for violation in violations] == faults
    assert {(violation.level, violation.api, violation.status) for violation in violations} == {("reject", None, 400)}
    refusal = api_error(request_body, NEW, only=RULES)
    assert refusal is not None
    assert violations[0].message in refusal.message
    for headers in (OLD, None, {}, {"anthropic-version": "bedrock-2023-05-31"}):
        assert check_request(request_body, headers, only=RULES) == ()


PASSING: dict[str, Json] = {
    "no-sampling": body(),
    "document-of-the-user": body(by("user", DOCUMENT)),
    "document-in-a-tool-result": body(by("user", result(DOCUMENT))),
    "document-within-an-assistant-block": body(
        HI, by("assistant", {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": [DOCUMENT]}), HI
    ),
    "citations-of-claude": body(HI, by("assistant", CITED), HI),
    "empty-citations": body(by("user", {**PLAIN, "citations": []})),
    "null-citations": body(by("user", {**PLAIN, "citations": None})),
    "citations-switched-on": body(by("user", {**found(PLAIN), "citations": {"enabled": True}})),
    "citations-of-a-wrong-kind": body(by("user", {**PLAIN, "citations": "x"})),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING.keys())
def test_what_the_version_takes(request_body: Json) -> None:
    """Nothing is found in what the version still has."""
    assert check_request(request_body, NEW, only=RULES) == ()
