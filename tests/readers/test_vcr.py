"""The bridge to vcrpy: suites that use it get small cassettes, matched by what requests say, without secrets."""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
import threading
import warnings
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
import vcr
import yaml
from vcr.cassette import Cassette
from vcr.errors import CannotOverwriteExistingCassetteException

from playhead import (
    FakeClaude,
    RecordingError,
    SecretFound,
    SetupError,
    call,
    check,
    cut,
    fail,
    load,
    record,
    say,
    turn,
)
from playhead.readers.vcr import Bridge, register, session_of
from playhead.readers.vcr_requests import LazyBody, RecordedRequest
from readers.vcr_suites import BODY, KEY, TOOLS, ask, async_client, client, failing_to_save, loop, plain


def bridged(**options: Any) -> tuple[vcr.VCR, Bridge]:
    my_vcr = vcr.VCR(record_mode="once")
    return my_vcr, register(my_vcr, **options)


def adding(**options: Any) -> FakeClaude:
    return FakeClaude([call("add", a=1, b=2), say("3")], **options)


def named(path: Path) -> str:
    """What a cassette is called: before 9.2 vcrpy told nobody where one is."""
    return str(path) if hasattr(Cassette, "path") else "the cassette"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.yaml"


def test_a_loop_is_recorded_in_our_format_and_replayed(path: Path) -> None:
    """The file lists what each request adds; a replay gives the same replies and asks nobody."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        replies = loop(client(adding()))
    assert path.read_text().startswith("version: 1\nformat: playhead\n")
    assert path.read_text().count("What is 1 + 2?") == 1
    with my_vcr.use_cassette(str(path)) as cassette:
        assert loop(client()) == replies
    assert cassette.all_played
    assert len(load(path).exchanges) == 2
    with FakeClaude.from_cassette(path) as fake:
        assert loop(fake.client()) == replies


def test_streams_and_async_clients(path: Path) -> None:
    """What a stream helper makes is the same again."""
    my_vcr, _ = bridged()

    async def run(client: anthropic.AsyncAnthropic) -> Any:
        async with client.messages.stream(**ask("hi")) as stream:
            return (await stream.get_final_message()).to_dict()

    with my_vcr.use_cassette(str(path)):
        first = asyncio.run(run(async_client(FakeClaude([say("Hello, you")]))))
    assert "    events: |" in path.read_text()
    with my_vcr.use_cassette(str(path)):
        assert asyncio.run(run(async_client())) == first


def test_another_prompt_is_not_answered(path: Path) -> None:
    """vcrpy's own matching would play the old answer; ours refuses, and says where they differ."""
    my_vcr, bridge = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    with my_vcr.use_cassette(str(path)), pytest.raises(anthropic.APIConnectionError) as refused:
        loop(client(), result="4")
    assert bridge.explain(refused.value) == (
        f"today's request leaves exchange 2 of {named(path)}\n"
        "    at        $.messages[2].content[0].content\n"
        '    recorded  "3"\n'
        '    today     "4"\n'
        "    likely    the tool add returned something else than when it was recorded"
    )
    cause = refused.value.__cause__
    assert isinstance(cause, CannotOverwriteExistingCassetteException)
    assert cause.reason == "no_match"


def test_a_request_too_many_is_explained(path: Path) -> None:
    """It was recorded once, and has been played."""
    my_vcr, bridge = bridged()
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")])).messages.create(**ask("hi"))
    with my_vcr.use_cassette(str(path)):
        client().messages.create(**ask("hi"))
        with pytest.raises(anthropic.APIConnectionError) as refused:
            client().messages.create(**ask("hi"))
    told = f"today's request is exchange 1 of {named(path)}, and it is sent once more than it was recorded"
    assert bridge.explain(refused.value) == told
    assert bridge.explain(ValueError("else")) is None


def test_nothing_of_the_kind_was_recorded(path: Path) -> None:
    """No nearest request: there is nothing to explain."""
    my_vcr, bridge = bridged()
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")])).messages.create(**ask("hi"))
    with my_vcr.use_cassette(str(path)), pytest.raises(anthropic.APIConnectionError) as refused:
        client().messages.count_tokens(model="claude-opus-5-5", messages=[{"role": "user", "content": "hi"}])
    assert bridge.explain(refused.value) is None


