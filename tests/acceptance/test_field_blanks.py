"""Faults of blank names, and what holds here.

F82 an empty name that became a filter, or none, and so meant everything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from casts import everywhere, owners, refused, shown

from eunoe.client import Memory
from eunoe.runtime.workers import Fleet
from eunoe.schemas.requests import FactsReply

BLANKS = ("", " ", "\t\n", "\u3000")
WRONG: tuple[object, ...] = (" ", None, 0, [], {})
ASKED: dict[str, Callable[[Memory, str], Awaitable[object]]] = {
    "facts of a scope": lambda memory, blank: memory.facts(scope=blank),  # type: ignore[arg-type]
    "facts of a thread": lambda memory, blank: memory.facts(thread=blank),
    "facts of a session": lambda memory, blank: memory.facts(session=blank),
    "facts of an agent": lambda memory, blank: memory.facts(agent=blank),
    "facts of a kind": lambda memory, blank: memory.facts(subject=blank),
    "facts of a label": lambda memory, blank: memory.facts(labels=[blank]),
    "facts of a preview": lambda memory, blank: memory.facts(preview=blank),
    "fact": lambda memory, blank: memory.fact(blank),
    "why": lambda memory, blank: memory.why(blank),
    "session": lambda memory, blank: memory.session(blank),
    "state a kind": lambda memory, blank: memory.state_fact(blank, "n", "v"),
    "state a name": lambda memory, blank: memory.state_fact("note", blank, "v"),
    "state a value": lambda memory, blank: memory.state_fact("note", "n", blank),
    "state in a thread": lambda memory, blank: memory.state_fact("note", "n", "v", thread=blank),
    "state in a session": lambda memory, blank: memory.state_fact("note", "n", "v", session=blank),
    "state of an owner": lambda memory, blank: memory.state_fact("note", "n", "v", owner=blank),
    "state in a preview": lambda memory, blank: memory.state_fact("note", "n", "v", preview=blank),
    "retire": lambda memory, blank: memory.retire_fact(blank),
    "pin": lambda memory, blank: memory.pin(blank),
    "unpin": lambda memory, blank: memory.unpin(blank),
    "label": lambda memory, blank: memory.label(blank, add=["#1"]),
    "approve": lambda memory, blank: memory.approve(blank),
    "move": lambda memory, blank: memory.move(blank, "permanent"),
    "delete": lambda memory, blank: memory.delete_fact(blank),
    "delete a scope": lambda memory, blank: memory.delete_scope(blank, "shared"),  # type: ignore[arg-type]
    "delete an owner's": lambda memory, blank: memory.delete_scope("permanent", blank),
    "delete a session's": lambda memory, blank: memory.delete_scope("session", blank),
    "delete a preview": lambda memory, blank: memory.delete_preview(blank),
    "erase a fact": lambda memory, blank: memory.erase(fact=blank, reason="r"),
    "erase a thread": lambda memory, blank: memory.erase(thread=blank, reason="r"),
    "erase an owner's": lambda memory, blank: memory.erase(scope="permanent", owner=blank, reason="r"),
    "erase in a scope": lambda memory, blank: memory.erase(scope=blank, owner="shared", reason="r"),  # type: ignore[arg-type]
    "end a session": lambda memory, blank: memory.end_session(blank),
    "set a session's state": lambda memory, blank: memory.set_session_state(blank, 1),
}


async def test_a_blank_name_is_refused_by_every_verb_and_never_means_everything(memory: Memory, fleet: Fleet) -> None:
    """F82: none of them asks for, shows or changes anything; without any name there are permanent facts, and no
    thread's or session's."""
    await everywhere(memory)
    before = [await shown(memory, scope=scope, all=True) for scope in ("permanent", "thread", "session")]
    for what, ask in ASKED.items():
        for blank in BLANKS:
            assert await refused(ask(memory, blank)) == "invalid", (what, blank)
    for field in ("thread", "session", "agent", "subject", "preview", "scope"):
        for value in WRONG:
            raw = memory.gate.ask("facts", {field: value}, FactsReply)
            assert await refused(raw) == "invalid", (field, value)
    for field in ("thread", "session", "agent", "subject", "preview", "scope"):
        assert owners((await memory.gate.ask("facts", {field: ""}, FactsReply)).facts) == "shared alice bob"
    after = [await shown(memory, scope=scope, all=True) for scope in ("permanent", "thread", "session")]
    assert after == before == ["shared alice bob", "t u", "s r"]
