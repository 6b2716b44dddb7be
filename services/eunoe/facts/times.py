"""Moments as people write them, and as they are said. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?:[Tt ](?P<time>\d{2}:\d{2}(?::\d{2})?)(?:\.(?P<fraction>\d+))?)?"
    r"(?P<zone>[Zz]|[+-]\d{2}:\d{2})?\Z",
    re.ASCII,
)
_FORMS = "write it as 2026-01-31, 2026-01-31T09:05:00Z or 2026-01-31T09:05:00+02:00"


def moment(text: str) -> int:
    """Milliseconds UTC of an RFC 3339 date and time, or of a date alone (its midnight; in UTC without an offset).

    What is finer than a millisecond is cut. Raises `Invalid`, naming the text: for a time without an offset, for
    a day or an hour that there is not, and for what is not within the years 1970 to 9999.
    """
    found = _FORM.match(text.strip())
    if not found:
        raise Invalid(f"{text!r} is no moment; {_FORMS}")
    day, time, fraction, zone = found.group("day", "time", "fraction", "zone")
    if time and not zone:
        raise Invalid(f"{text!r} does not say in which time zone it is; end it in Z for UTC, or in an offset as +02:00")
    try:
        read = datetime.fromisoformat(f"{day}T{time or '00:00'}{(zone or 'Z').upper()}")
    except ValueError as error:
        raise Invalid(f"{text!r} is no moment: {error}; {_FORMS}") from None
    at = (read - _EPOCH) // timedelta(milliseconds=1) + int((fraction or "")[:3].ljust(3, "0"))
    if not 0 <= at <= limits.LAST_MOMENT:
        raise Invalid(f"{text!r} is not within the years 1970 to 9999 (UTC)")
    return at


def said(at: int) -> str:
    """A moment (ms UTC) as `moment` reads it: ``2026-01-31`` for a midnight, else to the second or millisecond."""
    if not 0 <= at <= limits.LAST_MOMENT:
        return f"{at} ms"
    read = _EPOCH + timedelta(milliseconds=at)
    if at % 86_400_000 == 0:
        return f"{read:%Y-%m-%d}"
    return read.isoformat(timespec="milliseconds" if at % 1000 else "seconds").replace("+00:00", "Z")
