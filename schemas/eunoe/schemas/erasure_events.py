"""What the log knows of erasures. `eunoe.schemas.events` has their names too."""

from __future__ import annotations

import msgspec

from eunoe.schemas.erasures import ErasedChain, ErasureCounts, ErasureTarget, KeptPlace
from eunoe.schemas.event_base import Base


class Erased(Base, frozen=True, kw_only=True, omit_defaults=True, tag="erased"):
    """The place of an event of memory that was erased: its type. An erased entry stays one, marked so."""

    kind: str


class KeptEvent(msgspec.Struct, frozen=True, array_like=True):
    """An event of a kept record, as it was stored, with its salt; one that was erased has none, and is `Erased`."""

    salt: str
    event: msgspec.Raw


class RecordKept(Base, frozen=True, kw_only=True, omit_defaults=True, tag="record.kept"):
    """What is left of an earlier record of this chain, of which something was erased: it takes the place of the
    record ``record``, whose message was at ``position`` under ``subject``. ``header`` is as it was stored, so that
    ``hash`` and the digests of the erased events stay."""

    record: int
    position: int
    subject: str
    hash: str
    header: msgspec.Raw
    events: tuple[KeptEvent, ...]


class EraseIntended(Base, frozen=True, kw_only=True, omit_defaults=True, tag="erase.intended"):
    """A person wants ``target`` erased: from here on the erasure ``id`` goes on until it is done.

    What it takes goes in rounds of records, of which more may follow: what was on its way meanwhile is found when
    the rounds before are done. ``pieces`` are sequences in the stream of pieces. ``counts`` and ``facts`` (some of
    the ids) are of this round. ``sought`` is the position at which the log ended when it was first looked through for
    the target: what is behind that may have been missed (0: as far as the first round says).
    """

    id: str
    target: ErasureTarget
    words: str
    reason: str
    round: int = 1
    chains: tuple[ErasedChain, ...] = ()
    counts: ErasureCounts = ErasureCounts()
    facts: tuple[str, ...] = ()
    pieces: tuple[int, ...] = ()
    sought: int = 0


class EraseKept(Base, frozen=True, kw_only=True, omit_defaults=True, tag="erase.kept"):
    """What is left of the records of a round is appended again; from here on it stands for them."""

    id: str
    round: int
    places: tuple[KeptPlace, ...]


class EraseRemoved(Base, frozen=True, kw_only=True, omit_defaults=True, tag="erase.removed"):
    """The messages of a round, their pieces and their dead letters are overwritten and gone."""

    id: str
    round: int


class EraseDone(Base, frozen=True, kw_only=True, omit_defaults=True, tag="erase.done"):
    """Nothing of the target is left: the facts were made again without it, and a last look found nothing."""

    id: str
    counts: ErasureCounts = ErasureCounts()
