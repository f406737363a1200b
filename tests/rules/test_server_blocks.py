"""The rules on single blocks of tools that Anthropic runs, with the API's exact words."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check, check_request
from playhead.rules.requests import RequestRules
from playhead.rules.rule import RequestView
from playhead.rules.server_blocks import RULES
from playhead.wire.session import Session

Json = dict[str, Any]

PATTERN = "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"
NAMES = (
    "Input should be 'web_search', 'web_fetch', 'code_execution', 'bash_code_execution', 'text_editor_code_execution', "
    "'tool_search_tool_regex', 'tool_search_tool_bm25'"
)
ISSUED = "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3YTES"
VERSION = {"anthropic-version": "2023-06-01"}


def body(*blocks: object, role: str = "assistant") -> Json:
    messages = [{"role": "user", "content": "hi"}, {"role": role, "content": list(blocks)}]
    return {"model": "claude-haiku-4-5", "max_tokens": 99, "messages": messages}


def server(identifier: object = "srvtoolu_1", name: object = "web_search", **more: object) -> Json:
    return {"type": "server_tool_use", "id": identifier, "name": name, "input": {}, **more}


def hits(*values: object) -> Json:
    parts = [
        {"type": "web_search_result", "url": f"https://e.x/{number}", "title": "e"}
        | ({} if value is ... else {"encrypted_content": value})
        for number, value in enumerate(values)
    ]
    return {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": parts}


def stdout(value: str) -> Json:
    part = {"type": "encrypted_code_execution_result", "encrypted_stdout": value, "content": [], "stderr": ""}
    return {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": part}


def coded(type_: str, tool_id: object) -> Json:
    return {"caller": {"type": type_, "tool_id": tool_id}}


# what is sent, with which headers; rule, path and the API's answer of each violation
FAILING: dict[str, tuple[Json, dict[str, str] | None, list[tuple[str, str, str]]]] = {
    "another-provider's-id": (
        body(server("call_1")),
        None,
        [
            (
                "server-tool-use-id-pattern",
                "$.messages[1].content[0].id",
                f"messages.1.content.0.server_tool_use.id: {PATTERN}",
            )
        ],
    ),
    "a-hyphen-in-the-id": (
        body({"type": "text", "text": "x"}, server("srvtoolu_a-b")),
        None,
        [
            (
                "server-tool-use-id-pattern",
                "$.messages[1].content[1].id",
                f"messages.1.content.1.server_tool_use.id: {PATTERN}",
            )
        ],
    ),
    "nothing-after-the-prefix": (
        body(server("srvtoolu_")),
        None,
        [
            (
                "server-tool-use-id-pattern",
                "$.messages[1].content[0].id",
                f"messages.1.content.0.server_tool_use.id: {PATTERN}",
            )
        ],
    ),
    "an-empty-id": (
        body(server("")),
        None,
        [
            (
                "server-tool-use-id-pattern",
                "$.messages[1].content[0].id",
                f"messages.1.content.0.server_tool_use.id: {PATTERN}",
            )
        ],
    ),
    "a-caller's-id": (
        body(
            {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}, **coded("code_execution_20250825", "c1")}
        ),
        None,
        [
            (
                "server-tool-use-id-pattern",
                "$.messages[1].content[0].caller.tool_id",
                f"messages.1.content.0.tool_use.caller.code_execution_20250825.tool_id: {PATTERN}",
            )
        ],
    ),
    "an-unknown-tool": (
        body(server(name="analyze_image")),
        None,
        [
            (
                "server-tool-use-name-enum",
                "$.messages[1].content[0].name",
                f"messages.1.content.0.server_tool_use.name: {NAMES}",
            )
        ],
    ),
    "an-empty-name": (
        body(server(name="")),
        None,
        [
            (
                "server-tool-use-name-enum",
                "$.messages[1].content[0].name",
                f"messages.1.content.0.server_tool_use.name: {NAMES}",
            )
        ],
    ),
    "the-advisor-without-its-beta": (
        body(server(name="advisor")),
        VERSION,
        [
            (
                "server-tool-use-name-enum",
                "$.messages[1].content[0].name",
                f"messages.1.content.0.server_tool_use.name: {NAMES}",
            )
        ],
    ),
    "no-encrypted-content": (
        body(hits(ISSUED, ...)),
        None,
        [
            (
                "web-search-encrypted-content",
                "$.messages[1].content[0].content[1]",
                "messages.1.content.0.web_search_tool_result.content.list[RequestWebSearchResultBlock].1."
                "encrypted_content: Field required",
            )
        ],
    ),
    "empty-encrypted-content": (
        body(hits("")),
        None,
        [
            (
                "web-search-encrypted-content",
                "$.messages[1].content[0].content[0].encrypted_content",
                "messages.1.content.0: Invalid `encrypted_content` in `search_result` block",
            )
        ],
    ),
}

PASSING: dict[str, tuple[Json, dict[str, str] | None]] = {
    "an-id-of-the-api": (body(server("srvtoolu_01A_b")), None),
    "ids-of-the-wrong-type": (body(server(None), server(5), {"type": "server_tool_use"}), None),
    "a-call-of-one's-own": (body({"type": "tool_use", "id": "call_1", "name": "file_search", "input": {}}), None),
    "a-direct-caller": (body(server(caller={"type": "direct"})), None),
    "callers-of-odd-shapes": (
        body(server(caller=5), server(caller={}), server(**coded("code_execution_20260120", None))),
        None,
    ),
    "names-of-the-wrong-type": (body(server(name=None), server(name=[])), None),
    "the-advisor-with-headers-unknown": (body(server(name="advisor")), None),
    "the-advisor-where-headers-were-filtered": (body(server(name="advisor")), {"host": "api.anthropic.com"}),
    "the-advisor-with-its-beta": (
        body(server(name="advisor")),
        {**VERSION, "anthropic-beta": "x, advisor-tool-2026-03-01"},
    ),
    "what-the-api-issued": (body(hits(ISSUED)), None),
    "what-a-recorder-put-there": (body(hits("encrypted_content_REDACTED_1", "AS_RETURNED", "EqgfCio...")), None),
    "an-error-in-place-of-results": (
        body({**hits(), "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}}),
        None,
    ),
    "contents-of-odd-shapes": (
        body({**hits(), "content": "x"}, {**hits(), "content": [5, None, {}]}, hits(None)),
        None,
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_failing(case: str) -> None:
    """Rule, place and wording of all that is found, and nothing else."""
    sent, headers, expected = FAILING[case]
    found = check_request(sent, headers, only=RULES)
    assert [(violation.rule, violation.path, violation.api) for violation in found] == expected
    assert {violation.level for violation in found} == {"reject"}


@pytest.mark.parametrize("case", PASSING)
def test_passing(case: str) -> None:
    """What the API takes, or what another rule is about, is left alone."""
    sent, headers = PASSING[case]
    assert check_request(sent, headers, only=RULES) == ()


@pytest.mark.parametrize(
    ("value", "returned", "wrong"),
    [
        pytest.param("made-up", (), True, id="made up"),
        pytest.param("made-up", ("made-up",), False, id="made up, but by the reply"),
        pytest.param("QUJDe", (), True, id="base64 of something else"),
        pytest.param(ISSUED, (), False, id="issued"),
        pytest.param("[redacted]", (), False, id="a stand-in"),
    ],
)
def test_what_no_reply_carried(value: str, returned: tuple[str, ...], wrong: bool) -> None:
    """Where it is known what replies carried, a value that cannot be the API's is told."""
    view = RequestView(body=body(hits(value)), returned=frozenset(returned))
    found = RequestRules(RULES).judge(view).found
    assert [rule.id for rule, _ in found] == (["web-search-encrypted-content"] if wrong else [])


