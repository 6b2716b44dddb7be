"""A call's arguments in short: an object with the same keys, in which long values are described. Pure.

The longest values go first, so that what is short (a path, an option) is still there for whoever reads the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eunoe.composition import contents, hints, marks
from eunoe.composition.formats.shape import DECODER, encodable, encode, parsed
from eunoe.schemas.events import ToolCall

DEPTH = 3  # objects in objects that are looked into for long values

Place = tuple[dict[str, Any], str]  # an object, and the key of the value in it
SPACE = " \t\n\r"  # what may stand between the tokens of JSON


def shorten(call: ToolCall, size: int, memory_tool: bool) -> str:
    """The JSON text of an object of at most ``size`` bytes that has the keys of the call's arguments, or the first
    of them where even keys are too many. Arguments that are no object are a value of one."""
    way = hints.recall_text(call.entry, memory_tool)
    found = parsed(contents.said(call)) if call.blob is None else _beginning(call.blob.head, call.blob.size, way)
    leaves = _described(_leaves(found, DEPTH), way)
    objects = _described(((found, key) for key, value in found.items() if isinstance(value, dict)), way)
    for places in (leaves, objects):
        _hold_back(places, len(encode(found)) - size)
    return encode(found if len(encode(found)) <= size else _first(found, size, way)).decode()


def _hold_back(places: list[tuple[Place, str]], over: int) -> None:
    """Put descriptions in the place of values, of the longest first, until ``over`` bytes are saved."""
    saved = [len(encode(held[key])) - len(encode(text)) for (held, key), text in places]
    for at in sorted(range(len(places)), key=lambda index: (-saved[index], index)):
        if over <= 0 or saved[at] <= 0:
            return
        (held, key), held[key] = places[at]
        over -= saved[at]


def _described(places: Iterable[Place], way: str) -> list[tuple[Place, str]]:
    return [((held, key), _description(held[key], way)) for held, key in places]


def _description(value: object, way: str) -> str:
    if isinstance(value, str):
        return f"[text of {len(value.encode()):,} bytes held back{way}]"
    size = f"{len(encode(value)):,} bytes"
    if isinstance(value, list):
        return f"[list of {len(value):,}, {size}, held back{way}]"
    return f"[object of {_keys(len(value) if isinstance(value, dict) else 0)}, {size}, held back{way}]"


def _leaves(held: dict[str, Any], depth: int) -> Iterator[Place]:
    """The places of all values but of the objects that are looked into."""
    for key, value in held.items():
        if isinstance(value, dict) and value and depth:
            yield from _leaves(value, depth - 1)
        else:
            yield held, key


def _first(found: dict[str, Any], size: int, way: str) -> dict[str, Any]:
    """The first keys, and one more that says how many are not there."""
    shown: dict[str, Any] = {}
    key_of_note = _free(found)
    room = size - len(encode({key_of_note: _note(len(found), way)}))
    for key, value in found.items():
        room -= len(encode({key: value})) - 1
        if room < 0:
            break
        shown[key] = value
    return {**shown, key_of_note: _note(len(found) - len(shown), way)}


def _note(keys: int, way: str) -> str:
    return f"[{_keys(keys, 'more ')} held back{way}]"


def _keys(count: int, more: str = "") -> str:
    return f"{count:,} {more}{'key' if count == 1 else 'keys'}"


def _free(found: dict[str, Any]) -> str:
    """A key that is not taken."""
    key = "…"
    while key in found:
        key += "…"
    return key


def _beginning(head: str, size: int, way: str) -> dict[str, Any]:
    """The pairs that stand whole in the beginning of an object of ``size`` bytes; what comes then is described."""
    rest = f"[{size:,} bytes held back{way}]"
    found: dict[str, Any] = {}
    text = marks.clean(head)
    try:
        at = _after(text, 0, "{")
        while True:
            key, at = DECODER.raw_decode(text, _after(text, at))
            found[str(key)] = rest
            value, at = DECODER.raw_decode(text, _after(text, at, ":"))
            at = _after(text, at, ",")
            found[str(key)] = value
    except (ValueError, RecursionError):
        return found if found and encodable(found) else {"arguments": rest}


def _after(text: str, at: int, mark: str = "") -> int:
    """Where the next token is, after ``mark``; raises `ValueError` where that does not stand there."""
    found = _skip(text, at)
    if not text.startswith(mark, found):
        raise ValueError(f"no {mark}")
    return _skip(text, found + len(mark))


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at
