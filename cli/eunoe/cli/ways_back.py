"""The command that brings back what held before a change of a fact. Pure."""

from __future__ import annotations

import shlex

from eunoe.cli.output import clean
from eunoe.facts import times
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactView

PLACES = {"permanent": "owner", "session": "session", "thread": "thread"}  # the option that says where, by scope
OF_A_PLACE = ("model", "tool")  # sources that see what is of a thread or a session only as asked from there


def restated(before: FactView) -> str:
    """States again what a later word of the same source replaced; retiring that word would leave nothing."""
    about = before.identity
    if before.removes:
        return _line("delete", before.replaces, *_preview(about))
    options = ["--" + PLACES[about.scope], about.owner, *_preview(about)]
    options += ["--replaces", before.replaces] if before.replaces else []
    options += ["--valid-from", times.said(before.valid_from)] if before.valid_from is not None else []
    options += ["--valid-to", times.said(before.valid_to)] if before.valid_to is not None else []
    options += ["--content-file", "-"] if before.has_content else []
    said = [about.subject, about.name, before.value]
    dashed = ["--"] if any(word.startswith("-") for word in said) else []
    body = f"{history(before)} --content | " if before.has_content else ""
    return body + _line("set", *options, *dashed, *said)


def retired(id: str, fact: FactView) -> str:  # noqa: A002 - the word of the schemas
    """Takes back the word that has this id."""
    return again("retire", id, fact)


def history(fact: FactView) -> str:
    """Shows what a fact was."""
    return again("history", fact.id, fact)


def again(verb: str, id: str, fact: FactView, *options: str) -> str:  # noqa: A002 - the word of the schemas
    """Does something to what has this id, from where it is seen: in its preview, and its place where that must be."""
    return _line(verb, id, *options, *_near(fact), *_preview(fact.identity))


def came_from(fact: FactView) -> str:
    """Shows what an approved or moved fact was, in the place where it was; a preview's is in the same preview."""
    return _line("history", fact.cites, *_preview(fact.identity))


def _near(fact: FactView) -> list[str]:
    about = fact.identity
    near = about.scope != "permanent" and fact.source.kind in OF_A_PLACE
    return ["--" + PLACES[about.scope], about.owner] if near else []


def _preview(about: Identity) -> list[str]:
    return ["--preview", about.preview] if about.preview else []


def _line(*words: str) -> str:
    return shlex.join(["eunoe", "fact", *(clean(word) for word in words)])
