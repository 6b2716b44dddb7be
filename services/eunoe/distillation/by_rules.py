"""The distiller that needs no model: what people plainly state, by the patterns of their language.

What it gives is what was said: a value is a part of its entry but for the normalisations that `statements.drawing`
states, and a longer one is cut and ends in a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eunoe.distillation.door import Drawn, Item, Said, Task, Turn
from eunoe.distillation.statements.drawing import Statement, statements
from eunoe.distillation.statements.language import Language
from eunoe.distillation.statements.languages import LANGUAGES
from eunoe.distillation.statements.standing import Standing
from eunoe.facts.values import cut, limit
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Distiller as By
from eunoe.schemas.labels import without_records
from eunoe.summarising import extractive


class RulesDistiller:
    """Draws facts by patterns, and the summary by extraction; it never fails for want of a model."""

    def __init__(self, languages: Sequence[Language] = LANGUAGES) -> None:
        self._languages = languages

    @property
    def by(self) -> By:
        return "rules"

    async def draw(self, task: Task) -> Drawn:
        items, dropped = drawn(task, self._languages)
        summary = extractive.updated(task.batch) if task.batch else None
        return Drawn(items, dropped, summary=summary)

    async def close(self) -> None:
        """There is nothing to close."""


def drawn(task: Task, languages: Iterable[Language] = LANGUAGES) -> tuple[list[Item], int]:
    """The facts of every turn in order, and how many more were stated than a turn may give.

    What people say of a build goes under their own name for it, and not under the command of the tool that told of it:
    "green again" and "passed" would stand against each other there. What is said in a preview changes nothing
    outside of it.
    """
    languages = tuple(languages)
    offered = {kind.subject for kind in task.kinds}
    standing = Standing({(known.subject, known.name): known.value for known in task.known if not known.tool})
    previews: dict[str, Standing] = {}
    items: list[Item] = []
    dropped = 0
    for turn in task.turns:
        here = previews.setdefault(turn.preview, standing.copy()) if turn.preview else standing
        found = list(_of_turn(turn, offered, here, languages))
        items += found[: limits.DISTILLED_FACTS]
        dropped += len(found[limits.DISTILLED_FACTS :])
    return items, dropped


def _of_turn(turn: Turn, offered: set[str], standing: Standing, languages: Iterable[Language]) -> Iterator[Item]:
    for said in turn.said:
        for statement in statements(without_records(said.text), said.speaker, said.at or turn.at, languages):
            if statement.subject in offered and (item := _item(statement, turn, said, standing)):
                yield item


def _item(statement: Statement, turn: Turn, said: Said, standing: Standing) -> Item | None:
    identity = standing.identity(statement)
    if identity is None:
        return None
    value = cut(statement.value, limit(identity[0]))
    standing.take(identity, value)
    entries = (said.entry,) if said.entry else ()
    return Item(*identity, value, said.speaker, turn.number, entries, said.at)
