"""A cassette played: recorded answers as they came, what a rule says all the same, and what fits nothing."""

from __future__ import annotations

import json

import pytest

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.parsing import Cassette
from playhead.engine.http import Incoming, Outgoing
from playhead.engine.sending import Asked
from playhead.engine.tape import Tape, sending
from playhead.engine.verdict import failures
from playhead.errors import RuleViolations
from playhead.wire.stream import events_of, stream_bytes
from taping import ASK, CALL, HEADERS, JSON, STREAM, engine_of, failed, post, raw, said, tape_of, text_of


def test_a_retry_is_an_exchange_of_its_own() -> None:
    """The error first, then the message; the exchange says which attempt it repeats."""
    engine = engine_of(tape_of(([ASK], failed(529)), ([ASK], said("a"))))
    assert [post(engine, raw(ASK)).status for _ in range(2)] == [529, 200]
    first, second = engine.exchanges
    assert (first.status, first.error) == (529, {"type": "overloaded_error", "message": "Overloaded"})
    assert (second.retry_of, second.content) == (1, [{"type": "text", "text": "a"}])
    assert failures(engine) == []


def test_asked_once_more_than_recorded() -> None:
    """The third identical request gets a 400 that no client tries again; the test fails with the same sentence."""
    engine = engine_of(tape_of(([ASK], said("a")), ([ASK], said("b"))))
    assert [text_of(post(engine, raw(ASK))) for _ in range(2)] == ["a", "b"]
    answer = post(engine, raw(ASK))
    assert (answer.status, answer.headers["x-should-retry"]) == (400, "false")
    assert text_of(answer).startswith(
        "Playhead: turn 1 of a.yaml is asked for again; likely the loop sends it once more than when it was recorded "
        "(2 times): a retry, or a second run; if today's is right: record it again: "
    )
    assert [type(failure).__name__ for failure in failures(engine)] == ["RequestMismatch"]


def test_what_follows_from_a_mismatch_is_counted() -> None:
    """The loop goes on in the conversation that has left the recording: one failure."""
    echo = {"role": "assistant", "content": "a"}
    engine = engine_of(tape_of(([ASK], said("a")), ([ASK, echo, ASK], said("b"))))
    post(engine, raw(ASK))
    for more in range(1, 4):
        post(engine, raw(ASK, echo, *[{"role": "user", "content": "other"}] * more))
    assert engine.tape is not None
    (mismatch,) = engine.tape.mismatches
    assert (mismatch.path, mismatch.later) == ("$.messages[2].content", 2)


def test_more_mismatches_than_anybody_reads_are_counted() -> None:
    """Each a conversation of its own; the last that is told counts the others."""
    engine = engine_of(tape_of(([ASK], said("a"))))
    for number in range(15):
        assert post(engine, raw({"role": "user", "content": f"other {number}"})).status == 400
    assert engine.tape is not None
    assert len(engine.tape.mismatches) == 10
    assert [mismatch.later for mismatch in engine.tape.mismatches] == [0] * 9 + [5]


def test_a_recorded_request_is_answered_where_a_rule_would_refuse_it() -> None:
    """The recording shows what the API did; the violation stands unless it is expected."""
    echo = {"role": "assistant", "content": [CALL]}
    refused = [ASK, echo, ASK]
    engine = engine_of(tape_of((refused, said("taken"))))
    assert text_of(post(engine, raw(*refused))) == "taken"
    (failure,) = failures(engine)
    assert isinstance(failure, RuleViolations)
    assert failures(engine, engine.violations) == []


def test_a_recorded_refusal_is_given_back() -> None:
    """With the API's own words, not with those of the rule."""
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages.1: just so"}}
    recorded = Answer(status=400, headers=JSON, body=json.dumps(error).encode())
    refused = [ASK, {"role": "assistant", "content": [CALL]}, ASK]
    engine = engine_of(tape_of((refused, recorded)))
    assert text_of(post(engine, raw(*refused))) == "messages.1: just so"
    assert [violation.rule for violation in engine.violations] == ["tool-use-unanswered"]
    assert [type(failure).__name__ for failure in failures(engine)] == ["RuleViolations"]


