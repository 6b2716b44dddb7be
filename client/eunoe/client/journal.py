"""The outbox on disk: what was kept survives the process, and goes on under the same producer and numbers.

JSONL: a line for who it belongs to, then one for each unit kept (written to disk before it is reported as
kept) and one for each that left. Each unit is an append of its own here, so that its number follows from
the order of the lines alone. A line that a crash cut short was never reported, and is dropped.

A lost line ``done`` costs nothing: the append is sent again under its number, and found to be done. After one
that says ``refused`` or ``renew`` another append gets the number, so it is on disk before that one is sent.
"""

from __future__ import annotations

import base64
import fcntl
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from eunoe.client.lanes import Unit
from eunoe.client.lines import Lines
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Damaged, Invalid
from eunoe.schemas.events import Event
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

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
        self._left = False  # whether the file has units that were delivered or refused
        self._lock = _locked(path)
        try:
            self._lines = self._open()
        except BaseException:
            os.close(self._lock)
            raise

    def restored(self) -> dict[str, Kept]:
        """What the file held when it was opened, by chain."""
        return self._chains

    def put(self, chain: str, units: Sequence[Unit]) -> None:
        """Keep units: they are on disk when this returns. Raises `Busy` when they cannot be; then none is kept."""
        lines = [self._kept(chain, unit) for unit in units]
        try:
            self._lines.append(_joined(lines), sync=True)
        except OSError as error:
            for unit in units:
                number, _ = self._ids.pop(id(unit))
                del self._chains[chain].units[number]
            raise self._full(error) from None

    def strike(self, unit: Unit, how: str) -> None:
        """A unit left: ``done``, or ``refused``, which `sync` makes sure of."""
        number, chain = self._ids.pop(id(unit))
        self._leave(chain, number, how)
        self._lines.owe(_joined([{how: number}]))
        if not self._ids and self._lines.end > COMPACT_BYTES:
            self._begin_again()

    def renew(self, chain: str, producer: str) -> None:
        """A chain goes on as another producer, whose numbers start at 1; `sync` makes sure of it."""
        line = {"renew": chain, "producer": producer}
        self._apply(line)
        self._lines.owe(_joined([line]))

    def sync(self) -> None:
        """Everything told so far is on disk when this returns; raises `Busy` when it cannot be."""
        try:
            self._lines.append(b"", sync=True)
        except OSError as error:
            raise self._full(error) from None

    def close(self) -> None:
        """Let the file go; what was delivered does not stay in one that holds nothing."""
        if not self._ids and self._left:
            self._begin_again()
        self._lines.close()
        os.close(self._lock)

    def _open(self) -> Lines:
        try:
            lines = Lines(self.path)
        except OSError as error:
            raise _unusable(self.path, error) from None
        try:
            self._load(lines)
        except BaseException:
            lines.close()
            raise
        return lines

    def _load(self, lines: Lines) -> None:
        try:
            for number, line in enumerate(lines.load(), 1):
                self._read(number, line)
            if not lines.end:
                lines.append(self._header(), sync=True)
        except OSError as error:
            raise _unusable(self.path, error) from None

    def _read(self, number: int, line: bytes) -> None:
        try:
            self._apply(msgspec.json.decode(line))
        except (msgspec.DecodeError, KeyError, ValueError, TypeError) as error:
            raise Damaged(
                f"line {number} of the outbox {self.path} cannot be read: {error!r}; put the file away to begin another"
            ) from None

    def _full(self, error: OSError) -> Busy:
        return Busy(f"the outbox {self.path} cannot be written: {error.strerror}; mend that and append again")

    def _apply(self, line: dict[str, Any]) -> None:
        match line:
            case {"eunoe_outbox": 1, "producer": str(producer), "owner": str(owner)}:
                if owner != self._owner:
                    raise Invalid(f"the outbox {self.path} belongs to {owner}, not to {self._owner}; give another file")
                self.producer = producer
            case {"base": str(chain), "n": int(n), "producer": str(producer)}:
                self._chains[chain] = Kept(producer, n)
            case {
                "put": int(number),
                "chain": str(chain),
                "turn": str(turn),
                "events": events,
                "size": int(size),
                **rest,
            }:
                pieces = tuple(map(base64.b64decode, rest.get("pieces", ())))
                self._add(chain, number, Unit(turn, _events.decode(_encoder.encode(events)), size, pieces))
            case {"renew": str(chain), "producer": str(producer)}:
                kept = self._chains.setdefault(chain, Kept(self.producer))
                kept.producer, kept.n = producer, 1
            case {"done": int(number)} | {"refused": int(number)}:
                chain = self._holder(number)
                self._ids.pop(id(self._chains[chain].units[number]))
                self._leave(chain, number, next(iter(line)))
            case _:
                raise ValueError("it is no line of an outbox")

    def _add(self, chain: str, number: int, unit: Unit) -> None:
        self._chains.setdefault(chain, Kept(self.producer)).units[number] = unit
        self._ids[id(unit)] = (number, chain)
        self._next = max(self._next, number + 1)

    def _holder(self, number: int) -> str:
        for chain, kept in self._chains.items():
            if number in kept.units:
                return chain
        raise ValueError(f"it is about the unit {number}, which is not kept")

    def _leave(self, chain: str, number: int, how: str) -> None:
        self._left = True
        kept = self._chains[chain]
        del kept.units[number]
        kept.n += how == "done"

    def _kept(self, chain: str, unit: Unit) -> dict[str, Any]:
        number = self._next
        self._add(chain, number, unit)
        line: dict[str, Any] = {"put": number, "chain": chain, "turn": unit.turn, "events": unit.events}
        pieces = [base64.b64encode(piece).decode() for piece in unit.pieces]
        return line | {"size": unit.size} | ({"pieces": pieces} if pieces else {})

    def _header(self) -> bytes:
        return _joined([{"eunoe_outbox": 1, "producer": self.producer, "owner": self._owner}])

    def _begin_again(self) -> None:
        """Replace the file by one that holds only how far each chain is."""
        chains = self._chains.items()
        bases = ({"base": chain, "n": kept.n, "producer": kept.producer} for chain, kept in chains)
        try:
            self._lines.replace(self._header() + _joined(bases))
            self._left = False
        except OSError as error:
            logger.warning(
                "the outbox %s stays large: %s", self.path, error.strerror, extra={"action": "outbox_not_compacted"}
            )


def _joined(lines: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(_encoder.encode(line) + b"\n" for line in lines)


def _unusable(path: Path, error: OSError) -> Invalid:
    return Invalid(f"the outbox {path} cannot be used: {error.strerror}")


def _locked(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unusable(path, error) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Invalid(f"the outbox {path} is used by another process; give this one a file of its own") from None
    return descriptor
