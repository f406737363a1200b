"""The redactor: nothing secret is left, nothing else is touched."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cassettes.harmless import TEXTS
from cassettes.planted import IN_CONTEXT, PRIVATE_KEY, SECRETS
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.errors import SetupError
from playhead.testing.strategies import json_values
from playhead.wire.codec import decode, encode, encode_text
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate, events_of, stream_bytes

KEY, GITHUB = SECRETS["anthropic api03"], SECRETS["github personal"]
# texts as they are recorded, each with a secret in it
PLANTED = {**SECRETS, **{name: around % secret for name, (around, secret) in IN_CONTEXT.items()}}
INNER = {**SECRETS, **{name: secret for name, (_, secret) in IN_CONTEXT.items()}}


def request(text: str) -> dict[str, Any]:
    """A request with the text wherever a request has text."""
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 64,
        "system": [{"type": "text", "text": text}],
        "metadata": {"user_id": text},
        "stop_sequences": [text],
        "tools": [{"name": "a", "description": text, "input_schema": {"type": "object", "properties": {text: {}}}}],
        "messages": [
            {"role": "user", "content": text},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": text, "signature": TEXTS["a signature"]},
                    {"type": "text", "text": f"You said {text} ."},
                    {
                        "type": "tool_use",
                        "id": "toolu_1",
                        "name": "a",
                        "input": {"q": [{"deep": {"er": text}}], text: 1},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": text}]},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "content": json.dumps({"out": {"put": text}})},
                    {"type": "tool_result", "tool_use_id": "toolu_3", "content": json.dumps([json.dumps({"a": text})])},
                    {"type": "image", "source": {"type": "url", "url": f"https://example.com/x?q={quote(text)}"}},
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}},
                ],
            },
        ],
    }


def message(text: str) -> dict[str, Any]:
    """A reply with the text wherever a reply has text."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [
            {"type": "thinking", "thinking": f"Hm. {text} Hm.", "signature": TEXTS["a signature"]},
            {"type": "text", "text": f"It is {text} ."},
            {"type": "tool_use", "id": "toolu_1", "name": "a", "input": {"q": text, "nested": {"list": ["x", text]}}},
            {
                "type": "server_tool_use",
                "id": "srvtoolu_1",
                "name": "web_search",
                "input": {"query": f"is {text} known"},
            },
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 5},
    }


def held(secret: str, data: bytes | str) -> bool:
    """Whether the secret, or a telling part of it, is in there in any way of writing."""
    text = data if isinstance(data, str) else data.decode()
    whole = {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret)[1:-1])[1:-1], quote(secret)}
    lines = [line for line in secret.splitlines() if len(line) > 20 and "KEY" not in line]
    return any(form in text for form in (*whole, *lines))


@pytest.mark.parametrize("name", PLANTED)
def test_no_secret_is_left_in_a_request(name: str) -> None:
    """Text, tool inputs and results, JSON within JSON, keys, URLs: 0 survive, and the rest is as it was."""
    body = request(PLANTED[name])
    redacted = Redactor().redact_value(body)
    assert not held(INNER[name], encode(redacted))
    assert len(redacted["messages"]) == 3
    assert redacted["messages"][1]["content"][0]["signature"] == TEXTS["a signature"]
    assert redacted["model"] == "claude-opus-5-5"
    tool = redacted["messages"][1]["content"][2]
    assert (tool["id"], tool["name"], next(iter(tool["input"]))) == ("toolu_1", "a", "q")


@pytest.mark.parametrize("size", [None, 1, 2, 7], ids=["whole", "one by one", "in twos", "in sevens"])
@pytest.mark.parametrize("name", PLANTED)
def test_no_secret_is_left_in_a_stream(name: str, size: int | None) -> None:
    """However the deltas cut it: what they add up to is what the whole message becomes."""
    body = message(PLANTED[name])
    events = [*events_of(body, piece=size)]
    redactor = Redactor()
    redacted = redactor.redact_events(events)
    assert len(redacted) == len(events)
    assert not held(INNER[name], stream_bytes(redacted))
    made = accumulate(redacted)
    assert made.complete
    assert made.problems == []
    assert made.message == redactor.redact_value(accumulate(events).message)
    assert not held(INNER[name], encode(made.message))


