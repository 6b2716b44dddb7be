"""The counter of a request, by the name of the model that will read its context."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping

from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.counters import naming, vocabularies
from eunoe.composition.counters.families import FAMILIES
from eunoe.schemas import ids
from eunoe.schemas.errors import Misconfigured

logger = logging.getLogger(__name__)

MODELS_KEPT = 1024  # names of models whose counter is kept in mind


class Counters:
    """Chooses: the setting ``counters`` first, then the models whose vocabulary is known, else four bytes a token.

    Raises `Misconfigured` for a setting that names a vocabulary which is not there.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns = dict(patterns)
        self._installed = vocabularies.installed()
        self._bytes = ByteCounter()
        self._missed = False
        self._chosen = functools.lru_cache(maxsize=MODELS_KEPT)(self._choose)
        for pattern, name in self._patterns.items():
            self._check(pattern, name)

    def of(self, model: str) -> Counter:
        """The counter of a model, whose own name says which it is; empty for no model. Raises `Invalid`."""
        return self._chosen(ids.check_model(model) if model.strip() else model)

    def named(self, name: str) -> Counter | None:
        """The counter of that name, whatever is set; None where it is not there."""
        if name == self._bytes.name:
            return self._bytes
        return vocabularies.load(name) if name in self._installed else None

    def _choose(self, model: str) -> Counter:
        name = naming.vocabulary(model, self._patterns) or naming.vocabulary(model, FAMILIES)
        if not name or name == self._bytes.name:
            return self._bytes
        if name not in self._installed:
            self._say_missing(model, name)
            return self._bytes
        return vocabularies.load(name)

    def _say_missing(self, model: str, name: str) -> None:
        """Once: every context says itself what counted it."""
        if not self._missed:
            self._missed = True
            logger.warning(
                "the tokens of %s are counted as bytes, four a token; %s brings its vocabulary, %s",
                *(model, vocabularies.EXTRA, name),
                extra={"action": "vocabulary_missing"},
            )

    def _check(self, pattern: str, name: str) -> None:
        there = (self._bytes.name, *self._installed)
        if name in there:
            return
        known = f"there are {', '.join(there)}"
        if not self._installed:
            brings = f'pip install "{vocabularies.EXTRA}" brings {", ".join(vocabularies.NAMES)}'
            known = f"there is {self._bytes.name}, and {brings}"
        raise Misconfigured(
            f"the setting counters gives {pattern!r} the vocabulary {name!r}, which is not there; {known}"
        )
