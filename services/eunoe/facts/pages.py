"""Pages of lists: how long they are, in which order documents come, and the cursors that go on. Pure.

A list of few facts (`limits.FOUND_AT_ONCE` keys of a bucket) is *grouped*: by subject and name, as their keys write
them, and for one name the thread's document before the session's before the permanent ones. A longer list goes
through the buckets, one after the other, in order of revision. Either order gives a document that does not change one
place for good, so that a cursor, which names the last document that was shown, neither repeats nor loses it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from eunoe.runtime import revisions
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.subjects import Bucket

ORDER: tuple[Bucket, ...] = ("thread", "session", "permanent")
Place = tuple[str, str, int, str, str]
"""Where a document stands in a grouped list: subject, name, scope, owner, and the preview it is of."""

_BUCKETS: dict[str, Bucket] = {bucket: bucket for bucket in ORDER}
_KEY = re.compile(r"(?:fact|preview\.[\w=-]+)(?:\.[\w=-]+){3}\Z", re.ASCII)
_REVISION = re.compile(r"[0-9]{1,19}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The document after which a list goes on: its bucket with its revision, or, in a grouped list, its key."""

    bucket: Bucket
    revision: int = 0
    key: str = ""

    def __str__(self) -> str:
        return f"{self.bucket}:{self.key or self.revision}"


def read(cursor: str) -> Cursor | None:
    """The cursor in these characters, None for the beginning; raises `Invalid` for what no reply gave."""
    name, _, after = cursor.partition(":")
    bucket = _BUCKETS.get(name)
    if bucket and _REVISION.match(after):
        return Cursor(bucket, revision=int(after))
    if bucket and _KEY.match(after):
        return Cursor(bucket, key=after)
    if cursor:
        raise Invalid(f"{cursor!r} is no cursor; use the one of the last reply")
    return None


def limit(wanted: int) -> int:
    """How many lines a page has; raises `Invalid` for less than one and for more than a page takes."""
    if not 1 <= wanted <= limits.PAGE_FACTS:
        raise Invalid(f"a page has 1 to {limits.PAGE_FACTS} lines, not {wanted}; go on with its cursor")
    return wanted


def check(cursor: Cursor | None, revision: int) -> None:
    """Raise `Invalid` for a cursor of documents that were made again since; ``revision`` is their bucket's now."""
    if cursor and cursor.revision and revisions.generation(cursor.revision) != revisions.generation(revision):
        raise Invalid("the documents were made again since this cursor was given; list them from the beginning")


def place(bucket: Bucket, key: str) -> Place:
    """Where the document under a fact's key stands in a grouped list."""
    *kind, owner, subject, name = key.split(".")
    return subject, name, ORDER.index(bucket), owner, ".".join(kind)
