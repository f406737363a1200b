"""YAML read safely."""

from __future__ import annotations

import time

import pytest

from playhead.cassettes.yaml_document import MAX_DEPTH, YamlError, parse

TAGS = {
    "!!binary aGlnaA==": b"high",
    "!binary aGlnaA==": b"high",
    "!!python/object/apply:multidict._multidict.istr [Accept]": "Accept",
    "!!python/object/new:multidict._multidict.istr\n- Accept": "Accept",
    "!!python/object/apply:os.system ['touch /tmp/tide']": "touch /tmp/tide",
    "!!python/name:os.system": None,
    "!ruby/object:Tide {port: x}": {"port": "x"},
    "!!str 12": "12",
    "!!int 12": 12,
    ":symbol": ":symbol",
}


@pytest.mark.parametrize("text", TAGS)
def test_tags_never_build_objects(text: str) -> None:
    """Unknown tags give the plain value under them; binary gives bytes; nothing is imported or called."""
    assert parse(text.encode()) == [TAGS[text] if TAGS[text] is not None else ""]


PLAIN = {
    "2023-06-01": "2023-06-01",
    "12:30:00": "12:30:00",
    "no": "no",
    "0x1F": "0x1F",
    "017": "017",
    "1_000": "1_000",
    "12": 12,
    "-3": -3,
    "1.5": 1.5,
    "1e3": 1000.0,
    "true": True,
    "~": None,
    "null": None,
    "'12'": "12",
    "9" * 5000: "9" * 5000,
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_scalars(text: str) -> None:
    """Dates, times, octals and `no` are the text they were; numbers, words and null are values."""
    for document in (f"a: {text}\n", f"[{text}]"):
        (value,) = parse(document.encode())
        found = value["a"] if isinstance(value, dict) else value[0]  # type: ignore[index]
        assert (found, type(found)) == (PLAIN[text], type(PLAIN[text]))


def test_keys_are_text() -> None:
    """Keys are never resolved: `yes`, `1` and `null` name members as JSON would."""
    assert parse(b"{1: a, true: b, null: c}") == [{"1": "a", "true": "b", "null": "c"}]


def laughs(levels: int) -> bytes:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


BAD = {
    "a billion laughs": (laughs(12), "aliases repeat too much"),
    "deep flow": (b"[" * 5000 + b"]" * 5000, "nested more than|maximum nesting"),
    "deep block": ("".join("  " * n + "a:\n" for n in range(MAX_DEPTH + 5)).encode(), "nested more than"),
    "an alias in its anchor": (b"a: &a [*a]", "before the end of its anchor"),
    "an unknown alias": (b"a: *b", "before the end of its anchor"),
    "a list as a key": (b"? [a, b]\n: c", "cannot be a key"),
    "bad base64": (b"!!binary 'x'", "no base64"),
    "a broken quote": (b"a: 'b\nc: d\n", "no YAML"),
    "bytes": (b"\xff\xfe\xff", "no YAML"),
    "control characters": (b"a: \x01\n", "no YAML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_documents(name: str) -> None:
    """Limits and mistakes are one error with a reason, at once."""
    start = time.perf_counter()
    with pytest.raises(YamlError, match=BAD[name][1]):
        parse(BAD[name][0])
    assert time.perf_counter() - start < 5


def test_errors_name_the_line() -> None:
    """The line of a mistake is counted from 1."""
    with pytest.raises(YamlError) as raised:
        parse(b"a: b\nc: [\nd: e\n")
    assert raised.value.line in (3, 4)


def test_aliases_of_recorders() -> None:
    """Recorders repeat equal lists as aliases: they give the same value."""
    assert parse(b"a: &x [1]\nb: *x\n") == [{"a": [1], "b": [1]}]


def test_the_library_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml, its own parser gives the same."""
    import yaml

    text = b"a: !binary aGk=\nb: [1, {c: 'd'}]\n---\ne\n"
    fast = parse(text)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert parse(text) == fast == [{"a": b"hi", "b": [1, {"c": "d"}]}, "e"]


def test_an_anchor_may_be_used_again() -> None:
    """A later anchor of the same name is the one that aliases mean, and each document has its own."""
    assert parse(b"a: &x [1]\nb: *x\nc: &x high\nd: [*x, *x]\n") == [
        {"a": [1], "b": [1], "c": "high", "d": ["high"] * 2}
    ]
    with pytest.raises(YamlError, match="before the end of its anchor"):
        parse(b"a: &x 1\n---\nb: *x\n")


def test_many_aliases_of_small_values() -> None:
    """What is repeated often, but is small, is read; aliases of aliases count with all that they hold."""
    assert parse(b"a: &x [1]\nb: [" + b"*x, " * 50_000 + b"]\n")[0]["b"] == [[1]] * 50_000  # type: ignore[index]
    long = b"a: &x '" + b"x" * 2000 + b"'\nb: &y [" + b"*x, " * 100 + b"]\nc: [" + b"*y, " * 100 + b"]\n"
    with pytest.raises(YamlError, match=r"aliases repeat too much") as raised:
        parse(long)
    assert raised.value.line == 3
