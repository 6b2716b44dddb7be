"""Subject kinds as data: what facts there are, how their names are written, and who may state them.

A fleet changes kinds, or adds its own, in its configuration: a definition goes field by field into the
kind of the same name. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pydantic
from pydantic_core import ErrorDetails

from eunoe.facts.names import NORMALISERS, Normaliser
from eunoe.facts.values import blank, cut, one_line
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.facts import FactClass, Method, Scope
from eunoe.schemas.requests import KindView

_NAME_BYTES = 64
_DESCRIPTION = 500  # characters of a description
_QUOTED = 60  # characters of a wrong value in a message
_NONE = object()  # equal to no value of a field
_RECORD: Mapping[str, Any] = {"fact_class": "ephemeral", "normaliser": "trim", "distil": False, "note": False}


class Kind(pydantic.BaseModel):
    """One subject kind.

    ``fact_class`` decides the scope. ``distil``: a model may be asked for facts of this kind. ``note``: an
    agent may note one. ``single``: a name has one value, so two that differ are a conflict. ``description``
    is what a distiller reads. ``record``: these are memory records, which reviews keep for an agent, of a session
    or of the agent itself; their names are digests of what they say.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    fact_class: FactClass
    normaliser: Normaliser = "trim"
    description: str = pydantic.Field(max_length=_DESCRIPTION)
    distil: bool = True
    note: bool = True
    single: bool = True
    record: bool = False

    @pydantic.model_validator(mode="before")
    @classmethod
    def _of_record(cls, given: Any) -> Any:
        """A record kind needs no more than its description: the rest of it follows."""
        return {**_RECORD, **given} if isinstance(given, dict) and given.get("record") is True else given

    @pydantic.field_validator("description")
    @classmethod
    def _check_description(cls, value: str) -> str:
        if blank(value):
            raise ValueError("the description is empty; say what facts of this kind tell, for whoever distils them")
        return value

    @pydantic.model_validator(mode="after")
    def _check_record(self) -> Kind:
        if self.record and any(getattr(self, field) != value for field, value in _RECORD.items()):
            fields = ", ".join(f"{field} {str(value).lower()}" for field, value in _RECORD.items())
            raise ValueError(f"memory records are kept by reviews alone, so with `record` go {fields}")
        return self

    @property
    def scope(self) -> Scope:
        scopes: dict[FactClass, Scope] = {"permanent": "permanent", "dynamic": "thread", "ephemeral": "session"}
        return scopes[self.fact_class]


def _tools(fact_class: FactClass, normaliser: Normaliser, description: str) -> Kind:
    return Kind(fact_class=fact_class, normaliser=normaliser, description=description, distil=False, note=False)


def _record(description: str) -> Kind:
    return Kind.model_validate({"record": True, "description": description})


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
    "guidance": _record("How the agent is to work: what it was told or learnt to do, or not to do, from now on."),
    "fact": _record("What holds of the people, things and places that the agent deals with."),
    "event": _record("What happened, and when: what was done, decided, delivered or went wrong."),
    "reference": _record("Where something is found: a document, a page, a place in the code, who knows."),
    "statement": Kind(fact_class="permanent", description="A retained statement.", distil=False, note=False),
    "memo": Kind(fact_class="permanent", description="An entry of a notebook.", distil=False, note=False),
}
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

    def describe(self) -> tuple[KindView, ...]:
        """Every kind as it is in force, by name, with what the configuration changed."""
        return tuple(self._described(name, kind) for name, kind in self.items())

    def _described(self, name: str, kind: Kind) -> KindView:
        shipped = SHIPPED.get(name)
        fields = tuple(field for field in Kind.model_fields if getattr(kind, field) != getattr(shipped, field, _NONE))
        origin: Literal["shipped", "changed", "added"] = "changed" if fields else "shipped"
        return KindView(
            name=name, scope=kind.scope, **kind.model_dump(), origin=origin if shipped else "added", fields=fields
        )

    def takes(self, subject: str, method: Method) -> bool:
        """Whether a fact of this kind may come about so: some kinds are told by tools, and no model's word."""
        kind = self[subject]
        return {"noted": kind.note, "distilled": kind.distil, "assessed": kind.distil}.get(method, True)

    def name(self, subject: str, name: str, root: str = "") -> str:
        """The name in the form that this kind keeps it in; ``root`` is the repository's for paths."""
        return NORMALISERS[self[subject].normaliser](name, root)


def _merged(name: str, known: Kind | None, fields: Mapping[str, Any]) -> Kind:
    if wrong := _wrong(name):
        raise Misconfigured(f"kinds: {name!r} cannot name a kind; {wrong}")
    try:
        return Kind.model_validate({**(known.model_dump() if known else {}), **fields})
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("kinds", name, *(str(part) for part in first["loc"])))
        raise Misconfigured(f"{field}: {_said(first)}") from None


def _wrong(name: str) -> str:
    if blank(name) or name != one_line(name):
        return "use one line that shows something, without space at its edges or control characters"
    if len(name.encode()) > _NAME_BYTES:
        return f"it is {len(name.encode())} bytes long, and the limit is {_NAME_BYTES}"
    return ""


def _said(error: ErrorDetails) -> str:
    given = cut(repr(error["input"]), _QUOTED)
    match error["type"]:
        case "extra_forbidden":
            return f"there is no such field; those of a kind are {', '.join(Kind.model_fields)}"
        case "missing":
            return "a new kind needs it"
        case "literal_error":
            return f"{given} is none of them; it must be {error.get('ctx', {}).get('expected')}"
        case "value_error":
            return error["msg"].removeprefix("Value error, ")
        case "string_too_long":
            return f"{given} is {len(error['input'])} characters long, and the limit is {_DESCRIPTION}"
        case "bool_type" | "bool_parsing":
            return f"{given} is neither true nor false"
        case _:
            return f"{given} is no text"
