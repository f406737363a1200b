"""Scripts that people get wrong: what stands after the head of the file, and what they are told."""

from __future__ import annotations

HEAD = "version: 1\nformat: playhead-script\n"

# those that a JSON Schema can tell, too
BROKEN: dict[str, tuple[str, str]] = {
    "unknown step": ("script:\n- cal: get_tide\n", "4: script[0].cal: there is no such step: did you mean 'call'?"),
    "unknown option": (
        "script:\n- call: get_tide\n  inputs: {}\n",
        "5: script[0].inputs: call has no such option: did you mean 'input'?",
    ),
    "an option of no step": ("script:\n- upload: f\n  a: 1\n", "5: script[0].a: upload has no such option"),
    "wrong kind": (
        "script:\n- turn:\n  - say: a\n  - call: f\n    input: 5\n",
        "7: script[0].turn[1].input: a mapping or a string is needed, not a number",
    ),
    "number as text": (
        "script:\n- say: 103\n",
        "4: script[0].say: a string is needed, not a number; put it into quotes",
    ),
    "true as text": (
        "script:\n- say: true\n",
        "4: script[0].say: a string is needed, not a boolean; put it into quotes",
    ),
    "null as text": ("script:\n- say:\n", "4: script[0].say: a string is needed, not null"),
    "a number as a step": ("script: [5]\n", "3: script[0]: a step is needed, such as `say: Hello.`, not a number"),
    "an empty step": ("script: [{}]\n", "3: script[0]: a step is needed, such as `say: Hello.`, not an empty mapping"),
    "a list as a step": (
        "script: [[a]]\n",
        "3: script[0]: a step is needed, such as `say: Hello.`, not an array; several blocks in one reply are a `turn`",
    ),
    "a step's name as text": (
        "script:\n- pause\n",
        "4: script[0]: write `pause: ...` for the step, or `say: pause` for the text",
    ),
    "two steps in one": (
        "script:\n- say: a\n  call: b\n",
        "5: script[0].call: this is say and call in one: give each its own dash, or put blocks into a `turn`",
    ),
    "status": ("script:\n- fail: 700\n", "4: script[0].fail: a whole number from 400 to 599 is needed, not 700"),
    "header": (
        "script:\n- fail: 529\n  headers:\n    retry-after: 3\n",
        "6: script[0].headers.retry-after: a string is needed, not a number; put it into quotes",
    ),
    "stop reason": (
        "script:\n- turn: [a]\n  stop_reason: tool_us\n",
        "5: script[0].stop_reason: 'tool_us' is none of those there are: did you mean 'tool_use'?",
    ),
    "server tool": (
        "script:\n- server_call: web_serch\n",
        "4: script[0].server_call: 'web_serch' is none of those there are: did you mean 'web_search'?",
    ),
    "option that is needed": ("script:\n- mcp: deepwiki\n", "4: script[0]: mcp needs `name`: a string"),
    "an error in the way of nothing": (
        "script:\n- deliver:\n    fail: 529\n",
        "5: script[0].deliver.fail: fail is no reply, to which something could happen on its way: "
        "write a step of its own",
    ),
    "a turn in a turn": (
        "script:\n- turn:\n  - turn: []\n",
        "5: script[0].turn[0].turn: turn is no block of a reply, but a step of its own: put it outside of this one",
    ),
    "code that talks": (
        "script:\n- by_code: x\n  calls: [hi]\n",
        "5: script[0].calls[0]: say is no call: code calls tools, `call: ...`",
    ),
    "citations": (
        "script:\n- say: a\n  citations: [https://a.example, 3]\n",
        "5: script[0].citations[1]: a string or a mapping is needed, not a number; put it into quotes",
    ),
    "pieces": (
        "script:\n- raw: [a, {base: x}]\n",
        "4: script[0].raw[1].base: there is no such option: did you mean 'base64'?",
    ),
    "no list": ("script: {say: a}\n", "3: script: a list of steps is needed, not an object"),
    "no script": (
        "options: {}\n",
        "1: a script has either `script`, a list of steps, or `cases`, a list of `when` and `script`",
    ),
    "both": (
        "script: []\ncases: []\n",
        "1: a script has either `script`, a list of steps, or `cases`, a list of `when` and `script`",
    ),
    "unknown member": ("scripts: []\n", "3: scripts: a script has no such member: did you mean 'script'?"),
    "no cases": ("cases: []\n", "3: cases: a list of `when` and `script` is needed, not an empty one"),
    "no case": ("cases: [a]\n", "3: cases[0]: a mapping with `when` and `script` is needed, not a string"),
    "a case without script": (
        "cases:\n- when: a\n",
        "4: cases[0]: `script` is missing: a case has `when`, a text of the first user message, and `script`",
    ),
    "a case's member": (
        "cases:\n- when: a\n  script: []\n  then: b\n",
        "6: cases[0].then: a case has no such member: did you mean 'when'?",
    ),
    "a case's step": (
        "cases:\n- when: a\n  script:\n  - fail: 5\n",
        "6: cases[0].script[0].fail: a whole number from 400 to 599 is needed, not 5",
    ),
    "options": ("options: [strict]\nscript: []\n", "3: options: a mapping is needed, not an array"),
    "unknown option of the fake": (
        "options:\n  strickt: true\nscript: []\n",
        "4: options.strickt: a file has no such option: did you mean 'strict'?",
    ),
    "conversations": (
        "options:\n  conversations: all\nscript: []\n",
        "4: options.conversations: 'all' is none of those there are (one, any, each).",
    ),
    "cap": (
        "options:\n  max_requests: 0\nscript: []\n",
        "4: options.max_requests: a whole number, 1 or more is needed, not 0",
    ),
    "delivery": (
        "options:\n  delivery:\n    chunk: byte\nscript: []\n",
        "5: options.delivery.chunk: there is no such option: did you mean 'chunks'?",
    ),
}

