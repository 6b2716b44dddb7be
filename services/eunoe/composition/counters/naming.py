"""Names of models, and the patterns that name them. Pure.

A model is called ``gpt-4o``, ``openai:gpt-4o``, ``openrouter/openai/gpt-4o:free`` or ``ft:gpt-4o:org::id``: each is
tried as it is given, then without what stands before each ``/`` and ``:``, each time also up to the next ``:``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

_BEFORE = re.compile(r"[/:]")
_VERSION = re.compile(r"(?:[-@](?:latest|\d{3,}(?:-\d\d){0,2}|v\d+))+$")  # -2024-08-06, @20240620, -latest, -002-v1


def vocabulary(model: str, patterns: Mapping[str, str]) -> str:
    """What the patterns (* is anything, case does not matter) name for a model; empty when none of them matches.

    The longest form of the name that any pattern matches decides, and of the patterns that match it the one that
    says most: the most characters beside its ``*``, then the fewest ``*``, then the first by alphabet.
    """
    for name in names(model):
        if found := [pattern for pattern in patterns if fnmatchcase(name, _glob(pattern))]:
            return patterns[min(found, key=_rank)]
    return ""


def names(model: str) -> Iterator[str]:
    """The forms of a model's name in lower case, longest first, from ``provider/model:tag`` to ``tag``."""
    whole = model.strip().lower()
    starts = [0, *(found.end() for found in _BEFORE.finditer(whole))]
    for rest in (whole[start:] for start in starts):
        yield rest
        if ":" in rest:
            yield rest.partition(":")[0]


def same(one: str, other: str) -> bool:
    """Whether one of two names may stand for the model of the other: what a provider reports has mostly no provider in
    it, and says which version it is. A name that is empty may be any model's."""
    return one == other or not one or not other or _whole(one) in _forms(other) or _whole(other) in _forms(one)


def _whole(model: str) -> str:
    return _VERSION.sub("", model.strip().lower())


def _forms(model: str) -> set[str]:
    return {_VERSION.sub("", name) for name in names(model)}


def _rank(pattern: str) -> tuple[int, int, str]:
    stars = pattern.count("*")
    return stars - len(pattern), stars, pattern


def _glob(pattern: str) -> str:
    """The pattern for `fnmatch`, where only ``*`` means anything."""
    return re.sub(r"[\[?]", r"[\g<0>]", pattern.strip().lower())