def test_what_fits_nothing_and_breaks_a_rule_is_told_by_the_rule() -> None:
    """One cause, one failure: the API's words, and a note of what was not played."""
    engine = engine_of(tape_of(([ASK], said("a", CALL, stop_reason="tool_use")), ([ASK, ASK], said("b"))))
    post(engine, raw(ASK))
    answer = post(engine, raw(ASK, {"role": "assistant", "content": [{"type": "text", "text": "a"}, CALL]}, ASK))
    assert "`tool_use` ids were found without `tool_result` blocks" in text_of(answer)
    (failure,) = failures(engine)
    assert isinstance(failure, RuleViolations)
    assert "1 of 2 recorded exchanges in a.yaml was never asked for." in str(failure)


def test_the_recorded_status_reaches_the_rules() -> None:
    """As in a recording that is checked: a rule about the key is silent where the API has answered."""
    engine = engine_of(tape_of(([ASK], said("a"))))
    without_key = {"anthropic-version": "2023-06-01"}
    engine.answer(Incoming(method="POST", path="/v1/messages", headers=without_key, body=raw(ASK)))
    assert failures(engine) == []
    lost = engine_of(tape_of(([ASK], said("a"))))
    other = raw({"role": "user", "content": "other"})
    lost.answer(Incoming(method="POST", path="/v1/messages", headers=without_key, body=other))
    assert [violation.level for violation in lost.violations] == ["reject"]


def test_a_lenient_replay_fails_only_on_what_fits_nothing() -> None:
    """Neither violations nor exchanges that are left over; a request without an answer is none of these."""
    calls = ([ASK], said("a")), ([ASK, ASK], said("b"))
    engine = engine_of(tape_of(*calls), strict=False)
    post(engine, raw(ASK))
    assert failures(engine) == []
    post(engine, raw({"role": "user", "content": "other"}))
    assert [type(failure).__name__ for failure in failures(engine)] == ["RequestMismatch"]


def test_left_over_after_an_expected_refusal() -> None:
    """The refusal that the test wants has kept the loop from going on."""
    engine = engine_of(tape_of(([ASK], said("a", CALL, stop_reason="tool_use")), ([ASK, ASK], said("b"))))
    post(engine, raw(ASK))
    post(engine, raw(ASK, {"role": "assistant", "content": [{"type": "text", "text": "a"}, CALL]}, ASK))
    assert failures(engine, engine.violations) == []


def test_a_volatile_function_that_fails_is_the_tests_fault() -> None:
    """It would otherwise become "Connection error."; the request gets a 400 in one sentence."""

    def fragile(text: str) -> str:
        return text if text != "other" else str(1 / 0)

    engine = engine_of(tape_of(([ASK], said("a")), volatile=fragile))
    answer = post(engine, raw({"role": "user", "content": "other"}))
    assert answer.status == 400
    assert text_of(answer) == "Playhead: the volatile function fragile raised ZeroDivisionError: division by zero"
    assert [type(failure).__name__ for failure in failures(engine)] == ["SetupError"]
    assert post(engine, b'{"a": "other"}', "/v1/elsewhere").status == 400


# Other endpoints


def other_calls() -> Tape:
    shelf = Shelf()
    count = Answer(headers=JSON, body=b'{"input_tokens":7}')
    models = Answer(headers=JSON, body=b'{"data":[],"has_more":false}')
    interactions = (
        Interaction(path="/v1/messages/count_tokens", body=shelf.put(raw(ASK)), answer=count),
        Interaction(method="GET", path="/v1/models?limit=2", answer=models),
        Interaction(path="/v1/messages/batches", body=shelf.put(b'{"requests":[]}'), answer=Answer(headers=JSON)),
    )
    return Tape(Cassette(interactions=interactions, finished=True), "a.yaml")


