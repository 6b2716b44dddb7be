"""The last receipt of every chain, kept so that a lost tail of the log can be shown (`eunoe audit verify`)."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import anyio
import anyio.to_thread
import msgspec

from eunoe.audit.anchors import Receipt as Line
from eunoe.client.lines import replaced
from eunoe.client.tickets import Receipt
from eunoe.schemas import limits

logger = logging.getLogger(__name__)

FILE = "receipts.jsonl"
EVERY_SECONDS = 1.0  # seconds between two writes of what changed
CHAINS = 65_536  # chains whose newest receipt is held in memory
COMPACT_BYTES = 8 * limits.MIB  # bytes over which a file keeps only the newest receipt of each chain
TAIL_BYTES = 4 * limits.KIB  # bytes read at a time, from the end, to find the last whole line


class Receipts:
    """The newest receipt of each chain; ``position`` is that of the newest of all (a log sequence).

    With a file, `keep` appends them to it as they change, at most once a second, and `write` the rest in the end.
    """

    def __init__(self, space: str, path: Path | None = None) -> None:
        self.position = 0
        self._space = space
        self._path = path
        self._newest: dict[str, Receipt] = {}
        self._changed: dict[str, Receipt] = {}
        self._news = anyio.Event()
        self._failing = False

    def __getitem__(self, chain: str) -> Receipt:
        return self._newest[chain]

    def all(self) -> dict[str, Receipt]:
        """The newest receipt by chain."""
        return dict(self._newest)

    def add(self, receipt: Receipt) -> None:
        self.position = max(self.position, receipt.position)
        before = self._newest.get(receipt.chain)
        if before is not None and before.record >= receipt.record:
            return
        self._newest.pop(receipt.chain, None)
        self._newest[receipt.chain] = receipt
        if len(self._newest) > CHAINS:
            del self._newest[next(iter(self._newest))]
        if self._path is not None:
            self._changed[receipt.chain] = receipt
            self._news.set()

    async def keep(self) -> None:
        """Write what changes, for ever. A file that cannot be written is said in the log and costs nothing else."""
        while True:
            await self._news.wait()
            await self.write()
            await anyio.sleep(EVERY_SECONDS)

    async def write(self) -> None:
        """Append what changed to the file, in a thread: another process may hold its lock."""
        self._news = anyio.Event()
        changed, self._changed = self._changed, {}
        if self._path is None or not changed:
            return
        lines = b"".join(_line(changed[chain], self._space) for chain in sorted(changed))
        try:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(append, self._path, lines)
        except OSError as error:
            self._again(changed)
            self._say(self._path, error)
        else:
            self._failing = False

    def _again(self, changed: dict[str, Receipt]) -> None:
        """Write them with the next ones, as far as they are still held."""
        for chain in changed.keys() & self._newest.keys():
            self._changed.setdefault(chain, changed[chain])

    def _say(self, path: Path, error: OSError) -> None:
        level = logging.DEBUG if self._failing else logging.WARNING
        self._failing = True
        logger.log(
            level, "receipts are not kept now: %s: %s", path, error.strerror, extra={"action": "receipts_not_kept"}
        )


def read(path: Path) -> list[Line]:
    """The newest receipt of each space and chain in a file; none when there is no such file.

    Lines that are no receipts are passed over, which the log says.
    """
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return _newest(lines, path)


def append(path: Path, lines: bytes) -> None:
    """Append under a lock, to a file of its owner's own; a line that was cut short is taken away first.

    A file that has grown large is replaced by one with the newest receipts only.
    """
    with _locked(path) as file:
        end = _whole(file)
        if end > COMPACT_BYTES:
            file.seek(0)
            kept = _newest(file, path)
            os.close(replaced(path, b"".join(map(_encoded, kept)) + lines))
            return
        file.truncate(end)
        file.seek(end)
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """The file that has this name once the lock is ours: who held it before may have replaced it."""
    while True:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return


def _whole(file: BinaryIO) -> int:
    """Where the last whole line ends."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - TAIL_BYTES)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _newest(lines: Iterable[bytes], path: Path) -> list[Line]:
    found: dict[tuple[str, str], Line] = {}
    unread = 0
    for line in lines:
        if not line.endswith(b"\n"):
            break
        try:
            receipt = msgspec.json.decode(line, type=Line)
        except msgspec.DecodeError:
            unread += 1
            continue
        before = found.get((receipt.space, receipt.chain))
        if before is None or before.record <= receipt.record:
            found[receipt.space, receipt.chain] = receipt
    if unread:
        logger.warning("%d lines of %s are no receipts", unread, path, extra={"action": "receipts_unread"})
    return list(found.values())


def _line(receipt: Receipt, space: str) -> bytes:
    line = Line(chain=receipt.chain, record=receipt.record, position=receipt.position, hash=receipt.hash, space=space)
    return _encoded(line)


def _encoded(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"
