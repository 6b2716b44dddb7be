"""What a context shows beside what was said, by where it stands: for somebody who looks at it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eunoe.schemas.context import LayerName, Recipe, ShownFact


def shown_facts(recipe: Recipe, lines: Mapping[str, str]) -> tuple[ShownFact, ...]:
    """The facts of the two blocks in the order of their lines; one whose line is gone is not shown."""
    return tuple(ShownFact(id=name, layer=layer, line=lines[name]) for layer, name in _named(recipe) if name in lines)


def _named(recipe: Recipe) -> Iterator[tuple[LayerName, str]]:
    yield from (("earlier", fact.id) for fact in recipe.earlier)
    yield from (("now", fact.id) for fact in recipe.now)
