"""The verbs of a space as one caller asks them: structs in, structs out."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, NewerSchema
from eunoe.schemas.requests import (
    AppendReply,
    HeadReply,
    HeadRequest,
    PieceReply,
    Verb,
)
from eunoe.schemas.subjects import Caller

Reply = TypeVar("Reply")
_encoder = msgspec.json.Encoder()


class Asks(Protocol):
    """What carries a request; raises the errors of `eunoe.schemas.errors`."""

    async def request(self, subject: str, data: bytes, *, timeout: float = ...) -> bytes: ...


class Gate:
    """Requests of one caller in one space."""

    def __init__(self, asks: Asks, space: str, caller: Caller) -> None:
        self._asks = asks
        self.space = space
        self.caller = caller

    async def append(self, chain: str, data: bytes, *, timeout: float | None = None) -> AppendReply:
        """Append a request's bytes, which a retry repeats exactly."""
        return await self._send("append", data, chain, AppendReply, timeout)

    async def piece(self, chain: str, data: bytes, *, timeout: float | None = None) -> PieceReply:
        return await self._send("piece", data, chain, PieceReply, timeout)

    async def head(self, chain: str, producer: str = "", *, timeout: float | None = None) -> HeadReply:
        return await self.ask("head", HeadRequest(producer=producer), HeadReply, chain, timeout=timeout)

    async def ask(
        self, verb: Verb, request: object, reply: type[Reply], chain: str = "", *, timeout: float | None = None
    ) -> Reply:
        """Ask and read the answer; raises `NewerSchema` for one that this version cannot read."""
        try:
            data = _encoder.encode(request)
        except UnicodeEncodeError:
            raise Invalid("what is asked holds half of a surrogate pair; it must be valid Unicode") from None
        return await self._send(verb, data, chain, reply, timeout)

    async def _send(
        self, verb: Verb, data: bytes, chain: str, reply: type[Reply], timeout: float | None = None
    ) -> Reply:
        subject = subjects.request(self.space, verb, self.caller, chain)
        answer = await self._asks.request(subject, data, timeout=timeout or limits.REQUEST_SECONDS)
        try:
            return msgspec.json.decode(answer, type=reply)
        except msgspec.DecodeError as error:
            raise NewerSchema(f"the answer to {verb} cannot be read ({error}); use one version of Eunoe") from None
