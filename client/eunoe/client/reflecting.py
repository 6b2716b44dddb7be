"""Reading one's own writes: what this client did to facts and sessions is waited for before it reads."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import anyio
from msgspec import structs

from eunoe.client.gate import Gate
from eunoe.client.tickets import Receipt
from eunoe.schemas import limits
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.events import BookEvent, Event
from eunoe.schemas.requests import FactsReply, FactsRequest

logger = logging.getLogger(__name__)

WAIT_SECONDS = 2.0  # seconds that a read waits for facts written before it


class Reflected:
    """How fresh reads must be. A watermark names one position, so chains with facts are waited for one by one."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._waiting: dict[str, int] = {}
        self._watermark = Watermark()

    def wrote(self, receipt: Receipt, events: Iterable[Event]) -> None:
        """Note an append; only what is done to facts and sessions has to be waited for."""
        if any(isinstance(event, BookEvent) for event in events):
            self._waiting[receipt.chain] = max(receipt.position, self._waiting.get(receipt.chain, 0))

    def read(self, chain: str, found: Watermark) -> None:
        """Note what an answer reflected that was asked for after this client's last write to a chain."""
        if found.log >= self._waiting.get(chain, 0):
            self._waiting.pop(chain, None)
        self._watermark = Watermark(
            permanent=max(found.permanent, self._watermark.permanent),
            session=max(found.session, self._watermark.session),
            thread=max(found.thread, self._watermark.thread),
        )

    async def watermark(self, position: int) -> Watermark:
        """What a read must reflect: the log up to ``position``, and the buckets that hold this client's facts.

        Without a facts worker there is nothing to wait for; the read itself shows what is missing.
        """
        for chain, at in list(self._waiting.items()):
            try:
                await self._wait(chain, at)
            except (WorkerMissing, OutcomeUnknown, Unreachable) as error:
                logger.warning("facts may be stale: %s", error, extra={"action": "facts_stale"})
                break
        return structs.replace(self._watermark, log=position)

    async def settle(self, chain: str, at: int, seconds: float) -> None:
        """Return once every read reflects a record of the chain.

        Raises `WorkerMissing`, `Unreachable`, and `OutcomeUnknown` when that takes longer than ``seconds``.
        """
        try:
            with anyio.move_on_after(seconds):
                while self._waiting.get(chain, 0) >= at > 0:
                    await self._wait(chain, self._waiting[chain])
                return
        except (WorkerMissing, Unreachable) as error:
            raise type(error)(
                f"it is done and in the log; reads show what was before until facts are: {error}"
            ) from None
        raise OutcomeUnknown(
            "it is done and in the log; reads show what was before until the facts worker comes to it. "
            "See with `eunoe status` how far it is."
        )

    async def _wait(self, chain: str, at: int) -> None:
        request = FactsRequest(limit=0, after=Watermark(log=at), wait=WAIT_SECONDS)
        timeout = WAIT_SECONDS + limits.REQUEST_SECONDS
        self.read(chain, (await self._gate.ask("facts", request, FactsReply, timeout=timeout)).watermark)
