"""vcrpy's cassettes in our format: the serializer and the persister that are registered with it.

Law: between vcrpy's dictionaries and a cassette's text; how two requests compare is known elsewhere. What others wrote
is read by whoever wrote it: vcrpy's YAML and JSON, and other persisters.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import yaml
from vcr.persisters.filesystem import CassetteNotFoundError, FilesystemPersister
from vcr.serialize import deserialize as from_text
from vcr.serialize import serialize as to_text
from vcr.serializers import jsonserializer, yamlserializer

from playhead import files
from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.document import CassetteError, read, write
from playhead.cassettes.hosts import is_claudes, written_url
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.parsing import Cassette
from playhead.cassettes.redacted import Redacted
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.yaml_text import Unwritable
from playhead.errors import RecordingError, SetupError
from playhead.readers.vcr_matching import Matcher
from playhead.readers.vcr_requests import LazyBody, as_recorded, to_answer, to_bytes, to_vcrpy

_OURS = re.compile(r"(?m)\A(?:[a-z]+:[^\n]*\n)*?format: [\"']?playhead\b")
_PLAYABLE = (None, "abandoned")


class Serializer:
    """Text in our format to what vcrpy works with, and back, without secrets. vcrpy's own formats are read, too.

    `lazy` leaves bodies as they are kept; only our persister can take them so. `name` is the file's, where it is known:
    vcrpy does not tell a serializer.
    """

    def __init__(self, redactor: Callable[[], Redactor], *, lazy: bool = False, name: str = "a cassette") -> None:
        self._redactor, self._lazy, self._name = redactor, lazy, name

    def of_file(self, name: str) -> Serializer:
        """The same for a file of this name, with bodies that are made when they are asked for."""
        return Serializer(self._redactor, lazy=True, name=name)

    def deserialize(self, text: str) -> dict[str, Any]:
        """What vcrpy works with. Raises `CassetteError`, naming line and field."""
        if not text.strip():
            return {"version": 1, "interactions": []}
        if _OURS.match(text):
            return self._ours(read(text.encode("utf-8", "surrogatepass")))
        return _vcrpys(text)

    def _ours(self, cassette: Cassette) -> dict[str, Any]:
        for number, interaction in enumerate(cassette.interactions):
            answer = interaction.answer
            if not answer.status or answer.fault not in _PLAYABLE:
                reason = (
                    f"the connection broke here ({answer.fault}), and vcrpy cannot play that; "
                    "FakeClaude.from_cassette does"
                )
                raise CassetteError(reason, field=f"interactions[{number}].response.fault")
        if not cassette.finished:
            count = len(cassette.interactions)
            told = f"its recording was cut short after {count} exchange{'' if count == 1 else 's'}"
            warnings.warn(f"{self._name} is unfinished: {told}", stacklevel=2)
        items = [to_vcrpy(interaction, lazy=self._lazy) for interaction in cassette.interactions]
        made: dict[str, Any] = {"version": 1, "interactions": items}
        return {**made, "metadata": dict(cassette.metadata)} if cassette.metadata else made

    def serialize(self, cassette: Mapping[str, Any]) -> str:
        """The text of a cassette. Raises `SecretFound` where a secret would be left in it."""
        redacted, interactions = Redacted(self._redactor()), []
        live = [*_interactions(cassette["interactions"])]
        for interaction in live:
            redacted.learn(interaction)
        for number, interaction in enumerate(live, 1):
            made = _without_secrets(interaction, redacted)
            redacted.require_clean(made, self._name, number)
            interactions.append(made)
        try:
            return write(interactions, metadata=cassette.get("metadata")).decode()
        except Unwritable as error:
            raise SetupError(f"the cassette's metadata cannot be written: {error}") from None


def _vcrpys(text: str) -> dict[str, Any]:
    """A cassette that vcrpy wrote. Raises `CassetteError`."""
    own = jsonserializer if text.lstrip().startswith("{") else yamlserializer
    try:
        made = own.deserialize(text)
    except yaml.constructor.ConstructorError:
        raise  # a tag that vcrpy does not build: it has a message of its own
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise CassetteError(f"this is no YAML: {error.problem}", line=line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise CassetteError(f"it cannot be read: {error}", line=getattr(error, "lineno", None)) from None
    if isinstance(made, list):
        return made  # type: ignore[return-value]  # older than version 1: vcrpy says what to do
    if not isinstance(made, dict) or not isinstance(made.get("interactions"), list):
        raise CassetteError("this is neither a Playhead cassette nor one of vcrpy's: it has no list of interactions")
    return made


def _interactions(items: list[Mapping[str, Any]]) -> list[Interaction]:
    bodies = [item["request"]["body"] for item in items]
    given = [body.shelved if isinstance(body, LazyBody) else None for body in bodies]
    if not all(given):
        # some are new: all go onto one shelf, so that these share what they can with those that were there
        shelf = Shelf()
        given = [shelf.put(body.to_bytes() if body else to_bytes(raw)) for body, raw in zip(given, bodies, strict=True)]
    return [_interaction(item, body) for item, body in zip(items, given, strict=True) if body is not None]


def _interaction(item: Mapping[str, Any], body: Body) -> Interaction:
    request = item["request"]
    return Interaction(
        method=request["method"],
        path=written_url(request["uri"]),
        headers={name.lower(): str(values[0]) for name, values in request["headers"].items()},
        body=body,
        answer=to_answer(item["response"]),
    )


_TELLS_SECRET = re.compile(r"key|token|secret|auth|credential|password|cookie|signature|session")


def _without_secrets(live: Interaction, redacted: Redacted) -> Interaction:
    made = redacted.interaction(live)
    if is_claudes(live.path, live.headers):
        return made
    # the list of headers that pass is one of Claude's: another API may need any, to follow a redirect or a page say
    told = redacted.redactor.redact_text
    asked, answered = (
        {name: told(value) for name, value in headers.items() if not _TELLS_SECRET.search(name)}
        for headers in (live.headers, live.answer.headers)
    )
    return replace(made, headers=asked, answer=replace(made.answer, headers=answered))


class Persister:
    """Loads cassettes through the persister that was there, and saves them as a whole or not at all."""

    def __init__(self, inner: Any, serializer: Serializer, matcher: Matcher) -> None:
        self.inner, self.serializer, self.matcher = inner, serializer, matcher

    def load_cassette(self, cassette_path: str | os.PathLike[str], serializer: Any) -> tuple[Any, ...]:
        """Requests, responses, and metadata if there are any.

        Raises vcrpy's `CassetteNotFoundError` where there is no such file, and `RecordingError`, naming file, line and
        field, where it cannot be read: vcrpy would take it for an empty one, and write over it.
        """
        self.matcher.open()
        if serializer is not self.serializer:
            found: tuple[Any, ...] = self.inner.load_cassette(cassette_path, serializer)
            return found
        name = os.fspath(cassette_path)
        try:
            requests, responses, *metadata = self._load(name)
        except CassetteError as error:
            raise RecordingError(name, error.reason, line=error.line, field=error.field) from None
        except UnicodeDecodeError as error:
            raise RecordingError(name, f"this is no text: {error.reason} at byte {error.start}") from None
        shelf = Shelf()
        return [as_recorded(request, shelf) for request in requests], responses, *metadata

    def _load(self, name: str) -> tuple[Any, ...]:
        lazy = self.serializer.of_file(name)
        found: tuple[Any, ...]
        if not _is_plain(self.inner):
            found = self.inner.load_cassette(name, lazy)
            return found
        if not files.is_there(name):
            raise CassetteNotFoundError
        text = files.read_bytes(name).decode()
        if not text.strip():
            raise CassetteNotFoundError
        found = from_text(text, lazy)
        return found

    def save_cassette(self, cassette_path: str | os.PathLike[str], cassette_dict: Any, serializer: Any) -> None:
        """Writes the cassette. Raises `SecretFound` where a secret would be left in it, and `OSError`."""
        name = os.fspath(cassette_path)
        if not (_writes_files(self.inner) and serializer is self.serializer):
            self.inner.save_cassette(cassette_path, cassette_dict, serializer)
            return
        files.write_whole(name, to_text(cassette_dict, self.serializer.of_file(name)).encode())


def _is_plain(persister: Any) -> bool:
    """Whether it is vcrpy's own, which reads files in the encoding of the machine."""
    return persister is FilesystemPersister or type(persister) is FilesystemPersister


def _writes_files(persister: Any) -> bool:
    """Whether it saves as vcrpy's own does, into a file of that name."""
    kind = persister if isinstance(persister, type) else type(persister)
    return getattr(kind, "save_cassette", None) is FilesystemPersister.save_cassette
