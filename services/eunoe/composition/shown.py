"""What a context shows beside what was said, by where it stands: for somebody who looks at it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from eunoe.schemas.context import FactLine, LayerName, Recipe, ShownFact


def shown_facts(recipe: Recipe, lines: Mapping[str, str]) -> tuple[ShownFact, ...]:
    """The facts of the two blocks in the order of their lines; one whose line is gone is not shown."""
    blocks: tuple[tuple[LayerName, tuple[FactLine, ...]], ...] = (("earlier", recipe.earlier), ("now", recipe.now))
    return tuple(
        ShownFact(id=fact.id, layer=layer, line=lines[fact.id])
        for layer, facts in blocks
        for fact in facts
        if fact.id in lines
    )
