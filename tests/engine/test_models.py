"""The models endpoints: through the real client, page by page, and against what was recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic.types import ModelInfo
from anthropic.types.beta import BetaModelInfo

from playhead import FakeClaude, Model, Models, RecordingError, load
from playhead.engine.models import models_answer
from playhead.rules.models import MODELS, models_with
from playhead.wire.codec import encode

KNOWN = Models()
STAGES = "lifecycle[]=active&lifecycle[]=deprecated&lifecycle[]=retired"


def ids(path: str, models: Models = KNOWN) -> list[str]:
    status, body = models_answer(path, models)
    assert status == 200
    return [model["id"] for model in body["data"]]


def all_models() -> Iterator[dict[str, Any]]:
    yield from models_answer(f"/v1/models?limit=1000&{STAGES}", KNOWN)[1]["data"]


def test_every_model_of_the_table_is_listed() -> None:
    """Each of them once, the newest first, and none that the rules do not know."""
    names = [model["id"] for model in all_models()]
    assert len(names) == len({*names}) == len(MODELS)
    assert all(KNOWN.find(name).name in MODELS for name in names)
    released = [model["created_at"] for model in all_models() if not model["created_at"].startswith("1970")]
    assert released == sorted(released, reverse=True)


@pytest.mark.parametrize("model", [*all_models()], ids=lambda model: model["id"])
def test_each_is_what_the_sdk_expects(model: dict[str, Any]) -> None:
    """Validated strictly by the SDK's types, the beta one too; every capability is told."""
    for its in (ModelInfo, BetaModelInfo):
        its.model_validate_json(encode(model), strict=True)
    assert ModelInfo.model_fields.keys() == model.keys()


def test_capabilities_follow_from_the_rules() -> None:
    """What a model takes for thinking and effort is what its rules accept."""
    for told in all_models():
        model, capabilities = KNOWN.find(told["id"]), told["capabilities"]
        modes = {name for name, it in capabilities["thinking"]["types"].items() if it["supported"]}
        assert modes - {"disabled"} == {*(model.thinking or ())} - {"disabled"}
        assert capabilities["thinking"]["types"]["disabled"]["supported"] is (
            not model.thinking or "disabled" in model.thinking
        )
        levels = {name for name, it in capabilities["effort"].items() if name != "supported" and it["supported"]}
        assert levels == {*(model.effort or ())}
        assert told["max_tokens"] == model.max_output


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("claude-opus-5-5", "claude-opus-5-5"),
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
        ("claude-haiku-4-5-20250101", None),
        ("claude-haiku-9", None),
        ("gpt-4", None),
        ("a%20b", None),
    ],
)
def test_a_model_is_found_by_its_names(asked: str, found: str | None) -> None:
    """By id and by alias; another date is another model, and what is unknown is a 404 in the API's words."""
    status, body = models_answer(f"/v1/models/{asked}?beta=true", KNOWN, "req_0007")
    if found is not None:
        assert (status, body["id"]) == (200, found)
    else:
        name = asked.replace("%20", " ")
        assert status == 404
        assert body["error"] == {"type": "not_found_error", "message": f"model: {name}"}
        assert body["request_id"] == "req_0007"


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/model", "/v1/models/a/b", "/v1/messages", "/v1/files?limit=3"])
def test_anything_else_is_not_found(path: str) -> None:
    """In the API's words."""
    status, body = models_answer(path, KNOWN)
    assert (status, body["error"]) == (404, {"type": "not_found_error", "message": "Not Found"})


def test_a_gateway_may_stand_before_the_path() -> None:
    """What a proxy puts before the API's own part makes no difference."""
    assert ids("/proxy/anthropic/v1/models/?limit=1") == ids("/v1/models?limit=1")


@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
def test_pages_make_the_whole(limit: int) -> None:
    """Forwards and backwards, in pages of any size, each model comes once and in order."""
    whole = ids("/v1/models?limit=1000")
    forwards: list[str] = []
    query = ""
    for _ in whole:
        _, body = models_answer(f"/v1/models?limit={limit}{query}", KNOWN)
        forwards += [model["id"] for model in body["data"]]
        assert (body["first_id"], body["last_id"]) == (forwards[len(forwards) - len(body["data"])], forwards[-1])
        if not body["has_more"]:
            break
        query = f"&after_id={body['last_id']}"
    assert forwards == whole
    backwards: list[str] = [whole[-1]]
    for _ in whole:
        _, body = models_answer(f"/v1/models?limit={limit}&before_id={backwards[0]}", KNOWN)
        backwards = [*(model["id"] for model in body["data"]), *backwards]
        if not body["has_more"]:
            break
    assert backwards == whole


def test_an_empty_page() -> None:
    """After the last model there is nothing."""
    last = ids("/v1/models?limit=1000")[-1]
    status, body = models_answer(f"/v1/models?after_id={last}", KNOWN)
    assert (status, body) == (200, {"data": [], "has_more": False, "first_id": None, "last_id": None})


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after_id=gpt-4", "before_id=gpt-4"])
def test_a_wrong_query_is_refused(query: str) -> None:
    """A 400 that names the parameter."""
    status, body = models_answer(f"/v1/models?{query}", KNOWN)
    assert (status, body["error"]["type"]) == (400, "invalid_request_error")
    assert body["error"]["message"].startswith(query.partition("=")[0])


