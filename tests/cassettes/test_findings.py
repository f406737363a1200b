"""Finding secrets that are there already."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from cassettes.planted import IN_CONTEXT, PRIVATE_KEY, SECRETS
from playhead.cassettes.findings import Found, find_secrets, require_clean
from playhead.cassettes.redaction import Redactor
from playhead.errors import RecordingError, SecretFound
from playhead.readers.table import load

KEY, GITHUB = SECRETS["anthropic api03"], SECRETS["github personal"]


def test_a_secret_is_told_by_pattern_path_and_beginning() -> None:
    """In the order in which they stand; never more of the secret than four characters."""
    value = {"messages": [{"role": "user", "content": [{"type": "text", "text": f"{KEY} {GITHUB}"}]}], "a b": [GITHUB]}
    assert find_secrets(value) == [
        Found("anthropic-key", "$.messages[0].content[0].text", "sk-a..."),
        Found("github-token", "$.messages[0].content[0].text", "ghp_..."),
        Found("github-token", '$["a b"][0]', "ghp_..."),
    ]
    assert find_secrets(value, "$response")[0].path == "$response.messages[0].content[0].text"


def test_in_a_text_the_line_is_told() -> None:
    """A text is a value too; of several lines the line counts."""
    assert find_secrets(f"one\ntwo {GITHUB}\n") == [Found("github-token", "$", "ghp_...", 2)]
    assert find_secrets(GITHUB) == [Found("github-token", "$", "ghp_...")]


def test_a_secret_in_a_key_is_told_at_its_object_and_in_no_path() -> None:
    """Nor does the path of what stands under it tell it."""
    found = find_secrets({"a": {GITHUB: {"b": KEY}}})
    assert found == [
        Found("github-token", "$.a", "ghp_..."),
        Found("anthropic-key", '$.a["ghp_..."].b', "sk-a..."),
    ]


@pytest.mark.parametrize(("around", "secret"), IN_CONTEXT.values(), ids=IN_CONTEXT)
def test_no_more_than_a_quarter_is_shown(around: str, secret: str) -> None:
    """Of a short password four characters would be half."""
    (found,) = find_secrets(around % secret)
    assert len(found.shown.removesuffix("...")) <= min(4, len(secret) // 4)
    assert secret.startswith(found.shown.removesuffix("..."))


def test_members_are_judged_by_their_names() -> None:
    """A name tells a secret as it does in a text; a schema or a sentence under it is none."""
    value = {
        "password": "Sp3ak-Fr1end!",
        "client_secret": SECRETS["age"][20:50] + "x9",
        "api_key": {"type": "string", "description": "the key"},
        "token": "a token of appreciation 2026",
        "max_tokens": "1234567890123456",
        "authorization_token": "short",
    }
    assert [(found.pattern, found.path) for found in find_secrets(value)] == [
        ("password", "$.password"),
        ("secret-value", "$.client_secret"),
        ("mcp-token", "$.authorization_token"),
    ]


def test_a_save_with_a_secret_fails_and_does_not_tell_it() -> None:
    """Pattern, file and place; a clean value passes."""
    value = {"messages": [{"content": PRIVATE_KEY}]}
    with pytest.raises(SecretFound) as caught:
        require_clean(value, "cassettes/a.yaml")
    error = caught.value
    assert (error.pattern, error.path, error.field, error.line) == (
        "private-key",
        "cassettes/a.yaml",
        "$.messages[0].content",
        1,
    )
    assert PRIVATE_KEY[40:60] not in str(error)
    require_clean(Redactor().redact_value(value), "cassettes/a.yaml")
    require_clean("clean text", "cassettes/a.yaml")


def test_a_redactor_also_finds_what_it_was_told() -> None:
    """Known secrets have no form of their own."""
    redactor = Redactor(known=["correct horse"])
    assert redactor.find({"a": "correct horse"}) == [Found("known-secret", "$.a", "cor...")]
    with pytest.raises(SecretFound, match="known secret"):
        redactor.require_clean("say correct horse", "a.yaml")
    redactor.require_clean(redactor.redact_text("say correct horse"), "a.yaml")


CORPUS = Path(os.environ.get("PLAYHEAD_SHARED", "")) / "corpus"


@pytest.mark.skipif(
    not os.environ.get("PLAYHEAD_SHARED") or not (CORPUS / "manifest.tsv").is_file(),
    reason="PLAYHEAD_SHARED does not name a folder with real recordings",
)
def test_real_recordings_are_no_false_alarms() -> None:
    """Their authors removed the secrets from public recordings: what is found in a body is one by its form, or none."""
    found = []
    with (CORPUS / "manifest.tsv").open(encoding="utf-8") as manifest:
        rows = [*csv.DictReader(manifest, delimiter="\t")]
    for row in rows:
        path = CORPUS / row["repo"].replace("/", "+") / row["path"]
        try:
            session = load(path)
        except RecordingError:
            continue
        for exchange in session.exchanges:
            for body in (exchange.request, exchange.response, exchange.error, exchange.path):
                found += [(row["id"], one.pattern, one.path) for one in find_secrets(body)]
    assert len(rows) > 1000
    assert found == []