def test_volatile_rules_look_past_what_changes(path: Path) -> None:
    """Declared once, for the whole suite."""
    my_vcr, _ = bridged(volatile=["dates"])
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")])).messages.create(**ask("It is 2025-01-01."))
    with my_vcr.use_cassette(str(path)):
        assert client().messages.create(**ask("It is 2026-11-30.")).content[0].text == "a"  # type: ignore[union-attr]
    with my_vcr.use_cassette(str(path)), pytest.raises(anthropic.APIConnectionError):
        client().messages.create(**ask("It was 2026-11-30."))


def test_what_means_the_same_matches(path: Path) -> None:
    """A text and one text block, a cache mark, another order of members."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")])).messages.create(**ask("hi"))
    block = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    with my_vcr.use_cassette(str(path)):
        client().messages.create(**{**ask(""), "messages": [{"role": "user", "content": [block]}]})


def test_identical_requests_are_played_in_the_order_of_recording(path: Path) -> None:
    """Each once."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path), allow_playback_repeats=False):
        fake = FakeClaude([say("a"), say("b")], conversations="any")
        for _ in range(2):
            client(fake).messages.create(**ask("hi"))
    with my_vcr.use_cassette(str(path)):
        texts = [client().messages.create(**ask("hi")).content[0].text for _ in range(2)]  # type: ignore[union-attr]
    assert texts == ["a", "b"]


def test_nothing_secret_is_written(path: Path) -> None:
    """Keys in headers, bodies and answers are placeholders; a replay with another key finds its request."""
    my_vcr, _ = bridged(scrubbers={"Ada": "NAME"}, known=["correct horse battery"])
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    text = f"{KEY} is Ada's, {secret} too, and correct horse battery"
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say(text)])).messages.create(**ask(text))
    written = path.read_text()
    for leak in (KEY, secret, "Ada", "correct horse"):
        assert leak not in written
    assert written.count("REDACTED-") == 6
    with my_vcr.use_cassette(str(path)):
        other = text.replace(secret, "ghp_" + "z9Y8x7W6v5" * 3 + "u4T3s2")
        client().messages.create(**ask(other))


def test_a_secret_that_no_placeholder_can_stand_for_is_not_saved(path: Path) -> None:
    """A JSON number, say: the save fails, names the place, and leaves no file."""
    my_vcr, _ = bridged(known=["4111111111111111"])
    body = {**ask("hi"), "metadata": {"user_id": "x"}, "extra_body": {"card": 4111111111111111}}
    with pytest.raises(SecretFound) as found, failing_to_save(my_vcr.use_cassette(str(path))):
        client(FakeClaude([say("a")], strict=False)).messages.create(**body)
    assert str(found.value).startswith(f"{path}: interactions[0].request: nothing was saved")
    assert not path.exists()


@pytest.mark.parametrize("serializer", ["yaml", "json"])
def test_cassettes_that_vcrpy_wrote_are_played(path: Path, serializer: str) -> None:
    """A suite that has them goes on as before, and its requests are matched by what they say."""
    replies = plain(path, adding(), loop, serializer=serializer)
    before = path.read_bytes()
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)) as cassette:
        assert loop(client()) == replies
    assert cassette.all_played
    with my_vcr.use_cassette(str(path)), pytest.raises(anthropic.APIConnectionError):
        client().messages.create(**ask("else"))
    assert path.read_bytes() == before


def test_what_is_added_to_an_old_cassette_makes_it_ours(path: Path) -> None:
    """And takes the key out of it."""
    plain(path, adding(), loop)
    assert KEY in path.read_text()
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path), record_mode="new_episodes"):
        loop(client())
        client(FakeClaude([say("new")])).messages.create(**ask("else"))
    assert path.read_text().startswith("version: 1\nformat: playhead\n")
    assert KEY not in path.read_text()
    session = load(path)
    assert [exchange.request["messages"][0]["content"] for exchange in session.exchanges if exchange.request] == [
        "What is 1 + 2?",
        "What is 1 + 2?",
        "else",
    ]


def test_an_old_cassette_is_rewritten_whole(path: Path) -> None:
    """Others' calls too, and without the key; a file that is not there is an error."""

    def both(sdk: anthropic.Anthropic) -> None:
        loop(sdk)
        with httpx2.Client(transport=httpx2.MockTransport(other_api)) as http:
            http.post("https://weather.example/log", content=b"x")

    plain(path, adding(), both)
    my_vcr, bridge = bridged()
    bridge.rewrite(path)
    assert path.read_text().startswith("version: 1\nformat: playhead\n")
    assert KEY not in path.read_text()
    once = path.read_bytes()
    bridge.rewrite(path)
    assert path.read_bytes() == once
    with my_vcr.use_cassette(str(path), record_mode="none") as cassette:
        both(client())
    assert cassette.all_played
    with pytest.raises(RecordingError, match="no such cassette"):
        bridge.rewrite(f"{path}.else")


