"""Small recordings in each format of HTTP calls, all of the same invented exchange with a tool called `get_tide`."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib

import yaml

from playhead.wire.stream import events_of, stream_bytes

REQUEST = {
    "model": "claude-haiku-4-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": 'When is high tide at Höfn? It\'s "spring".'}],
    "tools": [{"name": "get_tide", "input_schema": {"type": "object", "properties": {"port": {"type": "string"}}}}],
}
MESSAGE = {
    "id": "msg_tide1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5",
    "content": [{"type": "tool_use", "id": "toolu_tide1", "name": "get_tide", "input": {"port": "Höfn"}}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 40, "output_tokens": 12},
}
ERROR = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
EVENTS = list(events_of(MESSAGE))
STREAM = stream_bytes(EVENTS).decode()
SENT, ANSWER = json.dumps(REQUEST, ensure_ascii=False), json.dumps(MESSAGE, ensure_ascii=False)
URL = "https://api.anthropic.com/v1/messages?beta=true"
JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream; charset=utf-8"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model"
OTHER_URL = "https://api.openai.com/v1/chat/completions"


def frame(event: dict[str, object]) -> bytes:
    """One event in AWS's framing, as Bedrock sends it."""
    payload = json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "abc"}).encode()
    name, value = b":event-type", b"chunk"
    header = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value
    prelude = struct.pack(">II", 16 + len(header) + len(payload), len(header))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + header + payload
    return body + struct.pack(">I", zlib.crc32(body))


FRAMES = b"".join(frame(event) for event in EVENTS)


def as_yaml(value: object) -> bytes:
    """YAML as Python's recorders write it."""
    return yaml.dump(value).encode()


def as_json(value: object) -> bytes:
    """JSON as most recorders write it."""
    return json.dumps(value, indent=2).encode()


def vcrpy_interaction(
    body: object = SENT, string: object = ANSWER, uri: str = URL, **headers: str
) -> dict[str, object]:
    """An interaction of a vcrpy cassette."""
    return {
        "request": {"body": body, "headers": {"Anthropic-Version": ["2023-06-01"]}, "method": "POST", "uri": uri},
        "response": {
            "body": {"string": string},
            "headers": {
                "Content-Type": [JSON_TYPE],
                **{name.replace("_", "-"): [value] for name, value in headers.items()},
            },
            "status": {"code": 200, "message": "OK"},
        },
    }


def vcrpy(*interactions: object) -> dict[str, object]:
    """A vcrpy cassette."""
    return {"interactions": list(interactions or [vcrpy_interaction()]), "version": 1}


def without_anthropic(interaction: dict[str, object]) -> dict[str, object]:
    """The interaction without the request header that shows whose it is."""
    request = interaction["request"]
    assert isinstance(request, dict)
    return {**interaction, "request": {**request, "headers": {}}}


ISTR = f"""\
interactions:
- request:
    body: '{SENT.replace("'", "''")}'
    headers:
      ? !!python/object/apply:multidict._multidict.istr
      - Anthropic-Version
      : - '2023-06-01'
    method: POST
    uri: {URL}
  response:
    body:
      string: !!binary |
        {base64.b64encode(gzip.compress(ANSWER.encode(), mtime=0)).decode()}
    headers:
      ? !!python/object/new:multidict._multidict.istr
      - Content-Encoding
      : - gzip
    status:
      code: 200
      message: OK
version: 1
""".encode()

RUBY = f"""\
---
http_interactions:
- request:
    method: post
    uri: {URL}
    body:
      encoding: UTF-8
      string: '{SENT.replace("'", "''")}'
    headers:
      Anthropic-Version:
      - '2023-06-01'
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - application/json
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        {base64.b64encode(ANSWER.encode()).decode()}
  recorded_at: Tue, 06 Oct 2026 10:00:00 GMT
recorded_with: VCR 6.3.1
...
""".encode()

R_VCR = {
    "http_interactions": [
        {
            "request": {"method": "POST", "uri": URL, "body": {"string": SENT}},
            "response": {"status": 200, "headers": {"content-type": JSON_TYPE}, "body": {"string": ANSWER}},
            "recorded_at": "2026-10-06 10:00:00",
        }
    ],
    "recorded_with": "VCR-vcr/2.1.0",
}

GO_V1 = {
    "version": 1,
    "interactions": [
        {
            "request": {"body": SENT, "form": {}, "headers": {"Accept": [JSON_TYPE]}, "url": URL, "method": "POST"},
            "response": {"body": ANSWER, "headers": {}, "status": "200 OK", "code": 200, "duration": "1.2s"},
        }
    ],
}

_BLOCK = "".join(f"      {line}\n" if line else "\n" for line in STREAM.split("\n")[:-1])
GO_V2 = f"""\
---
version: 2
interactions:
- id: 0
  request:
    proto: HTTP/1.1
    content_length: 205
    transfer_encoding: []
    trailer: {{}}
    host: api.anthropic.com
    body: '{SENT.replace("'", "''")}'
    headers:
      Accept:
      - text/event-stream
    url: {URL}
    method: POST
  response:
    proto: HTTP/2.0
    uncompressed: true
    body: |+
{_BLOCK}    headers:
      Content-Type:
      - {STREAM_TYPE}
    status: 200 OK
    code: 200
    duration: 1.968063083s
""".encode()

