"""Loops with one bug each, and the capability and the rules by which a search finds it. No tests themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anthropic

from kit_loops import Loop, TooManyTurns, again_on_error, answer, answers, create, kept, stream, text_of

SHARED: list[Any] = []


def into_shared(messages: list[Any]) -> list[Any]:
    """The history of all conversations."""
    SHARED.extend(messages)
    return SHARED


def with_contents(change: Callable[[Any], Any]) -> Callable[..., list[Any]]:
    """Results whose tools' values become contents in another way; each tool runs once."""

    def results(calls: Any, functions: Any) -> list[Any]:
        made = []
        for one in calls:
            result = {"type": "tool_result", "tool_use_id": one.id}
            try:
                value = functions[one.name](**one.input)
            except Exception as error:  # noqa: BLE001 - whatever a tool raises is its result
                made.append({**result, "content": f"{type(error).__name__}: {error}", "is_error": True})
            else:
                made.append({**result, "content": change(value)})
        return made

    return results


def quiet(calls: Any, functions: Any) -> list[Any]:
    """No errors among the results, whatever they were."""
    return [{**result, "is_error": False, "content": "fine"} for result in answers(calls, functions)]


def crashing(calls: Any, functions: Any) -> list[Any]:
    """Nothing is caught."""
    return [
        {"type": "tool_result", "tool_use_id": one.id, "content": text_of(functions[one.name](**one.input))}
        for one in calls
    ]


def swallowing(client: Any, **request: Any) -> Any:
    """Asks until there is an answer, whatever is raised."""
    while True:
        try:
            return client.messages.create(**request)
        except BaseException:  # noqa: BLE001 - the bug
            continue


def rounded(message: Any) -> list[Any]:
    """Whole floats become integers."""
    blocks = [block.to_dict() for block in kept(message)]
    for block in blocks:
        for key, value in (block.get("input") or {}).items():
            if isinstance(value, float) and value.is_integer():
                block["input"][key] = int(value)
    return blocks


def trimmed(calls: Any, functions: Any) -> list[Any]:
    """Tools get texts without the spaces around them."""
    for one in calls:
        one.input = {key: value.strip() if isinstance(value, str) else value for key, value in one.input.items()}
    return answers(calls, functions)


def appended_twice(message: Any) -> list[Any]:
    """The text of a reply is kept twice."""
    return [*(block for block in kept(message) if block.type == "text"), *kept(message)]


def silent(client: Any, **request: Any) -> Any:
    """An error of the API becomes an answer."""
    try:
        return client.messages.create(**request)
    except Exception:  # noqa: BLE001 - the bug
        return type("Reply", (), {"content": [], "stop_reason": "end_turn", "container": None})()


def half_streams(client: Any, **request: Any) -> Any:
    """A stream that breaks off is taken for whole."""
    with client.messages.stream(**request) as events:
        for _ in events:
            pass
        return events.get_final_message()


def by_tool(calls: Any, functions: Any) -> list[Any]:
    """One result for each tool, whatever it was asked."""
    for one in calls:
        BY_TOOL.setdefault(one.name, answer(one, functions))
    return [{**BY_TOOL[one.name], "tool_use_id": one.id} for one in calls]


BY_TOOL: dict[str, Any] = {}


def answered_alike(**answer: Any) -> Callable[..., list[Any]]:
    """Every call gets the same answer, and none is run."""
    return lambda calls, functions: [{"type": "tool_result", "tool_use_id": one.id, **answer} for one in calls]


def once(client: Any, **request: Any) -> Any:
    """A limit that is reached with the second request of every conversation."""
    if len(request["messages"]) > 1:
        raise TooManyTurns("no answer after 1 request")
    return client.messages.create(**request)


def first_alone(calls: Any, functions: Any) -> list[Any]:
    """The first call is run, and the others are said to be done."""
    return [*answers(calls[:1], functions), *answered_alike(content="done")(calls[1:], functions)]


