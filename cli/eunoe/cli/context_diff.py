"""What changed from one context to another, layer by layer and part by part. Pure.

A part is one thing that somebody says: a message, a call, a result, a block of memory. One that stands in another
layer of the other context has moved (a request becomes a literal turn); one that the same speaker says otherwise is
told line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff

import msgspec

from eunoe.cli import messages_view
from eunoe.schemas.context import Context, Format, LayerName

LAYERS: tuple[LayerName, ...] = ("instructions", "earlier", "literal", "now", "request")
LINES = 4_000  # lines of a part that are compared one by one
AROUND = 2  # unchanged lines shown beside those that changed
LINE_LENGTH = 8  # characters of a line that tells one text from another
BLOCKS: frozenset[LayerName] = frozenset({"instructions", "earlier", "now"})  # layers that are one block each
CALL = re.compile(r"\bcall_[0-9]+\b")  # in the name of a speaker: the call that it makes or answers


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is said: who says it, and what. ``moved`` is the layer where the other context has it."""

    who: str
    text: str
    moved: LayerName | None = None


class Otherwise(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part that is said otherwise now; ``lines`` are those of a unified diff, none where it is too long for one.
    ``moved`` is the layer where it was before, where that is another."""

    who: str
    before: str
    after: str
    lines: tuple[str, ...]
    moved: LayerName | None = None


Place = tuple[LayerName, Part]
"""A part, and the layer in which it stands."""


class LayerDifference(msgspec.Struct, frozen=True):
    """What changed in a layer. Token counts are those of the two contexts; parts stand in the order of theirs."""

    name: LayerName
    tokens: tuple[int, int]
    gone: tuple[Part, ...]
    added: tuple[Part, ...]
    otherwise: tuple[Otherwise, ...]
    same: int


class Side(msgspec.Struct, frozen=True):
    """One of the two contexts, by its turn and what it was composed for; the next request is of the next turn.
    ``summary`` is the version of the running summary in it, 0 for none. Of its ``tokens``, ``corrected`` were added to
    the counter's by what the provider counted, or, below 0, taken off."""

    id: str
    turn: int
    window: int
    format: Format
    counter: str
    tokens: int
    sha256: str
    reconstructed: bool
    summary: int = 0
    corrected: int = 0


class Difference(msgspec.Struct, frozen=True):
    """What changed from one context to another. ``layers`` are those in which something did.

    ``identical``: both are the same bytes.
    """

    thread: str
    before: Side
    after: Side
    identical: bool
    layers: tuple[LayerDifference, ...]


def compare(before: Context, after: Context) -> Difference:
    """What changed from ``before`` to ``after``."""
    sides = (_side(before), _side(after))
    identical = before.recipe.sha256 == after.recipe.sha256
    if identical:
        return Difference(before.thread, *sides, True, ())
    old, new = parts(before), parts(after)
    tokens = [{layer.name: layer.tokens for layer in one.layers} for one in (before, after)]
    found = [_layer(name, (tokens[0].get(name, 0), tokens[1].get(name, 0)), old, new) for name in LAYERS]
    changed = tuple(one for one in found if one.gone or one.added or one.otherwise)
    return Difference(before.thread, *sides, False, changed)


def parts(context: Context) -> dict[LayerName, list[Part]]:
    """The parts of each layer, in order."""
    said_by = messages_view.speakers(context.messages)
    return {
        layer.name: [Part(who, text) for who, text in messages_view.of_layer(layer.text, context.format, said_by)]
        for layer in context.layers
    }


def _side(context: Context) -> Side:
    return Side(
        id=context.id,
        turn=context.turn,
        window=context.window,
        format=context.format,
        counter=context.recipe.counter,
        tokens=context.tokens,
        sha256=context.recipe.sha256,
        reconstructed=context.reconstructed,
        summary=context.recipe.summary.version if context.recipe.summary else 0,
        corrected=int(context.recipe.settings.get("anchor", 0)),
    )


def _layer(
    name: LayerName, tokens: tuple[int, int], old: dict[LayerName, list[Part]], new: dict[LayerName, list[Part]]
) -> LayerDifference:
    before, after = old.get(name, []), new.get(name, [])
    gone, added = _unlike(before, after)
    same = len(before) - len(gone)
    otherwise = [_otherwise(one, other) for one, other in _paired(gone, added, whole=name in BLOCKS)]
    moved = [(part, found) for part in added if (found := _answered(part, name, old))]
    otherwise += [_otherwise(found[1], part, found[0]) for part, found in moved]
    return LayerDifference(
        name=name,
        tokens=tokens,
        gone=tuple(_moved(part, _found(part, name, new) or _answered(part, name, new)) for part in gone),
        added=tuple(_moved(part, _found(part, name, old)) for part in added if not _answered(part, name, old)),
        otherwise=tuple(otherwise),
        same=same,
    )


def _unlike(before: Sequence[Part], after: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """The parts of each that the other has not, in order."""
    gone: list[Part] = []
    added: list[Part] = []
    for how, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if how != "equal":
            gone += before[first:last]
            added += after[start:end]
    return gone, added


def _paired(gone: list[Part], added: list[Part], *, whole: bool) -> Iterator[tuple[Part, Part]]:
    """The parts that are one part said otherwise, taken out of both lists: of one call, or by one speaker with a line
    in common; where ``whole``, of a block that there is once."""
    for part in list(gone):
        found = next((other for other in added if other.who == part.who and (whole or _alike(part, other))), None)
        if found is not None:
            gone.remove(part)
            added.remove(found)
            yield part, found


def _alike(part: Part, other: Part) -> bool:
    if CALL.search(part.who):
        return True
    return not _lines_that_tell(part.text).isdisjoint(_lines_that_tell(other.text))


def _lines_that_tell(text: str) -> set[str]:
    return {line for line in map(str.strip, text.splitlines()) if len(line) >= LINE_LENGTH}


def _found(part: Part, name: LayerName, other: Mapping[LayerName, Sequence[Part]]) -> Place | None:
    """The same part in another layer of the other context."""
    return next((place for place in _elsewhere(name, other) if place[1] == part), None)


def _answered(part: Part, name: LayerName, other: Mapping[LayerName, Sequence[Part]]) -> Place | None:
    """What another layer of the other context has of the same call, said otherwise."""
    if not CALL.search(part.who):
        return None
    alike = (place for place in _elsewhere(name, other) if place[1].who == part.who)
    return next((place for place in alike if place[1].text != part.text), None)


def _elsewhere(name: LayerName, other: Mapping[LayerName, Sequence[Part]]) -> Iterator[Place]:
    """The parts of the other context that stand in other layers."""
    for layer in LAYERS:
        for part in other.get(layer, ()) if layer != name else ():
            yield layer, part


def _moved(part: Part, found: Place | None) -> Part:
    return part if found is None else Part(part.who, part.text, found[0])


def _otherwise(before: Part, after: Part, moved: LayerName | None = None) -> Otherwise:
    old, new = before.text.splitlines(), after.text.splitlines()
    lines = unified_diff(old, new, n=AROUND, lineterm="") if max(len(old), len(new)) <= LINES else ()
    return Otherwise(before.who, before.text, after.text, tuple(lines)[2:], moved)
