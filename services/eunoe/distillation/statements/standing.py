"""Under which identity a statement goes: a change has that of what it changes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from eunoe.distillation.statements.drawing import Statement
from eunoe.facts.values import folded, normal

Identity = tuple[str, str]
"""Subject and name, as they were first given."""

_WORD = re.compile(r"[\w#.-]+")


class Standing:
    """What is in force: what was known, and what was drawn since."""

    def __init__(self, known: Mapping[Identity, str]) -> None:
        self._values: dict[Identity, str] = {}
        self._names: dict[Identity, Identity] = {}
        for identity, value in known.items():
            self.take(identity, value)

    def copy(self) -> Standing:
        """What is in force elsewhere, where all of this is known, and what is drawn there stays there."""
        return Standing(self._values)

    def take(self, identity: Identity, value: str) -> None:
        self._names.setdefault(_key(identity), identity)
        self._values[self._names[_key(identity)]] = value

    def identity(self, statement: Statement) -> Identity | None:
        """The identity of what it says anew, else its own; None for a correction of nothing that is known."""
        own = (statement.subject, folded(statement.name))
        if statement.name and _key(own) in self._names:
            return self._names[_key(own)]
        found = (statement.was and self._held(statement)) or (statement.change and self._called(statement))
        return found or (own if statement.name else None)

    def _held(self, statement: Statement) -> Identity | None:
        """The only identity that has the value which it says was there."""
        was, words = normal(statement.was), _words(statement.was)
        near = [one for one in self._values if not statement.name or one[0] == statement.subject]
        return _only([one for one in near if normal(self._values[one]) == was]) or _only(
            [one for one in near if words and words <= _words(self._values[one])]
        )

    def _called(self, statement: Statement) -> Identity | None:
        """The only identity of its subject whose name says more, or less, of the same."""
        words = _words(statement.name)
        named = [(one, _words(one[1])) for one in self._values if one[0] == statement.subject]
        return _only([one for one, other in named if words and other and (words <= other or other <= words)])


def _only(found: list[Identity]) -> Identity | None:
    return found[0] if len(found) == 1 else None


def _key(identity: Identity) -> Identity:
    return identity[0], folded(identity[1])


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded(text)))
