"""Large content: pieces come first, then the record that names them; what no record names goes."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress

import anyio
import anyio.to_thread
import msgspec

from eunoe.audit import contents
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Clock, Delivery, Store, Stored
from eunoe.schemas import blobs, ids, limits, subjects
from eunoe.schemas.errors import Conflict, Damaged, Denied, EunoeError, Invalid, NotFound, TooLarge
from eunoe.schemas.events import Blob, EntryBase
from eunoe.schemas.requests import AppendRequest, PieceReply
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

_AGAIN = 60.0  # seconds after which a sweep that failed is tried again
_BATCH = 64  # records read at once


class Pieces:
    """The pieces of one space, each under the thread it belongs to and the SHA-256 of its bytes."""

    def __init__(self, store: Store, chains: ChainReader, clock: Clock) -> None:
        self._store = store
        self._chains = chains
        self._clock = clock
        self._checks = anyio.CapacityLimiter(2)  # whole contents held in memory at once

    async def serve(self, address: Address, data: bytes) -> bytes:
        """Store one piece; the payload is its bytes. The same piece again is the same piece, and is stored again only
        when it is old: what a newer copy replaces stays on the disk for a while, where no erasure finds it."""
        if address.caller.role == "viewer":
            raise Denied("a viewer may not append content")
        if not address.thread:
            raise Invalid("large content belongs to a thread")
        if not 0 < len(data) <= limits.PIECE_BYTES:
            raise TooLarge(f"a piece is 1 to {limits.PIECE_BYTES} bytes, not {len(data)}")
        digest = hashlib.sha256(data).hexdigest()
        subject = subjects.piece(self._store.space, address.thread, digest)
        try:
            await self._store.blobs.append(subject, data, expect=(subject, 0))
        except Conflict:
            await self._renew(list((await self._store.blobs.last([subject])).messages))
        return msgspec.json.encode(PieceReply(digest))

    async def check(self, chain: str, request: AppendRequest) -> None:
        """Raise `Invalid` unless every blob of the request is stored and is what it says it is."""
        for event in request.events:
            if isinstance(event, EntryBase) and event.blob:
                await self._check_blob(subjects.chain_thread(chain), event.blob)

    async def read(self, thread: str, blob: Blob) -> str:
        """The whole content; raises `NotFound` when a piece is missing, `Damaged` when one is not what it was."""
        async with self._checks:
            return await _joined(blob, await contents.stored(self._store, thread, blob))

    async def sweep(self, wait: float) -> None:
        """Remove, for ever, pieces that no record named within a day of their coming; one look, of ``wait`` seconds."""
        consumer = await self._store.blobs.consumer(
            "sweep", [subjects.pieces_filter(self._store.space)], ack_wait=300.0
        )
        due: dict[str, list[Delivery]] = {}
        for delivery in await consumer.fetch(256, wait):
            age = (self._clock.now() - delivery.message.time) / 1000
            if age < limits.UNNAMED_PIECE_SECONDS:
                await delivery.nak(limits.UNNAMED_PIECE_SECONDS - age)
            else:
                due.setdefault(_thread(delivery.message), []).append(delivery)
        for thread, deliveries in due.items():
            await self._sweep(thread, deliveries)

    async def _sweep(self, thread: str, deliveries: list[Delivery]) -> None:
        try:
            named = await self._named(thread)
            for delivery in deliveries:
                if delivery.message.subject.rpartition(".")[2] not in named:
                    await self._erase(delivery.message)
                await delivery.ack()
        except EunoeError as error:
            logger.warning("pieces of %r were not swept: %s", thread, error, extra={"action": "sweep_failed"})
            for delivery in deliveries:
                await delivery.nak(_AGAIN)

    async def _erase(self, message: Stored) -> None:
        with suppress(NotFound):  # it was stored again since, under another sequence
            await self._store.blobs.erase(message.seq)

    async def _named(self, thread: str) -> set[str]:
        """Every piece that a record of the thread names."""
        chain = subjects.thread_chain(thread)
        head = await self._chains.head(chain, fresh=True)
        found: set[str] = set()
        if head is not None:
            for first in range(1, head.header.record + 1, _BATCH):
                places = await self._chains.positions(head, first, first + _BATCH - 1)
                for stored in await self._chains.stored(places):
                    found.update(digest for one in contents.named(chain, stored) for digest in one.blob.pieces)
        return found

    async def _check_blob(self, thread: str, blob: Blob) -> None:
        async with self._checks:
            pieces = await contents.stored(self._store, thread, blob)
            try:
                content = await _joined(blob, pieces)
            except (NotFound, Damaged, UnicodeDecodeError) as error:
                raise Invalid(
                    f"the content of {blob.size} bytes is not whole: {error}; send its pieces again"
                ) from None
            if await anyio.to_thread.run_sync(lambda: blobs.split(content)[0]) != blob:
                raise Invalid("the content is not what its record says of it; send the blob as `blobs.split` makes it")
            await self._renew([piece for piece in pieces if piece])

    async def _renew(self, pieces: list[Stored]) -> None:
        """Store old pieces again, so that no sweep can take them before their record is in the log."""
        for piece in pieces:
            if self._clock.now() - piece.time > limits.UNNAMED_PIECE_SECONDS * 1000 / 2:
                await self._store.blobs.append(piece.subject, piece.data)


async def _joined(blob: Blob, pieces: list[Stored | None]) -> str:
    for digest, piece in zip(blob.pieces, pieces, strict=True):
        if piece is None:
            raise NotFound(f"piece {digest[:12]} is missing")
    data = b"".join(piece.data for piece in pieces if piece)
    if await anyio.to_thread.run_sync(_digest, data) != blob.digest:
        raise Damaged("the pieces of this content do not have its digest; run `eunoe audit verify`")
    return data.decode()


def _thread(message: Stored) -> str:
    return ids.decode(message.subject.split(".")[-2])


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
