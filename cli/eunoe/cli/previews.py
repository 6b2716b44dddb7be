"""Whether a preview that was named holds anything: one that was mistyped shows what is live, and nothing else."""

from __future__ import annotations

from typing import get_args

import msgspec

from eunoe.cli.asking import ask
from eunoe.facts.visibility import Viewer
from eunoe.runtime.session import Session
from eunoe.schemas import subjects
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactsReply, FactsRequest

EVERYWHERE: tuple[Scope, ...] = get_args(Scope)


async def empty(session: Session, preview: str, *, thread: str = "", of_session: str = "") -> str:
    """That nothing is in force in the preview, in one line; nothing where something is, or no preview is named.

    People are told of every owner; an agent or a tool of what it may see, in this thread and session.
    """
    if not preview:
        return ""
    own = FactsRequest(preview=preview, own=True, limit=1)
    asked = [msgspec.structs.replace(own, scope=scope) for scope in EVERYWHERE]
    if not Viewer(session.caller).trusted:
        asked = [msgspec.structs.replace(own, thread=thread, session=of_session)]
    for request in asked:
        if await _holds(session, request):
            return ""
    return f"nothing is in the preview {preview!r}; what it shows is what is live"


async def _holds(session: Session, request: FactsRequest) -> bool:
    """Whether there is such a fact, on whichever page."""
    chain = subjects.thread_chain(request.thread) if request.thread else ""
    while True:
        page = await ask(session, "facts", request, FactsReply, chain)
        if page.facts or not page.cursor:
            return bool(page.facts)
        request = msgspec.structs.replace(request, cursor=page.cursor)
