"""The three date tools: arithmetic against an oracle, errors that say what was expected."""

from __future__ import annotations

import calendar
import datetime
from typing import Any

import freezegun
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop import add_duration_to_datetime, date_tools, get_current_datetime

FORMAT = "%A, %B %d, %Y %I:%M:%S %p"
FULL = "%Y-%m-%d %H:%M:%S"


@pytest.mark.parametrize(
    ("start", "duration", "unit", "expected"),
    [
        pytest.param("2024-02-29", 1, "years", "Friday, February 28, 2025", id="leap-day-plus-a-year"),
        pytest.param("2024-02-29", 4, "years", "Tuesday, February 29, 2028", id="leap-day-plus-four-years"),
        pytest.param("2025-01-31", 1, "months", "Friday, February 28, 2025", id="month-end"),
        pytest.param("2024-01-31", 1, "months", "Thursday, February 29, 2024", id="month-end-in-a-leap-year"),
        pytest.param("2025-03-31", -1, "months", "Friday, February 28, 2025", id="month-end-backwards"),
        pytest.param("2025-01-15", -1, "months", "Sunday, December 15, 2024", id="back-over-new-year"),
        pytest.param("2025-01-15", 1.5, "years", "Wednesday, July 15, 2026", id="whole-months-in-a-fraction"),
        pytest.param("1900-02-28", 1, "days", "Thursday, March 01, 1900", id="1900-was-no-leap-year"),
        pytest.param("2025-04-03", 0, "weeks", "Thursday, April 03, 2025", id="nothing"),
        pytest.param("2025-04-03", 2, "weeks", "Thursday, April 17, 2025", id="weeks"),
        pytest.param("2025-04-03", -3.0, "days", "Monday, March 31, 2025", id="days-back"),
        pytest.param("0001-01-31", 1, "months", "Wednesday, February 28, 0001", id="year-one"),
    ],
)
def test_calendar_corners(start: str, duration: float, unit: Any, expected: str) -> None:
    """Leap years, month ends, negative and zero durations."""
    assert add_duration_to_datetime(start, duration, unit) == f"{expected} 12:00:00 AM"


@pytest.mark.parametrize(
    ("duration", "unit", "expected"),
    [
        pytest.param(90, "seconds", "10:31:30 AM", id="seconds"),
        pytest.param(-31, "minutes", "09:59:00 AM", id="minutes"),
        pytest.param(1.5, "hours", "12:00:00 PM", id="fraction-of-hours"),
        pytest.param(0.5, "days", "10:30:00 PM", id="fraction-of-days"),
    ],
)
def test_time_of_day(duration: float, unit: Any, expected: str) -> None:
    """Smaller units and fractions move the time."""
    told = add_duration_to_datetime("2025-04-03 10:30:00", duration, unit, FULL)
    assert told == f"Thursday, April 03, 2025 {expected}"


def test_an_offset_is_kept() -> None:
    """A date with a zone tells it again."""
    told = add_duration_to_datetime("2025-04-03 10:30 +0200", 1, "days", "%Y-%m-%d %H:%M %z")
    assert told == "Friday, April 04, 2025 10:30:00 AM +0200"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"datetime_str": "03/04/2025"}, "'03/04/2025' does not match .*'%Y-%m-%d'", id="format"),
        pytest.param({"datetime_str": "2025-02-30"}, "2025-02-30", id="no-such-day"),
        pytest.param({"datetime_str": "x", "input_format": " "}, "input_format is empty", id="empty-format"),
        pytest.param(
            {"datetime_str": "2025-01-01", "unit": "fortnights"},
            "seconds, minutes, .*, years",
            id="unknown-unit",
        ),
        pytest.param(
            {"datetime_str": "2025-01-01", "duration": 0.5, "unit": "months"},
            "give days instead",
            id="half-month",
        ),
        pytest.param(
            {"datetime_str": "9999-12-31", "duration": 1},
            "outside the calendar",
            id="past-the-last-day",
        ),
        pytest.param(
            {"datetime_str": "0001-01-01", "duration": -1, "unit": "years"},
            "outside the calendar",
            id="before-1",
        ),
        pytest.param({"datetime_str": "2025-01-01", "duration": 1e308}, "outside the calendar", id="huge"),
        pytest.param(
            {"datetime_str": "2025-01-01", "duration": 1e308, "unit": "years"},
            "outside the calendar",
            id="years",
        ),
        pytest.param({"datetime_str": "2025-01-01", "duration": float("nan")}, "must be finite", id="nan"),
        pytest.param({"datetime_str": "2025-01-01", "duration": True}, "is a number of days", id="a-boolean"),
    ],
)
def test_errors_say_what_came_and_what_was_expected(arguments: dict[str, Any], words: str) -> None:
    """Every bad argument is a ValueError that Claude can act on."""
    with pytest.raises(ValueError, match=words):
        add_duration_to_datetime(**arguments)


