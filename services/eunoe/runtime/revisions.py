"""Revisions that go on over generations of a bucket. Pure.

A bucket's own sequences begin anew in each generation. A revision, as it crosses the doors, counts the
generations too: every revision of a generation is higher than all of those before it, so what was seen of an
older one is always reached, and is never taken for what is there now. The first generation's are its sequences.
"""

from __future__ import annotations

SPAN = 2**40  # revisions of one generation


def of(generation: int, seq: int) -> int:
    """The revision of a sequence of that generation's bucket."""
    return (generation - 1) * SPAN + seq


def generation(revision: int) -> int:
    """The generation that a revision is of."""
    return revision // SPAN + 1


def seq(revision: int, now: int) -> int:
    """A revision's sequence in the bucket of generation ``now``: 0 for one of an older generation, which is all
    before it, and beyond every sequence for one of a generation that is still to come."""
    if generation(revision) == now:
        return revision % SPAN
    return 0 if generation(revision) < now else SPAN