def with_note_before(calls: Any, functions: Any) -> list[Any]:
    """A message of its own before the results."""
    return [{"type": "text", "text": "Here they are:"}, *answers(calls, functions)]


def again_after_cut(client: Any, **request: Any) -> Any:
    """A cut reply is asked for again, as it was."""
    for _ in range(3):
        message = client.messages.create(**request)
        if message.stop_reason != "max_tokens":
            break
    return message


def more_after_refusal(client: Any, **request: Any) -> Any:
    """A refusal is taken for a lack of tokens."""
    message = client.messages.create(**request)
    if message.stop_reason == "refusal":
        return client.messages.create(**{**request, "max_tokens": 4096})
    return message


def please(client: Any, **request: Any) -> Any:
    """After an error Claude is asked to go on."""
    client = client.with_options(max_retries=0)
    for _ in range(3):
        try:
            return client.messages.create(**request)
        except anthropic.APIStatusError as error:
            if error.status_code < 429:
                raise
            request["messages"] = [*request["messages"], {"role": "user", "content": "Please go on."}]
    return client.messages.create(**request)


class Anew:
    """All is begun again when a request fails."""

    def __call__(self, client: Any, messages: Any, tools: Any, functions: Any) -> object:
        for _ in range(2):
            try:
                return Loop()(client, messages, tools, functions)
            except anthropic.InternalServerError:
                continue
        return Loop()(client, messages, tools, functions)


def forgetful(client: Any, **request: Any) -> Any:
    """The container is not sent back."""
    request.pop("container", None)
    return client.messages.create(**request)


def always_failed(calls: Any, functions: Any) -> list[Any]:
    """Every result says that its tool failed."""
    return [{**result, "is_error": True} for result in answers(calls, functions)]


def speechless(calls: Any, functions: Any) -> list[Any]:
    """A failure is told without a word of what went wrong."""
    return [{**one, "content": ""} if one.get("is_error") else one for one in answers(calls, functions)]


def by_other_names(calls: Any, functions: Any) -> list[Any]:
    """Tools are looked up by names that they do not have."""
    known = {name.replace("_", "-"): function for name, function in functions.items()}
    unknown = {"type": "tool_result", "is_error": True}
    return [
        answer(one, known)
        if one.name in known
        else {**unknown, "tool_use_id": one.id, "content": f"Unknown tool: {one.name}"}
        for one in calls
    ]


def uncited(message: Any) -> list[Any]:
    """Text without its citations."""
    return [{name: value for name, value in block.to_dict().items() if name != "citations"} for block in kept(message)]


def always_forced(client: Any, **request: Any) -> Any:
    """A call is demanded each time, of a model that lets itself be forced."""
    return client.messages.create(**{**request, "model": "claude-sonnet-4-5", "tool_choice": {"type": "any"}})


def less_after_error(client: Any, **request: Any) -> Any:
    """What is asked again is not what failed."""
    try:
        return client.with_options(max_retries=0).messages.create(**request)
    except anthropic.InternalServerError:
        return client.messages.create(**{**request, "max_tokens": 256})


def for_ever(client: Any, **request: Any) -> Any:
    """An API that is down is asked until it is up."""
    while True:
        try:
            return client.messages.create(**request)
        except anthropic.InternalServerError:
            continue


def asked_twice(client: Any, **request: Any) -> Any:
    """An answer is not taken at once."""
    message = client.messages.create(**request)
    return client.messages.create(**request) if message.stop_reason == "end_turn" else message


def until_a_word(client: Any, **request: Any) -> Any:
    """Claude is to go on until it says a word that nobody told it."""
    for _ in range(4):
        message = client.messages.create(**request)
        if message.stop_reason != "end_turn" or not kept(message):
            break
        said = {"role": "assistant", "content": kept(message)}
        request["messages"] = [*request["messages"], said, {"role": "user", "content": "Go on until you are ready."}]
    return message


