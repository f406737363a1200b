"""The tree of a Claude Code session."""

from __future__ import annotations

from collections import Counter

from playhead.readers.claude_code_tree import entries_of


def line(kind: str, uuid: str, parent: str | None, content: object, **message: object) -> dict:
    said = {"role": kind, "content": content, **message}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": said}


def test_lines_that_are_no_messages_lead_to_their_parent():
    """A chain of progress lines ends at the message above it, also where it is a circle."""
    steps = [{"type": "progress", "uuid": f"p{n}", "parentUuid": f"p{n - 1}" if n else "u1"} for n in range(5)]
    circle = [
        {"type": "progress", "uuid": "x", "parentUuid": "y"},
        {"type": "progress", "uuid": "y", "parentUuid": "x"},
    ]
    skipped: Counter[str] = Counter()
    entries = entries_of(
        [
            line("user", "u1", None, "Hi"),
            *steps,
            *circle,
            line("user", "u2", "p4", "there"),
            line("user", "u3", "x", "?"),
        ],
        skipped,
    )
    assert [entry.parent for entry in entries] == [None, entries[0], None]
    assert skipped == {"a `progress` line": 7}


def test_clear_begins_anew():
    """`/clear` has no parent, whatever the line says."""
    entries = entries_of(
        [
            line("user", "u1", None, "Hi"),
            line("assistant", "a1", "u1", "Hello", id="m"),
            line("user", "u2", "a1", "<command-name>/clear</command-name>"),
        ],
        Counter(),
    )
    assert entries[2].parent is None


def test_a_file_of_several_sessions_without_parents():
    """Where lines name no parents, those of one session follow one another; a line may leave its session out."""
    lines = [
        {"type": "user", "sessionId": "one", "message": {"role": "user", "content": "1"}},
        {"type": "user", "sessionId": "two", "message": {"role": "user", "content": "2"}},
        {"type": "assistant", "message": {"role": "assistant", "content": "2!"}},
    ]
    entries = entries_of(lines, Counter())
    assert entries[1].parent is None
    assert entries[2].parent is entries[1]


def test_results_without_a_parent_find_their_call():
    """A result whose parent is lost hangs on the reply that holds its call."""
    call = {"type": "tool_use", "id": "t1", "name": "get_tide", "input": {}}
    lines = [
        line("user", "u1", None, "Hi"),
        line("assistant", "a1", "u1", [call], id="m1"),
        line("user", "u2", "a1", "and?"),
        line("user", "u3", "lost", [{"type": "tool_result", "tool_use_id": "t1"}]),
    ]
    entries = entries_of(lines, Counter())
    assert entries[3].parent is entries[1]
