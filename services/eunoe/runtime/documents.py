"""A bucket of documents: a stream shaped as NATS KV shapes it, so that `nats kv` reads it too.

Nothing here expires or purges: on a stream that keeps one message a subject, an older value can come back
after a crash when the newest is purged, so a deleted document leaves a permanent marker (``KV-Operation: DEL``).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager

from eunoe.runtime import stored
from eunoe.runtime.doors import Change, Entry, Found, Stored
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.lookup import Lookup
from eunoe.runtime.reader import Range, Reader
from eunoe.schemas.errors import Conflict

_EXPECT = "Nats-Expected-Last-Subject-Sequence"
_DELETE = ("KV-Operation", "DEL")
ROUNDS = 16  # of a scan, each over what was written during the one before, so that it ends under any load


class JetStreamDocuments:
    """A `doors.Documents` over the bucket of that name."""

    def __init__(self, jetstream: JetStream, bucket: str) -> None:
        self.bucket = bucket
        self.stream = f"KV_{bucket}"
        self._prefix = f"$KV.{bucket}."
        self._jetstream = jetstream
        self._lookup = Lookup(jetstream, self.stream)
        self._reader = Reader(jetstream, self.stream)

    async def get(self, key: str) -> Entry | None:
        found = await self._lookup.one(self._prefix + key)
        return self._entry(*found) if found else None

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        return await self._write(key, value, expect, deleting=False)

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        return await self._write(key, b"", expect, deleting=True)

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        found, upto = await self._lookup.latest(self._subjects(filters), fence)
        entries = [entry for message, headers in found if (entry := self._entry(message, headers))]
        return Found(entries=tuple(sorted(entries, key=lambda entry: entry.key)), upto=upto)

    async def few(self, filters: Sequence[str]) -> Found | None:
        answer = await self._lookup.few(self._subjects(filters))
        if answer is None:
            return None
        found, upto = answer
        entries = [entry for message, headers in found if (entry := self._entry(message, headers))]
        return Found(entries=tuple(sorted(entries, key=lambda entry: entry.key)), upto=upto)

    async def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        subjects = tuple(self._subjects(filters))
        for _ in range(ROUNDS):
            if after >= (last := await self.revision()):
                return
            async with aclosing(self._reader.read(Range(subjects, after + 1, until=last))) as found:
                async for read in found:
                    if entry := self._entry(read.message, read.headers):
                        yield entry
            after = last  # what was written meanwhile is at a new revision, and gone from its old one

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        return self._watch(Range(tuple(self._subjects(filters)), after + 1, resume=resume))

    async def revision(self) -> int:
        return (await self._reader.state())[0]

    @asynccontextmanager
    async def _watch(self, wanted: Range) -> AsyncIterator[AsyncIterator[Change]]:
        last, _ = await self._reader.state()
        async with aclosing(self._changes(wanted, last)) as changes:
            yield changes

    async def _changes(self, wanted: Range, before: int) -> AsyncGenerator[Change, None]:
        async with aclosing(self._reader.read(wanted)) as found:
            async for read in found:
                key, seq = read.message.subject[len(self._prefix) :], read.message.seq
                value = None if stored.deleted(read.headers) else read.message.data
                yield Change(key, value, seq, live=seq > before)

    async def _write(self, key: str, value: bytes, expect: int | None, *, deleting: bool) -> int:
        headers = [_DELETE] if deleting else []
        if expect is None:
            return (await self._jetstream.publish(self._prefix + key, value, headers)).seq
        try:
            return (await self._jetstream.publish(self._prefix + key, value, [*headers, (_EXPECT, str(expect))])).seq
        except Conflict as conflict:
            marker = await self._marker(key) if expect == 0 else 0
            if not marker:
                raise Conflict(
                    f"{key} of {self.bucket} has another revision than {expect}", **conflict.detail
                ) from None
        return (await self._jetstream.publish(self._prefix + key, value, [*headers, (_EXPECT, str(marker))])).seq

    async def _marker(self, key: str) -> int:
        """The revision of the marker that a deleted document left, 0 when there is none."""
        found = await self._lookup.one(self._prefix + key)
        return found[0].seq if found and stored.deleted(found[1]) else 0

    def _subjects(self, filters: Sequence[str]) -> list[str]:
        return [self._prefix + one for one in filters]

    def _entry(self, message: Stored, headers: bytes) -> Entry | None:
        if stored.deleted(headers):
            return None
        return Entry(message.subject[len(self._prefix) :], message.data, message.seq)
