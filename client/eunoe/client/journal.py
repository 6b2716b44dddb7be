"""The outbox on disk: what was kept survives the process, and goes on under the same producer and numbers.

JSONL: a line for who it belongs to, then one for each unit kept (written to disk before it is reported as
kept) and one for each that left. Each unit is an append of its own here, so that its number follows from
the order of the lines alone. A line that a crash cut short was never reported, and is dropped.
"""

from __future__ import annotations

import base64
import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path
from typing import Any

import msgspec

from eunoe.client.lanes import Unit
from eunoe.schemas import limits
from eunoe.schemas.errors import Damaged, Invalid
from eunoe.schemas.events import Event
from eunoe.schemas.subjects import Caller

COMPACT_BYTES = 4 * limits.MIB  # bytes over which a journal that holds nothing is begun again

_encoder = msgspec.json.Encoder()
_events = msgspec.json.Decoder(tuple[Event, ...])


@dataclass(slots=True)
class Kept:
    """One chain of the journal: its producer, the number of its next append, and what waits, in order."""

    producer: str
    n: int = 1
    units: dict[int, Unit] = field(default_factory=dict)


class Journal:
    """One outbox file, held by one process at a time."""

    def __init__(self, path: Path, space: str, caller: Caller, producer: str) -> None:
        """Open or begin the file; raises `Invalid` when it is in use or another's, `Damaged` when it cannot be read."""
        self.path = path
        self.producer = producer
        self._owner = f"{space}/{caller.role}/{caller.principal}"
        self._chains: dict[str, Kept] = {}
        self._ids: dict[int, tuple[int, str]] = {}
        self._next = 1
        self._lock = _locked(path)
        try:
            self._file = self._open()
        except BaseException:
            os.close(self._lock)
            raise

    def restored(self) -> dict[str, Kept]:
        """What the file held when it was opened, by chain."""
        return self._chains

    def put(self, chain: str, units: Sequence[Unit]) -> None:
        """Keep units: they are on disk when this returns."""
        lines = [self._kept(chain, unit) for unit in units]
        self._write(lines)
        os.fsync(self._file.fileno())

    def strike(self, unit: Unit, how: str) -> None:
        """A unit left: ``done`` or ``refused``."""
        number, chain = self._ids.pop(id(unit))
        self._leave(chain, number, how)
        self._write([{how: number}])
        if not self._ids and self._file.tell() > COMPACT_BYTES:
            self._begin_again()

    def renew(self, chain: str, producer: str) -> None:
        """A chain goes on as another producer, whose numbers start at 1."""
        self._apply({"renew": chain, "producer": producer})
        self._write([{"renew": chain, "producer": producer}])

    def close(self) -> None:
        self._file.close()
        os.close(self._lock)

    def _open(self) -> BufferedRandom:
        fresh = not self.path.exists() or not self.path.stat().st_size
        file = self.path.open("w+b" if fresh else "r+b")
        if fresh:
            file.write(self._header())
            file.flush()
            os.fsync(file.fileno())
            return file
        try:
            file.truncate(self._load(file))
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file

    def _load(self, file: BufferedRandom) -> int:
        """Read every line; returns where the last whole one ends."""
        good = 0
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                self._apply(msgspec.json.decode(line))
            except (msgspec.DecodeError, KeyError, ValueError, TypeError) as error:
                raise Damaged(f"line {number} of the outbox {self.path} cannot be read: {error!r}") from None
            good += len(line)
        return good

    def _apply(self, line: dict[str, Any]) -> None:
        match line:
            case {"eunoe_outbox": 1, "producer": str(producer), "owner": str(owner)}:
                if owner != self._owner:
                    raise Invalid(f"the outbox {self.path} belongs to {owner}, not to {self._owner}; give another file")
                self.producer = producer
            case {"base": chain, "n": n, "producer": producer}:
                self._chains[chain] = Kept(producer, n)
            case {"put": number, "chain": chain, "turn": turn, "events": events, "size": size, **rest}:
                pieces = tuple(map(base64.b64decode, rest.get("pieces", ())))
                self._add(chain, number, Unit(turn, _events.decode(_encoder.encode(events)), size, pieces))
            case {"renew": chain, "producer": producer}:
                kept = self._chains.setdefault(chain, Kept(self.producer))
                kept.producer, kept.n = producer, 1
            case {"done": number} | {"refused": number}:
                chain = next(chain for chain, kept in self._chains.items() if number in kept.units)
                self._ids.pop(id(self._chains[chain].units[number]))
                self._leave(chain, number, next(iter(line)))
            case _:
                raise ValueError("it is no line of an outbox")

    def _add(self, chain: str, number: int, unit: Unit) -> None:
        self._chains.setdefault(chain, Kept(self.producer)).units[number] = unit
        self._ids[id(unit)] = (number, chain)
        self._next = max(self._next, number + 1)

    def _leave(self, chain: str, number: int, how: str) -> None:
        kept = self._chains[chain]
        del kept.units[number]
        kept.n += how == "done"

    def _kept(self, chain: str, unit: Unit) -> dict[str, Any]:
        number = self._next
        self._add(chain, number, unit)
        line: dict[str, Any] = {"put": number, "chain": chain, "turn": unit.turn, "events": unit.events}
        pieces = [base64.b64encode(piece).decode() for piece in unit.pieces]
        return line | {"size": unit.size} | ({"pieces": pieces} if pieces else {})

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        self._file.write(b"".join(_encoder.encode(line) + b"\n" for line in lines))
        self._file.flush()

    def _header(self) -> bytes:
        return _encoder.encode({"eunoe_outbox": 1, "producer": self.producer, "owner": self._owner}) + b"\n"

    def _begin_again(self) -> None:
        """Replace the file by one that holds only how far each chain is."""
        fresh = self.path.with_name(f"{self.path.name}.new")
        with fresh.open("wb") as file:
            file.write(self._header())
            for chain, kept in self._chains.items():
                file.write(_encoder.encode({"base": chain, "n": kept.n, "producer": kept.producer}) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._file.close()
        fresh.replace(self.path)
        self._file = self.path.open("r+b")
        self._file.seek(0, os.SEEK_END)


def _locked(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Invalid(f"the outbox {path} cannot be used: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Invalid(f"the outbox {path} is used by another process; give this one a file of its own") from None
    return descriptor
