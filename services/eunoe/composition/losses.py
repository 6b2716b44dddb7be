"""What is said of records that a context does without because they are missing or cannot be read. Pure."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from eunoe.composition.blocks import spans
from eunoe.schemas.context import Context


def noted(context: Context, numbers: Collection[int]) -> Context:
    """The context with a note of what was lost, where something was."""
    if not numbers:
        return context
    note = f"{context.note}; {lost(numbers)}" if context.note else lost(numbers)
    return msgspec.structs.replace(context, note=note)


def lost(numbers: Collection[int]) -> str:
    """A line for whoever asked; empty where nothing was lost."""
    if not numbers:
        return ""
    ranges = (str(first) if first == last else f"{first}-{last}" for first, last in spans(sorted(numbers)))
    which = f"{'record' if len(numbers) == 1 else 'records'} {', '.join(ranges)}"
    verb = "is" if len(numbers) == 1 else "are"
    return f"{which} of this thread {verb} missing or cannot be read, and left out; run `eunoe audit verify`"
