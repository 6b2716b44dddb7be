"""What a request says, read so that nothing anybody sends is more than a refusal."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from eunoe.schemas.errors import Invalid

T = TypeVar("T")

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises: no JSON, other fields or types, no UTF-8, or nested too deep."""


def read(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    """The request in these bytes (empty: one without fields); raises `Invalid` in one line."""
    try:
        return decoder.decode(data or b"{}")
    except UNREADABLE as error:
        raise Invalid(f"the request cannot be read: {error}") from None
