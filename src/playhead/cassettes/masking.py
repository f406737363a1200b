"""Requests with their secrets looked past, so that today's, which holds them, fits a recorded one, which does not.

Law: a redactor and what makes its placeholders alike; texts and values, nothing of requests. Both sides pass through
here: the recorded one has placeholders already, and keeps them.

A secret means its form: the numbers of placeholders tell only in which order secrets came, and that is another where
conversations run side by side. What is known because a header or the user told it is of one form: the key of a test has
not the form of a real one, and nobody tells today's an organisation's id but the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from playhead.cassettes.headers import credentials
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.scanning import searched
from playhead.cassettes.scrubbers import Scrubber
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.cassettes.volatile import alike
from playhead.wire.codec import Json

_NUMBERED = re.compile(r"REDACTED-([a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*)-\d+")
_TOLD = frozenset(
    {"key", "api-key", "anthropic-key", "bedrock-api-key", "known-secret", "organization-id", "workspace-id"}
)
"""The forms that the key of a client may have, and those of secrets that have none."""


class Mask:
    """Makes values alike that differ only in their secrets. The options are those of `Redactor`; raises as it does."""

    def __init__(
        self,
        scrubbers: Scrubber | Iterable[Scrubber] = (),
        patterns: Sequence[Pattern] = PATTERNS,
        known: Iterable[str] = (),
    ) -> None:
        self._redactor = Redactor(scrubbers, patterns, known)

    def learn(self, headers: Mapping[str, str]) -> None:
        """Takes in the credentials of a request, which are secrets in its body too."""
        for credential in credentials(headers):
            self._redactor.know(credential.secret, credential.name)

    def text(self, text: str) -> str:
        """A text with its secrets as `<secret form>`."""
        return _alike(self._redactor.redact_text(text))

    def url(self, path: str) -> str:
        """A path with its query, likewise."""
        return _alike(self._redactor.redact_url(path))

    def value(self, value: Json) -> Json:
        """A JSON value, likewise; the very same object where it holds none."""
        redacted = self._redactor.redact_value(value)
        if redacted is value and not any("REDACTED-" in text for text in searched(value)):
            return value
        return alike(redacted, [_alike])


def _alike(text: str) -> str:
    return _NUMBERED.sub(_form, text) if "REDACTED-" in text else text


def _form(match: re.Match[str]) -> str:
    return f"<secret {'key-or-id' if match[1] in _TOLD else match[1]}>"
