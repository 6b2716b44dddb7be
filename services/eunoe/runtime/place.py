"""One bucket of one generation: how its messages are named, numbered and read."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.runtime import revisions, stored
from eunoe.runtime.doors import Entry, Found, Stored
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.leaving import Leaving
from eunoe.runtime.lookup import Lookup, Raw
from eunoe.runtime.reader import Reader
from eunoe.schemas.errors import Conflict


class Place:
    """One bucket of one generation, and whether it is still the one in use."""

    def __init__(self, jetstream: JetStream, bucket: str, generation: int) -> None:
        self.bucket = bucket
        self.generation = generation
        self.prefix = f"$KV.{bucket}."
        self.lookup = Lookup(jetstream, f"KV_{bucket}")
        self.reader = Reader(jetstream, f"KV_{bucket}")
        self.leaving = Leaving()

    def revision(self, seq: int) -> int:
        return revisions.of(self.generation, seq)

    def seq(self, revision: int) -> int:
        return revisions.seq(revision, self.generation)

    def expected(self, key: str, revision: int | None) -> int | None:
        """The sequence that a writer expects; raises `Conflict` for a revision of another generation."""
        if revision and revisions.generation(revision) != self.generation:
            raise Conflict(f"{key} of {self.bucket} is of another generation than revision {revision}")
        return self.seq(revision) if revision else revision

    def subjects(self, filters: Sequence[str]) -> list[str]:
        return [self.prefix + one for one in filters]

    def key(self, message: Stored) -> str:
        return message.subject[len(self.prefix) :]

    def entry(self, message: Stored, headers: bytes) -> Entry | None:
        if stored.deleted(headers):
            return None
        return Entry(self.key(message), message.data, self.revision(message.seq))

    def found(self, messages: Sequence[Raw], upto: int) -> Found:
        entries = [entry for message, headers in messages if (entry := self.entry(message, headers))]
        return Found(tuple(sorted(entries, key=lambda one: one.key)), self.revision(upto) if upto else 0)

    async def marker(self, key: str) -> int:
        """The sequence of the marker that a deleted document left, 0 when there is none."""
        found = await self.lookup.one(self.prefix + key)
        return found[0].seq if found and stored.deleted(found[1]) else 0
