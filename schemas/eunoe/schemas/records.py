"""A record: what one append wrote, one JetStream message, one link of its chain.

On the wire a record is JSON ``{"header": …, "hash": …, "salts": […], "events": […]}``. The header holds
``prev`` and the salted digest of every event, and ``hash`` is the SHA-256 of the header's bytes *as
stored*: a chain can be checked by a reader that knows no event, and stays whole when the content of an
event is erased, because the digest stays and the salt goes with the content.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Damaged, NewerSchema
from eunoe.schemas.events import Event
from eunoe.schemas.subjects import Caller, Role

_CONTEXT, _MEMORY = b'{"type":"context.', b'{"type":"memory.'
GENESIS = "0" * 64  # the ``prev`` of a chain's first record


class OpenTurn(msgspec.Struct, frozen=True, array_like=True):
    """A turn that is open after a record: its number, last touch (ms UTC), agent, session, opening record, preview."""

    turn: int
    touched: int
    agent: str
    session: str
    record: int
    preview: str = ""


class ClosedTurn(msgspec.Struct, frozen=True, array_like=True):
    """A turn that was closed: its number, and how."""

    turn: int
    state: Literal["committed", "aborted"]


class Done(msgspec.Struct, frozen=True, array_like=True):
    """How far a producer is: its last number, and the record that holds it.

    ``position`` is that record's sequence in the log, 0 when it is the very record that says so.
    """

    n: int
    record: int
    position: int


class Place(msgspec.Struct, frozen=True, array_like=True):
    """A record of the chain; ``position`` is its sequence in the log, 0 when it is the very record that says so."""

    record: int
    position: int


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that decides the next append, so that a chain's last record is enough to go on.

    ``n``, ``request``: the append's number for its producer and the SHA-256 of its payload. ``before`` is
    the position of this producer's previous record. ``entries``, ``turns``, ``committed`` count the chain
    up to and with this record. ``producers`` is keyed ``role/principal/producer`` (encoded ids);
    ``evicted`` is the newest record of a producer that left that list. ``instructed`` is the newest record
    that holds instructions, None when there is none.
    ``back`` are the positions of up to `limits.BACK_RECORDS` previous records, newest first; ``marks``
    those of records 1024, 2048, … ``digests`` are of the events, in order.
    """

    v: int
    space: str
    chain: str
    record: int
    prev: str
    time: int
    role: Role
    principal: str
    producer: str
    n: int
    request: str
    digests: tuple[str, ...]
    before: int = 0
    entries: int = 0
    turns: int = 0
    committed: int = 0
    open: dict[str, OpenTurn] = {}
    closed: dict[str, ClosedTurn] = {}
    producers: dict[str, Done] = {}
    evicted: int = 0
    instructed: Place | None = None
    back: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()

    @property
    def caller(self) -> Caller:
        return Caller(self.role, self.principal)

    @property
    def origin(self) -> str:
        """The append that wrote this record (`origin`)."""
        return origin(self.caller, self.producer, self.n)


