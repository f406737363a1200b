"""What a loop can be good at: each with the family of trials that shows it, and the rules that speak of it.

Law: one table. The order is that of the search, simple things first, since what is found in one is not told again in
those after it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from playhead.errors import SetupError
from playhead.testing import families
from playhead.testing.families import Offer, Trials
from playhead.testing.findings import NOT_ASKED

Need = Literal["functions", "streams", "fallible", "tools", "compaction", "door"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """`name` is what it is called by, `says` what it asks of a loop. `rules` are those which speak of it wherever they
    are broken. `optional` names a feature of the API that a loop need not use; `fault` says that something fails on
    purpose. It cannot be tried without what it `needs`: functions that are ours, a loop that streams, a tool whose
    input can be wrong, a loop that takes the tools it is given, an SDK that can read a compaction, a door at which a
    request can be held back. `share` is how much of the usual number of scripts is enough, where there are few that
    differ, or each takes long.
    """

    name: str
    says: str
    family: Callable[[Offer], Trials]
    rules: tuple[str, ...] = ()
    optional: bool = False
    fault: bool = False
    needs: Need | None = None
    share: float = 1.0


_CAPABILITIES = (
    Capability(
        name="pairing",
        says="each call is run once and answered by a result with its id",
        family=families.pairing,
        rules=("calls-are-run",),
        share=0.5,
    ),
    Capability(
        name="schemas-and-system",
        says="tools and system prompt are sent with every request, unchanged",
        family=families.pairing,
        rules=("tools-resent-every-call", "system-stable"),
    ),
    Capability(
        name="caller-data",
        says="the lists that the loop is given stay as they are",
        family=families.history,
        rules=("caller-data-unchanged",),
        share=0.5,
    ),
    Capability(
        name="conversations-in-turn",
        says="a second conversation knows nothing of the first",
        family=families.conversations_in_turn,
        rules=("conversation-starts-clean",),
        share=0.25,
    ),
    Capability(
        name="history",
        says="all that was said is sent each time, from the first message on",
        family=families.history,
        rules=("history-resent-in-full", "history-append-only"),
        share=0.5,
    ),
    Capability(
        name="long-chains",
        says="many turns in a row: nothing is trimmed or piled up",
        family=families.long_chains,
        rules=("trim-keeps-pairs", "cache-breakpoints-not-accumulating", "cache-control-max-4"),
        share=0.2,
    ),
    Capability(
        name="parallel-calls",
        says="several calls of one reply are all answered, in one message",
        family=families.parallel_calls,
    ),
    Capability(
        name="repeated-calls",
        says="the same call again is a call of its own",
        family=families.repeated_calls,
        share=0.5,
    ),
    Capability(
        name="order",
        says="each result belongs to its call, whichever is done first",
        family=families.order,
        rules=("results-match-ids",),
        needs="functions",
        share=0.5,
    ),
    Capability(name="ids", says="ids are opaque", family=families.ids),
    Capability(
        name="echo",
        says="text around calls comes back as it was",
        family=families.text_around_calls,
        share=0.5,
    ),
    Capability(
        name="input-values",
        says="numbers, texts and nested values are passed on and sent back exactly",
        family=families.input_values,
        rules=("tool-input-passed-on",),
    ),
    Capability(
        name="result-values",
        says="whatever a tool returns, its result says",
        family=families.result_values,
        rules=("tool-result-tells-value", "tool-result-content-type"),
        needs="functions",
    ),
    Capability(
        name="tool-errors",
        says="a tool that raises is answered with is_error",
        family=families.tool_errors,
        rules=("tool-error-as-result",),
        needs="functions",
        share=0.5,
    ),
    Capability(
        name="unknown-tools",
        says="a call of a tool that does not exist is answered with is_error",
        family=families.unknown_tools,
        rules=("unknown-tool-as-error-result",),
        share=0.5,
    ),
    Capability(
        name="bad-input",
        says="an input that the schema does not allow is answered",
        family=families.bad_input,
        rules=("invalid-input-as-error-result",),
        needs="fallible",
        share=0.5,
    ),
    Capability(
        name="stop-reasons",
        says="stop_reason decides, not what the reply holds",
        family=families.stop_reasons,
        rules=("stop-reason-checked", "unknown-stop-reason-stops", "stop-after-end-turn"),
        share=0.5,
    ),
    Capability(
        name="truncation",
        says="a reply that is cut is no answer, and its calls are not run",
        family=families.truncation,
        rules=("max-tokens-no-tool-execution", "max-tokens-retry-changes-something"),
        share=0.5,
    ),
    Capability(
        name="refusals",
        says="a refusal ends the conversation",
        family=families.refusal,
        rules=("refusal-stops-loop",),
        share=0.5,
    ),
    Capability(
        name="pauses",
        says="a paused turn is sent back to go on",
        family=families.pauses,
        rules=("pause-turn-resumed",),
        optional=True,
        share=0.5,
        needs="tools",
    ),
    Capability(
        name="thinking",
        says="thinking comes back with its signature",
        family=families.thinking,
        rules=("thinking-block-modified", "thinking-signature-invalid", "redacted-data-invalid"),
        optional=True,
        share=0.5,
    ),
    Capability(
        name="server-tools",
        says="what Anthropic's own tools did comes back, and is not run again",
        family=families.server_tools,
        rules=("no-execution-of-server-tools", "web-search-encrypted-content"),
        optional=True,
        needs="tools",
        share=0.5,
    ),
    Capability(
        name="containers",
        says="results that code in a container waits for name the container",
        family=families.containers,
        rules=("container-id-carried", "container-required-when-pending", "programmatic-result-only-tool-results"),
        optional=True,
        needs="tools",
        share=0.25,
    ),
    Capability(
        name="compaction",
        says="a compaction comes back and the conversation goes on",
        family=families.compaction,
        rules=("compaction-block-kept",),
        optional=True,
        share=0.5,
        needs="compaction",
    ),
    Capability(
        name="retries",
        says="what failed for a moment is asked again, and no tool runs twice",
        family=families.retries,
        rules=("no-reexecution-on-retry", "retry-same-body"),
        fault=True,
    ),
    Capability(
        name="api-errors",
        says="an error that stays reaches the caller",
        family=families.api_errors,
        rules=("api-error-surfaced", "retry-transient-only", "spend-cap-429-not-retried"),
        fault=True,
        share=0.5,
    ),
    Capability(
        name="stream-damage",
        says="a stream that breaks off is no reply",
        family=families.stream_damage,
        rules=("sse-missing-message-stop", "sse-error-event-fails-turn"),
        fault=True,
        needs="streams",
    ),
    Capability(
        name="stream-oddities",
        says="unknown events are passed over, an empty input is an object",
        family=families.stream_oddities,
        rules=("sse-unknown-events-ignored", "sse-tool-input-empty-means-object"),
        needs="streams",
        share=0.5,
    ),
    Capability(
        name="conversations-at-once",
        says="two conversations at the same time do not meet",
        family=families.conversations_at_once,
        share=0.25,
        needs="door",
    ),
    Capability(
        name="termination",
        says="a Claude that never ends is stopped",
        family=families.termination,
        rules=("loop-bounded",),
        share=0.1,
    ),
)

CAPABILITIES: Mapping[str, Capability] = MappingProxyType({its.name: its for its in _CAPABILITIES})
"""Every capability by its name."""

FEATURES = tuple(its.name for its in _CAPABILITIES if its.optional)
"""The capabilities that are features of the API which a loop need not use."""

OWNERS: Mapping[str, str] = MappingProxyType({rule: its.name for its in _CAPABILITIES for rule in its.rules})
"""The capability that each of these rules speaks of."""


def chosen(
    *, only: Collection[str] | None, without: Collection[str], features: Collection[str] | None, faults: bool
) -> dict[str, str]:
    """Why capabilities are not tried, for those that are not. Raises `SetupError` for a name that there is not."""
    known = {
        "only": (only or (), CAPABILITIES),
        "without": (without, CAPABILITIES),
        "features": (features or (), FEATURES),
    }
    for option, (names, existing) in known.items():
        if isinstance(names, str):
            raise SetupError(f"{option} is a list of names, not {names!r}: write {option}=[{names!r}]")
        for name in names:
            if name not in existing:
                raise SetupError(f"{option} has no {name!r}: there are {', '.join(existing)}")
    off: dict[str, str] = {}
    for name, its in CAPABILITIES.items():
        if only is not None and name not in only:
            off[name] = NOT_ASKED
        elif name in without:
            off[name] = "you switched it off"
        elif its.optional and features is not None and name not in features:
            off[name] = "you said the loop does not use it"
        elif its.fault and not faults:
            off[name] = "faults are switched off"
    return off


def capabilities_table() -> str:
    """The capabilities as a Markdown table."""
    rows = ["| capability | asks that | |", "|---|---|---|"]
    for its in _CAPABILITIES:
        word = "optional" if its.optional else "faults" if its.fault else ""
        rows.append(f"| `{its.name}` | {its.says} | {word or _NEEDED.get(its.needs or '', '')} |")
    return "\n".join(rows)


_NEEDED: Mapping[str, str] = MappingProxyType({"streams": "where the loop streams"})