def test_token_counts_models_and_all_else_are_replayed() -> None:
    """Whatever was asked, by method, path and body."""
    engine = engine_of(other_calls())
    get = Incoming(method="GET", path="/v1/models?limit=2", headers=HEADERS, body=b"")
    assert post(engine, raw(ASK), "/v1/messages/count_tokens?beta=true").body == b'{"input_tokens":7}'
    assert engine.answer(get).body == b'{"data":[],"has_more":false}'
    assert post(engine, b'{ "requests": [] }', "/v1/messages/batches").status == 200
    assert engine.exchanges[-1].request == {"requests": []}
    assert failures(engine) == []
    again = json.loads(engine.answer(get).body)
    assert "exchange 2 (GET /v1/models?limit=2) of a.yaml is asked for again" in again["error"]["message"]


def test_an_endpoint_that_was_not_recorded() -> None:
    """It is named; who only looks whether anybody is there need not be recorded."""
    engine = engine_of(tape_of(([ASK], said("a"))))
    post(engine, raw(ASK))
    assert engine.answer(Incoming(method="HEAD", path="/", headers={}, body=b"")).status == 404
    assert failures(engine) == []
    answer = engine.answer(Incoming(method="GET", path="/v1/models", headers=HEADERS, body=b""))
    assert text_of(answer).startswith(
        "Playhead: a.yaml holds no GET /v1/models; likely the loop asks for GET /v1/models only now"
    )


def test_an_other_body_on_an_endpoint_that_no_rule_knows() -> None:
    """Its first difference is told as of any other."""
    engine = engine_of(other_calls())
    told = text_of(post(engine, b'{"requests":[{"custom_id":"a"}]}', "/v1/messages/batches"))
    assert "exchange 3 (POST /v1/messages/batches) of a.yaml differs from today's request at $.requests" in told
    assert "no JSON object" in text_of(post(engine_of(other_calls()), b"\xff", "/v1/messages/batches"))


# Answers as they came


def test_a_stream_is_known_as_the_message_that_it_made() -> None:
    """Rules judge what a loop does with a reply; so the replayed exchange has it, whole or as far as it came."""
    message = json.loads(said("a").body)
    whole = Answer(headers=STREAM, body=stream_bytes(events_of(message)))
    recorded = Interaction(body=Shelf().put(raw(ASK, stream=True)), answer=whole)
    engine = engine_of(Tape(Cassette(interactions=(recorded,), finished=True), "a.yaml"))
    post(engine, raw(ASK, stream=True))
    (exchange,) = engine.exchanges
    assert exchange.response is not None
    assert (exchange.response["content"], exchange.complete) == (message["content"], True)


PIECES = (b"event: ping\n", b'data: {"type":"pi', b'ng"}\n\n')
BODY = b"".join(PIECES)
ENDS = (12, 29)


def sent(answer: Answer, *, hurry: bool = False) -> Outgoing:
    return sending(answer, Asked("req_1", stream=answer.streamed), hurry=hurry).outgoing


def test_pieces_and_times_are_given_back() -> None:
    """The first piece after the time it took, each other after the time since the one before."""
    answer = sent(Answer(headers=STREAM, body=BODY, ends=ENDS, times=(250, 250, 1750)))
    assert (answer.chunks, answer.delay, answer.waits) == (PIECES, 0.25, (0.0, 0.0, 1.5))
    assert (answer.status, dict(answer.headers), answer.fault) == (200, STREAM, None)


def test_times_that_fit_no_pieces_are_not_kept_to() -> None:
    """Somebody has edited the body: only how long the answer took to begin is known."""
    answer = sent(Answer(headers=STREAM, body=BODY, times=(250, 250, 1750)))
    assert (answer.chunks, answer.delay, answer.waits) == ((BODY,), 0.25, ())


