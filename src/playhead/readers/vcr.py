"""The bridge to vcrpy: cassettes in our format, matched by what requests mean, without secrets, in suites that use it.

Law: the public face, and nothing but vcrpy's public hooks: a serializer, a matcher, a persister. It loads vcrpy, so
nothing of ours imports it unless it is asked for. docs/vcrpy.md says what it does and what vcrpy cannot give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from vcr.persisters.filesystem import CassetteNotFoundError

from playhead.cassettes.hosts import is_claudes, written_url
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.masking import Mask
from playhead.cassettes.normal import Rules
from playhead.cassettes.received import exchanges_of
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.scrubbers import Scrubber
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.cassettes.volatile import VolatileLike
from playhead.errors import RecordingError
from playhead.readers.vcr_files import Persister, Serializer
from playhead.readers.vcr_matching import NAME, Departed, Desk, Matcher
from playhead.readers.vcr_requests import RecordedRequest, to_answer
from playhead.wire.session import Session, with_retries

if TYPE_CHECKING:
    from vcr import VCR
    from vcr.cassette import Cassette


@dataclass(frozen=True, slots=True)
class Bridge:
    """What `register` has made known to a `VCR`."""

    persister: Persister

    def explain(self, error: BaseException) -> str | None:
        """Why vcrpy has no answer: where the request leaves the nearest recorded one.

        `error` is vcrpy's `CannotOverwriteExistingCassetteException`, or what a client made of it, as long as that
        is its cause. None where there is none, or nothing of the kind was recorded.
        """
        refused = next((one for one in _causes(error) if hasattr(one, "failed_request")), None)
        if refused is None or refused.failed_request is None:
            return None
        cassette, today = refused.cassette, refused.failed_request
        played = [place for place, count in cassette.play_counts.items() if count]
        left = self.persister.matcher.departed(today, cassette.requests, played)
        # before 9.2 vcrpy told nobody where a cassette is
        return None if left is None else _told(left, str(getattr(cassette, "path", "the cassette")))

    def rewrite(self, path: str | PathLike[str]) -> None:
        """Writes a cassette of vcrpy's anew in our format, all that it holds, without secrets.

        Raises `RecordingError` where it cannot be read, and `SecretFound`; the file then stands as it was.
        """
        try:
            requests, responses, *metadata = self.persister.load_cassette(path, self.persister.serializer)
        except CassetteNotFoundError:
            raise RecordingError(fspath(path), "there is no such cassette, or it is empty") from None
        made = {"requests": requests, "responses": responses, **({"metadata": metadata[0]} if metadata else {})}
        self.persister.save_cassette(path, made, self.persister.serializer)


def register(
    my_vcr: VCR,
    *,
    volatile: VolatileLike | Iterable[VolatileLike] = (),
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
    default: bool = True,
) -> Bridge:
    """Makes a `vcr.VCR` keep its cassettes in Playhead's format, and match requests by what they say.

    Registers the serializer and the matcher `"playhead"`, and a persister around the one that is there. They become the
    VCR's defaults, which options of a single cassette override; with `default=False` they are used only where they are
    named. `volatile` says what may differ, as for `FakeClaude.from_cassette`; `scrubbers`, `patterns` and `known` what
    must not reach a file, as for `Redactor`. Cassettes that vcrpy wrote are read as ever; what is written is ours.

    Raises `SetupError` for options that make no sense.
    """
    scrubbing = (scrubbers,) if callable(scrubbers) or isinstance(scrubbers, Mapping) else tuple(scrubbers)
    several = (volatile,) if isinstance(volatile, str) or not isinstance(volatile, Iterable) else tuple(volatile)
    secrets = known if isinstance(known, str) else tuple(known)

    def rules() -> Rules:
        return Rules.of(several, Mask(scrubbing, patterns, secrets))

    matcher = Matcher(rules)
    serializer = Serializer(lambda: Redactor(scrubbing, patterns, secrets))
    inner = my_vcr.persister.inner if isinstance(my_vcr.persister, Persister) else my_vcr.persister
    persister = Persister(inner, serializer, matcher)
    my_vcr.register_serializer(NAME, serializer)
    my_vcr.register_matcher(NAME, matcher)
    my_vcr.register_persister(persister)
    if default:
        my_vcr.serializer = NAME
        # with the method, vcrpy knows which recorded requests are near, and shows them
        my_vcr.match_on = ("method", NAME)
    return Bridge(persister)


def bridge_of(my_vcr: VCR) -> Bridge | None:
    """What `register` has made known to this `VCR`; None where it was not called."""
    return Bridge(my_vcr.persister) if isinstance(my_vcr.persister, Persister) else None


def session_of(cassette: Cassette) -> Session:
    """What passed between the test and Claude, as a session that `playhead.check` judges.

    Of a cassette that was played, what was not asked for is no part of it.
    """
    desk = Desk(Rules.of())
    pairs = [*zip(cassette.requests, cassette.responses, strict=True)]
    played = cassette.play_counts
    interactions, skipped = [], 0
    for position, (request, response) in enumerate(pairs):
        if cassette.play_count and not played[position] and isinstance(request, RecordedRequest):
            continue
        headers = {name.lower(): str(value) for name, value in request.headers.items()}
        path = written_url(request.uri)
        if not is_claudes(path, headers):
            skipped += 1
            continue
        interactions.append(
            Interaction(
                method=request.method,
                path=path,
                headers=headers,
                body=desk.shelved(request),
                answer=to_answer(response),
            )
        )
    return Session(
        exchanges=with_retries(exchanges_of(interactions)),
        format="vcrpy",
        skipped={"calls to other hosts": skipped} if skipped else {},
    )


def _causes(error: BaseException | None) -> Iterator[Any]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def _told(left: Departed, name: str) -> str:
    where = f"exchange {left.number} of {name}"
    if not left.path:
        return f"today's request is {where}, and {left.likely}"
    advice = left.likely
    if left.volatile:
        names = ", ".join(f'"{rule}"' for rule in left.volatile)
        advice += f", or register with volatile=[{names}]"
    return (
        f"today's request leaves {where}\n"
        f"    at        {left.path}\n"
        f"    recorded  {left.recorded}\n"
        f"    today     {left.today}\n"
        f"    likely    {advice}"
    )
