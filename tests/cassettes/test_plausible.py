"""Whether what looks like a secret may be one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playhead.cassettes import plausible

CASES: list[tuple[Callable[[str], bool], str, bool]] = [
    (plausible.any_text, "sk-ant-api03-" + "A" * 80, True),
    (plausible.any_text, "sk-ant-api03-this-is-planted", True),
    (plausible.any_text, "sk-ant-api03-xxxxxxxxxxxx", False),
    (plausible.any_text, "AKIAXXXXXXXXXXXXXXXX", False),
    (plausible.any_text, "ghp_000000000000000000", False),
    (plausible.any_text, "sk-ant-your-key-goes-here", False),
    (plausible.mixed, "hf_abcdefghijklmnopqrst", False),
    (plausible.mixed, "hf_abcdeFGHijklmnopqrst", True),
    (plausible.mixed, "npm_abcdefghij0klmnopqr", True),
    (plausible.has_random_run, "sk-learn-0-24-migration-guide", False),
    (plausible.has_random_run, "sk-proj-0123456789abcdef", True),
    (plausible.has_random_run, "sk-abcdefghijklmnopqrst", False),
    (plausible.generated, "9f8e7d6c5b4a39281706f5e4d3c2b1a0", True),
    (plausible.generated, "9f8e7d6c5b4a3928", False),
    (plausible.generated, "os.environ.get", False),
    (plausible.generated, "settings.api_key_2", False),
    (plausible.generated, "this->config2->key3", False),
    (plausible.generated, "AWS4-HMAC-SHA256", False),
    (plausible.generated, "/var/run/secrets/token1/2", False),
    (plausible.generated, "https://example.com/1/2", False),
    (plausible.generated, "${SECRETS_2}/01", False),
    (plausible.generated, "12345678901234567890", False),
    (plausible.generated, "only-words-in-here-at-all", False),
    (plausible.chosen, "hunter-2-hunter", True),
    (plausible.chosen, "Summer24", True),
    (plausible.chosen, "Tr0ub4dor&3", True),
    (plausible.chosen, "correct-horse-battery-staple", False),
    (plausible.chosen, "password1", False),
    (plausible.chosen, "_PasswordType", False),
    (plausible.chosen, "$DB_PASSWORD", False),
    (plausible.chosen, "pa$$w0rd!", True),
    (plausible.chosen, "12345678", False),
    (plausible.in_url, "hunter2", True),
    (plausible.in_url, "password", False),
    (plausible.in_url, "{password}", False),
    (plausible.in_url, "$PASSWORD", False),
    (plausible.user_and_password, "bm9ib2R5Omh1bnRlcjI=", True),
    (plausible.user_and_password, "bm9ib2R5Omh1bnRlcjI==", False),
    (plausible.user_and_password, "functionality", False),
    (plausible.user_and_password, "bm9jb2xvbg==", False),
]


@pytest.mark.parametrize(
    ("test", "text", "is_one"), CASES, ids=[f"{test.__name__} {text[:24]}" for test, text, _ in CASES]
)
def test_a_text(test: Callable[[str], bool], text: str, is_one: bool) -> None:
    """Stand-ins, words, code and checksums are let go, everything else is not."""
    assert test(text) is is_one


@pytest.mark.parametrize(
    "test", [plausible.any_text, plausible.generated, plausible.chosen, plausible.mixed, plausible.in_url]
)
@pytest.mark.parametrize("unit", ["a", "a-", "aB3", "_", "x", "-.", "a.b", "<", "A1-", "a::"])
def test_long_texts_come_to_an_end(test: Callable[[str], bool], unit: str) -> None:
    """Every expression is tried in one way only: a million characters are no matter."""
    assert test(unit * (1_000_000 // len(unit)) + "!") in (True, False)