def test_new_episodes_share_with_what_was_there(path: Path) -> None:
    """A conversation that goes on from a recorded one adds what is new, not its history."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    longer = FakeClaude([call("add", a=1, b=2), call("add", a=3, b=4), say("7")])
    loop(longer.client())
    with my_vcr.use_cassette(str(path), record_mode="all"):
        loop(client(FakeClaude([call("add", a=1, b=2), call("add", a=3, b=4), say("7")])))
    assert path.read_text().count("What is 1 + 2?") == 1
    assert len(load(path).exchanges) == 3


def test_the_options_of_one_cassette_go_first(path: Path) -> None:
    """`serializer` and `match_on` are vcrpy's as ever."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path), serializer="yaml", match_on=BODY):
        loop(client(adding()))
    assert path.read_text().startswith("interactions:\n- request:\n    body: ")
    with my_vcr.use_cassette(str(path), serializer="yaml", match_on=BODY):
        loop(client())


def test_only_where_it_is_named(path: Path) -> None:
    """With `default=False` nothing changes for cassettes that do not ask."""
    my_vcr, _ = bridged(default=False)
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    assert path.read_text().startswith("interactions:\n")
    with my_vcr.use_cassette(f"{path}.new", serializer="playhead", match_on=["playhead"]):
        loop(client(adding()))
    assert Path(f"{path}.new").read_text().startswith("version: 1\nformat: playhead\n")


def test_registering_again_replaces(path: Path) -> None:
    """The persister is not wrapped twice, and the later rules are in force."""
    my_vcr, first = bridged()
    second = register(my_vcr, volatile=["dates"])
    assert second.persister.inner is first.persister.inner
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")])).messages.create(**ask("It is 2025-01-01."))
    with my_vcr.use_cassette(str(path)):
        client().messages.create(**ask("It is 2026-11-30."))


@pytest.mark.parametrize("options", [{"volatile": "moon"}, {"scrubbers": [3]}, {"known": "abc def"}])
def test_options_that_make_no_sense_are_told_at_once(options: dict[str, Any]) -> None:
    """When the suite is set up, not in a transport."""
    with pytest.raises(SetupError):
        register(vcr.VCR(), **options)


def test_bodies_are_made_when_they_are_asked_for(path: Path) -> None:
    """Loaded requests share their history, and so do the copies that vcrpy makes of them."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    with my_vcr.use_cassette(str(path)) as cassette:
        first, second = cassette.requests
        assert isinstance(first, RecordedRequest)
        assert isinstance(second, RecordedRequest)
        assert second.shelved is not None
        assert second.shelved.before is first.shelved
        copied = copy.deepcopy(second)
        assert copied.shelved is second.shelved
        copied.headers["accept"] = "else"
        assert second.headers["accept"] == "application/json"
        assert json.loads(second.body)["messages"][0]["content"] == "What is 1 + 2?"
        assert second.body_bytes == second.body
        copied.body = "else"
        assert (copied.body, copied.body_bytes, copied.shelved) == (b"else", b"else", None)


def test_bodies_stay_as_they_are_kept_on_their_way_into_a_file(path: Path) -> None:
    """For this the bridge takes the place of a private member of vcrpy's: should it go, saving only takes longer."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    kept: list[object] = []

    class Probe:
        @staticmethod
        def serialize(cassette: Any) -> str:
            kept.extend(item["request"]["body"] for item in cassette["interactions"])
            return ""

    with my_vcr.use_cassette(str(path)) as cassette:
        vcr.serialize.serialize({"requests": cassette.requests, "responses": cassette.responses}, Probe)
    assert [type(body) for body in kept] == [LazyBody, LazyBody]


