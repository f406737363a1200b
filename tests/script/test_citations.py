"""Citations: told apart by their members, completed, against the SDK's types."""

from __future__ import annotations

import typing
from typing import Any

import pytest
from anthropic.types.beta import beta_text_citation

from playhead import ScriptError, say
from playhead.script.citations import citations_of

CASES: list[tuple[str, dict[str, Any]]] = [
    ("char_location", {"start_char_index": 0, "end_char_index": 5, "cited_text": "Hello"}),
    ("page_location", {"start_page_number": 1, "end_page_number": 2, "cited_text": "Hello", "document_index": 3}),
    ("content_block_location", {"start_block_index": 0, "end_block_index": 1, "cited_text": "x"}),
    (
        "search_result_location",
        {"search_result_index": 0, "source": "kb", "start_block_index": 0, "end_block_index": 1},
    ),
    ("web_search_result_location", {"url": "https://a.example"}),
]


def classes() -> dict[str, Any]:
    union = typing.get_args(beta_text_citation.BetaTextCitation)[0]
    return {typing.get_args(its.model_fields["type"].annotation)[0]: its for its in typing.get_args(union)}


@pytest.mark.parametrize(("name", "given"), CASES, ids=[name for name, _ in CASES])
def test_every_kind_is_completed(name: str, given: dict[str, Any]) -> None:
    """The type follows from the members; the SDK's type takes it strictly; what is given stays."""
    (made,) = citations_of([given], "the text")
    assert made["type"] == name
    assert made == {**made, **given}
    its = classes()[name]
    its.model_validate(made, strict=True)
    assert made.keys() <= its.model_fields.keys()
    assert citations_of([{"type": name, **given}], "the text") == [made]


def test_every_kind_of_the_sdk_is_known() -> None:
    """The cases above are all there are."""
    assert {name for name, _ in CASES} == {*classes()}


def test_a_url_is_enough() -> None:
    """What is cited is then the text itself, and the index is sealed, the same every time."""
    first, again = say("Hi", citations=["https://a.example"]), say("Hi", citations=[{"url": "https://a.example"}])
    assert first == again
    (citation,) = first.data["citations"]
    assert citation["cited_text"] == "Hi"
    assert citation["encrypted_index"].startswith("E")
    assert say("Hi", citations=[]).data["citations"] == []
    assert "citations" not in say("Hi").data


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("https://a.example", r"citations of say\(\) are a list, not a string"),
        ({"url": "x"}, r"citations of say\(\) are a list, not an object"),
        ([5], r"citations\[0\] of say\(\) is an object, or the URL of a search result, not a number"),
        ([{"cited_text": "x"}], r"does not say where the text stands: it needs one of search_result_index, url"),
        ([{"start_char_index": 0}], r"citations\[0\] of say\(\) \(char_location\) lacks end_char_index"),
        ([{"type": "page_location", "url": "x"}], "does not say where the text stands"),
        ([{"url": {1}}], r"citations\[0\] of say\(\) is no JSON"),
    ],
    ids=["a string", "one dict", "a number", "nowhere", "half", "another type", "no JSON"],
)
def test_what_is_no_citation_is_refused(given: Any, error: str) -> None:
    """The error says what is missing."""
    with pytest.raises(ScriptError, match=error):
        say("a", citations=given)
