"""What an erasure does to the store: what is left of its records is appended again, then the rest is overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

import msgspec

from eunoe.audit import contents
from eunoe.audit.authority import SWEEPER
from eunoe.audit.erasures import Erasure, Round, batched
from eunoe.runtime import kept
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.closing import closing
from eunoe.runtime.dead_letters import ENDED, ERASED
from eunoe.runtime.doors import Log, Store, Stored
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.erasures import ErasedChain, ErasureTarget, KeptPlace
from eunoe.schemas.errors import NotFound
from eunoe.schemas.events import Event, RecordKept
from eunoe.schemas.requests import AppendReply, DeadLetter
from eunoe.schemas.subjects import Caller

_TOGETHER = 64  # records read at once

_letter = msgspec.json.Decoder(DeadLetter)


class Write(Protocol):
    """Appends events that no request may bring. ``expect``: only if the chain ends at that position of the log."""

    async def __call__(
        self, caller: Caller, chain: str, events: tuple[Event, ...], *, expect: int | None = None
    ) -> AppendReply:
        """Raises what `eunoe.runtime.doors.Auditor.append` does; `Conflict` when the chain ends elsewhere."""
        ...


class Remover:
    """Keeps and removes the records of one space. Everything here may be done again, wherever it was left."""

    def __init__(self, store: Store, chains: ChainReader, write: Write) -> None:
        self._store = store
        self._chains = chains
        self._write = write

    async def keep(self, one: Round) -> tuple[KeptPlace, ...]:
        """Append what is left of a round's records to their chains, and say where it is."""
        places: list[KeptPlace] = []
        for chain in one.intended.chains:
            for start in range(0, len(chain.records), _TOGETHER):
                places += await self._keep(chain, start)
        return tuple(places)

    async def remove(self, one: Round, erasure: Erasure) -> None:
        """Overwrite the messages of a round, and what belongs to them alone: pieces and dead letters."""
        await self._erase(self._store.log, list(one.positions))
        await self._remove_pieces(one.intended.chains, one.intended.pieces)
        await self._remove_letters(one.positions, erasure)

    async def removed(self, erasure: Erasure) -> int:
        """How many records of an erasure are overwritten: they are so in order."""
        count = 0
        for one in erasure.rounds:
            positions = one.positions
            if one.kept and not one.removed:
                return count + await self._gone(list(positions.items()))
            count += len(positions) if one.removed else 0
        return count

    async def back(self, erasure: Erasure) -> int:
        """Remove again what came back after the server was killed; returns how many messages that were."""
        count = 0
        for one in erasure.rounds:
            if one.removed:
                count += await self._messages_back(one)
                count += await self._pieces_back(one)
        return count

    async def letters(self, positions: Iterable[int], target: ErasureTarget) -> list[Stored]:
        """The dead letters about records at these positions, or about anything of a thread that goes whole; one
        that says no position may quote anything of its thread in its reason."""
        wanted, found = set(positions), list[Stored]()
        async with closing(self._store.dead.scan()) as letters:
            async for stored in letters:
                letter = _letter.decode(stored.data)
                mine = bool(target.thread) and letter.thread == target.thread
                quotes = not letter.position and letter.reason not in (ENDED, ERASED)
                if letter.position in wanted or (mine and (target.whole or quotes)):
                    found.append(stored)
        return found

    async def pieces(self, thread: str, digests: Iterable[str]) -> list[Stored]:
        """The pieces of a thread with these digests, as they are stored now."""
        wanted = [subjects.piece(self._store.space, thread, digest) for digest in sorted(digests)]
        found: list[Stored] = []
        for start in range(0, len(wanted), contents.AT_ONCE):
            found += (await self._store.blobs.last(wanted[start : start + contents.AT_ONCE])).messages
        return found

    async def _keep(self, chain: ErasedChain, start: int) -> list[KeptPlace]:
        """What is left of some records of a chain; of one that is not there any more nothing is."""
        run = chain.records[start : start + _TOGETHER]
        found = await self._store.log.get([one.position for one in run])
        left = [kept.keep(stored, one.events) for one, stored in zip(run, found, strict=True) if stored is not None]
        places: list[KeptPlace] = []
        for batch in batched(left):
            reply = await self._write(SWEEPER, chain.chain, tuple(batch))
            places += _places(reply.position, batch)
        return places

    async def _remove_pieces(self, chains: Sequence[ErasedChain], sequences: Sequence[int]) -> None:
        if not sequences:
            return
        stored = [one for one in await self._store.blobs.get(sequences) if one is not None]
        named = await self._named(chains)
        await self._erase(self._store.blobs, [one.seq for one in stored if _digest(one) not in named])

    async def _remove_letters(self, positions: Iterable[int], erasure: Erasure) -> None:
        found = await self.letters(positions, erasure.target)
        if not erasure.target.whole:
            for stored in found:
                await self._write_again(stored)
        await self._erase(self._store.dead, [stored.seq for stored in found])

    async def _write_again(self, stored: Stored) -> None:
        """The letter of a job without its reason: what failed of its thread can be done again all the same."""
        letter = _letter.decode(stored.data)
        if letter.payload:
            data = msgspec.json.encode(msgspec.structs.replace(letter, reason=ERASED))
            await self._store.dead.append(stored.subject, data, msg_id=f"erased.{stored.seq}")

    async def _gone(self, wanted: Sequence[tuple[int, Sequence[int]]]) -> int:
        """How many from the first one on are gone, of positions with the events that go there."""
        low, high = 0, len(wanted)
        while low < high:
            middle = (low + high) // 2
            position, events = wanted[middle]
            (stored,) = await self._store.log.get([position])
            if stored is not None and _unerased(stored, events):
                high = middle
            else:
                low = middle + 1
        return low

    async def _messages_back(self, one: Round) -> int:
        positions = one.positions
        found = await self._store.log.get(list(positions))
        there = [stored.seq for stored in found if stored and _unerased(stored, positions[stored.seq])]
        await self._erase(self._store.log, there)
        return len(there)

    async def _pieces_back(self, one: Round) -> int:
        """Pieces from before the erasure that nothing names: an older copy comes back where a newer was erased."""
        if not one.intended.pieces:
            return 0
        named = await self._named(one.intended.chains)
        back: list[int] = []
        for chain in one.intended.chains:
            if thread := subjects.chain_thread(chain.chain):
                stored = (await self._store.blobs.last([subjects.piece(self._store.space, thread, "*")])).messages
                back += [piece.seq for piece in stored if piece.time <= one.time and _digest(piece) not in named]
        await self._erase(self._store.blobs, back)
        return len(back)

    async def _named(self, chains: Iterable[ErasedChain]) -> set[str]:
        """Digests of the pieces that the records of these chains name now."""
        found: set[str] = set()
        for chain in chains:
            head = await self._chains.head(chain.chain, fresh=True)
            if head is None:
                continue
            for first in range(1, head.header.record + 1, limits.BACK_RECORDS):
                places = await self._chains.positions(head, first, first + limits.BACK_RECORDS - 1)
                for stored in await self._store.log.get(places):
                    if stored is not None:
                        blobs = (one.blob for one in contents.named(chain.chain, stored))
                        found.update(digest for blob in blobs for digest in blob.pieces)
        return found

    async def _erase(self, log: Log, sequences: Sequence[int]) -> None:
        """Overwrite messages, one after the other: the server rewrites a block for each, and others want it too."""
        for sequence in sequences:
            with suppress(NotFound):  # it is gone already: this is done again
                await log.erase(sequence)


def _places(at: int, batch: Sequence[RecordKept]) -> list[KeptPlace]:
    by_subject: dict[str, list[int]] = {}
    for one in batch:
        by_subject.setdefault(one.subject, []).append(one.position)
    return [KeptPlace(at, subject, tuple(positions)) for subject, positions in by_subject.items()]


def _unerased(stored: Stored, events: Sequence[int]) -> bool:
    """Whether a record as it is read now still has any of these events."""
    salts: Mapping[int, str] = dict(enumerate(records.open_wire(stored.data).salts))
    return any(salts.get(index) for index in events)


def _digest(piece: Stored) -> str:
    return piece.subject.rpartition(".")[2]
