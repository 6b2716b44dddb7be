"""A folded thread as bytes, for a cache that every replica shares. Pure.

What is packed is what was read; what is derived from that while composing is derived again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from eunoe.composition import contents
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn, TurnState
from eunoe.composition.profiles import Composed, profile
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import ContextAssessed, Entry, Usage
from eunoe.schemas.records import Header

FOLD_VERSION = 3  # of what is packed here, and of the rules of `eunoe.composition.fold`; another one is no fold


class _Item(msgspec.Struct, frozen=True, array_like=True):
    event: Entry
    position: int
    time: int
    giver: str


class _Turn(msgspec.Struct, frozen=True, array_like=True):
    number: int
    state: TurnState
    ordinal: int
    key: str
    agent: str
    session: str
    preview: str
    time: int
    whole: bool
    items: tuple[_Item, ...]


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    version: int
    chain: str
    header: Header
    hash: str
    position: int
    upto: int
    oldest: int
    base: int
    turns: tuple[_Turn, ...]
    instructions: tuple[_Item, ...]
    back: tuple[int, ...]
    trimmed: bool
    lost: tuple[int, ...]
    older: dict[str, tuple[_Item, ...]]
    recipes: tuple[tuple[Recipe, int], ...]
    usages: tuple[tuple[int, Usage], ...]
    remembered: tuple[int, ...]
    erasures: int
    assessed: tuple[int, ContextAssessed] | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Packed).decode


def pack(fold: Fold) -> bytes:
    """A fold of a thread that has records."""
    if fold.header is None:
        raise ValueError("there is nothing to pack of a thread without records")
    return _encode(
        _Packed(
            version=FOLD_VERSION,
            chain=fold.chain,
            header=fold.header,
            hash=fold.hash,
            position=fold.position,
            upto=fold.upto,
            oldest=fold.oldest,
            base=fold.base,
            turns=tuple(_packed_turn(fold.turns[number]) for number in sorted(fold.turns)),
            instructions=_packed_items(fold.instructions),
            back=fold.back,
            trimmed=fold.trimmed,
            lost=tuple(sorted(fold.lost)),
            older={agent: _packed_items(items) for agent, items in fold.older.items()},
            recipes=tuple((composed.recipe, composed.position) for composed in fold.recipes.values()),
            usages=tuple(fold.usages),
            remembered=tuple(fold.remembered),
            erasures=fold.erasures,
            assessed=fold.assessed,
        )
    )


def unpack(data: bytes, chain: str) -> Fold | None:
    """The fold of that chain; None for what this version did not pack, or is no fold of it."""
    try:
        packed = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if packed.version != FOLD_VERSION or packed.chain != chain:
        return None
    fold = Fold(chain)
    fold.header, fold.hash, fold.position = packed.header, packed.hash, packed.position
    fold.upto, fold.oldest, fold.base, fold.back = packed.upto, packed.oldest, packed.base, packed.back
    fold.turns = {turn.number: _turn(turn) for turn in packed.turns}
    fold.instructions = list(_items(packed.instructions))
    fold.size = sum(turn.size for turn in fold.turns.values())
    fold.size += sum(contents.held(item.event) for item in fold.instructions)
    fold.trimmed, fold.lost, fold.erasures = packed.trimmed, set(packed.lost), packed.erasures
    fold.older = {agent: _items(items) for agent, items in packed.older.items()}
    fold.recipes = {profile(recipe): Composed(recipe, position) for recipe, position in packed.recipes}
    fold.usages, fold.remembered = list(packed.usages), list(packed.remembered)
    fold.assessed = packed.assessed
    return fold


def _packed_turn(turn: Turn) -> _Turn:
    return _Turn(
        number=turn.number,
        state=turn.state,
        ordinal=turn.ordinal,
        key=turn.key,
        agent=turn.agent,
        session=turn.session,
        preview=turn.preview,
        time=turn.time,
        whole=turn.whole,
        items=_packed_items(turn.items),
    )


def _turn(packed: _Turn) -> Turn:
    turn = Turn(
        packed.number,
        packed.state,
        ordinal=packed.ordinal,
        key=packed.key,
        agent=packed.agent,
        session=packed.session,
        preview=packed.preview,
        time=packed.time,
        whole=packed.whole,
    )
    for item in _items(packed.items):
        turn.add(item)
    return turn


def _packed_items(items: Iterable[Item]) -> tuple[_Item, ...]:
    return tuple(_Item(item.event, item.position, item.time, item.giver) for item in items)


def _items(packed: Iterable[_Item]) -> tuple[Item, ...]:
    return tuple(Item(one.event, one.position, one.time, one.giver) for one in packed)
