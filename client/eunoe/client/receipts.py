"""The last receipt of every chain, kept so that a lost tail of the log can be shown (`eunoe audit verify`)."""

from __future__ import annotations

import fcntl
import logging
import os
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from eunoe.audit.anchors import Receipt as Line
from eunoe.client.tickets import Receipt
from eunoe.schemas import limits

logger = logging.getLogger(__name__)

FILE = "receipts.jsonl"
EVERY_SECONDS = 1.0  # seconds between two writes of what changed
CHAINS = 65_536  # chains whose newest receipt is held in memory
COMPACT_BYTES = 8 * limits.MIB  # bytes over which a file keeps only the newest receipt of each chain


class Receipts:
    """The newest receipt of each chain; ``position`` is that of the newest of all (a log sequence).

    With a file, they are appended to it as they change, at most once a second, and when it is closed.
    """

    def __init__(self, space: str, path: Path | None = None) -> None:
        self.position = 0
        self._space = space
        self._path = path
        self._newest: dict[str, Receipt] = {}
        self._changed: set[str] = set()
        self._written = 0.0

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
            self._forget_oldest()
        if self._path is not None:
            self._changed.add(receipt.chain)
            if time.monotonic() - self._written >= EVERY_SECONDS:
                self.write()

    def _forget_oldest(self) -> None:
        oldest = next(iter(self._newest))
        if oldest in self._changed:
            self.write()
        del self._newest[oldest]

    def write(self) -> None:
        """Append what changed to the file. A file that cannot be written is said in the log and costs nothing else."""
        if self._path is None or not self._changed:
            return
        lines = b"".join(_line(self._newest[chain], self._space) for chain in sorted(self._changed))
        self._changed.clear()
        self._written = time.monotonic()
        try:
            _append(self._path, lines)
        except OSError as error:
            logger.warning(
                "receipts are not kept: %s: %s", self._path, error.strerror, extra={"action": "receipts_not_kept"}
            )


def read(path: Path) -> list[Line]:
    """The newest receipt of each space and chain in a file; none when there is no such file."""
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return _newest(lines)


def _newest(lines: Iterable[bytes]) -> list[Line]:
    found: dict[tuple[str, str], Line] = {}
    for line in lines:
        if not line.endswith(b"\n"):
            break
        receipt = msgspec.json.decode(line, type=Line)
        before = found.get((receipt.space, receipt.chain))
        if before is None or before.record <= receipt.record:
            found[receipt.space, receipt.chain] = receipt
    return list(found.values())


def _append(path: Path, lines: bytes) -> None:
    """Append under a lock, beginning the file again with the newest only when it has grown large."""
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_size > COMPACT_BYTES:
            file.seek(0)
            kept = _newest(file)
            file.truncate(0)
            file.write(b"".join(msgspec.json.encode(receipt) + b"\n" for receipt in kept))
        file.write(lines)


def _line(receipt: Receipt, space: str) -> bytes:
    line = Line(chain=receipt.chain, record=receipt.record, position=receipt.position, hash=receipt.hash, space=space)
    return msgspec.json.encode(line) + b"\n"