def test_hooks_of_the_suite_see_whole_bodies(path: Path) -> None:
    """What they make of a request is what is written and matched; None leaves it out."""
    my_vcr, _ = bridged()

    def hook(request: Any) -> Any:
        body = json.loads(request.body)
        if "secret plan" in json.dumps(body):
            return None
        body["messages"][0]["content"] = body["messages"][0]["content"].replace("1", "ONE")
        request.body = json.dumps(body)
        return request

    def answer_hook(response: Any) -> Any:
        response["body"]["string"] = response["body"]["string"].replace(b'"3"', b'"THREE"')
        return response

    hooks = {"before_record_request": hook, "before_record_response": answer_hook}
    with my_vcr.use_cassette(str(path), **hooks):
        loop(client(adding()))
        client(FakeClaude([say("a")])).messages.create(**ask("my secret plan"))
    text = path.read_text()
    assert "What is ONE + 2?" in text
    assert "secret plan" not in text
    assert "text: THREE" in text
    with my_vcr.use_cassette(str(path), **hooks):
        assert loop(client())[-1]["content"][0]["text"] == "THREE"


def test_encoded_answers_are_kept_decoded(path: Path) -> None:
    """vcrpy keeps them as they travelled, unless `decode_compressed_response` is set; both ways are readable here."""
    answer = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "a" * 200}]}

    def handle(request: Any) -> Any:
        headers = {"content-encoding": "gzip", "content-type": "application/json"}
        stream = httpx2.ByteStream(gzip.compress(json.dumps(answer).encode()))
        return httpx2.Response(200, headers=headers, stream=stream)

    http_client = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(handle))
    my_vcr, _ = bridged()
    for number, decode in enumerate((False, True)):
        name = f"{path}.{number}"
        with my_vcr.use_cassette(name, decode_compressed_response=decode):
            client(None, http_client=http_client).messages.create(**ask("hi"))
        assert "a" * 200 in Path(name).read_text()
        with my_vcr.use_cassette(name, decode_compressed_response=decode):
            reply = client().messages.create(**ask("hi"))
        assert reply.content[0].text == "a" * 200  # type: ignore[union-attr]


def other_api(request: Any) -> Any:
    if request.url.path == "/old":
        return httpx2.Response(302, headers={"location": "/new", "set-cookie": "sid=s3cr3tv4lue"})
    return httpx2.Response(200, headers={"x-page": "2"}, content=b"\xff\x00 sunny")


def test_other_apis_are_kept_with_their_host(path: Path) -> None:
    """Method and URL make the match, as by default in vcrpy; headers stay that a client may need, cookies go."""
    my_vcr, _ = bridged()

    def fetch() -> Any:
        with httpx2.Client(transport=httpx2.MockTransport(other_api), follow_redirects=True) as http:
            http.post("https://weather.example/log?b=2&a=1", content=b"x")
            return http.get("https://weather.example/old", headers={"authorization": f"Bearer {KEY}"})

    with my_vcr.use_cassette(str(path)) as cassette:
        fetch()
        client(FakeClaude([say("a")])).messages.create(**ask("hi"))
    text = path.read_text()
    assert 'url: "GET https://weather.example/old"' in text
    assert "s3cr3tv4lue" not in text
    assert KEY not in text
    with my_vcr.use_cassette(str(path), record_mode="none") as cassette:
        again = fetch()
        assert (again.content, again.headers["x-page"]) == (b"\xff\x00 sunny", "2")
        client().messages.create(**ask("hi"))
    assert cassette.all_played
    session = load(path)
    assert len(session.exchanges) == 1
    assert session.skipped == {"calls to weather.example": 3}
    assert session_of(cassette).skipped == {"calls to other hosts": 3}
    with FakeClaude.from_cassette(path) as fake:
        fake.client().messages.create(**ask("hi"))


def test_a_gateway_is_claude_too(path: Path) -> None:
    """Requests through one match those to the API: where Claude was asked says nothing of what it was asked."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("a")]), base_url="https://gateway.example/anthropic").messages.create(**ask("hi"))
    assert 'url: "POST https://gateway.example/anthropic/v1/messages"' in path.read_text()
    with my_vcr.use_cassette(str(path)):
        client().messages.create(**ask("hi"))
    assert len(load(path).exchanges) == 1


@pytest.mark.skipif(not hasattr(Cassette, "get_metadata"), reason="vcrpy has metadata from 9.4 on")
def test_metadata_beside_the_interactions(path: Path) -> None:
    """vcrpy's `get_metadata` keeps a value in the file."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)) as cassette:
        cassette.get_metadata("seed", {"number": 7})
        client(FakeClaude([say("a")])).messages.create(**ask("hi"))
    with my_vcr.use_cassette(str(path)) as cassette:
        assert cassette.get_metadata("seed", None) == {"number": 7}
    assert load(path).finished
    unwritable = failing_to_save(my_vcr.use_cassette(f"{path}.new"))
    with pytest.raises(SetupError, match="metadata"), unwritable as cassette:
        cassette.get_metadata("seed", object())


