"""What is asked, and what a context holds beside it that never leaves: it stays the same while the context is made to
fit. Pure.
"""

from __future__ import annotations

from functools import cached_property

from eunoe.composition import asking
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.known import Known
from eunoe.composition.words import of_request

WORDS_LOOKED_AT = 32_768  # characters of a request that are looked at for the facts that bear on it


class Requested:
    """The request of a context; what is measured, or looked for, of it is so once, when somebody asks."""

    def __init__(self, inputs: Inputs, settings: Settings) -> None:
        self._inputs = inputs
        self._settings = settings

    @cached_property
    def text(self) -> str:
        return asking.asked(self._inputs)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the request."""
        return self._settings.weigh(self._settings.manner.shape.user(self.text)) if self.text else 0

    @cached_property
    def beside(self) -> int:
        """Tokens of what never leaves, beside the request."""
        return asking.fixed(self._inputs, self._settings)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words by which facts bear on it, none where that is not wanted."""
        return of_request(self.text[:WORDS_LOOKED_AT]) if self._settings.relevant else frozenset()

    @cached_property
    def bearing(self) -> tuple[Known, ...]:
        """The facts that were chosen for it, in the order in which they were chosen."""
        wanted = self._inputs.bearing
        found = {fact.id: fact for fact in self._inputs.earlier if fact.id in wanted} if wanted else {}
        return tuple(found[name] for name in wanted if name in found)