@given(
    st.datetimes(min_value=datetime.datetime(1000, 1, 1), max_value=datetime.datetime(9000, 1, 1)),
    st.integers(-5000, 5000),
    st.sampled_from(["months", "years"]),
)
def test_months_agree_with_counting_one_by_one(start: datetime.datetime, duration: int, unit: Any) -> None:
    """An oracle that walks the calendar month by month gives the same day, weekday and time."""
    year, month = start.year, start.month
    steps = duration * (12 if unit == "years" else 1)
    for _ in range(abs(steps)):
        month += 1 if steps > 0 else -1
        if month in (0, 13):
            year, month = (year - 1, 12) if month == 0 else (year + 1, 1)
        if not 1 <= year <= 9999:
            return
    days = len([day for day in calendar.Calendar().itermonthdays(year, month) if day])
    expected = start.replace(year=year, month=month, day=min(start.day, days))
    told = add_duration_to_datetime(start.strftime(FULL), duration, unit, FULL)
    assert datetime.datetime.strptime(told, FORMAT) == expected.replace(microsecond=0)


@given(
    st.datetimes(min_value=datetime.datetime(1900, 1, 1), max_value=datetime.datetime(2200, 1, 1)),
    st.floats(-1e5, 1e5),
    st.sampled_from(["seconds", "minutes", "hours", "days", "weeks"]),
)
def test_shorter_units_agree_with_seconds(start: datetime.datetime, duration: float, unit: Any) -> None:
    """Counting in seconds gives the same time, to the rounding of a float."""
    seconds = duration * {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}[unit]
    told = add_duration_to_datetime(start.strftime(FULL), duration, unit, FULL)
    difference = datetime.datetime.strptime(told, FORMAT) - start.replace(microsecond=0)
    assert abs(difference.total_seconds() - seconds) <= 1.001


def test_the_clock_can_be_frozen() -> None:
    """The time comes from datetime.datetime.now, in the format asked for."""
    with freezegun.freeze_time("2025-04-03 10:30:00", real_asyncio=True):
        assert get_current_datetime() == "2025-04-03 10:30:00"
        assert get_current_datetime("%H:%M") == "10:30"


def test_an_empty_format_is_an_error() -> None:
    """An empty answer would tell Claude nothing."""
    with pytest.raises(ValueError, match="date_format is empty"):
        get_current_datetime("")


def test_date_tools_fill_the_list_given() -> None:
    """The registry holds the three tools, and reminders land in the caller's list."""
    reminders: list[dict[str, Any]] = []
    tools = date_tools(reminders)
    assert [schema["name"] for schema in tools.schemas] == [
        "get_current_datetime",
        "add_duration_to_datetime",
        "set_reminder",
    ]
    said = tools.run("set_reminder", {"content": "Call", "timestamp": "2025-04-03T10:30:00"})
    assert reminders == [{"content": "Call", "timestamp": "2025-04-03T10:30:00"}]
    assert said == "Reminder set for 2025-04-03T10:30:00: Call"


@pytest.mark.parametrize("missing", ["content", "timestamp"])
def test_a_reminder_needs_both(missing: str) -> None:
    """Blank text is refused and nothing is stored."""
    reminders: list[dict[str, Any]] = []
    with pytest.raises(ValueError, match=f"{missing} is empty"):
        date_tools(reminders).run("set_reminder", {"content": "c", "timestamp": "t", missing: " "})
    assert reminders == []
