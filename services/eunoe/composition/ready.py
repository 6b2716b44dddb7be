"""How far what is drawn from turns has come, so that nothing is missing when they leave. Pure."""

from __future__ import annotations

from eunoe.schemas.requests import ThreadState


def ready(state: ThreadState | None) -> int:
    """The ordinal of the last committed turn of which everything is drawn. Extraction alone draws from turns now; of
    several workers that do, the one that is furthest behind decides."""
    return state.extracted if state else 0
