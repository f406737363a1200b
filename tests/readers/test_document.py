"""What kind of document a file is."""

from __future__ import annotations

import pytest

from playhead.readers.document import is_json, is_yaml
from playhead.readers.source import Source

JSON = {
    b'{"a": 1}': True,
    b"\xef\xbb\xbf\n [1]": True,
    b'{"a":\n1}': True,
    b'{\n  "a": {}\n}\n': True,
    b'[\n{"a": 1}\n]': True,
    b'{"a": 1}\n': True,
    b'{"a": 1}\n{"b": 2}': False,
    b'{"a": 1}\n\n{"b": 2}\n': False,
    b'{"a": 1}\nnoise': False,
    b"interactions:": False,
    b"event: ping": False,
}


@pytest.mark.parametrize("data", JSON)
def test_json_documents_and_json_lines(data: bytes) -> None:
    """A document begins with a bracket, and its first line is not already a whole value that others follow."""
    assert is_json(Source.of("x", data)) == JSON[data]


YAML = {
    b"interactions: []": True,
    b"---\nhttp_interactions:\n": True,
    b"# made by hand\nversion: 1\n'interactions':\n": True,
    b"when:\n  path: /\nthen: {}": True,
    b"tide: high\n": False,
    b"event: ping\ndata: {}\n": False,
    b"  interactions: []": False,
    b"\xef\xbb\xbfinteractions: []": True,
}


@pytest.mark.parametrize("data", YAML)
def test_yaml_documents(data: bytes) -> None:
    """YAML is known by an outermost member that recorders write."""
    assert is_yaml(Source.of("x", data)) == YAML[data]
