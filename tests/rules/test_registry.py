"""All rules together: their form, and their verdicts on a corpus of examples."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from playhead.rules.checker import check, check_request
from playhead.rules.registry import IDS, RULES
from playhead.rules.rule import LEVELS, Rule, Violation
from playhead.wire.session import Session

Json = dict[str, Any]


def test_ids_are_unique() -> None:
    """An id names one rule."""
    assert len(IDS) == len(RULES)
    assert {rule.id for rule in RULES} == IDS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_form_of_a_rule(rule: Rule) -> None:
    """A rule has a check, a fix in one sentence, and the API's words exactly where the API refuses."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.id)
    assert rule.level in LEVELS
    assert any((rule.request, rule.step, rule.answer, rule.end))
    assert rule.fix
    assert not rule.fix.endswith(".")
    assert bool(rule.wording) == (rule.level == "reject")
    if rule.level == "reject":
        assert (rule.status, rule.error_type) == (400, "invalid_request_error")
        assert rule.request is not None, "the API sees single requests"


def examples() -> list[Json]:
    folder = os.environ.get("PLAYHEAD_SHARED")
    if not folder:
        pytest.skip("PLAYHEAD_SHARED is not set: the corpus of examples is not part of the project")
    return [json.loads(line) for line in (Path(folder) / "rules" / "rules.jsonl").read_text("utf-8").splitlines()]


def judged(example: Mapping[str, Any]) -> tuple[Violation, ...] | None:
    if "session" in example:
        session = Session.from_exchanges(example["session"], headers=example.get("headers"), end=example.get("end"))
        return check(session)
    if "body" in example:
        return check_request(example["body"], example.get("headers"))
    return None


# bodies that show the order or the wording of an error, refused by design
REFUSED_BY_DESIGN = {"poisoned-history-not-resent"}


def test_accepted_examples_are_accepted() -> None:
    """Nothing that the corpus calls right is refused or called broken."""
    wrong = {}
    count = 0
    for entry in examples():
        if entry["category"] == "wire" or entry["id"] in REFUSED_BY_DESIGN or not entry.get("ok"):
            continue
        violations = judged(entry["ok"])
        count += violations is not None
        bad = [str(violation) for violation in violations or () if violation.level != "warn"]
        if bad:
            wrong[entry["id"]] = bad
    assert wrong == {}
    assert count > 150


def test_failing_examples_fire_their_rule() -> None:
    """Each rule of ours is broken by the corpus's example of it."""
    silent = {}
    seen = set()
    for entry in examples():
        if entry["id"] not in IDS:
            continue
        seen.add(entry["id"])
        violations = judged(entry["fail"]) or ()
        if entry["id"] not in {violation.rule for violation in violations}:
            silent[entry["id"]] = [str(violation) for violation in violations]
    assert silent == {}
    assert seen == IDS


def test_levels_are_those_of_the_corpus() -> None:
    """What the API refuses is `reject`, what a correct loop does not do is `broken`."""
    levels = {entry["id"]: entry["level"] for entry in examples()}
    words = {"API-400": "reject", "client-invariant": "broken", "advice": "warn"}
    assert {rule.id: rule.level for rule in RULES} == {rule.id: words[levels[rule.id]] for rule in RULES}


def test_the_api_words_are_those_of_the_corpus() -> None:
    """The first wording of each rule is the template that the corpus has from recordings, save for the ids' note."""
    texts = {entry["id"]: str(entry["error_text"]).split(" | ")[0] for entry in examples() if entry["error_text"]}
    for rule in RULES:
        if rule.wording:
            assert rule.wording[0] == texts[rule.id].replace("{ids, comma+space separated}", "{ids}")
