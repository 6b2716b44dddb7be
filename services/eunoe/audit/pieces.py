"""Large content: pieces come first, then the record that names them; what no record names goes."""

from __future__ import annotations

import hashlib
import logging

import anyio
import anyio.to_thread
import msgspec

from eunoe.audit import contents
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Clock, Consumer, Delivery, Store
from eunoe.schemas import blobs, ids, limits, subjects
from eunoe.schemas.errors import Damaged, Denied, EunoeError, Invalid, NotFound, TooLarge
from eunoe.schemas.events import Blob, EntryBase
from eunoe.schemas.requests import AppendRequest, PieceReply
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

_SWEEP_WAIT = 60.0  # seconds between two looks for pieces to sweep


class Pieces:
    """The pieces of one space, each under the thread it belongs to and the SHA-256 of its bytes."""

    def __init__(self, store: Store, chains: ChainReader, clock: Clock) -> None:
        self._store = store
        self._chains = chains
        self._clock = clock
        self._checks = anyio.CapacityLimiter(2)  # whole contents held in memory at once

    async def serve(self, address: Address, data: bytes) -> bytes:
        """Store one piece; the payload is its bytes. The same piece again is the same piece."""
        if address.caller.role == "viewer":
            raise Denied("a viewer may not append content")
        if not address.thread:
            raise Invalid("large content belongs to a thread")
        if not 0 < len(data) <= limits.PIECE_BYTES:
            raise TooLarge(f"a piece is 1 to {limits.PIECE_BYTES} bytes, not {len(data)}")
        digest = hashlib.sha256(data).hexdigest()
        await self._store.blobs.append(subjects.piece(self._store.space, address.thread, digest), data)
        return msgspec.json.encode(PieceReply(digest))

    async def check(self, chain: str, request: AppendRequest) -> None:
        """Raise `Invalid` unless every blob of the request is stored and is what it says it is."""
        for event in request.events:
            if isinstance(event, EntryBase) and event.blob:
                await self._check_blob(subjects.chain_thread(chain), event.blob)

    async def read(self, thread: str, blob: Blob) -> str:
        """The whole content; raises `NotFound` when a piece is missing, `Damaged` when one is not what it was."""
        async with self._checks:
            found = await contents.fetch(self._store, thread, blob)
            for digest, piece in zip(blob.pieces, found, strict=True):
                if piece is None:
                    raise NotFound(f"piece {digest[:12]} is missing")
            data = b"".join(piece for piece in found if piece is not None)
            if await anyio.to_thread.run_sync(_digest, data) != blob.digest:
                raise Damaged("the pieces of this content do not have its digest; run `eunoe audit verify`")
            return data.decode()

    async def sweep(self) -> None:
        """Remove, for ever, pieces that no record named within a day of their coming."""
        consumer = await self._consumer()
        while True:
            await self._sweep_some(consumer, _SWEEP_WAIT)

    async def sweep_due(self) -> None:
        """The same once: what is due now."""
        await self._sweep_some(await self._consumer(), 0.0)

    async def _consumer(self) -> Consumer:
        return await self._store.blobs.consumer("sweep", [subjects.pieces_filter(self._store.space)], ack_wait=300.0)

    async def _sweep_some(self, consumer: Consumer, wait: float) -> None:
        for delivery in await consumer.fetch(64, wait):
            age = (self._clock.now() - delivery.message.time) / 1000
            if age < limits.UNNAMED_PIECE_SECONDS:
                await delivery.nak(limits.UNNAMED_PIECE_SECONDS - age)
                continue
            try:
                await self._sweep(delivery)
            except EunoeError as error:
                logger.warning("a piece was not swept: %s", error, extra={"action": "sweep_failed"})
                await delivery.nak(_SWEEP_WAIT)

    async def _sweep(self, delivery: Delivery) -> None:
        message = delivery.message
        token, digest = message.subject.split(".")[-2:]
        thread = ids.decode(token)
        if not await self._named(thread, digest):
            await self._store.blobs.erase(message.seq)
            if await self._named(thread, digest):  # a record came meanwhile: the piece is still in hand
                await self._store.blobs.append(message.subject, message.data)
        await delivery.ack()

    async def _named(self, thread: str, digest: str) -> bool:
        head = await self._chains.head(subjects.thread_chain(thread))
        if head is None:
            return False
        async for record in self._chains.backward(head):
            for event in record.events:
                if isinstance(event, EntryBase) and event.blob and digest in event.blob.pieces:
                    return True
        return False

    async def _check_blob(self, thread: str, blob: Blob) -> None:
        try:
            content = await self.read(thread, blob)
        except (NotFound, Damaged, UnicodeDecodeError) as error:
            raise Invalid(f"the content of {blob.size} bytes is not whole: {error}; send its pieces again") from None
        if await anyio.to_thread.run_sync(lambda: blobs.split(content)[0]) != blob:
            raise Invalid("the content is not what its record says of it; send the blob as `blobs.split` makes it")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