def test_retired_models_come_on_request() -> None:
    """The list has those that can still be called; a stage can be asked for, and a retired one is still found."""
    assert "claude-3-opus-20240229" not in ids("/v1/models?limit=1000")
    assert "claude-opus-4-5-20251101" in ids("/v1/models?limit=1000")
    assert "claude-3-opus-20240229" in ids("/v1/models?limit=1000&lifecycle[]=retired")
    assert ids("/v1/models?lifecycle[]=deprecated") == ids("/v1/models?lifecycle=deprecated")
    assert models_answer("/v1/models/claude-3-opus-20240229", KNOWN)[1]["lifecycle"] == "retired"


def test_models_of_ones_own_are_listed_too() -> None:
    """First, with what is known of them; one of the table that was changed keeps its place."""
    own = [Model(name="claude-next", thinking=("adaptive",), effort=("low",), max_output=9, context=99)]
    models = models_with([*own, Model(name="claude-opus-5-5", max_output=7)])
    status, told = models_answer("/v1/models/claude-next", models)
    assert (status, told["display_name"], told["max_tokens"], told["max_input_tokens"]) == (200, "Claude Next", 9, 99)
    assert told["capabilities"]["thinking"]["types"]["adaptive"] == {"supported": True}
    assert ids("/v1/models?limit=1000", models) == ["claude-next", *ids("/v1/models?limit=1000")]
    assert models_answer("/v1/models/claude-opus-5-5", models)[1]["max_tokens"] == 7


RESOURCES: list[tuple[Callable[[anthropic.Anthropic], Any], type]] = [
    (lambda client: client.models, ModelInfo),
    (lambda client: client.beta.models, BetaModelInfo),
]


@pytest.mark.parametrize(("resource", "its"), RESOURCES, ids=["general", "beta"])
def test_the_sdk_lists_and_retrieves(resource: Callable[[anthropic.Anthropic], Any], its: type) -> None:
    """The real client: automatic pages, filters, one model, an alias, and the error for one that is not there."""
    models = resource(FakeClaude([]).client())
    listed = [*models.list(limit=3)]
    assert [model.id for model in listed] == ids("/v1/models?limit=1000")
    assert {type(model) for model in listed} == {its}
    assert {model.lifecycle for model in models.list(lifecycle=["retired"])} == {"retired"}
    model = models.retrieve("claude-haiku-4-5")
    assert (model.id, model.display_name, model.line) == ("claude-haiku-4-5-20251001", "Claude Haiku 4.5", "haiku")
    assert model.capabilities.thinking.types.enabled.supported is True
    assert model.created_at.year == 2025
    with pytest.raises(anthropic.NotFoundError, match="model: claude-haiku-9") as error:
        models.retrieve("claude-haiku-9")
    assert error.value.type == "not_found_error"


def recorded() -> Iterator[dict[str, Any]]:
    """The models that real recordings of the endpoint list, with what they tell of each."""
    shared = Path(os.environ.get("PLAYHEAD_SHARED", "")) / "corpus"
    for path in sorted(shared.rglob("*")) if os.environ.get("PLAYHEAD_SHARED") else ():
        if not path.is_file() or "model" not in path.name.lower():
            continue
        try:
            exchanges = load(path).exchanges
        except RecordingError:
            continue
        for exchange in exchanges:
            data = (exchange.response or {}).get("data")
            if exchange.endpoint.endswith("/v1/models") and isinstance(data, list):
                yield from data


def test_it_is_what_was_recorded() -> None:
    """Each model of a real answer is told the same: names, dates, sizes, capabilities."""
    seen = 0
    for theirs in recorded():
        status, ours = models_answer(f"/v1/models/{theirs['id']}", KNOWN)
        seen += 1
        assert status == 200
        for name in ("id", "display_name", "max_input_tokens", "max_tokens"):
            assert ours[name] == theirs[name], f"{theirs['id']}: {name}"
        assert ours["created_at"] == theirs["created_at"] or theirs["created_at"].startswith("1970")
        for path in ("thinking.types.adaptive", "thinking.types.enabled", "context_management.compact_20260112"):
            assert _at(ours["capabilities"], path) == _at(theirs["capabilities"], path), f"{theirs['id']}: {path}"
        for name in ("batch", "citations", "code_execution", "image_input", "pdf_input", "structured_outputs"):
            assert ours["capabilities"][name] == theirs["capabilities"][name], f"{theirs['id']}: {name}"
        for level, supported in theirs["capabilities"]["effort"].items():
            if level != "xhigh":
                assert ours["capabilities"]["effort"][level] == supported, f"{theirs['id']}: effort {level}"
    if not seen:
        pytest.skip("needs real recordings: set PLAYHEAD_SHARED to the folder that holds them")
    assert seen >= 10


def _at(value: dict[str, Any], path: str) -> Any:
    for name in path.split("."):
        value = value[name]
    return value
