"""The search: quick answers are right answers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassettes.harmless import TEXTS
from cassettes.planted import IN_CONTEXT, SECRETS
from playhead.cassettes.scanning import (
    PLACEHOLDER,
    Known,
    Scanner,
    identity,
    members_written,
    searched,
    tells,
    unescaped,
)
from playhead.cassettes.secrets import PATTERNS, Pattern

PLANTED = {**SECRETS, **{name: around % secret for name, (around, secret) in IN_CONTEXT.items()}}
PIECES = st.one_of(
    st.sampled_from([*PLANTED.values()]),
    st.sampled_from([*TEXTS.values()]),
    st.sampled_from(
        ["\\n", "\\/", "\\u0026", "%2F", '"', "key=", "token: ", "Bearer ", "://", "?key=", "=", "sk-", "eyJ"]
    ),
    st.text(max_size=8),
)


@given(st.lists(PIECES, max_size=5), st.sampled_from(["", " ", "\n", "é"]))
@settings(max_examples=300, deadline=None)
def test_what_the_quick_question_rules_out_is_not_there(pieces: list[str], joint: str) -> None:
    """All patterns matched one by one find just what the narrowed scanner finds."""
    text = joint.join(pieces)
    narrowed = Scanner.of().narrowed([text])
    assert (narrowed.spans(text) if narrowed else []) == Scanner.of().spans(text)


@given(st.lists(st.lists(PIECES, max_size=3).map("".join), max_size=4))
@settings(max_examples=200, deadline=None)
def test_texts_that_are_searched_together_are_searched_apart(texts: list[str]) -> None:
    """No secret reaches from one text into the next, and none is hidden by its neighbours."""
    narrowed = Scanner.of().narrowed(texts)
    for text in texts:
        assert (narrowed.spans(text) if narrowed else []) == Scanner.of().spans(text)


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
def test_a_narrowed_scanner_has_few_patterns(text: str) -> None:
    """Only those that match somewhere in the text, under whichever name."""
    narrowed = Scanner.of().narrowed([text])
    assert narrowed is not None
    assert 1 <= len(narrowed.patterns) <= 4
    assert all(re.search(pattern.regex, view) for pattern in narrowed.patterns for view in views(text, pattern))


def views(text: str, pattern: Pattern) -> list[str]:
    plain = unescaped(text)
    both = [text] if plain is None else [text, plain.text]
    return [view for view in both if re.search(pattern.regex, view)] or both[:1]


def test_the_most_telling_pattern_gives_the_name() -> None:
    """A GitHub token that is a bearer token, and a parameter, is a GitHub token."""
    token = SECRETS["github personal"]
    for text in (
        f"Bearer {token}",
        f"https://example.com?token={token}",
        f"token = '{token}'",
        f"https://{token}@h.com",
    ):
        (span,) = Scanner.of().spans(text)
        assert (span.name, text[span.start : span.end]) == ("github-token", token)


def test_spans_do_not_overlap() -> None:
    """Two secrets that overlap are one, as long as both."""
    text = "password=" + SECRETS["jwt"] + "!x"
    (span,) = Scanner.of().spans(text)
    assert text[span.start : span.end] == SECRETS["jwt"] + "!x"


UNESCAPED = {
    "a%2Fb": "a/b",
    "a%252Fb": "a/b",
    "a%25252Fb": "a/b",
    "a\\u0026b": "a&b",
    "a\\\\u0026b": "a&b",
    "a\\/b": "a/b",
    "a\\\\\\/b": "a/b",
    "x%0Ay": "x\ny",
    "100%": None,
    "50%00": None,
    "%zz \\u4e2d \\n": None,
    "no escape": None,
}


@pytest.mark.parametrize(("text", "plain"), UNESCAPED.items(), ids=UNESCAPED)
def test_escapes_are_undone(text: str, plain: str | None) -> None:
    """Of URLs and of JSON, one within the other; what only looks like one is left."""
    found = unescaped(text)
    assert (None if found is None else found.text) == plain


def test_only_the_surroundings_of_escapes_are_undone() -> None:
    """What stands far from any is searched as it is; every place is where it was."""
    text = "far " * 99 + "name = a%2Fb%2Fc " + "away " * 99 + "d\\u0026e" + " end" * 9
    found = unescaped(text)
    assert found is not None
    assert len(found.text) < 200
    for word, was in (("a/b/c", "a%2Fb%2Fc"), ("d&e", "d\\u0026e"), ("name", "name")):
        start = found.text.index(word)
        assert text[found.origin(start) : found.origin(start + len(word))] == was


def test_the_middle_of_a_word_is_no_beginning() -> None:
    """Wherever the surroundings of an escape are cut: `task-...` is no `sk-...`."""
    for length in range(100):
        text = f"task-0123456789abcdefghij {'x' * length} {'y' * 20} a%2Fb"
        assert Scanner.of().spans(text) == []


def test_a_secret_that_is_written_with_escapes_is_found_where_it_stands() -> None:
    """Its span is that of the text as written, and the secret is told without escapes."""
    secret = "wJ4lrXUtnFEMI/K7MDENG/bPxRf1CYNOTAREALK1"
    written = secret.replace("/", "\\/")
    text = f'{{"aws_secret_access_key": "{written}", "b": 1}}'
    (span,) = Scanner.of().spans(text)
    assert text[span.start : span.end] == written
    assert span.secret == secret


def test_two_ways_of_writing_a_secret_have_one_identity() -> None:
    """Line breaks, escapes, quotes and indentation are not part of it."""
    key = SECRETS["private key"]
    for written in (key.replace("\n", "\\n"), key.replace("\n", "\\\\n"), key.replace("\n", '",\n  "'), key + ""):
        assert identity(written) == identity(key)


def test_placeholders_are_none_of_the_secrets() -> None:
    """What stands for a secret is found by no pattern, with any name and number."""
    for pattern in PATTERNS:
        text = f"REDACTED-{pattern.name}-17"
        assert PLACEHOLDER.fullmatch(text)
        for around in ("%s", "password=%s", "Bearer %s", "https://a:%s@b.example.com/?token=%s", '"api_key": "%s"'):
            assert Scanner.of().spans(around.replace("%s", text)) == []


TELLING = {"password": True, "X-API-Key": True, "accessToken": True, "max_tokens": False, "keys": False, "text": False}


@pytest.mark.parametrize(("name", "telling"), TELLING.items(), ids=TELLING)
def test_names_that_tell(name: str, telling: bool) -> None:
    """Plurals count and list; they hold no secret."""
    assert tells(name) is telling


def test_a_value_is_searched_with_its_telling_names() -> None:
    """Once more as it would stand in JSON, its quotes and backslashes aside; every key once."""
    value = {"a": "x", "list": [{"password": 'y"\\z'}, {"password": "w v"}]}
    written = ['password: y"\\z', 'password": "y__z"', "password: w v"]
    assert sorted(searched(value)) == sorted(["x", 'y"\\z', "w v", *written, "a", "list", "password"])
    for text, start in members_written("pass'word", "y"):
        assert text.startswith("pass_word")
        assert text[start:].startswith("y")


def test_known_secrets_are_found_without_patterns() -> None:
    """By each way of writing them, with the name and the secret that they stand for."""
    scanner = Scanner.of((), {"a&b!": Known("known-secret", "a&b!"), "a+b!": Known("known-secret", "a&b!")})
    assert [span[2:] for span in scanner.spans("a&b! a%26b! a+b!")] == [("known-secret", "a&b!")] * 3
    assert scanner.narrowed(["nothing here"]) is None
