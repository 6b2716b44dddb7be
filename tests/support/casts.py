"""A space whose facts have one kind and one name in every place, so that only places tell them apart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import EunoeError, Invalid
from eunoe.schemas.requests import FactView
from eunoe.schemas.subjects import Role

PLACES: dict[str, dict[str, Any]] = {
    "shared": {},
    "alice": {"owner": "alice"},
    "bob": {"owner": "bob"},
    "t": {"thread": "t"},
    "u": {"thread": "u"},
    "s": {"session": "s"},
    "r": {"session": "r"},
}
"""Who or what owns each fact: permanent ones, and those of two threads and two sessions. Its value is ``of OWNER``."""


REFUSED = "refused"  # what stands in place of owners where a list is refused


@asynccontextmanager
async def named(settings: Settings, role: Role, principal: str) -> AsyncIterator[Memory]:
    """A client in this name."""
    async with Memory.connect(settings=settings.model_copy(update={"role": role, "principal": principal})) as memory:
        yield memory


async def everywhere(memory: Memory) -> dict[str, str]:
    """A person's fact in every place; their ids by owner."""
    return {owner: (await memory.state_fact("note", "n", f"of {owner}", **place)).id for owner, place in PLACES.items()}


def owners(facts: tuple[FactView, ...]) -> str:
    """Whose facts these are, in the order of `PLACES`."""
    found = sorted((fact.value.removeprefix("of ") for fact in facts), key=list(PLACES).index)
    assert [fact.identity.owner for fact in facts if f"of {fact.identity.owner}" != fact.value] == []
    return " ".join(found)


async def shown(viewer: Memory, **asked: Any) -> str:
    """The owners of all that a viewer is shown, page by page."""
    try:
        page = await viewer.facts(**asked)
    except Invalid:
        return REFUSED
    found = page.facts
    while page.cursor:
        page = await viewer.facts(cursor=page.cursor, **asked)
        found += page.facts
    return owners(found)


async def refused(asked: Awaitable[object]) -> str:
    """The code of the error that a request ends with, empty where it is answered."""
    try:
        await asked
    except EunoeError as error:
        return error.code
    return ""