@given(st.sampled_from([*PLANTED]), st.integers(1, 9), st.data())
@settings(max_examples=60, deadline=None)
def test_events_without_a_part_of_a_secret_are_the_same_objects(name: str, size: int, data: st.DataObject) -> None:
    """Those that changed differ in their piece alone, and add nothing but the placeholder."""
    around = data.draw(st.text("ab \n", max_size=30))
    body = {**message(""), "content": [{"type": "text", "text": f"{around} {PLANTED[name]} {around}"}]}
    events = [*events_of(body, piece=size)]
    redacted = Redactor().redact_events(events)
    changed = [(old, new) for old, new in zip(events, redacted, strict=True) if old is not new]
    assert changed
    for old, new in changed:
        assert {**new, "delta": None} == {**old, "delta": None}
        assert [*new["delta"]] == [*old["delta"]] == ["type", "text"]
    assert sum("REDACTED-" in new["delta"]["text"] for _, new in changed) == 1
    touched = [index for index, (old, new) in enumerate(zip(events, redacted, strict=True)) if old is not new]
    assert touched == [*range(touched[0], touched[-1] + 1)]


def test_the_placeholder_comes_in_the_first_event_with_a_part() -> None:
    """The rest of the secret is cut from the events after it."""
    pieces = ["It is ", GITHUB[:3], GITHUB[3:20], GITHUB[20:] + ", ", "ok"]
    events = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in pieces]
    redacted = Redactor().redact_events(events)
    assert [event["delta"]["text"] for event in redacted] == ["It is ", "REDACTED-github-token-1", "", ", ", "ok"]
    assert redacted[0] is events[0]
    assert redacted[4] is events[4]