HTTPMOCK = "---\n".join(
    f"""\
when:
  path: {path}
  method: POST
  query_param:
  - name: beta
    value: 'true'
  header:
  - name: anthropic-version
    value: 2023-06-01
  body: '{SENT.replace("'", "''")}'
then:
  status: {status}
  header:
  - name: content-type
    value: application/json
  body: '{body.replace("'", "''")}'
"""
    for path, status, body in (
        ("/v1/messages", 200, ANSWER),
        ("/v1/messages", 429, json.dumps(ERROR)),
        ("/v1/chat/completions", 200, "{}"),
    )
).encode()

HAR = {
    "log": {
        "version": "1.2",
        "entries": [
            {
                "request": {
                    "method": "POST",
                    "url": URL,
                    "headers": [{"name": "Anthropic-Version", "value": "2023-06-01"}],
                    "postData": {"mimeType": JSON_TYPE, "text": SENT},
                },
                "response": {
                    "status": 200,
                    "headers": [{"name": "content-type", "value": STREAM_TYPE}],
                    "content": {"mimeType": STREAM_TYPE, "text": STREAM},
                },
            }
        ],
    }
}

WIREMOCK = {
    "id": "one",
    "request": {
        "url": "/v1/messages",
        "method": "POST",
        "headers": {"Anthropic-Version": {"equalTo": "2023-06-01"}, "Accept": {"matches": ".*"}},
        "bodyPatterns": [{"equalToJson": SENT, "ignoreArrayOrder": True}],
    },
    "response": {"status": 200, "headers": {"Content-Type": JSON_TYPE}, "jsonBody": MESSAGE},
    "uuid": "one",
}

NOCK = [
    {
        "scope": "https://api.anthropic.com:443",
        "method": "POST",
        "path": "/v1/messages",
        "body": REQUEST,
        "status": 200,
        "response": MESSAGE,
        "rawHeaders": ["Content-Type", JSON_TYPE, "Request-Id", "req_1"],
        "responseIsBinary": False,
    }
]

PAIR = {
    "request": {"method": "POST", "url": URL, "headers": {"Anthropic-Version": "2023-06-01"}, "body": SENT},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Encoding": "gzip"}, "body": ANSWER},
}

BRAINTRUST = {
    "meta": {"createdAt": "2026-10-06T10:00:00Z"},
    "entries": [
        {
            "callIndex": 0,
            "matchKey": "POST api.anthropic.com/v1/messages",
            "request": {"body": {"kind": "json", "value": REQUEST}, "headers": {}, "method": "POST", "url": URL},
            "response": {
                "body": {"kind": "sse", "chunks": STREAM.strip().split("\n\n")},
                "headers": {"content-type": STREAM_TYPE},
                "status": 200,
            },
        }
    ],
}


def httprr(*calls: tuple[bytes, bytes]) -> bytes:
    """An httprr trace of requests and responses."""
    trace = b"httprr trace v1\n"
    for request, response in calls:
        trace += f"{len(request)} {len(response)}\n".encode() + request + response
    return trace


HTTP_REQUEST = f"POST {URL} HTTP/1.1\r\nHost: api.anthropic.com\r\nAnthropic-Version: 2023-06-01\r\n\r\n{SENT}".encode()
HTTP_RESPONSE = f"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n\r\n{ANSWER}".encode()

LANGCHAIN = {
    "requests": [
        {"body": SENT.encode(), "headers": {"Host": ["**REDACTED**"]}, "method": "POST", "uri": "**REDACTED**"}
    ],
    "responses": [
        {
            "body": {"string": STREAM.encode()},
            "headers": {"a": "**REDACTED**"},
            "status": {"code": 200, "message": "OK"},
        }
    ],
}

PARSED_BODY = {
    "interactions": [
        {
            "request": {
                "headers": {"host": ["api.anthropic.com"]},
                "method": "POST",
                "parsed_body": REQUEST,
                "uri": URL,
            },
            "response": {"headers": {}, "parsed_body": MESSAGE, "status": {"code": 200, "message": "OK"}},
        }
    ],
    "version": 1,
}

SAMPLES: dict[str, bytes] = {
    "vcrpy yaml": as_yaml(
        vcrpy(vcrpy_interaction(), vcrpy_interaction(string=STREAM), vcrpy_interaction(uri=OTHER_URL))
    ),
    "vcrpy json": as_json(vcrpy()),
    "vcrpy istr": ISTR,
    "parsed_body": as_yaml(PARSED_BODY),
    "langchain": gzip.compress(as_yaml(LANGCHAIN), mtime=0),
    "ruby": RUBY,
    "r": as_yaml(R_VCR),
    "go v1": as_yaml(GO_V1),
    "go v2": GO_V2,
    "httpmock": HTTPMOCK,
    "har": as_json(HAR),
    "wiremock": as_json(WIREMOCK),
    "nock": as_json(NOCK),
    "pair": as_json(PAIR),
    "pairs": as_json([PAIR, PAIR]),
    "pair lines": "".join(json.dumps(pair) + "\n" for pair in (PAIR, PAIR)).encode(),
    "braintrust": as_json(BRAINTRUST),
    "httprr": httprr((HTTP_REQUEST, HTTP_RESPONSE)),
    "bedrock": as_yaml(
        vcrpy(
            without_anthropic(
                vcrpy_interaction(
                    body=json.dumps({"anthropic_version": "bedrock-2023-05-31", "messages": [], "max_tokens": 1}),
                    string=FRAMES,
                    uri=f"{BEDROCK}/anthropic.claude-x-v1%3A0/invoke-with-response-stream",
                )
            )
        )
    ),
    "raw sse": STREAM.encode(),
    "bare response": as_json(MESSAGE),
    "event lines": "".join(json.dumps(event) + "\n" for event in EVENTS).encode(),
}
