"""Where a fact that is stated or moved is to hold, and that a slip begins no thread."""

from __future__ import annotations

from typing import Annotated

import typer

from eunoe.cli.asking import begun
from eunoe.client.memory import Memory
from eunoe.schemas import ids
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.requests import KindView

NewOption = Annotated[
    bool, typer.Option("--new", help="Begin the thread with it, if nothing was said or stated in that yet.")
]


def place(name: str | None, what: str) -> str | None:
    """A thread, session, owner or preview as it was given; raises `Invalid` for one that is none, as an empty one."""
    return None if name is None else ids.check(name, what)


def check_named(kind: KindView, thread: str | None, session: str | None, owner: str | None) -> None:
    """Raise `Invalid` where a fact of this kind needs a place, and none is named."""
    if kind.scope == "permanent" or thread or session or owner:
        return
    raise Invalid(
        f"facts of the kind {kind.name} hold in a {kind.scope}; name it with --{kind.scope} {kind.scope.upper()}, "
        "or say --owner shared for what holds for everyone, for good"
    )


def check_new(new: bool, thread: str | None, target: str = "thread") -> None:
    """Raise `Invalid` for --new where the fact is to hold in no thread, or in none that is named."""
    if new and target != "thread":
        raise Invalid(f"--new begins the thread in which a fact is to hold, and {target} means another place")
    if new and thread is None:
        raise Invalid("--new begins the thread in which a fact is to hold; name that with --thread")


async def require_begun(client: Memory, thread: str | None, new: bool) -> None:
    """Raise `NotFound` for a thread that nothing was ever appended to, unless a new one is wanted."""
    if thread is not None and not new and not await begun(client.gate, thread):
        raise NotFound(
            f"there is no thread {thread!r}; `eunoe threads` lists what there is, and --new begins one with this fact"
        )
