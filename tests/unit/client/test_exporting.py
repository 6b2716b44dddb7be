"""A client's export of a thread, through the audit worker."""

from __future__ import annotations

import pytest
from desks import Desk
from wires import Wire

from eunoe.audit.export import export, verify_export
from eunoe.audit.verify import Verifier
from eunoe.schemas.errors import NotFound


async def test_it_has_the_lines_of_an_export_from_the_store(wire: Wire, desk: Desk) -> None:
    """Records with the pieces of large contents before them; only the moment, and the root with it, differ."""
    async with wire.memory() as memory:
        for text in ("small", "large " * 100_000, "small"):
            async with memory.thread("t").turn(text):
                pass
        async with memory.thread("other").turn("not exported"):
            pass
        lines = [line async for line in memory.thread("t").export()]
    stored = [line async for line in export(desk.store, 1, "t")]

    assert lines[1:-1] == stored[1:-1]
    assert [line[:9] for line in lines].count(b'{"piece":') == 3
    assert verify_export(lines, Verifier()).problems == verify_export(stored, Verifier()).problems == ()


async def test_a_thread_that_is_not_there_is_said(wire: Wire) -> None:
    """With its first line asked for."""
    async with wire.memory() as memory:
        with pytest.raises(NotFound, match="there is no thread 'nowhere'"):
            [line async for line in memory.thread("nowhere").export()]