def resent(reply: Json, echo: Json) -> Session:
    question = {"role": "user", "content": "hi"}
    more = {"role": "user", "content": "And?"}
    head = {"model": "claude-haiku-4-5", "max_tokens": 99}
    return Session.from_exchanges(
        [
            {
                "request": {**head, "messages": [question]},
                "response": {"content": [server(), reply], "stop_reason": "end_turn"},
            },
            {
                "request": {**head, "messages": [question, {"role": "assistant", "content": [server(), echo]}, more]},
                "response": {"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"},
            },
        ]
    )


@pytest.mark.parametrize(
    ("reply", "echo", "path", "text"),
    [
        pytest.param(
            hits(ISSUED, ISSUED),
            hits(ISSUED, ISSUED[:-4]),
            "$.messages[1].content[1].content[1].encrypted_content",
            "messages.1.content.1: Invalid `encrypted_content` in `search_result` block",
            id="encrypted_content",
        ),
        pytest.param(
            stdout("abc"),
            stdout("abd"),
            "$.messages[1].content[1].content.encrypted_stdout",
            "messages.1.content.1: Invalid `encrypted_stdout` in `encrypted_code_execution_result` block",
            id="encrypted_stdout",
        ),
    ],
)
def test_changed_on_the_way_back(reply: Json, echo: Json, path: str, text: str) -> None:
    """What the reply carried is known: anything else is refused."""
    (violation,) = check(resent(reply, echo), only=RULES)
    assert (violation.rule, violation.path, violation.api) == ("web-search-encrypted-content", path, text)


@pytest.mark.parametrize("reply", [hits(ISSUED, "AS_RETURNED"), stdout("abc")])
def test_sent_back_as_it_came(reply: Json) -> None:
    """The very same passes, whatever it looks like."""
    assert check(resent(reply, reply), only=RULES) == ()
