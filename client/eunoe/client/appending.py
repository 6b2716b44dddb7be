"""What every verb of a client stands on: appends, and reads that reflect them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eunoe.client import batches, delivery
from eunoe.client.delivery import PATIENCE_SECONDS
from eunoe.client.gate import Gate
from eunoe.client.outbox import Outbox
from eunoe.client.receipts import Receipts
from eunoe.client.reflecting import Reflected
from eunoe.client.tickets import Receipt
from eunoe.schemas import ids, limits, records
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import NumberReused, TooLarge
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendRequest

CLOSE_SECONDS = 10.0  # seconds that closing waits for events that the outbox still holds


class Appending:
    """One space in the name of one caller, as far as it is written to.

    ``window``: tokens of a context where none are named, None for the setting of the composition workers.
    ``patience``: seconds that an append waits for an answer before it is said to be unknown. ``keep``: what
    cannot be delivered now is no error of the append; its receipt says ``kept`` and the log says why.
    """

    def __init__(
        self, gate: Gate, outbox: Outbox, receipts: Receipts, *, window: int | None = None, keep: bool = False
    ) -> None:
        self.gate = gate
        self.receipts = receipts
        self.window = window
        self.patience = PATIENCE_SECONDS
        self.keep = keep
        self._outbox = outbox
        self._reflected = Reflected(gate)

    async def append(self, chain: str, turn: str, events: Sequence[Event], *, key: str = "") -> Receipt:
        """Append to a chain (`eunoe.schemas.subjects`); see `Thread.append`.

        With a ``key`` it is done once, however often and by whatever process of this caller it is asked for: the
        first answer comes again (``duplicate``), and `NumberReused` refuses another payload. Such an append is
        delivered now or not at all; no outbox keeps it.
        """
        if key:
            return await self._append_once(chain, turn, events, key)
        ticket = await self._outbox.put(chain, turn, events)
        receipt = await ticket.wait(self.patience, keep=self.keep)
        self._reflected.wrote(receipt, events)
        return receipt

    async def flush(self, seconds: float = CLOSE_SECONDS) -> int:
        """Wait until the outbox is empty, at most ``seconds``; returns how many events it still holds."""
        return await self._outbox.flush(seconds)

    def delivered(self, receipt: Receipt) -> None:
        """Note a record that is in the log: later reads of this client reflect it."""
        self.receipts.add(receipt)

    async def watermark(self) -> Watermark:
        """What reads of this client must reflect: everything that it wrote."""
        return await self._reflected.watermark(self.receipts.position)

    def statistics(self) -> dict[str, int]:
        return self._outbox.statistics()

    async def _append_once(self, chain: str, turn: str, events: Sequence[Event], key: str) -> Receipt:
        """Under a producer of its own, the key, whose only append it is."""
        producer = ids.check(key, "key")
        found = batches.split(map(batches.ready, events))
        if len(found) != 1:
            raise TooLarge("what has a key is one append; send less at once, or give each part a key of its own")
        request = AppendRequest(
            v=limits.SCHEMA_VERSION, producer=producer, n=1, events=tuple(found[0].events), turn=turn
        )
        try:
            reply = await delivery.deliver(
                self.gate, chain, found[0].pieces, msgspec.json.encode(request), delivery.SERVED
            )
        except NumberReused:
            raise NumberReused(f"the key {key!r} was used for something else; give this a key of its own") from None
        receipt = Receipt(
            chain=chain,
            position=reply.position,
            record=reply.record,
            hash=reply.hash,
            origin=reply.origin,
            turn=reply.turn,
            entries=reply.entries,
            duplicate=reply.duplicate,
        )
        self.delivered(receipt)
        self._reflected.wrote(receipt, events)
        return receipt

    def _origin(self, key: str) -> str:
        """The name that the append under a key has in its chain."""
        return records.origin(self.gate.caller, key, 1)
