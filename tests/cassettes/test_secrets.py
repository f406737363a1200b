"""The table of patterns: each finds what it is for, and nothing else."""

from __future__ import annotations

import re

import pytest

from cassettes.harmless import TEXTS
from cassettes.planted import IN_CONTEXT, SECRETS
from playhead.cassettes.findings import find_secrets
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.secrets import PATTERNS, Pattern


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_found_whole(secret: str) -> None:
    """Nothing of it is left, and it is one secret, not several."""
    assert re.fullmatch(r"REDACTED-[a-z0-9-]+-1", Redactor().redact_text(secret))


AROUND = {
    "alone": "%s",
    "in a sentence": "The key is %s, keep it.",
    "in quotes": 'key = "%s"',
    "in backticks": "Use `%s` here.",
    "in angle brackets": "<key>%s</key>",
    "in brackets": "[%s](https://example.com)",
    "in an assignment": "KEY=%s\nOTHER=1",
    "in a variable's name": "KEY_%s",
    "after a colour": "\x1b[32m%s\x1b[0m",
    "after an escaped line break": "a\\n%s\\nb",
    "after letters of another script": "密钥%s是秘密",
    "in a comma-separated line": "1,%s,2",
    "at the end of a url": "https://example.com/v1/%s",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_found_wherever_it_stands(secret: str, around: str) -> None:
    """Quotes, escapes, colours and scripts around it hide nothing and are left as they are."""
    text = Redactor().redact_text(around % secret)
    assert secret not in text
    before, _, after = around.partition("%s")
    assert text.startswith(before)
    assert text.endswith(after)
    assert text.count("REDACTED-") == 1


@pytest.mark.parametrize(("around", "secret"), IN_CONTEXT.values(), ids=IN_CONTEXT)
def test_a_secret_is_told_by_what_stands_next_to_it(around: str, secret: str) -> None:
    """Names, schemes and parameters tell a secret that has no form of its own; only it is replaced."""
    text = Redactor().redact_text(around % secret)
    assert re.fullmatch(re.escape(around).replace("%s", "REDACTED-[a-z0-9-]+-1"), text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_harmless_is_left_alone(text: str) -> None:
    """Ids, checksums, code, words and stand-ins are no secrets: the very same object comes back."""
    assert find_secrets(text) == []
    assert Redactor().redact_text(text) is text


def test_every_pattern_is_tried() -> None:
    """No pattern is added without a secret that it finds."""
    found = {one.pattern for secret in SECRETS.values() for one in find_secrets(secret)}
    found |= {one.pattern for around, secret in IN_CONTEXT.values() for one in find_secrets(around % secret)}
    found |= {one.pattern for secret in VENDORS.values() for one in find_secrets(secret)}
    found |= {one.pattern for text in (MCP, DISCORD) for one in find_secrets(text)}
    assert {pattern.name for pattern in PATTERNS} - found == set()


_LETTERS = "NotARealSecretButOneOfTheRightForm1234567890PlantedByATestOfOurs"
_LOWER = "notarealsecretbutoneoftherightform1234567890plantedbyatest"
_HEX = "0ff1ceb00cfacade" * 8
VENDORS = {
    "tavily": "tvly" + "-" + _LETTERS[:32],
    "pinecone": "pcsk" + "_" + _LETTERS,
    "nvidia": "nvapi" + "-" + _LETTERS,
    "cerebras": "csk" + "-" + _LOWER[:48],
    "together": "tgp" + "_v1_" + _LETTERS[:43],
    "elevenlabs": "sk" + "_" + _HEX[:48],
    "e2b": "e2b" + "_" + _HEX[:40],
    "firecrawl": "fc" + "-" + _HEX[:32],
    "sentry": "sntrys" + "_" + _LETTERS,
    "figma": "figd" + "_" + _LETTERS[:40],
    "postman": "PMAK" + "-" + _HEX[:24] + "-" + _HEX[:34],
    "grafana": "glsa" + "_" + _LETTERS[:32] + "_" + _HEX[:8],
    "docker": "dckr_" + "pat_" + _LETTERS[:27],
    "linear": "lin_" + "api_" + _LETTERS[:40],
    "notion": "ntn" + "_" + _LETTERS[:46],
    "atlassian": "ATATT3" + (_LETTERS * 3)[:186],
    "planetscale": "pscale_" + "tkn_" + _LETTERS[:43],
    "new relic": "NRAK" + "-" + _LETTERS.upper()[:27],
    "heroku": "HRKU" + "-" + _LETTERS[:60],
    "mailgun": "key" + "-" + _HEX[:32],
    "supabase": "sbp" + "_" + _HEX[:40],
    "supabase secret": "sb_" + "secret_" + _LETTERS[:31],
    "rubygems": "rubygems" + "_" + _HEX[:48],
    "pulumi": "pul" + "-" + _HEX[:40],
    "bedrock, short-lived": "bedrock-api" + "-key-" + _LETTERS,
    "stripe webhook": "whsec" + "_" + _LETTERS[:32],
    "gitlab, routable": "glpat" + "-" + _LETTERS[:27] + ".01.0w1a2b3c4",
    "google refresh": "1/" + "/0" + _LETTERS[:50],
    "hugging face organisation": "api_" + "org_" + "NotARealTokenOfHuggingFaceAtAllPla",
    "github, hosted elsewhere": "ghs" + "_" + _LETTERS[:40],
}
MCP = '{"mcp_servers": [{"type": "url", "url": "https://mcp.example.com", "authorization_token": "short1"}]}'
DISCORD = "https://discord.com/api" + "/webhooks/123456789012345678/" + _LETTERS


@pytest.mark.parametrize("secret", VENDORS.values(), ids=VENDORS)
def test_vendors_secrets_are_found_whole(secret: str) -> None:
    """Secrets that are known by how they begin."""
    assert re.fullmatch(r"REDACTED-[a-z0-9-]+-1", Redactor().redact_text(f"{secret}"))


def test_the_token_for_an_mcp_server_is_one_whatever_it_is() -> None:
    """The API's own member for a secret: no form is asked of it."""
    value = {"mcp_servers": [{"type": "url", "name": "a", "authorization_token": "short1"}]}
    assert Redactor().redact_value(value)["mcp_servers"][0]["authorization_token"] == "REDACTED-mcp-token-1"


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_a_pattern_is_well_formed(pattern: Pattern) -> None:
    """Lower-case names, a source, anchors in the case in which they are looked for, nothing that matches nothing."""
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*", pattern.name)
    assert pattern.source.startswith("https://")
    assert pattern.anchors
    assert pattern.in_run or all(anchor == anchor.lower() for anchor in pattern.anchors)
    assert re.search(pattern.regex, "") is None
    assert re.search(pattern.regex, "\0" * 2000) is None
