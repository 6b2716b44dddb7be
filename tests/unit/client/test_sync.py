"""The client for scripts has the names of the asynchronous one, and takes the same arguments."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from eunoe.client import Memory, Thread, Turn, sync
from eunoe.client.gate import Gate
from eunoe.client.memory import opened
from eunoe.schemas.subjects import Caller

INSIDE = {"gate", "receipts", "memory", "thread"}  # attributes that are asynchronous objects themselves


class Nobody:
    """No request gets anywhere."""

    async def request(self, subject: str, data: bytes, *, timeout: float = 1.0) -> bytes:
        raise AssertionError(subject)


def public(what: object) -> set[str]:
    """Its public names, those of a class with what it inherits from classes of the client."""
    owners = [one for one in what.__mro__ if one is not object] if isinstance(what, type) else [what]
    return {name for owner in owners for name in vars(owner) if not name.startswith("_")}


def arguments(method: Any) -> list[tuple[str, Any, Any]]:
    return [(one.name, one.kind, one.default) for one in inspect.signature(method).parameters.values()]


async def test_both_clients_have_the_same_names(tmp_path: Path) -> None:
    """Those of a memory, a thread and a turn: methods and what can be read or set."""
    async with opened(Memory, Gate(Nobody(), "default", Caller("person", "ada"))) as memory:
        thread = memory.thread("t")
        turn = thread.turn("Hi")

    for one, twin in ((memory, sync.Memory), (thread, sync.Thread), (turn, sync.Turn)):
        assert public(type(one)) | (public(one) - INSIDE) == public(twin)


@pytest.mark.parametrize("one", [Memory, Thread, Turn])
def test_both_clients_take_the_same_arguments(one: type) -> None:
    """By name, kind and default."""
    twin = getattr(sync, one.__name__)
    methods = [name for name in public(one) if inspect.isroutine(getattr(one, name))]

    assert {name: arguments(getattr(twin, name)) for name in methods} == {
        name: arguments(getattr(one, name)) for name in methods
    }