class Wire(msgspec.Struct, frozen=True):
    """A record as stored, its header and events still as bytes."""

    header: msgspec.Raw
    hash: str
    salts: tuple[str, ...]
    events: tuple[msgspec.Raw, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record read back, with its ``position``: the sequence of its message in the log."""

    position: int
    header: Header
    hash: str
    events: tuple[Event, ...]


class _Brief(msgspec.Struct):
    """What a header says of its own record."""

    v: int
    space: str
    chain: str
    record: int
    prev: str
    time: int
    role: Role
    principal: str
    producer: str
    n: int
    request: str


class _Plain(msgspec.Struct):
    """A record of which everything but most of its header is read, in one go."""

    header: _Brief
    hash: str
    events: tuple[Event, ...]


class _Version(msgspec.Struct):
    v: int = 0


_wire = msgspec.json.Decoder(Wire)
_header = msgspec.json.Decoder(Header)
_brief = msgspec.json.Decoder(_Brief)
_plain = msgspec.json.Decoder(_Plain)
_event = msgspec.json.Decoder(Event)
_version = msgspec.json.Decoder(_Version)
_encoder = msgspec.json.Encoder()


def digest_event(salt: str, event: bytes) -> str:
    """The salted digest (hex) of one event's bytes as stored."""
    return hashlib.sha256(bytes.fromhex(salt) + event).hexdigest()


def digest_header(header: bytes) -> str:
    """The hash of a record: SHA-256 (hex) over the bytes of its header, which holds ``prev`` and the digests."""
    return hashlib.sha256(header).hexdigest()


def producer_key(caller: Caller, producer: str) -> str:
    return f"{caller.role}/{ids.encode(caller.principal)}/{ids.encode(producer)}"


def origin(caller: Caller, producer: str, n: int) -> str:
    """The name of an append within its chain: who appended, with which producer, under which number."""
    return f"{producer_key(caller, producer)}/{n}"


def seal(header: Header, events: tuple[Event, ...]) -> tuple[bytes, str]:
    """The bytes of a record and its hash; ``header.digests`` is filled in here, with fresh 16-byte salts."""
    raws = tuple(_encoder.encode(event) for event in events)
    salts = tuple(secrets.token_hex(16) for _ in raws)
    digests = tuple(digest_event(salt, raw) for salt, raw in zip(salts, raws, strict=True))
    sealed = _encoder.encode(msgspec.structs.replace(header, digests=digests))
    found = digest_header(sealed)
    wire = Wire(header=msgspec.Raw(sealed), hash=found, salts=salts, events=tuple(msgspec.Raw(raw) for raw in raws))
    return _encoder.encode(wire), found


def open_wire(data: bytes) -> Wire:
    """A stored message as a wire record; raises `Damaged` when it is none."""
    try:
        return _wire.decode(data)
    except msgspec.DecodeError as error:
        raise Damaged(f"a stored message is no record: {error}") from None


def open_header(raw: bytes) -> Header:
    """The header; raises `NewerSchema` when a newer version wrote it, `Damaged` when it is none."""
    try:
        header = _header.decode(raw)
    except msgspec.DecodeError as error:
        refuse_newer(raw)
        raise Damaged(f"a record's header cannot be read: {error}") from None
    refuse_newer(raw, header.v)
    return header


def open_brief(raw: bytes) -> Header:
    """The header without what decides the next append, which is most of it; raises as `open_header`."""
    try:
        brief = _brief.decode(raw)
    except msgspec.DecodeError as error:
        refuse_newer(raw)
        raise Damaged(f"a record's header cannot be read: {error}") from None
    refuse_newer(raw, brief.v)
    return _header_of(brief)


def _header_of(brief: _Brief) -> Header:
    return Header(
        v=brief.v,
        space=brief.space,
        chain=brief.chain,
        record=brief.record,
        prev=brief.prev,
        time=brief.time,
        role=brief.role,
        principal=brief.principal,
        producer=brief.producer,
        n=brief.n,
        request=brief.request,
        digests=(),
    )


def read(position: int, data: bytes) -> Record:
    """A stored message as a record with its events; hashes are not checked here (`eunoe.audit.verify` does)."""
    wire = open_wire(data)
    return _record(position, wire, open_header(wire.header), wire.events)


def read_brief(position: int, data: bytes, passed_over: Callable[[msgspec.Raw], bool]) -> Record:
    """As `read`, with the header that `open_brief` tells, and without the events that are ``passed_over`` by their
    bytes: only what begins with ``{"type":"context.`` or ``{"type":"memory.`` is asked about."""
    if _CONTEXT not in data and _MEMORY not in data:  # in what was said the quotes are escaped
        try:
            plain = _plain.decode(data)
        except msgspec.DecodeError:
            pass  # what is wrong with it shows when it is read part by part
        else:
            refuse_newer(data, plain.header.v)
            return Record(position=position, header=_header_of(plain.header), hash=plain.hash, events=plain.events)
    wire = open_wire(data)
    return _record(position, wire, open_brief(wire.header), [raw for raw in wire.events if not passed_over(raw)])


def _record(position: int, wire: Wire, header: Header, raws: Iterable[msgspec.Raw]) -> Record:
    try:
        events = tuple(map(_event.decode, raws))
    except msgspec.DecodeError as error:
        raise Damaged(f"an event of record {header.record} of {header.chain} cannot be read: {error}") from None
    return Record(position=position, header=header, hash=wire.hash, events=events)


def refuse_newer(raw: bytes, version: int | None = None) -> None:
    """Raise `NewerSchema` when ``v`` in these bytes (or ``version``) is newer than this code."""
    if version is None:
        try:
            version = _version.decode(raw).v
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
    if version > limits.SCHEMA_VERSION:
        raise NewerSchema(
            f"this has schema version {version}; this is Eunoe with version {limits.SCHEMA_VERSION}. "
            "Upgrade Eunoe to read it."
        )