class Opaque:
    """Returns the same for a failure as for an answer that says nothing."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._loop = Loop(ask=ask)

    def __call__(self, client: Any, messages: Any, tools: Any, functions: Any) -> object:
        try:
            message: Any = self._loop(client, messages, tools, functions)
        except anthropic.APIError:
            return {"output": ""}
        return {"output": "".join(block.text for block in message.content if block.type == "text")}


BUGS: dict[str, tuple[Loop, str, set[str]]] = {
    "every result a failure": (Loop(results=always_failed), "pairing", {"tool-result-tells-value"}),
    "the first result alone": (
        Loop(results=lambda calls, functions: answers(calls[:1], functions)),
        "parallel-calls",
        {"tool-use-unanswered"},
    ),
    "texts without spaces for tools": (Loop(results=trimmed), "input-values", {"tool-input-passed-on"}),
    "3.0 becomes 3": (Loop(store=rounded), "input-values", {"assistant-content-verbatim"}),
    "text kept twice": (Loop(store=appended_twice), "echo", {"assistant-content-verbatim"}),
    "text dropped": (
        Loop(store=lambda message: [block for block in kept(message) if block.type != "text"]),
        "echo",
        {"assistant-content-verbatim"},
    ),
    "the first message dropped": (
        Loop(begin=lambda messages: messages[1:] or list(messages)),
        "history",
        {"history-resent-in-full"},
    ),
    "the caller's list": (Loop(begin=lambda messages: messages), "caller-data", {"caller-data-unchanged"}),
    "one history for all": (Loop(begin=into_shared), "conversations-in-turn", {"conversation-starts-clean"}),
    "the last four messages": (
        Loop(sent=lambda history: history[:1] + history[-3:] if len(history) > 6 else history),
        "long-chains",
        {"tool-result-orphan", "history-resent-in-full", "trim-keeps-pairs"},
    ),
    "no tools later": (
        Loop(settings=lambda tools, number: {} if number else {"tools": tools}),
        "schemas-and-system",
        {"tools-resent-every-call"},
    ),
    "no tools at all": (
        Loop(settings=lambda tools, number: {"tools": tools[:1]}),
        "schemas-and-system",
        {"tools-resent-every-call"},
    ),
    "a value as Python writes it": (Loop(results=with_contents(str)), "result-values", {"tool-result-tells-value"}),
    "a value as it is": (
        Loop(results=with_contents(lambda value: value)),
        "result-values",
        {"tool-result-content-type"},
    ),
    "a note before the results": (Loop(results=with_note_before), "pairing", {"tool-result-not-first"}),
    "bytes": (Loop(results=with_contents(lambda value: text_of(value).encode())), "pairing", set()),
    "errors hidden": (Loop(results=quiet), "tool-errors", {"tool-error-as-result"}),
    "errors not caught": (Loop(results=crashing), "tool-errors", {"tool-error-as-result"}),
    "unknown tools not caught": (Loop(results=crashing), "unknown-tools", {"unknown-tool-as-error-result"}),
    "calls decide": (Loop(runs=lambda message: True), "truncation", {"max-tokens-no-tool-execution"}),
    "calls decide at a new stop reason": (
        Loop(runs=lambda message: True),
        "stop-reasons",
        {"unknown-stop-reason-stops"},
    ),
    "a pause is the end": (Loop(goes_on=lambda message: False), "pauses", {"pause-turn-resumed"}),
    "a refusal is a pause": (
        Loop(goes_on=lambda message: message.stop_reason == "refusal"),
        "refusals",
        {"refusal-stops-loop"},
    ),
    "thinking dropped": (
        Loop(store=lambda message: [block for block in kept(message) if block.type != "thinking"]),
        "thinking",
        {"assistant-content-verbatim"},
    ),
    "every error is tried again": (Loop(ask=again_on_error), "api-errors", {"retry-transient-only"}),
    "an error is an answer": (Loop(ask=silent), "api-errors", {"api-error-surfaced"}),
    "half a stream is a reply": (Loop(ask=half_streams), "stream-damage", {"sse-missing-message-stop"}),
    "one result for each tool": (Loop(results=by_tool), "pairing", {"results-match-ids", "tool-result-tells-value"}),
    "an unknown tool is told in words alone": (
        Loop(
            results=lambda calls, functions: [
                result if one.name in functions else {**result, "is_error": False}
                for one, result in zip(calls, answers(calls, functions), strict=True)
            ]
        ),
        "unknown-tools",
        {"unknown-tool-as-error-result"},
    ),
    "an error is told in words alone": (
        Loop(results=lambda calls, functions: [{**one, "is_error": False} for one in answers(calls, functions)]),
        "tool-errors",
        {"tool-error-as-result"},
    ),
    "no second request": (Loop(ask=once), "pairing", {"answer-every-tool-use-once"}),
    "no tool is known": (
        Loop(results=answered_alike(content="unknown tool", is_error=True)),
        "pairing",
        {"calls-are-run"},
    ),
    "results are made up": (Loop(results=answered_alike(content="done")), "pairing", {"calls-are-run"}),
    "one call is run for all": (Loop(results=first_alone), "parallel-calls", {"calls-are-run"}),
    "a value that is not there counts as nothing": (
        Loop(results=with_contents(lambda value: text_of(value) if value else "done")),
        "result-values",
        {"tool-result-tells-value"},
    ),
    "results cut short": (
        Loop(results=with_contents(lambda value: text_of(value)[:9])),
        "pairing",
        {"tool-result-tells-value"},
    ),
    "a value that is no text": (
        Loop(results=with_contents(lambda value: "Tool: " + value)),
        "result-values",
        {"loop-takes-every-reply"},
    ),
    "an answer without blocks": (
        Loop(end=lambda message, history: message.content[0].text),
        "stop-reasons",
        {"empty-end-turn-handled"},
    ),
    "a cut reply asked for again": (Loop(ask=again_after_cut), "truncation", {"max-tokens-retry-changes-something"}),
    "more tokens after a refusal": (Loop(ask=more_after_refusal), "refusals", {"refusal-stops-loop"}),
    "words after an error": (Loop(ask=please), "retries", {"retry-same-body"}),
    "all begun anew after an error": (Anew(), "api-errors", {"no-reexecution-on-retry"}),
    "the container forgotten": (Loop(ask=forgetful), "containers", {"container-required-when-pending"}),
    "a failure without a word": (Loop(results=speechless), "tool-errors", {"tool-error-as-result"}),
    "tools by other names": (Loop(results=by_other_names), "pairing", {"calls-are-run"}),
    "calls that are said to be skipped": (
        Loop(results=answered_alike(content="skipped")),
        "pairing",
        {"skipped-calls-still-answered"},
    ),
    "citations dropped": (Loop(store=uncited), "server-tools", {"assistant-content-verbatim"}),
    "a call is demanded each time": (Loop(ask=always_forced), "pairing", {"forced-tool-choice-reset"}),
    "less is asked for after an error": (Loop(ask=less_after_error), "retries", {"retry-same-body"}),
    "asked for ever": (Loop(ask=for_ever), "api-errors", {"loop-bounded"}),
    "asked twice": (Loop(ask=asked_twice), "pairing", {"stop-after-end-turn"}),
    "on until a word": (Loop(ask=until_a_word), "pairing", {"stop-after-end-turn"}),
    "an error is an empty answer": (Opaque(create), "api-errors", {"api-error-surfaced"}),
    "half a stream is an empty answer": (Opaque(stream), "stream-damage", {"sse-error-event-fails-turn"}),
    "no limit": (Loop(limit=10**9), "termination", {"loop-bounded"}),
    "no limit, and everything swallowed": (Loop(ask=swallowing, limit=10**9), "termination", {"loop-bounded"}),
}
