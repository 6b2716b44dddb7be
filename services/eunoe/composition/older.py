"""What a fold takes in of records that are read against their order, newest first: all but recipes that a newer one of
their profile replaces, and what no fold looks at. Pure but for the reading itself.

A recipe is many times as long as what is said in most turns, and every request stores one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

from eunoe.composition.profiles import Profile
from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.errors import Damaged
from eunoe.schemas.events import ContextComposed, ContextCondensed, ContextCut, ContextReferenced, MemoryUsed
from eunoe.schemas.records import Record

_UNSEEN = (ContextCondensed, ContextReferenced, ContextCut, MemoryUsed)  # kept for people, never folded


class _Told(msgspec.Struct):
    """The profile of a recipe."""

    window: int
    counter: str
    format: str


class _Composed(msgspec.Struct):
    recipe: _Told


def _begins(kind: type[msgspec.Struct]) -> bytes:
    """How the bytes of an event of that kind begin."""
    return b'{"type":"%b"' % str(kind.__struct_config__.tag).encode()


_COMPOSED = _begins(ContextComposed)
_PASSED = tuple(_begins(kind) for kind in _UNSEEN)
_decoder = msgspec.json.Decoder(_Composed)


def read(places: Mapping[int, Stored | None], profiles: Iterable[Profile]) -> dict[int, Record]:
    """The records that can be read, of those at ``places`` by their numbers, newest first; ``profiles`` are those of
    recipes that are newer than all of them. Only of the oldest the whole header is read, as only that says what comes
    before. Raises `NewerSchema`."""
    events, found = Older(profiles), dict[int, Record]()
    present = {number: stored for number, stored in places.items() if stored is not None}
    for number, stored in present.items():
        with suppress(Damaged):
            found[number] = records.read_brief(stored.seq, stored.data, events.passed_over)
    while found:
        oldest = min(found)
        record = found.pop(oldest)
        with suppress(Damaged):
            header = records.open_header(records.open_wire(present[oldest].data).header)
            return found | {oldest: msgspec.structs.replace(record, header=header)}
    return found


class Older:
    """Looks through records of one chain, each older than all before it; ``profiles`` are those of newer recipes."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self._profiles = set(profiles)

    def passed_over(self, event: bytes | msgspec.Raw) -> bool:
        """Whether an event, by its bytes, changes nothing."""
        begins = bytes(memoryview(event)[:32])
        if begins.startswith(_PASSED):
            return True
        if not begins.startswith(_COMPOSED):
            return False
        try:
            told = _decoder.decode(event).recipe
        except msgspec.DecodeError:  # what cannot be read is to be told of
            return False
        profile = (told.window, told.counter, told.format)
        known = profile in self._profiles
        self._profiles.add(profile)
        return known
