"""How far what is drawn from turns has come, so that nothing is missing when they leave. Pure."""

from __future__ import annotations

from eunoe.schemas.requests import ThreadState


def ready(state: ThreadState | None, distilling: bool) -> int:
    """The ordinal of the last committed turn of which everything is drawn: from the outputs of tools, and, where that
    is done (``distilling``), from what was said. Of the two, what is furthest behind decides."""
    if state is None:
        return 0
    return min(state.extracted, state.distilled) if distilling else state.extracted
