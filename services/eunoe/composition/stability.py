"""How much of a context is as it was in the last one, from its first byte on. Pure.

A provider keeps what it read of a request, and reads the next one from the first byte on that differs. A ladder has a
rung at the end of each piece of a context: a digest of all bytes up to there. Two contexts begin alike as far as their
ladders do, so the last one's bytes need not be kept.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from eunoe.composition.render import Rendered

RUNG_BYTES = 4  # bytes of a rung: of a million pieces, one is taken for another in four thousand such contexts


@dataclass(frozen=True, slots=True)
class Rung:
    """A digest of all the bytes up to ``end``."""

    end: int
    digest: bytes


def ladder(rendered: Rendered) -> tuple[Rung, ...]:
    """The rungs of a context, the last one at its end."""
    data = rendered.data
    running = hashlib.sha256()
    found: list[Rung] = []
    for start, end in pairwise([0, *_ends(rendered, data)]):
        running.update(data[start:end])
        found.append(Rung(end, running.digest()[:RUNG_BYTES]))
    return tuple(found)


def packed(rungs: Sequence[Rung]) -> str:
    """A ladder as a recipe keeps it."""
    return base64.b64encode(b"".join(rung.digest for rung in rungs)).decode()


def stable(rungs: Sequence[Rung], before: str) -> int:
    """Leading bytes that are those of the context whose ladder was packed as ``before``: never more than there are,
    and less by no more than the piece in which the two part."""
    held = base64.b64decode(before)
    found = 0
    for at, rung in enumerate(rungs):
        if held[at * RUNG_BYTES : (at + 1) * RUNG_BYTES] != rung.digest:
            break
        found = rung.end
    return found


def _ends(rendered: Rendered, data: bytes) -> Iterator[int]:
    """Where pieces end in the bytes of a context: what stands before the first one (the instructions, in most formats)
    is one, and so is what stands after the last."""
    at, first = 0, True
    for _, pieces in rendered.layers[1:]:
        for piece in pieces:
            start = data.find(piece.data, at)
            if start < 0:
                continue
            if first and start:
                yield start
            at, first = start + len(piece.data), False
            yield at
    if at < len(data):
        yield len(data)
