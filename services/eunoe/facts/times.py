"""Moments as people write them, and as they are said. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta, timezone

from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MINUTE, _DAY = 60_000, 86_400_000  # milliseconds
_DATE, _ZONE = len("2026-01-31"), len("+02:00")
_FORM = re.compile(
    r"(?P<date>(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2}))"
    r"(?:[Tt ](?P<time>(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)(?:\.(?P<fraction>\d+))?)?"
    r"(?P<zone>[Zz]|[+-](?P<ahead>\d{2}):(?P<beside>\d{2}))?\Z",
    re.ASCII,
)
_RANGES = {"year": (1, 9999), "month": (1, 12), "hour": (0, 23), "minute": (0, 59), "second": (0, 59)}
_FORMS = "write it as 2026-01-31, 2026-01-31T09:05:00Z or 2026-01-31T09:05:00+02:00"


def moment(text: str) -> int:
    """What `read` reads, in ms UTC."""
    return (read(text) - _EPOCH) // _MILLISECOND


def read(text: str) -> datetime:
    """An RFC 3339 date and time with its offset, or a date alone (its midnight; in UTC without an offset).

    What is finer than a millisecond is cut. Raises `Invalid`, naming the text: for a time without an offset, for
    a day or an hour that there is not, and for what is not within the years 1970 to 9999.
    """
    found = _FORM.match(text.strip())
    if not found:
        raise Invalid(f"{text!r} is no moment; {_FORMS}")
    date, time, fraction, zone = found.group("date", "time", "fraction", "zone")
    if time and not zone:
        raise Invalid(f"{text!r} does not say in which time zone it is; end it in Z for UTC, or in an offset as +02:00")
    if wrong := _not_there(found):
        raise Invalid(f"{text!r} is no moment: there is no {wrong}")
    second = datetime.fromisoformat(f"{date}T{time or '00:00'}{(zone or 'Z').upper()}")
    at = second + int((fraction or "")[:3].ljust(3, "0")) * _MILLISECOND
    if not 0 <= (at - _EPOCH) // _MILLISECOND <= limits.LAST_MOMENT:
        raise Invalid(f"{text!r} is not within the years 1970 to 9999 (UTC)")
    return at


def _not_there(found: re.Match[str]) -> str:
    """What of a date, a time and an offset there is not, and the range of it; empty when all of it is."""
    for part, (least, most) in _RANGES.items():
        if found[part] and not least <= int(found[part]) <= most:
            return f"{part} {found[part]}; {part}s are {least:0{len(found[part])}} to {most}"
    last = monthrange(int(found["year"]), int(found["month"]))[1]
    if not 1 <= int(found["day"]) <= last:
        return f"day {found['day']} in {found['year']}-{found['month']}; its days are 01 to {last}"
    if found["ahead"] and (int(found["ahead"]) > _RANGES["hour"][1] or int(found["beside"]) > _RANGES["minute"][1]):
        return f"offset {found['zone']}; offsets are -23:59 to +23:59"
    return ""


def said(at: int, offset: int = 0) -> str:
    """A moment (ms UTC) as `read` reads it, in an offset (minutes east of UTC): ``2026-01-31`` for a midnight, else
    ``2026-01-31 09:05:07Z``, to the millisecond where it has one. What that offset has no year for is said in UTC."""
    if not 0 <= at <= limits.LAST_MOMENT:
        return f"{at} ms"
    away = offset * _MINUTE if at + offset * _MINUTE <= limits.LAST_MOMENT else 0
    local = (_EPOCH + at * _MILLISECOND).astimezone(timezone(away * _MILLISECOND))
    exact = local.isoformat(" ", "milliseconds" if at % 1000 else "seconds")
    text, zone = exact[:-_ZONE], exact[-_ZONE:]
    midnight = (at + away) % _DAY == 0
    if zone == "+00:00":
        zone = "" if midnight else "Z"
    return (text[:_DATE] if midnight else text) + zone


def stamp(at: int) -> str:
    """When something was done (ms UTC), always to the second: ``2026-01-31 09:05:07Z``."""
    if not 0 <= at <= limits.LAST_MOMENT:
        return f"{at} ms"
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
