"""The anchorer: knows every record of the log and keeps anchors beside the store.

What this worker appends it is told; what others append it reads, in runs, when it notices a gap.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec

from eunoe.audit.anchors import Anchor, KnownHeads, Mark, append_line, load_anchors
from eunoe.runtime.chains import head_of
from eunoe.runtime.doors import Clock, Log, Stored
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Damaged, EunoeError

logger = logging.getLogger(__name__)

_TICK = 1.0  # seconds between two looks for what others appended
_AHEAD = 10_000  # records told of before the ones in front of them
_LOCK_WAIT = 5.0  # seconds between two tries for the file, while another worker on this machine keeps it


class Anchorer:
    """Follows the log and keeps anchors: every `limits.ANCHOR_EVERY` records, and when it is closed."""

    def __init__(self, log: Log, path: Path, clock: Clock) -> None:
        self._log = log
        self._path = path
        self._clock = clock
        self._heads = KnownHeads()
        self._moved: dict[str, Mark] = {}
        self._since = 0
        self._ahead: dict[int, tuple[str, Mark]] = {}
        self._lock = anyio.Lock()
        self._owned: int | None = None

    def statistics(self) -> Mapping[str, int]:
        return {"anchored": self._heads.last, "since_anchor": self._since, "anchors": int(self._owned is not None)}

    def note(self, position: int, chain: str, mark: Mark) -> None:
        """A record that this worker appended."""
        if self._owned is None or position <= self._heads.last:
            return
        self._ahead[position] = (chain, mark)
        while found := self._ahead.pop(self._heads.last + 1, None):
            self._take(*found, self._heads.last + 1)
        while len(self._ahead) > _AHEAD:
            self._ahead.pop(next(iter(self._ahead)))  # it will be read like any other

    async def run(self) -> None:
        """Keep up with the log for ever; only one worker of a machine keeps a file of anchors."""
        while not await self._loaded():  # noqa: ASYNC110 - another process lets the file go, and tells nobody
            await anyio.sleep(_LOCK_WAIT)
        while True:
            if (await self._log.info()).last > self._heads.last:
                await self.catch_up()
            if self._since >= limits.ANCHOR_EVERY:
                async with self._lock:
                    await self._write()
            await anyio.sleep(_TICK)

    async def close(self) -> None:
        """Read what is left of the log, anchor it, and let the file go."""
        if await self._loaded():
            await self.catch_up()
            async with self._lock:
                if self._since:
                    await self._write()
        self._let_go()

    async def catch_up(self) -> None:
        """Read the log to its end as it is now."""
        end = (await self._log.info()).last
        async for stored in self._log.scan(start=self._heads.last + 1):
            self._see(stored)
            if self._since >= limits.ANCHOR_EVERY:
                async with self._lock:
                    await self._write()
        self._heads.last = max(self._heads.last, end)  # what was erased at the end is not read

    async def anchor(self) -> Anchor:
        """Anchor the log as it is now, whatever moved since the last anchor."""
        if not await self._load():
            raise Busy(f"another audit worker keeps {self._path}; ask again, it will answer in its turn")
        await self.catch_up()
        async with self._lock:
            return await self._write()

    async def _loaded(self) -> bool:
        """As `_load`, but a damaged file is told and keeps nobody from appending."""
        try:
            return await self._load()
        except Damaged as error:
            logger.error(
                "no anchors are kept: %s. Find out who changed it; move it away to begin a new one",
                error,
                extra={"action": "anchors_damaged"},
            )
            return False

    async def _load(self) -> bool:
        """Take the file and read what it says; False while another worker has it."""
        async with self._lock:
            if self._owned is not None:
                return True
            self._owned = await anyio.to_thread.run_sync(_own, self._path)
            if self._owned is None:
                return False
            try:
                anchors = await anyio.to_thread.run_sync(load_anchors, self._path)
            except EunoeError:
                self._let_go()
                raise
            for anchor in anchors:
                self._heads.add(anchor)
        await self._compare()
        return True

    def _let_go(self) -> None:
        if self._owned is not None:
            os.close(self._owned)
            self._owned = None

    async def _compare(self) -> None:
        last = (await self._log.info()).last
        if last < self._heads.last:
            logger.error(
                "the log ends at %d, an anchor says %d; run `eunoe audit verify`",
                last,
                self._heads.last,
                extra={"action": "log_behind_anchor"},
            )

    def _see(self, stored: Stored) -> None:
        if stored.seq <= self._heads.last:
            return
        self._ahead.pop(stored.seq, None)
        try:
            head = head_of(stored)
        except EunoeError as error:
            logger.error("%s", error, extra={"action": "unreadable_record", "position": stored.seq})
            self._heads.last = stored.seq
            return
        self._take(head.header.chain, Mark(head.header.record, stored.seq, head.hash), stored.seq)

    def _take(self, chain: str, mark: Mark, position: int) -> None:
        self._heads.last = position
        self._since += 1
        known = self._heads.heads.get(chain)
        if known is None or known.record < mark.record:
            self._heads.heads[chain] = mark
            self._moved[chain] = mark

    async def _write(self) -> Anchor:
        """Write an anchor; what moves while it is written belongs to the next."""
        moved, since = self._moved, self._since
        self._moved, self._since = {}, 0
        anchor = self._heads.anchor(self._clock.now(), moved)
        try:
            await anyio.to_thread.run_sync(append_line, self._path, msgspec.json.encode(anchor))
        except OSError as error:
            self._moved, self._since = moved | self._moved, self._since + since
            raise Damaged(f"the anchor cannot be written to {self._path}: {error.strerror or error}") from None
        self._heads.root = anchor.root
        return anchor


def _own(path: Path) -> int | None:
    """A descriptor that holds the lock beside ``path``, or None when another process has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
