"""Requests of a command's session, and the memory that writes in its name."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from eunoe.client.gate import Gate
from eunoe.client.memory import Memory, opened
from eunoe.client.receipts import FILE
from eunoe.runtime.session import Session
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.requests import HeadReply, Verb

Reply = TypeVar("Reply")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}\Z", re.ASCII)


def gate(session: Session) -> Gate:
    """The verbs of the session's space, asked in its caller's name."""
    return Gate(session.requester, session.space, session.caller)


def memory(session: Session) -> AbstractAsyncContextManager[Memory]:
    """A client of the session's space in its caller's name; its receipts are kept where the data folder is."""
    kept = session.settings.data / FILE if session.settings.data.is_dir() else None
    return opened(Memory, gate(session), kept)


async def ask(session: Session, verb: Verb, request: object, reply: type[Reply], chain: str = "") -> Reply:
    """One request and its answer; raises what the worker refuses it with, `WorkerMissing` when there is none."""
    return await gate(session).ask(verb, request, reply, chain)


async def require_thread(session: Session, thread: str) -> HeadReply:
    """How far a thread is; raises `NotFound` for one that nothing was ever appended to."""
    head = await gate(session).head(subjects.thread_chain(thread))
    if not head.record:
        raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
    return head


async def begun(gate: Gate, thread: str) -> bool:
    """Whether something was ever appended to a thread."""
    return bool((await gate.head(subjects.thread_chain(thread))).record)


def given(name: str | None, what: str) -> str:
    """A name as it was given, or nothing where none was; raises `Invalid` for one that is none, as an empty one."""
    return "" if name is None else ids.check(name, what)


def expected_given(id: str | None) -> str | None:  # noqa: A002
    """The id that must be in force, empty for *none is*; None where nothing was asked. Raises `Invalid` for a blank."""
    if id is None:
        return None
    return "" if id == "none" else ids.check(id, "expected")


def number(text: str) -> int:
    """A number from 1 as people type it; 0 for anything else."""
    return int(text) if _NUMBER.match(text) else 0