FAULTS: dict[str, tuple[Answer, int, str | None]] = {
    "a cut stream": (Answer(headers=STREAM, body=BODY, ends=ENDS, fault="read"), 200, "read"),
    "a closed connection": (Answer(headers=STREAM, body=BODY, fault="close"), 200, "close"),
    "a client that stopped reading": (Answer(headers=STREAM, body=BODY, ends=ENDS, fault="abandoned"), 200, None),
    "no connection": (Answer(status=0, fault="connect"), 0, "connect"),
    "a timeout": (Answer(status=0, fault="timeout"), 0, "timeout"),
    "nothing": (Answer(status=0), 0, "close"),
    "a client that did not wait": (Answer(status=0, fault="abandoned"), 0, "timeout"),
}


@pytest.mark.parametrize(("answer", "status", "fault"), FAULTS.values(), ids=FAULTS)
def test_faults_are_given_back(answer: Answer, status: int, fault: str | None) -> None:
    """After the last piece, or in place of the answer; what a client left unread ends there."""
    outgoing = sent(answer)
    assert (outgoing.status, outgoing.fault, outgoing.body) == (status, fault, answer.body)
    seen = sending(answer, Asked("req_1", stream=True)).seen
    assert seen["complete"] is False


def test_headers_of_the_way_are_left_out() -> None:
    """The recorded content is decoded; a client would decode it again."""
    headers = {**JSON, "content-encoding": "gzip", "content-length": "3", "transfer-encoding": "chunked", "x": "y"}
    assert dict(sent(Answer(headers=headers, body=b"{}")).headers) == {**JSON, "x": "y"}


HURRY: dict[str, tuple[Answer, str | None]] = {
    "529": (failed(529), "1"),
    "429 with its own": (failed(429, **{"retry-after-ms": "500"}), "500"),
    "429 in seconds": (failed(429, **{"retry-after": "30"}), "1"),
    "500 not to be tried again": (failed(500, **{"x-should-retry": "false"}), None),
    "400": (failed(400), None),
    "200": (said("a"), None),
}


@pytest.mark.parametrize(("answer", "milliseconds"), HURRY.values(), ids=HURRY)
def test_no_time_passes_before_the_sdk_tries_again(answer: Answer, milliseconds: str | None) -> None:
    """The header that it looks at first says so; with a clock of its own a test gets the answer as it was."""
    assert sent(answer, hurry=True).headers.get("retry-after-ms") == milliseconds
    assert dict(sent(answer).headers) == dict(answer.headers)


# The recording as a session


def test_where_an_exchange_stands() -> None:
    """By turn; the conversation is named where there are several, what is in none by its number and path."""
    echo = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    one = tape_of(([ASK], said("a")), ([ASK], failed(529)), ([ASK, echo, ASK], said("b")))
    assert [one.where(at) for at in range(3)] == ["turn 1", "turn 1", "turn 2"]
    assert [one.turn(at) for at in range(3)] == [1, 1, 2]
    two = tape_of(([ASK], said("a")), ([{"role": "user", "content": "ho"}], said("b")))
    assert two.where(1) == "turn 1 of conversation 2"
    assert other_calls().where(0) == "exchange 1 (POST /v1/messages/count_tokens)"
    assert other_calls().turn(1) is None


def test_a_recording_that_was_cut_short_says_so() -> None:
    """Where it ends, and where an endpoint is missing: that may be all there is to it."""
    echo = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    engine = engine_of(tape_of(([ASK], said("a")), finished=False))
    post(engine, raw(ASK))
    assert "likely the recording was cut short after 1 exchange;" in text_of(post(engine, raw(ASK, echo, ASK)))
    whole = engine_of(tape_of(([ASK], said("a"))))
    post(whole, raw(ASK))
    assert "likely the loop goes on where the recording ends;" in text_of(post(whole, raw(ASK, echo, ASK)))