DAMAGED = {
    "no YAML": ("version: 1\nformat: playhead\ninteractions:\n- request: {add: [}\n# end 1\nfinished: 1\n", ":4: "),
    "a field": (
        "version: 1\nformat: playhead\ninteractions:\n- request: {add: 3}\n  response: {}\n# end 1\nfinished: 1\n",
        ":4: interactions[0].request.add: ",
    ),
    "vcrpy's, no YAML": ("interactions:\n- request: {\n", ":3: this is no YAML"),
    "vcrpy's, no JSON": ('{"interactions": [', ":1: it cannot be read"),
    "something else": ("hello: world\n", ": this is neither"),
    "a text": ("hello\n", ": this is neither"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_is_an_error_and_stays(path: Path, case: str) -> None:
    """It is never an empty cassette that is written over, and the error names file and line."""
    text, told = DAMAGED[case]
    path.write_text(text)
    my_vcr, _ = bridged()
    with pytest.raises(RecordingError) as error, my_vcr.use_cassette(str(path), record_mode="new_episodes"):
        pass
    assert str(error.value).startswith(f"{path}{told}")
    assert path.read_text() == text


def test_what_is_no_text_is_an_error_and_stays(path: Path) -> None:
    """vcrpy would take it for an empty cassette."""
    path.write_bytes(b"interactions: \xff\xfe")
    my_vcr, _ = bridged()
    with pytest.raises(RecordingError, match="this is no text: invalid start byte at byte 14"):
        my_vcr.use_cassette(str(path)).__enter__()
    assert path.read_bytes() == b"interactions: \xff\xfe"


def test_an_empty_file_is_recorded_anew(path: Path) -> None:
    """As vcrpy does it."""
    path.write_text("\n")
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    assert len(load(path).exchanges) == 2


def test_an_unfinished_cassette_is_played_with_a_warning(path: Path) -> None:
    """As far as it goes."""
    with record(path, upstream=adding().transport) as recording:
        loop(recording.client(api_key="k"))
    path.write_text(path.read_text().partition("# end 2")[0])
    my_vcr, _ = bridged()
    with pytest.warns(UserWarning, match="cut short after 1 exchange") as told, my_vcr.use_cassette(str(path)) as made:
        assert len(made) == 1
    assert str(path) in str(told[0].message)


def test_what_vcrpy_cannot_play_is_refused(path: Path) -> None:
    """A stream that was cut would come to its end there."""
    with record(path, upstream=FakeClaude([cut(say("Hello"))]).transport) as recording:
        stream = recording.client(api_key="k", max_retries=0).messages.create(**ask("hi"), stream=True)
        with pytest.raises(httpx2.TransportError):
            list(stream)
    my_vcr, _ = bridged()
    with pytest.raises(RecordingError, match=r"response\.fault: the connection broke here .*\.from_cassette does"):
        my_vcr.use_cassette(str(path)).__enter__()


def test_what_our_recorder_wrote_keeps_what_vcrpy_has_no_place_for(path: Path) -> None:
    """Pieces and times of a stream survive a save through vcrpy."""
    fake = FakeClaude([say("Hello, you there")])
    with record(path, upstream=fake.transport) as rec, rec.client(api_key="k").messages.stream(**ask("hi")) as stream:
        stream.until_done()
    times = next(line for line in path.read_text().splitlines() if line.startswith("    times:"))
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path), record_mode="new_episodes"):
        client(FakeClaude([say("new")])).messages.create(**ask("else"))
    assert times in path.read_text()


def test_errors_are_recorded(path: Path) -> None:
    """Status and body, as vcrpy does."""
    my_vcr, _ = bridged()
    for fake in (FakeClaude([fail(429)]), None):
        with my_vcr.use_cassette(str(path)), pytest.raises(anthropic.RateLimitError):
            client(fake).messages.create(**ask("hi"))


