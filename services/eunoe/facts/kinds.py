"""Subject kinds as data: what facts there are, how their names are written, and who may state them.

A fleet changes kinds, or adds its own, in its configuration: a definition goes field by field into the
kind of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pydantic

from eunoe.facts.names import NORMALISERS, Normaliser
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.facts import FactClass, Scope


class Kind(pydantic.BaseModel):
    """One subject kind.

    ``fact_class`` decides the scope. ``distil``: a model may be asked for facts of this kind. ``note``: an
    agent may note one. ``single``: a name has one value, so two that differ are a conflict. ``description``
    is what a distiller reads.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    fact_class: FactClass
    normaliser: Normaliser = "trim"
    description: str = pydantic.Field(min_length=1, max_length=500)
    distil: bool = True
    note: bool = True
    single: bool = True

    @property
    def scope(self) -> Scope:
        scopes: dict[FactClass, Scope] = {"permanent": "permanent", "dynamic": "thread", "ephemeral": "session"}
        return scopes[self.fact_class]


def _tools(fact_class: FactClass, normaliser: Normaliser, description: str) -> Kind:
    return Kind(fact_class=fact_class, normaliser=normaliser, description=description, distil=False, note=False)


SHIPPED: Mapping[str, Kind] = {
    "task": Kind(fact_class="dynamic", normaliser="single", description="What is being worked on, and to what end."),
    "tests": Kind(fact_class="dynamic", normaliser="command", description="Outcome of a test or build command."),
    "file": _tools("dynamic", "path", "What was read of a file, or that it was changed."),
    "workdir": Kind(fact_class="dynamic", normaliser="single", description="The directory where commands run."),
    "branch": Kind(fact_class="dynamic", normaliser="single", description="The branch that is checked out."),
    "decision": Kind(fact_class="permanent", normaliser="casefold", description="What was decided, and stays so."),
    "preference": Kind(fact_class="permanent", normaliser="casefold", description="How a person wants things done."),
    "entity": Kind(fact_class="permanent", normaliser="casefold", description="A lasting property of a named thing."),
    "service": _tools("ephemeral", "casefold", "What listens on a port of the machine now."),
    "machine": _tools("ephemeral", "casefold", "What holds of the machine now: memory, disk, load."),
    "note": Kind(fact_class="dynamic", normaliser="casefold", description="Anything worth keeping in this thread."),
    "record": Kind(fact_class="permanent", description="A memory record kept by an agent.", distil=False, note=False),
    "statement": Kind(fact_class="permanent", description="A retained statement.", distil=False, note=False),
    "memo": Kind(fact_class="permanent", description="An entry of a notebook.", distil=False, note=False),
}
_NAME_BYTES = 64
_UNKNOWN = Kind(fact_class="dynamic", description="A fact of no declared kind.", distil=False)


class Kinds:
    """The kinds of one fleet: the shipped ones, with what its configuration changes."""

    def __init__(self, configured: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._kinds = dict(SHIPPED)
        for name, fields in (configured or {}).items():
            self._kinds[name] = _merged(name, self._kinds.get(name), fields)

    def __getitem__(self, subject: str) -> Kind:
        """The kind of a subject; one that nobody declared is dynamic, and its names are only trimmed."""
        return self._kinds.get(subject, _UNKNOWN)

    def items(self) -> list[tuple[str, Kind]]:
        return sorted(self._kinds.items())

    def name(self, subject: str, name: str, root: str = "") -> str:
        """The name in the form that this kind keeps it in; ``root`` is the repository's for paths."""
        return NORMALISERS[self[subject].normaliser](name, root)


def _merged(name: str, known: Kind | None, fields: Mapping[str, Any]) -> Kind:
    if not name or name != name.strip() or len(name.encode()) > _NAME_BYTES:
        raise Misconfigured(f"kinds: {name!r} cannot name a kind; use 1 to {_NAME_BYTES} bytes without edge space")
    try:
        return Kind.model_validate({**(known.model_dump() if known else {}), **fields})
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("kinds", name, *(str(part) for part in first["loc"])))
        raise Misconfigured(f"{field}: {first['msg']}") from None
