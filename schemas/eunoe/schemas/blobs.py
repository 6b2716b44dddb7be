"""Large content: how it is cut into pieces, and what of it stays in the record."""

from __future__ import annotations

import hashlib

from eunoe.schemas import limits
from eunoe.schemas.errors import TooLarge
from eunoe.schemas.events import Blob


def split(content: str) -> tuple[Blob, tuple[bytes, ...]]:
    """The blob that stands for ``content``, and its pieces in order, each at most `limits.PIECE_BYTES`.

    Raises `TooLarge` over `limits.CONTENT_BYTES`.
    """
    data = content.encode()
    if len(data) > limits.CONTENT_BYTES:
        raise TooLarge(
            f"the content is {len(data):,} bytes; the limit is {limits.CONTENT_BYTES:,} (64 MiB). "
            "Store it elsewhere and append a reference to it."
        )
    pieces = tuple(data[at : at + limits.PIECE_BYTES] for at in range(0, len(data), limits.PIECE_BYTES))
    blob = Blob(
        digest=hashlib.sha256(data).hexdigest(),
        size=len(data),
        lines=len(content.splitlines()),
        pieces=tuple(hashlib.sha256(piece).hexdigest() for piece in pieces),
        head=data[: limits.EXCERPT_BYTES].decode(errors="ignore"),
        tail=_tail(data),
    )
    return blob, pieces


def _tail(data: bytes) -> str:
    cut = data[-limits.EXCERPT_BYTES :]
    start = next((at for at, byte in enumerate(cut) if byte & 0xC0 != 0x80), 0)
    return cut[start:].decode(errors="ignore")


def size_of(content: str, blob: Blob | None) -> int:
    """Bytes of UTF-8 in an entry's whole content."""
    return blob.size if blob else len(content.encode())