def test_a_cassette_is_judged_by_the_rules(path: Path) -> None:
    """Live and replayed: vcrpy itself says nothing of a result that is missing."""
    my_vcr, _ = bridged()

    def broken(client: anthropic.Anthropic) -> None:
        ours = client.messages.create(**ask("add", tools=TOOLS))
        answered = {"type": "tool_result", "tool_use_id": "toolu_else", "content": "3"}
        messages: list[Any] = [*ask("add")["messages"], {"role": "assistant", "content": ours.content}]
        client.messages.create(
            **{**ask("", tools=TOOLS), "messages": [*messages, {"role": "user", "content": [answered]}]}
        )

    for fake in (FakeClaude([turn(call("add", a=1)), say("?")], strict=False), None):
        with my_vcr.use_cassette(str(path)) as cassette:
            broken(client(fake))
        assert "tool-use-unanswered" in {violation.rule for violation in check(session_of(cassette))}


def test_what_was_not_played_is_not_judged(path: Path) -> None:
    """A test that stops early is judged by what it did."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    with my_vcr.use_cassette(str(path)) as cassette:
        client().messages.create(**ask("What is 1 + 2?", tools=TOOLS))
    assert len(session_of(cassette).exchanges) == 1


def test_threads_get_their_own_answers(path: Path) -> None:
    """32 at once, recording and replaying through one cassette."""
    my_vcr, _ = bridged()
    fake = FakeClaude(lambda request: say(f"to {request.text}"), conversations="any", max_requests=500)
    wrong: list[str] = []

    def run(number: int, upstream: FakeClaude | None) -> None:
        sdk = client(upstream)
        for step in range(3):
            reply = sdk.messages.create(**ask(f"{number}/{step}"))
            if reply.content[0].text != f"to {number}/{step}":  # type: ignore[union-attr]
                wrong.append(f"{number}/{step}: {reply.content}")

    for upstream in (fake, None):
        with my_vcr.use_cassette(str(path)) as cassette:
            threads = [threading.Thread(target=run, args=(number, upstream)) for number in range(32)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(cassette) == 96
    assert wrong == []
    assert cassette.all_played


def test_files_are_utf_8_whatever_the_machine_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """vcrpy writes in the encoding of the locale; ours is the same everywhere, and no half of it is ever there."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        client(FakeClaude([say("grüß dich, 世界 😀")])).messages.create(**ask("héllo"))
    assert "grüß dich, 世界 😀" in path.read_text("utf-8")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


class Memory:
    """A persister of a suite's own."""

    def __init__(self) -> None:
        self.saved: dict[str, str] = {}

    def load_cassette(self, cassette_path: Any, serializer: Any) -> Any:
        if str(cassette_path) not in self.saved:
            raise vcr.persisters.filesystem.CassetteNotFoundError
        return vcr.serialize.deserialize(self.saved[str(cassette_path)], serializer)

    def save_cassette(self, cassette_path: Any, cassette_dict: Any, serializer: Any) -> None:
        self.saved[str(cassette_path)] = vcr.serialize.serialize(cassette_dict, serializer)


def test_a_persister_of_the_suites_own_goes_on(path: Path) -> None:
    """Ours is put around it."""
    my_vcr, memory = vcr.VCR(), Memory()
    my_vcr.register_persister(memory)
    register(my_vcr)
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    assert memory.saved[str(path)].startswith("version: 1\nformat: playhead\n")
    with my_vcr.use_cassette(str(path)) as cassette:
        loop(client())
    assert isinstance(cassette.requests[0], RecordedRequest)
    assert not path.exists()


@pytest.mark.skipif(not hasattr(Cassette, "path"), reason="a cassette has a persister of its own from 9.2 on")
def test_the_serializer_alone_gives_plain_requests(path: Path) -> None:
    """A cassette with a persister of its own has whole bodies."""
    my_vcr, _ = bridged()
    memory = Memory()
    for fake in (adding(), None):
        with my_vcr.use_cassette(str(path), persister=memory) as cassette:
            loop(client(fake))
    assert not isinstance(cassette.requests[0], RecordedRequest)
    assert b"What is 1 + 2?" in cassette.requests[0].body


def test_an_old_reader_of_yaml_reads_what_is_written(path: Path) -> None:
    """Ours is plain YAML."""
    my_vcr, _ = bridged()
    with my_vcr.use_cassette(str(path)):
        loop(client(adding()))
    assert yaml.safe_load(path.read_text())["finished"] == 2


def test_no_warning_is_left(path: Path) -> None:
    """A whole recording and replay under warnings as errors."""
    my_vcr, _ = bridged()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fake in (adding(), None):
            with my_vcr.use_cassette(str(path)):
                loop(client(fake))
