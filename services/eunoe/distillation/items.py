"""What a model drew, read from its answer item by item: whole facts are kept, whatever else went wrong beside them.

A fact that is broken, incomplete or not what was asked for is set aside with its text and the reason. An answer is
usable when one fact in it is whole, when it says that there is none, or when it has a whole summary. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eunoe.distillation import checking
from eunoe.distillation.door import Drawn, Item, Task
from eunoe.distillation.scanning import Found, scan
from eunoe.models import answers
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort, SetAside
from eunoe.schemas.errors import ModelFailed
from eunoe.summarising import answering


def read(text: str, task: Task, *, cut_off: bool = False, effort: Effort | None = None) -> Drawn:
    """What came of a task; raises `ModelFailed`: ``cut_off`` where nothing was whole before the answer ended at the
    limit of its length, else ``unreadable``."""
    found = Found() if answers.thinking(text) else scan(text)
    items, aside, whole = _checked(found.facts, task)
    aside = [*found.broken, *aside]
    summary, kept = _summary(found, task)
    if not (whole or found.empty or summary is not None):
        raise _failed(text, aside, cut_off=cut_off)
    return Drawn(
        items=items[: limits.DISTILLED_FACTS],
        dropped=max(0, len(items) - limits.DISTILLED_FACTS),
        set_aside=tuple(aside),
        summary=summary,
        kept=kept,
        effort=effort or Effort(),
    )


def _checked(facts: Sequence[tuple[Any, str]], task: Task) -> tuple[Sequence[Item], list[SetAside], bool]:
    """The facts, those that are none, and whether any of them was whole: with every field, in its type."""
    checker = checking.Checker(task)
    items, aside, whole = [], [], False
    for value, text in facts:
        try:
            items.append(checker.fact(value))
            whole = True
        except checking.Unfit as unfit:
            aside.append(SetAside(text=text, reason=str(unfit)))
            whole = True
        except checking.Malformed as wrong:
            aside.append(SetAside(text=text, reason=str(wrong)))
    return tuple(dict.fromkeys(items)), aside, whole


def _summary(found: Found, task: Task) -> tuple[str | None, str]:
    """The updated summary, or why it stays; neither where it was not due."""
    if task.batch is None:
        return None, ""
    try:
        return answering.text(found.summary, task.batch.size), ""
    except ValueError as error:
        return None, str(error)


def _failed(text: str, aside: Sequence[SetAside], *, cut_off: bool) -> ModelFailed:
    if cut_off:
        return ModelFailed(
            f"the model's answer was cut off before anything in it was whole: {answers.quoted(text)}", reason="cut_off"
        )
    if not aside:
        return ModelFailed(f"the model answered without any facts: {answers.quoted(text)}", reason="unreadable")
    return ModelFailed(
        f"nothing in the model's answer can be used ({aside[0].reason}): {answers.quoted(text)}", reason="unreadable"
    )
