"""The lines that a recipe names, from the records that it names. Pure.

How the name of a fact is written, its kind decides, and kinds are configured. A recipe names facts by id alone, so that
it holds no word that may have to be erased; whoever composes it again tries each way in which they may have been
written, and its digest tells which one it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from eunoe.composition import carried, factlines
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.schemas.context import FactLine, Recipe
from eunoe.schemas.events import SessionStateSet
from eunoe.schemas.facts import Assertion, Method
from eunoe.schemas.records import Record

Naming = Callable[[str, str], str]
"""From a subject and a name to that name as facts of the kind have it."""


class _Shown(Kinds):
    """Takes every fact, since it was taken when it was shown, and writes names in one way."""

    def __init__(self, naming: Naming) -> None:
        super().__init__()
        self._naming = naming

    def takes(self, subject: str, method: Method) -> bool:
        return True

    def name(self, subject: str, name: str, root: str = "") -> str:
        return self._naming(subject, name)


class Lines:
    """Makes lines as the kinds are configured now, as they are shipped, and with names as they were stated."""

    def __init__(self, kinds: Kinds) -> None:
        self._ways = tuple(_Shown(naming) for naming in (kinds.name, Kinds().name, _as_stated))

    def of(self, recipe: Recipe, records: Sequence[Record]) -> Iterator[Mapping[str, str]]:
        """The lines of its facts and of the session's state by their ids, in one way after the other; without those
        of which the record is gone."""
        state = _state(recipe.state, records)
        for kinds in self._ways:
            yield _facts((*recipe.earlier, *recipe.now), records, kinds) | state


def _as_stated(subject: str, name: str) -> str:
    return name


def _facts(facts: Iterable[FactLine], records: Iterable[Record], kinds: Kinds) -> dict[str, str]:
    admitted: dict[tuple[int, int], Assertion] = {
        (record.position, one.stated.index): one.stated.fact for record in records for one in told(record, kinds)
    }
    held = {fact: admitted.get((fact.position, fact.index)) for fact in facts}
    return {fact.id: factlines.line(assertion, fact.note) for fact, assertion in held.items() if assertion}


def _state(state: FactLine | None, records: Iterable[Record]) -> dict[str, str]:
    """The line of what the session carried, none where that is gone."""
    record = next((one for one in records if state and one.position == state.position), None)
    if state is None or record is None or state.index >= len(record.events):
        return {}
    event = record.events[state.index]
    return {state.id: carried.line(event.state, state.note)} if isinstance(event, SessionStateSet) else {}
