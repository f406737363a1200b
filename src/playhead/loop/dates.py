"""The three date tools of the classic course: the time now, a time some duration away, and a reminder for it.

All arithmetic is pure; the one clock is `datetime.datetime.now`, looked up in its module at each call so that
a frozen clock is seen.  Knows the registry it fills and nothing of conversations.
"""

from __future__ import annotations

import calendar
import datetime
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from playhead.loop.tools import Tools

Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months", "years"]

_MONTHS: Mapping[str, int] = {"months": 1, "years": 12}
_UNITS = ("seconds", "minutes", "hours", "days", "weeks", *_MONTHS)

# English whatever the locale, so that a rehearsal reads the same everywhere.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def get_current_datetime(
    date_format: Annotated[
        str, "How to write it, in Python's strftime notation, such as '%Y-%m-%d' or '%H:%M'."
    ] = "%Y-%m-%d %H:%M:%S",
) -> str:
    """Get the current date and time.

    Use it whenever an answer depends on today's date or the time of day, which you cannot know otherwise. It
    gives the local time, without a time zone unless the format asks for one.
    """
    if not date_format.strip():
        raise ValueError("date_format is empty; give a strftime format such as '%Y-%m-%d %H:%M:%S'")
    return datetime.datetime.now().strftime(date_format)


def add_duration_to_datetime(
    datetime_str: Annotated[str, "The date to start from, written in input_format."],
    duration: Annotated[float, "How much to add, in `unit`; negative goes back in time."] = 0,
    unit: Annotated[Unit, "The unit of `duration`."] = "days",
    input_format: Annotated[
        str,
        "How datetime_str is written, in Python's strptime notation; with time of day: '%Y-%m-%d %H:%M:%S'.",
    ] = "%Y-%m-%d",
) -> str:
    """Add a duration to a date and tell the resulting date, its weekday and time.

    Use it for every calculation with dates. A month or year added to a day that the target month lacks gives
    that month's last day: January 31 plus one month is February 28 or 29. The result reads like 'Thursday,
    April 03, 2025 10:30:00 AM', without fractions of a second.
    """
    start = _parse(datetime_str, input_format)
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        raise ValueError(f"duration is a number of {unit}, got {duration!r}")
    if not math.isfinite(duration):
        raise ValueError(f"duration must be finite, got {duration!r}")
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r}; expected one of {', '.join(_UNITS)}")
    try:
        return _readable(_add(start, duration, unit))
    except OverflowError as error:
        raise ValueError(
            f"{datetime_str!r} plus {duration} {unit} is outside the calendar (year 1 to year 9999)"
        ) from error


def date_tools(reminders: list[dict[str, Any]]) -> Tools:
    """A registry with `get_current_datetime`, `add_duration_to_datetime` and `set_reminder`.

    `set_reminder` appends `{"content": str, "timestamp": str}` to `reminders`.
    """

    def set_reminder(
        content: Annotated[str, "What to be reminded of."],
        timestamp: Annotated[str, "When, as an exact date and time such as '2025-04-03T10:30:00'."],
    ) -> str:
        """Set a reminder that will be shown to the user at the given time.

        Work out the exact date and time first: words like 'tomorrow' are no timestamp.
        """
        for name, value in (("content", content), ("timestamp", timestamp)):
            if not value.strip():
                raise ValueError(f"{name} is empty; a reminder needs a content and a timestamp")
        reminders.append({"content": content, "timestamp": timestamp})
        return f"Reminder set for {timestamp}: {content}"

    functions: tuple[Callable[..., str], ...] = (get_current_datetime, add_duration_to_datetime, set_reminder)
    return Tools(functions)


def _parse(text: str, form: str) -> datetime.datetime:
    if not form.strip():
        raise ValueError("input_format is empty; give a strptime format such as '%Y-%m-%d'")
    try:
        return datetime.datetime.strptime(text, form)
    except ValueError as error:
        raise ValueError(
            f"datetime_str {text!r} does not match input_format {form!r}: {error}. Pass the format it is in"
        ) from error


def _add(start: datetime.datetime, duration: float, unit: str) -> datetime.datetime:
    """Raises OverflowError outside the calendar, ValueError for a fraction of a month."""
    if unit not in _MONTHS:
        return start + datetime.timedelta(**{unit: duration})
    months = duration * _MONTHS[unit]
    if months != int(months):
        raise ValueError(
            f"{duration} {unit} is no whole number of months, and months differ in length; give days instead"
        )
    return _add_months(start, int(months))


def _add_months(start: datetime.datetime, months: int) -> datetime.datetime:
    """The same day so many months on, or that month's last day if it is shorter."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not datetime.MINYEAR <= year <= datetime.MAXYEAR:
        raise OverflowError("year out of range")
    last = calendar.monthrange(year, month + 1)[1]
    return start.replace(year=year, month=month + 1, day=min(start.day, last))


def _readable(when: datetime.datetime) -> str:
    """'Thursday, April 03, 2025 10:30:00 AM', and the offset from UTC where the date has one."""
    offset = when.strftime(" %z").rstrip()
    hour, half = when.hour % 12 or 12, "AM" if when.hour < 12 else "PM"
    date = f"{_WEEKDAYS[when.weekday()]}, {_MONTH_NAMES[when.month - 1]} {when.day:02d}, {when.year:04d}"
    return f"{date} {hour:02d}:{when.minute:02d}:{when.second:02d} {half}{offset}"
