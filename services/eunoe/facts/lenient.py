"""Reading what is stored though something in it is damaged: that is passed over and logged, never silently."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec

from eunoe.facts import document as documents
from eunoe.runtime.doors import Entry, Stored
from eunoe.schemas import records
from eunoe.schemas.errors import Damaged
from eunoe.schemas.facts import Document
from eunoe.schemas.records import Header, Record

logger = logging.getLogger(__name__)

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)
"""What decoding a document raises: no JSON, other fields or types, no UTF-8."""

_T = TypeVar("_T")


def read(stored: Stored) -> tuple[Record, bool]:
    """A record, and whether all of it could be read: of one whose events cannot only the header counts.

    Raises `Damaged` when the header cannot be read either, `NewerSchema` when a newer version wrote it.
    """
    try:
        return records.read(stored.seq, stored.data), True
    except Damaged as error:
        wire = records.open_wire(stored.data)
        header = records.open_header(wire.header)
        _left_out(stored, error)
        return Record(position=stored.seq, header=header, hash=wire.hash, events=()), False


def read_any(stored: Stored) -> Record | None:
    """As `read`, for whoever looks through many chains: None for what is no record at all."""
    try:
        return read(stored)[0]
    except Damaged as error:
        _left_out(stored, error)
        return None


def header(stored: Stored) -> tuple[Header, int] | None:
    """The header of a record, and how many events it has; None for what is no record at all."""
    try:
        wire = records.open_wire(stored.data)
        return records.open_header(wire.header), len(wire.events)
    except Damaged as error:
        _left_out(stored, error)
        return None


def document(entry: Entry) -> Document | None:
    """The document of a fact; None when it cannot be read."""
    return _read(entry, documents.decode)


def entry(found: Entry, decoder: msgspec.json.Decoder[_T]) -> _T | None:
    """What else is kept under a key; None when it cannot be read."""
    return _read(found, decoder.decode)


def _read(found: Entry, decode: Callable[[bytes], _T]) -> _T | None:
    try:
        return decode(found.value)
    except UNREADABLE as error:
        logger.error("%s cannot be read: %s", found.key, error, extra={"action": "document_damaged", "key": found.key})
        return None


def _left_out(stored: Stored, error: Damaged) -> None:
    logger.error("position %d is left out of the facts: %s", stored.seq, error, extra={"action": "record_damaged"})
