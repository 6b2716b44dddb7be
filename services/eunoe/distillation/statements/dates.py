"""When something was or will be, from words that say how far it is from the time they were said. Pure.

Beside the words stands in parentheses what they mean: a day (``2023-05-07``), a week or weekend by its first day, a
month (``2023-04``) or a year (``2022``), in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from eunoe.distillation.statements.language import Dates, Span, compiled

_SATURDAY = 5


def dated(text: str, said: int, dates: Dates) -> tuple[str, str]:
    """``text`` with what its words mean beside them, said at so many ms UTC; and the first of those meanings."""
    today = _day(said)
    if today is None:
        return text, ""
    found = sorted(_found(text, today, dates))
    out, at, first = "", 0, ""
    for _, end, meaning in found:
        if end <= at or not meaning:
            continue
        out += f"{text[at:end]} ({meaning})"
        at, first = end, first or meaning
    return out + text[at:], first


def words(text: str, dates: Dates) -> list[tuple[int, int]]:
    """Where words that name a time stand in ``text``."""
    return [(start, end) for start, end, _ in _found(text, date(2000, 1, 1), dates)]


def _day(said: int) -> date | None:
    try:
        return datetime.fromtimestamp(said / 1_000, UTC).date() if said > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def _found(text: str, today: date, dates: Dates) -> Iterator[tuple[int, int, str]]:
    """Start, end and meaning of all such words; no meaning where they name no time after all."""
    for word, days in dates.days.items():
        for match in compiled(rf"\b{word}\b(?!')").finditer(text):
            yield *match.span(), _shifted(today, "day", days, dates)
    for match in compiled(dates.near).finditer(text):
        yield *match.span(), _near(match, today, dates)
    for match in compiled(dates.ago).finditer(text):
        number, unit = match["number"].casefold(), dates.units.get(match["unit"].casefold())
        count = int(number) if number.isdecimal() else dates.numbers.get(number)
        if count is not None and unit is not None:
            yield *match.span(), _shifted(today, unit, -count, dates)


def _near(match: re.Match[str], today: date, dates: Dates) -> str:
    what = match["what"].casefold()
    way = -1 if match["last"] else 1 if match["next"] else 0
    if what in dates.units:
        return _shifted(today, dates.units[what], way, dates)
    if what in dates.weekdays:
        return _shifted(today, "day", _days_to(today, dates.weekdays[what], way), dates)
    if what in dates.months:
        apart = dates.months[what] - today.month
        return _shifted(today, "month", apart + (12 * way if apart * way <= 0 else 0), dates)
    return ""


def _days_to(today: date, weekday: int, way: int) -> int:
    """Days to the last such day before today, the first after it, or the one of this week."""
    apart = weekday - today.weekday()
    return apart + (7 * way if apart * way <= 0 else 0)


def _shifted(today: date, unit: Span, count: int, dates: Dates) -> str:
    """What is so many units from today; empty where the calendar ends before."""
    try:
        match unit:
            case "day":
                return (today + timedelta(count)).isoformat()
            case "week":
                return dates.week.format(today - timedelta(today.weekday()) + timedelta(7 * count))
            case "weekend":
                saturday = today - timedelta(today.weekday()) + timedelta(_SATURDAY)
                return dates.weekend.format(saturday + timedelta(7 * count))
            case "month":
                months = today.year * 12 + today.month - 1 + count
                return f"{date(months // 12, months % 12 + 1, 1):%Y-%m}"
            case "year":
                return f"{date(today.year + count, 1, 1).year:04}"
    except (OverflowError, ValueError):
        return ""
