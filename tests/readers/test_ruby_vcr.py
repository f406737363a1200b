"""Ruby VCR's cassettes."""

from __future__ import annotations

from playhead.readers.ruby_vcr import SHAPE
from playhead.readers.table import session_of
from readers.samples import MESSAGE, RUBY, as_json


def test_local_binary_tag() -> None:
    """`!binary`, Ruby's local tag, gives bytes; method names are in capitals."""
    (exchange,) = session_of(RUBY, "tide.yml").exchanges
    assert (exchange.method, exchange.response) == ("POST", MESSAGE)


def test_symbols_and_objects_are_text() -> None:
    """Symbols and tagged objects, which some serializers leave in, do no harm."""
    extra = b"    :adapter: :typhoeus\n    extra: !ruby/object:Tide\n      a: b\n"
    text = RUBY.replace(b"  response:\n", extra + b"  response:\n")
    assert session_of(text, "tide.yml").exchanges[0].response == MESSAGE


def test_a_json_cassette() -> None:
    """VCR writes JSON too."""
    from playhead.cassettes.yaml_document import parse

    (document,) = parse(RUBY.replace(b"!binary |-", b"|-"))
    assert SHAPE.fits(document)
    interaction = document["http_interactions"][0]  # type: ignore[index]
    interaction["response"]["body"] = {"encoding": "x", "base64_string": interaction["response"]["body"]["string"]}
    assert session_of(as_json(document), "tide.json").exchanges[0].response == MESSAGE


def test_shape() -> None:
    """Told by `http_interactions`."""
    assert not SHAPE.fits({"http_interactions": None})