def test_blocks_that_come_interleaved_are_told_apart() -> None:
    """Pieces of one block are no continuation of another's, whatever the order."""
    cut = len(KEY) // 2
    events = [
        {"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}}
        for index, kind, member, piece in (
            (0, "text_delta", "text", KEY[:cut]),
            (1, "input_json_delta", "partial_json", '{"a": "' + GITHUB[:9]),
            (0, "text_delta", "text", KEY[cut:]),
            (1, "input_json_delta", "partial_json", GITHUB[9:] + '", "b'),
        )
    ]
    redacted = [event["delta"] for event in Redactor().redact_events(events)]
    assert [next(reversed(delta.values())) for delta in redacted] == [
        "REDACTED-anthropic-key-1",
        '{"a": "REDACTED-github-token-1',
        "",
        '", "b',
    ]


def test_secrets_are_found_in_every_kind_of_event() -> None:
    """In errors, citations, blocks that come whole, events and deltas that nobody knows yet."""
    events = [
        {"type": "message_start", "message": {"id": KEY, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": f"a {KEY}"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "citations_delta", "citation": {"cited_text": KEY}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta", "news": KEY[:30]}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta", "news": KEY[30:]}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "x_result", "content": {"stdout": KEY}}},
        {"type": "new_event", "anything": [KEY]},
        {"type": "error", "error": {"type": "authentication_error", "message": f"invalid key {KEY}"}},
        "no object at all",
    ]
    redacted = Redactor().redact_events(events)
    assert KEY[30:60] not in str(redacted)
    assert KEY[:30] not in str(redacted)
    assert str(redacted).count("REDACTED-anthropic-key-1") == 7
    assert redacted[-1] is events[-1]


def test_the_data_of_a_stream_stays_as_it_is_where_nothing_changes() -> None:
    """Bytes in, bytes out: odd spacing, damaged events and all."""
    body = {**message(""), "content": [{"type": "text", "text": f"It is {KEY} ."}]}
    data = [event.data + b"   " for event in decode_events(stream_bytes(events_of(body, piece=9)))]
    data += [b"[DONE]", b'{"type": "ping"', b"\xff\xfe", f"broken {KEY}".encode()]
    redacted = Redactor().redact_stream(data)
    assert len(redacted) == len(data)
    assert KEY[20:40].encode() not in b"".join(redacted)
    kept = [new for old, new in zip(data, redacted, strict=True) if old is new]
    assert len(kept) > 8
    assert redacted[-4:-1] == data[-4:-1]
    assert redacted[-1] == b"broken REDACTED-anthropic-key-1"
    made = accumulate(decode(one) for one in redacted[:-4]).message
    assert made is not None
    assert made["content"][0]["text"] == "It is REDACTED-anthropic-key-1 ."


SECRET_TEXT = st.lists(
    st.one_of(st.sampled_from([*PLANTED.values()]), st.sampled_from([*TEXTS.values()]), st.text(max_size=12)),
    max_size=4,
).map(" ".join)


@given(SECRET_TEXT)
@settings(max_examples=200, deadline=None)
def test_what_is_redacted_is_left_as_it_is(text: str) -> None:
    """Once and twice are the same, for this redactor and for a fresh one."""
    redactor = Redactor()
    once = redactor.redact_text(text)
    assert redactor.redact_text(once) is once
    assert Redactor().redact_text(once) is once
    assert Redactor().find(once) == []


@given(
    st.recursive(
        SECRET_TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SECRET_TEXT, inner, max_size=3)
    )
)
@settings(max_examples=100, deadline=None)
def test_a_json_text_becomes_what_its_value_becomes(value: Any) -> None:
    """Redacting the text and redacting the value say the same, and clean values come back themselves."""
    redactor = Redactor()
    redacted = redactor.redact_value(value)
    for text in (encode_text(value), json.dumps(value, indent=1)):
        assert decode(redactor.redact_json(text)) == redacted
    assert redactor.redact_value(redacted) is redacted


MEMBERS = st.dictionaries(
    st.sampled_from(
        ["password", "api_key", "secretAccessKey", "access_token", "Cookie", "Authorization", "text", "key"]
    ),
    st.one_of(
        SECRET_TEXT,
        st.sampled_from([secret for _, secret in IN_CONTEXT.values()]),
        st.sampled_from(
            ["Tr0ub4dor&3 and more", "a=0123456789abcdef01", "x,9f8e7d6c5b4a39281706f5e4 y", "'q1w2e3r4t5'"]
        ),
    ),
    max_size=3,
)


@given(st.lists(MEMBERS, max_size=2), st.sampled_from([None, 1]))
@settings(max_examples=200, deadline=None)
def test_what_is_redacted_is_clean_in_any_file(value: Any, indent: int | None) -> None:
    """The last search, over the text of the file, finds nothing that was not found in the values."""
    redacted = Redactor().redact_value(value)
    assert Redactor().find(json.dumps(redacted, indent=indent)) == []
    assert Redactor().find(yaml.safe_dump(redacted, width=10**9, allow_unicode=True)) == []
    assert Redactor().find(redacted) == []


IN_FILES = {
    "an escaped quote is no end of a plain one": {"secret": '9f8e7d6c5b4a39281706f5e4{"password": {"type": "string"}}'},
    "a letter that JSON escapes": {"x": "{WEATHER_API_KEY=fa4e5ec2e7b0075ca1ab1e0ddba11cafél7F4"},
    "a control character": {"api_key": "a1b2c3d4e5f6 secret=1ndAga1nWh3r3Ev3r1t\x1b[32mPASS"},
    "a value that is escaped itself": {"secret": "\\u0026ZAQ.f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
    "a quote that YAML doubles": {"password": "9f8e7d6c['headers = 1'] key="},
    "words behind the value": {"password": "Tr0ub4dor&3 and more", "Cookie": "a=0123456789abcdef01; b=2 c"},
}


@pytest.mark.parametrize("value", IN_FILES.values(), ids=IN_FILES)
def test_what_a_file_writes_around_a_value_tells_nothing_new(value: dict[str, str]) -> None:
    """JSON, with letters as they are or escaped, and YAML."""
    redacted = Redactor().redact_value(value)
    for file in (
        json.dumps(redacted),
        json.dumps(redacted, ensure_ascii=False),
        yaml.safe_dump(redacted, width=10**9),
        yaml.safe_dump(redacted, width=10**9, allow_unicode=True),
    ):
        assert Redactor().find(file) == []


@given(json_values(20))
@settings(deadline=None)
def test_what_holds_no_secret_comes_back_itself(value: Any) -> None:
    """The very same object, and of a JSON text the very same string."""
    assert Redactor().redact_value(value) is value
    text = encode_text(value)
    assert Redactor().redact_json(text) is text


def test_a_json_text_keeps_its_style() -> None:
    """Blanks, escapes and numbers are left; only the secret is replaced."""
    text = '{ "n" : 1e+16, "u":"\\u00e9\\/",\n "k": ["' + KEY + '\\n"] }'
    assert Redactor().redact_json(text) == text.replace(KEY, "REDACTED-anthropic-key-1")


def test_the_same_secret_has_one_placeholder_everywhere() -> None:
    """In order of first appearance within its kind, however it is written."""
    redactor = Redactor()
    other = KEY.replace("api03", "api04")
    assert redactor.redact_text(f"{KEY} {GITHUB} {other}") == (
        "REDACTED-anthropic-key-1 REDACTED-github-token-1 REDACTED-anthropic-key-2"
    )
    assert redactor.redact_value({"a": [other]}) == {"a": ["REDACTED-anthropic-key-2"]}
    assert redactor.redact_url(f"/v1/messages?key={KEY}") == "/v1/messages?key=REDACTED-anthropic-key-1"
    assert redactor.redact_text(json.dumps([PRIVATE_KEY])) == '["REDACTED-private-key-1"]'
    assert redactor.redact_text(PRIVATE_KEY) == "REDACTED-private-key-1"
    assert redactor.redact_text(quote(PRIVATE_KEY)) == "REDACTED-private-key-1"


def test_a_number_that_stands_in_a_recording_is_not_given_again() -> None:
    """A replay echoes placeholders: what it meets next gets the number that it got when it was recorded."""
    first, second = KEY, KEY.replace("api03", "api04")
    recorded = Redactor()
    reply, question = recorded.redact_text(first), recorded.redact_value({"history": first, "now": second})
    replayed = Redactor().redact_value({"history": reply, "now": second})
    assert replayed == question


WRITTEN = {
    "as it is": lambda secret: secret,
    "as json": lambda secret: json.dumps({"a": secret}),
    "as json within json": lambda secret: json.dumps(json.dumps({"a": secret})),
    "as json of go": lambda secret: encode_text({"a": secret}).replace("&", "\\u0026").replace("+", "\\u002b"),
    "as json of php": lambda secret: json.dumps({"a": secret}).replace("/", "\\/"),
    "in a url": lambda secret: f"https://example.com/?x={quote(secret, safe='')}",
    "in a url within a url": lambda secret: f"https://example.com/?x={quote(quote(secret, safe=''), safe='')}",
    "in other words": lambda secret: f"abc{secret}def",
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("secret", ["p/a+s&s=w%0rd", 'quo"te\\d&\n', "schlüssel/ß+1", "plain4"])
def test_a_known_secret_is_found_however_it_is_written(secret: str, write: Any) -> None:
    """Also within words, and as JSON and URLs write it."""
    text = write(secret)
    redacted = Redactor(known=[secret]).redact_text(text)
    assert redacted.count("REDACTED-known-secret-1") == 1
    assert redacted == re.sub("REDACTED-known-secret-1", lambda _: "REDACTED-known-secret-1", redacted)
    assert Redactor(known=[secret]).find(text)
    assert len(redacted) <= len(text) + len("REDACTED-known-secret-1") - len(secret)


def test_the_clients_key_is_known_from_the_headers() -> None:
    """It is redacted in bodies of whatever form it is, under the name of its form where it has one."""
    redactor = Redactor()
    headers = {"x-api-key": "no known form 42", "anthropic-version": "2023-06-01", "authorization": f"Bearer {KEY}"}
    assert redactor.request_headers(headers) == {
        "x-api-key": "redacted",
        "anthropic-version": "2023-06-01",
        "authorization": "redacted",
    }
    assert redactor.redact_value({"a": "it is no known form 42!"}) == {"a": "it is REDACTED-key-1!"}
    assert redactor.redact_text(KEY) == "REDACTED-anthropic-key-1"


def test_ids_of_the_organisation_are_known_from_the_answer() -> None:
    """The API names the organisation in its error messages."""
    redactor = Redactor()
    organisation = "217a607f-ed5e-40af-8a7d-f83ed52d59d6"
    kept = redactor.response_headers({"anthropic-organization-id": organisation, "retry-after": "9"})
    assert kept == {"retry-after": "9"}
    error = {"message": f"This request would exceed the rate limit for your organization ({organisation})"}
    assert redactor.redact_value(error)["message"].endswith("organization (REDACTED-organization-id-1)")


def test_a_known_secret_in_a_header_that_is_kept() -> None:
    """An allowed header may repeat it."""
    redactor = Redactor(known=["hunter2"])
    assert redactor.request_headers({"x-stainless-helper": "hunter2"}) == {
        "x-stainless-helper": "REDACTED-known-secret-1"
    }


URLS = {
    "/v1/messages": "/v1/messages",
    "/v1/messages?beta=true": "/v1/messages?beta=true",
    "/v1/messages?beta=true&key=short": "/v1/messages?beta=true&key=REDACTED-url-parameter-1",
    "/v1/messages?token=a%20b#x": "/v1/messages?token=REDACTED-url-parameter-1#x",
    "https://u:pw1@gateway.example.com/v1": "https://u:REDACTED-url-password-1@gateway.example.com/v1",
    f"https://gateway.example.com/{KEY}/v1": "https://gateway.example.com/REDACTED-anthropic-key-1/v1",
    "/x?X-Amz-Expires=60&X-Amz-Signature=0f&X-Amz-Credential=a%2Fb": (
        "/x?X-Amz-Expires=60&X-Amz-Signature=REDACTED-url-parameter-1&X-Amz-Credential=REDACTED-url-parameter-2"
    ),
    "/x?key=&api_key": "/x?key=&api_key",
}


@pytest.mark.parametrize(("url", "redacted"), URLS.items(), ids=URLS)
def test_a_url(url: str, redacted: str) -> None:
    """Of a parameter that is named like a secret everything is replaced, however short."""
    assert Redactor().redact_url(url) == redacted


def test_scrubbers_come_first_and_see_every_string() -> None:
    """Functions and tables, in their order; sealed members are left alone; what they leave is searched."""
    seen: list[str] = []

    def scrub(text: str) -> str:
        seen.append(text)
        return text.replace("Ada", "NAME")

    redactor = Redactor(scrubbers=[scrub, {"NAME Lovelace": "the user", "1815": "then"}])
    value = {"signature": TEXTS["a signature"], "Ada": f"Ada Lovelace, born 1815, {KEY}", "list": ["Ada"]}
    assert redactor.redact_value(value) == {
        "signature": TEXTS["a signature"],
        "NAME": "the user, born then, REDACTED-anthropic-key-1",
        "list": ["NAME"],
    }
    assert seen == ["signature", "Ada", value["Ada"], "list", "Ada"]


@pytest.mark.parametrize("size", [None, 1, 5])
def test_scrubbers_see_the_texts_of_a_stream_whole(size: int | None) -> None:
    """A stream becomes what its message becomes, however it is cut."""
    body = message("Ada Lovelace, Ada")
    events = [*events_of(body, piece=size)]
    redactor = Redactor(scrubbers={"Ada": 'A"\\', "Lovelace, A": "L."})
    made = accumulate(redactor.redact_events(events))
    assert made.complete
    assert made.message == redactor.redact_value(body)
    assert "Ada" not in encode_text(made.message)


def test_patterns_of_ones_own() -> None:
    """With or without anchors; they may speak of the beginning of a text, and name their placeholder."""
    own = (
        Pattern(name="acme-id", regex=r"ACME-\d{4}"),
        Pattern(name="acme-word", regex=r"^xyzzy$"),
        Pattern(name="acme-token", regex=r"acme:(?P<secret>\w+)", anchors=("acme:",)),
    )
    redactor = Redactor(patterns=(*own, *PATTERNS))
    assert redactor.redact_value(["ACME-1234 and", "xyzzy", "a xyzzy", "ACME:no acme:yes", KEY]) == [
        "REDACTED-acme-id-1 and",
        "REDACTED-acme-word-1",
        "a xyzzy",
        "ACME:no acme:REDACTED-acme-token-1",
        "REDACTED-anthropic-key-1",
    ]


def fails(text: str) -> str:
    raise ValueError(f"do not know {text}")


SET_UP_WRONG: dict[str, tuple[Any, str]] = {
    "a scrubber that is none": ({"scrubbers": [5]}, "a scrubber is a function that takes a string and returns one"),
    "a table of something else": (
        {"scrubbers": {"a": 1}},
        "maps strings that are not empty to strings; it has a string",
    ),
    "an empty literal": ({"scrubbers": {"": "a"}}, "it has an empty string that maps to a string"),
    "one known secret for a list": ({"known": "hunter2"}, "known secrets are a list of strings"),
    "a known secret that is no string": ({"known": [None]}, "a known secret is a string, not null"),
    "a known secret that is a word": ({"known": ["abc"]}, "a known secret of 3 characters would be found in ordinary"),
    "a pattern that is none": ({"patterns": ["sk-"]}, "patterns are a list of Pattern(name=..., regex=...)"),
    "a pattern's name": ({"patterns": [Pattern(name="My Key", regex="a")]}, "lower-case words joined by hyphens"),
    "a pattern's regex": ({"patterns": [Pattern(name="a", regex="(")]}, "the pattern a is no regular expression: miss"),
}


@pytest.mark.parametrize(("options", "sentence"), SET_UP_WRONG.values(), ids=SET_UP_WRONG)
def test_what_cannot_be_used_is_told_at_once(options: Any, sentence: str) -> None:
    """When the redactor is made, not when it is needed."""
    with pytest.raises(SetupError, match=re.escape(sentence)):
        Redactor(**options)


def test_a_scrubber_that_raises_is_one_sentence_without_the_text() -> None:
    """Which scrubber, what it raised and where; neither the text nor what the error says of it."""
    for redact in (Redactor(fails).redact_text, Redactor(fails).redact_value):
        with pytest.raises(SetupError) as caught:
            redact("my secret text")
        assert re.fullmatch(
            r"the scrubber fails raised ValueError at line \d+ for a string of 14 characters; it gets every string of "
            r"the traffic and must return those it does not know as they are",
            str(caught.value),
        )
        assert caught.value.__cause__ is None


def test_a_scrubber_that_returns_no_string_is_told() -> None:
    """None is what a forgotten `return` gives."""
    with pytest.raises(SetupError, match=r"the scrubber .*lambda.* returned null for a string of 1 character"):
        Redactor(lambda text: None).redact_text("a")  # type: ignore[arg-type, return-value]


HOSTILE = {
    "prefixes": "sk-ant-" * 30_000,
    "openai prefixes": "sk-sk-" * 30_000,
    "jwt beginnings": "-eyJ" * 50_000,
    "jwt first halves": "eyJ0123456789.eyJ012345." * 8_000,
    "key beginnings": "-----BEGIN PRIVATE KEY-----\n" * 7_000,
    "a key without an end": "-----BEGIN PRIVATE KEY-----\n" + "QUJDREVGR0hJSktMTU5PUA\n" * 9_000,
    "a key's lines of one letter": "-----BEGIN PRIVATE KEY-----\n" + "A\n" * 90_000,
    "schemes": "://" * 60_000,
    "users": "://a:" * 40_000,
    "passwords without an end": "://a:" + "b" * 200_000,
    "one long word": "a" * 200_000,
    "one long word with digits": "a1B2" * 50_000,
    "backslashes": "\\" * 200_000,
    "escaped letters": "\\\\u002f" * 25_000,
    "percents": "%25" * 60_000 + "%2f",
    "names": "password=" * 20_000,
    "names and quotes": 'api_key = "' * 18_000,
    "cookies": "Cookie: a=" + "b=" * 90_000,
    "cookie pairs": "Cookie: a=0123456789abcdef" + "; b=1" * 40_000,
    "placeholders": "REDACTED-" * 20_000,
    "placeholders with numbers": "password=REDACTED-password-1" * 7_000,
    "quotes": '"' * 200_000,
    "queries": "?token=" * 28_000,
    "slack": "xoxb-" * 40_000,
    "token prefixes": "ghs_" * 50_000,
    "tokens in a row": "ghs_0123456789abcdef." * 9_000,
    "braces in keys": '{"key": "' * 22_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """200 KB made to send a regular expression back and forth; how the time grows is measured in the benchmark."""
    redactor = Redactor(known=["known secret"])
    once = redactor.redact_text(text)
    assert redactor.redact_text(once) == once
    redactor.redact_json(text)
    redactor.redact_value({text[:1000]: [text]})
