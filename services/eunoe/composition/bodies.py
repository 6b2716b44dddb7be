"""Large content that must be shown whole (requests, instructions, turns that are kept), read from its pieces."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from eunoe.audit.pieces import Pieces
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Settings
from eunoe.composition.literal import oldest_kept
from eunoe.composition.renderings import request_entry
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Prompt, Response

BYTES_PER_TOKEN_MAX = 16  # bytes a token; content of more bytes than this fits no window of so many tokens


class Bodies:
    """Reads whole contents of one space."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces

    async def turn(self, thread: str, turn: Turn, window: int) -> Turn:
        """The turn with its request whole: itself, or a copy where the request was kept in pieces."""
        entry = request_entry(turn)
        return await self._with(thread, turn, [item for item in turn.items if item.entry == entry], window)

    async def said(self, thread: str, turn: Turn, window: int, short: Collection[int] = ()) -> Turn:
        """The turn with everything that was said in it whole, but for the entries that are ``short``."""
        said = [item for item in turn.items if isinstance(item.event, Prompt | Response) and item.entry not in short]
        return await self._with(thread, turn, said, window)

    async def kept(self, fold: Fold, settings: Settings) -> dict[int, Turn]:
        """The turns that are kept as they are and have something in pieces, read whole, by number."""
        first = oldest_kept(fold, settings.keep)
        turns = {turn.number: turn for turn in fold.committed(first)}
        whole = {number: await self.said(fold.thread, turn, settings.window) for number, turn in turns.items()}
        return {number: turn for number, turn in whole.items() if turn is not turns[number]}

    async def _with(self, thread: str, turn: Turn, wanted: Sequence[Item], window: int) -> Turn:
        """A turn with those entries whole: itself where they are."""
        if all(item.event.blob is None for item in wanted):
            return turn
        whole = {item.entry: item for item in await self.items(thread, wanted, window)}
        items = [whole.get(item.entry, item) for item in turn.items]
        return replace(turn, items=items, cache={}, kept={})

    async def items(self, thread: str, items: Sequence[Item], window: int) -> list[Item]:
        """Entries with their content whole; raises `DoesNotFit` when it cannot be in such a window."""
        return [await self._item(thread, item, window) for item in items]

    async def _item(self, thread: str, item: Item, window: int) -> Item:
        blob = item.event.blob
        if blob is None:
            return item
        if blob.size > window * BYTES_PER_TOKEN_MAX:
            raise DoesNotFit(
                f"entry {item.entry} alone has {blob.size:,} bytes, too much for a window of {window:,} tokens; "
                "shorten it or use a larger window",
                window=window,
            )
        content = await self._pieces.read(thread, blob)
        return msgspec.structs.replace(item, event=msgspec.structs.replace(item.event, content=content, blob=None))
