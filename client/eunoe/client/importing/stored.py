"""Large content of an export: put together again from its pieces."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from msgspec import structs

from eunoe.schemas import limits
from eunoe.schemas.events import Blob, Entry, HappenedEvent


class Pieces:
    """Pieces seen so far, by digest; the oldest go when they are more than one content may be."""

    def __init__(self, limit: int = 2 * limits.CONTENT_BYTES) -> None:
        self._pieces: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._limit = limit

    def add(self, digest: str, data: bytes) -> None:
        """Raises ValueError when the bytes are not those of the digest."""
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("its bytes do not have the digest that names it")
        if digest in self._pieces:
            self._pieces.move_to_end(digest)
            return
        self._pieces[digest] = data
        self._bytes += len(data)
        while self._bytes > self._limit:
            self._bytes -= len(self._pieces.popitem(last=False)[1])

    def content(self, blob: Blob) -> str | None:
        """The whole content, or None when a piece is not there."""
        found = [self._pieces.get(digest) for digest in blob.pieces]
        if any(piece is None for piece in found):
            return None
        return b"".join(piece for piece in found if piece is not None).decode(errors="replace")


def restore(event: HappenedEvent, pieces: Pieces) -> tuple[HappenedEvent, str]:
    """The event with its content whole, and why its content is only an excerpt when it is."""
    if not isinstance(event, Entry) or event.blob is None:
        return event, ""
    blob = event.blob
    whole = pieces.content(blob)
    if whole is not None:
        return structs.replace(event, content=whole, blob=None), ""
    excerpt = f"{blob.head}\n[{blob.size:,} bytes, of which the export holds the beginning and the end]\n{blob.tail}"
    reason = f"the export has no pieces for a content of {blob.size:,} bytes; its beginning and end went in"
    return structs.replace(event, content=excerpt, blob=None), reason
