"""Exports: the log, or one thread, as JSON lines that verify without a server and import again.

The first line is ``{"eunoe_export": 1, …}``, then one line a record as stored, each after the pieces of the
large contents that it names, last ``{"anchor": …}`` with the head of every chain in the file. A file
without its last line was cut short, and says so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

import msgspec

from eunoe.audit import contents
from eunoe.audit.anchors import Anchor, KnownHeads, Mark
from eunoe.audit.contents import Named
from eunoe.audit.verify import Problem, Verdict, Verifier
from eunoe.runtime.chains import ChainReader, head_of
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, NewerSchema, NotFound
from eunoe.schemas.requests import StoredRecord

VERSION = 1
CUT_SHORT = "the export ends without its anchor: it was cut short"


class Opening(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line: the format's version, the space, when (ms UTC), and the thread when it is only one."""

    eunoe_export: int
    space: str
    time: int
    thread: str = ""


class PieceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of large content: its SHA-256 (hex), the chain that it belongs to, its bytes in base64."""

    piece: str
    chain: str
    data: bytes


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """The last line."""

    anchor: Anchor


def export(store: Store, now: int, thread: str = "") -> AsyncIterator[bytes]:
    """The lines of an export (each with its newline), in bounded memory. ``now`` in ms UTC."""

    async def fetch(content: Named) -> Sequence[bytes | None]:
        return await contents.fetch(store, content.thread, content.blob)

    source = _of_thread(store, thread) if thread else store.log.scan()
    return written(Opening(eunoe_export=VERSION, space=store.space, time=now, thread=thread), source, fetch)


async def written(
    opening: Opening, source: AsyncIterator[Stored], fetch: Callable[[Named], Awaitable[Sequence[bytes | None]]]
) -> AsyncIterator[bytes]:
    """The lines of an export of these stored records.

    ``fetch`` gets the pieces of a large content, and None for one that is not there, which `verify_export` tells.
    """
    heads = KnownHeads()
    yield _line(opening)
    async with closing(source) as records:
        async for stored in records:
            head = head_of(stored)
            chain = head.header.chain
            heads.last = stored.seq
            heads.heads[chain] = Mark(head.header.record, stored.seq, head.hash)
            for content in contents.named(chain, stored):
                for digest, data in zip(content.blob.pieces, await fetch(content), strict=True):
                    if data is not None:
                        yield _line(PieceLine(piece=digest, chain=chain, data=data))
            yield _line(StoredRecord(subject=stored.subject, position=stored.seq, data=stored.data.decode()))
    yield _line(Closing(anchor=heads.anchor(opening.time, heads.heads)))


def verify_export(lines: Iterable[bytes], verifier: Verifier) -> Verdict:
    """Check an export's lines; raises `Invalid` when they are none."""
    rows = iter(lines)
    read_opening(next(rows, b""))
    anchor: Anchor | None = None
    for number, line in enumerate(rows, start=2):
        row = _read(line, number)
        if isinstance(row, Anchor):
            anchor = row
        elif isinstance(row, PieceLine):
            verifier.hold(row.chain, row.piece, row.data)
        else:
            verifier.feed(row)
            verifier.settle_pieces()
    if anchor is None:
        verifier.problems.append(Problem(what=CUT_SHORT))
    else:
        verifier.close(anchor)
        _check_root(anchor, verifier)
    return verifier.verdict()


def read_opening(line: bytes) -> Opening:
    """The first line; raises `Invalid` when it is none, `NewerSchema` when a newer version wrote it."""
    try:
        opening = msgspec.json.decode(line, type=Opening)
    except msgspec.DecodeError:
        raise Invalid("this is no export of Eunoe: its first line does not say so") from None
    if opening.eunoe_export > VERSION:
        raise NewerSchema(
            f"this export has version {opening.eunoe_export}, this is {VERSION}. Upgrade Eunoe to read it."
        )
    return opening


def _of_thread(store: Store, thread: str) -> AsyncIterator[Stored]:
    return _records(ChainReader(store.log, store.space), thread)


async def _records(chains: ChainReader, thread: str) -> AsyncIterator[Stored]:
    head = await chains.head(subjects.thread_chain(thread))
    if head is None:
        raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
    for first in range(1, head.header.record + 1, limits.BACK_RECORDS):
        last = min(first + limits.BACK_RECORDS - 1, head.header.record)
        for stored in await chains.stored(await chains.positions(head, first, last)):
            yield stored


def _read(line: bytes, number: int) -> Stored | Anchor | PieceLine:
    try:
        if line.startswith(b'{"anchor"'):
            return msgspec.json.decode(line, type=Closing).anchor
        if line.startswith(b'{"piece"'):
            return msgspec.json.decode(line, type=PieceLine)
        row = msgspec.json.decode(line, type=StoredRecord)
    except msgspec.DecodeError as error:
        raise Invalid(f"line {number} of the export is no record: {error}") from None
    return Stored(row.subject, row.position, row.data.encode())


def _check_root(anchor: Anchor, verifier: Verifier) -> None:
    if anchor.prev or not KnownHeads().add(anchor):
        verifier.problems.append(Problem(what="the export's anchor does not have the root it states: it was changed"))


def _line(row: msgspec.Struct) -> bytes:
    return msgspec.json.encode(row) + b"\n"
