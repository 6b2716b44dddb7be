"""What an append's caller waits on. The append itself goes on when the caller is cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from eunoe.client.lanes import Unit
from eunoe.schemas.errors import EunoeError, OutcomeUnknown, WorkerMissing
from eunoe.schemas.requests import AppendReply

_KEPT = "The events are kept and will be delivered by this client; do not send them again."


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an append came to: the last record that holds it, and one entry number an event (0: no entry).

    ``index`` is where its first event stands in that record, which other appends may share.
    ``kept``: it is not in the log yet; the outbox holds it, and ``position`` is 0.
    """

    chain: str
    position: int = 0
    record: int = 0
    hash: str = ""
    origin: str = ""
    turn: int = 0
    entries: tuple[int, ...] = ()
    index: int = 0
    duplicate: bool = False
    kept: bool = False


class Ticket:
    """One append of a caller: its units, until all are in the log or one was refused."""

    def __init__(self, chain: str, units: Sequence[Unit]) -> None:
        self.chain = chain
        self.units = tuple(units)
        self.receipt: Receipt | None = None
        self.awaited = 0  # callers that hear at once what becomes of it
        self._left = len(self.units)
        self._entries: tuple[int, ...] = ()
        self._error: EunoeError | None = None
        self._notice: EunoeError | None = None
        self._changed = anyio.Event()

    def done(self, reply: AppendReply, index: int, count: int) -> None:
        """One more unit is in the log: ``count`` events of the record, from ``index`` on."""
        self._left -= 1
        self._entries += reply.entries[index : index + count]
        if self._left:
            return
        self.receipt = Receipt(
            chain=self.chain,
            position=reply.position,
            record=reply.record,
            hash=reply.hash,
            origin=reply.origin,
            turn=reply.turn,
            entries=self._entries,
            index=index,
            duplicate=reply.duplicate,
        )
        self._changed.set()

    def failed(self, error: EunoeError) -> None:
        self._error = error
        self._changed.set()

    def notice(self, error: EunoeError) -> None:
        """It could not be delivered yet. A missing worker is said at once; the rest is known only in time."""
        self._notice = error
        if isinstance(error, WorkerMissing):
            self._changed.set()

    async def wait(self, patience: float, *, keep: bool) -> Receipt:
        """The receipt, or the error that refused the append.

        When it cannot be delivered yet: a receipt that says ``kept``, or, unless ``keep``, what is in the
        way (`WorkerMissing` at once, `OutcomeUnknown` and the like after ``patience`` seconds).
        """
        self.awaited += 1
        try:
            with anyio.move_on_after(patience):
                await self._changed.wait()
        finally:
            self.awaited -= 1
        if self.receipt is not None:
            return self.receipt
        if self._error is not None:
            raise self._error
        if keep:
            return Receipt(self.chain, kept=True)
        raise _kept(self._notice)


def _kept(notice: EunoeError | None) -> EunoeError:
    if notice is None:
        return OutcomeUnknown(f"the append is not answered yet. {_KEPT}", kept=True)
    return type(notice)(f"{notice} {_KEPT}", **{**notice.detail, "kept": True})
