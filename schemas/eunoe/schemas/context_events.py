"""What the log knows of contexts: what each was made of, what it left out or shortened, and what became of it."""

from __future__ import annotations

from eunoe.schemas.context import Assessment, Recipe
from eunoe.schemas.event_base import Base


class ContextComposed(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.composed"):
    """What one request's context was made of, stored before the context is handed out."""

    recipe: Recipe


class ContextCondensed(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.condensed"):
    """Something had to leave the context ``context`` so that it fits.

    ``turns_before`` and ``turns_after`` count its literal turns, ``fill_before`` and ``fill_after`` its tokens without
    the request; ``target`` is the share of the window that was aimed for, ``goal`` that in tokens, ``headroom`` the
    tokens kept free for an average turn. ``steps`` says in order what was done, and ``floor`` that it was not enough.
    """

    context: str
    turn: int
    turns_before: int
    turns_after: int
    fill_before: int
    fill_after: int
    target: float
    goal: int
    headroom: int
    steps: tuple[str, ...]
    floor: bool = False


class ContextReferenced(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.referenced"):
    """Entries (as spans) that the context ``context`` shows as references, and the thread's last context did not."""

    context: str
    turn: int
    entries: tuple[tuple[int, int], ...]


class ContextCut(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.cut"):
    """Replies of which the context ``context`` leaves out copies of outputs, and the thread's last context did not:
    ``cuts`` are ``(reply, output, bytes left out)``."""

    context: str
    turn: int
    cuts: tuple[tuple[int, int, int], ...]


class ContextRefused(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.refused"):
    """The provider refused the context ``context`` because it was too long: ``tokens`` as it counted them."""

    context: str
    turn: int
    tokens: int


class ContextAssessed(Base, frozen=True, kw_only=True, omit_defaults=True, tag="context.assessed"):
    """What was decided about the request of ``turn`` before its context was composed."""

    turn: int
    assessment: Assessment


class MemoryUsed(Base, frozen=True, kw_only=True, omit_defaults=True, tag="memory.used"):
    """What reached the model: ids of facts, the entries that were shown in any rendering, and the position of the
    running summary, 0 for none."""

    context: str
    turn: int
    facts: tuple[str, ...] = ()
    entries: tuple[tuple[int, int], ...] = ()
    summary: int = 0