# those that only the steps' own checks can tell
IMPOSSIBLE: dict[str, tuple[str, str]] = {
    "keep": (
        "script:\n- truncated: [hi]\n  keep: 12\n",
        "5: script[0].keep: keep of truncated() is a number of characters from 0 to 1, not 12",
    ),
    "a call that is missing": (
        "script:\n- turn: [hi]\n  stop_reason: tool_use\n",
        "5: script[0].stop_reason: a reply that stops with tool_use needs a call: add call(name, ...), or write "
        "reply({...}, check=False)",
    ),
    "a result that is missing": (
        "script:\n- say: a\n- server_call: web_search\n",
        '5: script[1]: server_call("web_search") has no result, so that the turn cannot end: give it one '
        "(result=..., error=...), or write pause(...) for a turn that Claude goes on with later",
    ),
    "an empty name": (
        "script:\n- turn:\n  - call: ''\n",
        "5: script[0].turn[0].call: call() needs the tool's name as a string first, not ''",
    ),
    "a result of another tool": (
        "script:\n- server_call: web_search\n  input: q\n  result: 5\n",
        "6: script[0].result: the result of web_search is a list of URLs, or of dicts with url, title and "
        "page_age, not 5",
    ),
    "events and bytes": (
        "script:\n- cut: hi\n  events: 3\n  bytes: 3\n",
        "4: script[0].cut: cut() takes events or bytes, not both",
    ),
    "base64": ("script:\n- raw: {base64: '?'}\n", "4: script[0].raw: base64 of raw() is bytes in base64, not '?'"),
    "offsets": (
        "options:\n  delivery: {chunks: [3, 1]}\nscript: []\n",
        "4: options.delivery.chunks: chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising "
        "offsets, not [3, 1]",
    ),
    "bytes": (
        "script:\n- call: f\n  input:\n    a: !!binary aGk=\n",
        "6: script[0].input.a: a script has no !!binary: write a text; the bytes of `raw` are {base64: ...}",
    ),
    "a key that stands twice": (
        "script:\n- call: f\n  input: {a: 1}\n  input: {a: 2}\n",
        "6: script[0].input: this key stands twice in its mapping: leave one of them out",
    ),
    "broken YAML": (
        "script:\n- say: 'a\n",
        "5: this is no YAML: while scanning a quoted scalar found unexpected end of stream",
    ),
    "an alias of nothing": ("script: [*a]\n", "3: the alias *a stands before the end of its anchor"),
    "two documents": (
        "script: []\n---\na: b\n",
        " a script is one YAML document, not 2: a script begins with `version: 1`",
    ),
}
