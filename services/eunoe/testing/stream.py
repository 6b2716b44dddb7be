"""A stream in memory: messages by sequence, compare-and-set, duplicates by id, and waiting for news."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence

import anyio

from eunoe.runtime.doors import Appended, Clock, Stored
from eunoe.runtime.matching import matches, matches_any
from eunoe.schemas import limits
from eunoe.schemas.errors import Conflict, TooLarge, Unreachable


class MemoryStream:
    """What a JetStream stream does, for one process. ``latest_only`` keeps one message a subject. A ``sealed``
    stream is appended to no more."""

    def __init__(self, clock: Clock, *, latest_only: bool = False) -> None:
        self.messages: dict[int, Stored] = {}
        self.last_seq = 0
        self.sealed = False
        self._left = False
        self._clock = clock
        self._latest_only = latest_only
        self._by_subject: dict[str, list[int]] = {}
        self._ids: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._news: anyio.Event | None = None

    def append(self, subject: str, data: bytes, msg_id: str, expect: tuple[str, int] | None) -> Appended:
        """Store one message. As on a single server, compare-and-set is decided before duplicates are."""
        if len(data) > limits.MAX_PAYLOAD:
            raise TooLarge(f"the message is {len(data)} bytes long; the limit is {limits.MAX_PAYLOAD}")
        if expect is not None:
            self._expect(*expect)
        if msg_id and (seen := self._seen(msg_id)):
            return Appended(seq=seen, duplicate=True)
        return Appended(seq=self._store(subject, data, msg_id))

    def remove(self, seq: int) -> bool:
        found = self.messages.pop(seq, None)
        if found is None:
            return False
        seqs = self._by_subject[found.subject]
        seqs.remove(seq)
        if not seqs:
            del self._by_subject[found.subject]
        return True

    def latest(self, filters: Sequence[str]) -> list[Stored]:
        """The last message of every subject that matches, in order of sequence."""
        if all("*" not in one and ">" not in one for one in filters):
            subjects = {one for one in filters if one in self._by_subject}
        else:
            subjects = {subject for subject in self._by_subject if matches_any(filters, subject)}
        return [self.messages[seq] for seq in sorted(self._by_subject[subject][-1] for subject in subjects)]

    def next(self, seq: int, filters: Sequence[str]) -> Stored | None:
        """The first message at or after ``seq`` that matches."""
        for number in range(seq, self.last_seq + 1):
            found = self.messages.get(number)
            if found is not None and matches_any(filters, found.subject):
                return found
        return None

    async def walk(self, start: int, filters: Sequence[str], *, until: int | None) -> AsyncGenerator[Stored, None]:
        """Messages from ``start`` on, up to ``until``; without it, new ones are waited for.

        Raises `Unreachable` instead once the stream was left.
        """
        seq = start
        while until is None or seq <= until:
            found = self.next(seq, filters)
            if found is None or (until is not None and found.seq > until):
                if until is not None:
                    return
                seq = self.last_seq + 1
                if self._left:
                    raise Unreachable("what it reads is not in use any more")
                await self.changed()
                continue
            seq = found.seq + 1
            yield found

    async def changed(self) -> None:
        """Wait until something is written or given back."""
        if self._news is None:
            self._news = anyio.Event()
        await self._news.wait()

    def clear(self) -> None:
        """Remove every message; sequences go on."""
        for seq in list(self.messages):
            self.remove(seq)

    def leave(self) -> None:
        """End every walk that waits."""
        self._left = True
        self.tell()

    def tell(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None

    def _expect(self, pattern: str, seq: int) -> None:
        ends = [seqs[-1] for subject, seqs in self._by_subject.items() if matches(pattern, subject)]
        last = max(ends, default=0)
        if last != seq:
            raise Conflict(f"the last sequence of {pattern} is {last}, not {seq}", last=last)

    def _seen(self, msg_id: str) -> int:
        oldest = self._clock.now() - limits.DEDUPE_SECONDS * 1000
        while self._ids and next(iter(self._ids.values()))[1] < oldest:
            self._ids.popitem(last=False)
        return self._ids.get(msg_id, (0, 0))[0]

    def _store(self, subject: str, data: bytes, msg_id: str) -> int:
        self.last_seq += 1
        now = self._clock.now()
        if self._latest_only:
            for seq in list(self._by_subject.get(subject, ())):
                self.remove(seq)
        self.messages[self.last_seq] = Stored(subject, self.last_seq, bytes(data), now)
        self._by_subject.setdefault(subject, []).append(self.last_seq)
        if msg_id:
            self._ids[msg_id] = (self.last_seq, now)
        self.tell()
        return self.last_seq
