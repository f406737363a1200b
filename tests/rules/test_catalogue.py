"""The packaged catalogue and the rules, one to one."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from playhead.rules.catalogue import Entry, load_catalogue
from playhead.rules.checker import check, check_request
from playhead.rules.registry import RULES
from playhead.rules.rule import Violation
from playhead.wire.session import Session

Json = dict[str, Any]
ENTRIES = list(load_catalogue().values())


def grown(example: Json) -> Json:
    """The body of an example; `grow` stands for what would take megabytes to write out.

    It repeats the messages, makes the first text longer, or the data of the first image.
    """
    body = copy.deepcopy(example["body"])
    grow = example.get("grow", {})
    first = (body.get("messages") or [{}])[0]
    if "text" in grow:
        first["content"] = "x" * grow["text"]
    if "image" in grow:
        image = next(block for block in first["content"] if block["type"] == "image")
        image["source"]["data"] += "A" * grow["image"]
    if "messages" in grow:
        body["messages"] *= grow["messages"]
    return dict(body)


def judged(example: Json) -> tuple[Violation, ...]:
    if "body" in example:
        return check_request(grown(example), example.get("headers"))
    return check(Session.from_exchanges(example["session"], headers=example.get("headers"), end=example.get("end")))


def test_one_to_one() -> None:
    """Every rule has its entry and every entry its rule, of the same level, in the same order."""
    assert [(entry.id, entry.level) for entry in ENTRIES] == [(rule.id, rule.level) for rule in RULES]
    assert all(key == entry.id for key, entry in load_catalogue().items())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_failing_example_breaks_its_own_rule(entry: Entry) -> None:
    """What an entry calls wrong is found; no other rule tells another fault but where it cannot be broken alone."""
    rules = {its.rule for its in judged(entry.fail) if its.same_as is None or its.rule == entry.id}
    others = {
        "nothing-between-call-and-result": {"tool-use-unanswered", "tool-result-orphan"},
        "tool-result-orphan": {"trim-keeps-pairs"},
        "trim-keeps-pairs": {"tool-result-orphan"},
        "client-result-for-server-tool": {"tool-result-orphan"},
        "mixed-turn-only-tool-results": {"server-tool-use-unpaired"},
        "thinking-prefix-binding": {"system-stable"},
        "cache-breakpoints-not-accumulating": {"cache-control-max-4"},
        "skipped-calls-still-answered": {"tool-use-unanswered"},
        "sse-accumulate-by-index": {"assistant-content-verbatim"},
        "sse-signature-and-redacted": {"assistant-content-verbatim"},
        "whitespace-response-not-stored": {"text-block-nonwhitespace"},
    }
    assert rules == {entry.id} | others.get(entry.id, set())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_right_example_breaks_nothing(entry: Entry) -> None:
    """What an entry calls right is accepted by every rule; text after results, right as it is, gets advice only."""
    assert [violation for violation in judged(entry.ok) if violation.rule != "no-text-after-tool-results"] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_entry_is_complete(entry: Entry) -> None:
    """Sentences, public sources and the words of confidence; examples of one of the two shapes."""
    for sentence in (entry.statement, entry.why):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0] == "`"
    assert entry.sources
    for source in entry.sources:
        assert source.startswith(("https://platform.claude.com/docs/en/", "https://github.com/", "anthropic=="))
    assert entry.confidence in ("verbatim", "documented")
    assert entry.scope
    for example in (entry.fail, entry.ok):
        assert {"body"} <= set(example) <= {"body", "headers", "grow"} or {"session"} <= set(example)
        assert set(example) <= {"body", "headers", "grow", "session", "end"}


def test_the_catalogue_cannot_be_changed() -> None:
    """It is shared by all who read it."""
    with pytest.raises(TypeError):
        load_catalogue()["x"] = ENTRIES[0]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENTRIES[0].level = "warn"  # type: ignore[misc]
