"""What the log knows of distilling: what was drawn from prose, the running summary, and reviews of records."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.event_base import Base

Distiller = Literal["rules", "model"]
SAID, CONCLUDED = "the person said", "the model concluded"
"""What the detail of a distilled fact's provenance says of who said it."""
Spans = tuple[tuple[int, int], ...]
"""Ascending numbers as ranges ``(first, last)``."""


class SetAside(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a distiller gave and that is no fact: as it was given (shortened), and why."""

    text: str
    reason: str


class Effort(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a piece of work took: the model that was asked (empty: none), how often, and tokens as its provider counted
    them; ``cost`` in millionths of a US dollar (None where no price is known), ``ms`` in milliseconds."""

    model: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    ms: int = 0


class Distilled(Base, frozen=True, kw_only=True, omit_defaults=True, tag="distilled"):
    """What was said in the committed turns with the ordinals ``first`` to ``last`` was drawn from; the ``facts`` follow
    in the same record. ``turns`` are the numbers of those turns.

    ``dropped`` counts facts over the limit. With ``failed``, which says why, nothing was drawn from them, and later
    turns go on without. ``again``: of a range that had failed before.
    """

    first: int
    last: int
    turns: Spans
    by: Distiller
    facts: int = 0
    dropped: int = 0
    set_aside: tuple[SetAside, ...] = ()
    failed: str = ""
    again: bool = False
    effort: Effort = Effort()


class Summarised(Base, frozen=True, kw_only=True, omit_defaults=True, tag="summarised"):
    """The running summary goes on as ``text``, which covers what was said in the committed turns up to the ordinal
    ``last``: those with the numbers ``turns``, in their ``entries``. An entry that was erased when they were read is
    none of these: so a summary that names one which is erased was made of its words. Both are in
    `eunoe.schemas.limits.SUMMARY_RANGES` ranges at most, for which the narrowest gaps between more of them are closed.

    ``before`` is the position of the summary that it goes on from, 0 for none: where another one is in force by then,
    this one is not taken.
    """

    text: str
    last: int
    turns: Spans
    entries: Spans
    by: Distiller
    before: int = 0
    effort: Effort = Effort()


class SummaryKept(Base, frozen=True, kw_only=True, omit_defaults=True, tag="summary.kept"):
    """The summary was to be updated up to the ordinal ``last`` and stays as it was; those turns wait for the next
    batch."""

    last: int
    by: Distiller
    reason: str
    effort: Effort = Effort()


class Compared(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record that a candidate was compared with, and how alike the two are (0 to 100)."""

    id: str
    likeness: int


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a review decided about one candidate, or about a record: ``added`` and ``replaced`` ones are stated in the
    same record, ``replaced`` and ``retired`` ones (``about``) are retired there."""

    action: Literal["added", "replaced", "retired", "skipped"]
    text: str
    reason: str = ""
    about: str = ""
    compared: tuple[Compared, ...] = ()


class Reviewed(Base, frozen=True, kw_only=True, omit_defaults=True, tag="reviewed"):
    """The committed turns with the ordinals ``first`` to ``last`` were reviewed for what an agent's records should
    keep. ``failed`` says why nothing came of it."""

    first: int
    last: int
    turns: Spans
    agent: str
    decisions: tuple[Decision, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    failed: str = ""
    effort: Effort = Effort()
