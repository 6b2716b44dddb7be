"""The workers by name: which there are, how one is made, and in which order they stop."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, cast

from eunoe.runtime.doors import Auditor, Clock, Store, Worker
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Invalid

CLASSES = {
    "audit": "AuditWorker",
    "extraction": "ExtractionWorker",
    "facts": "FactsWorker",
    "composition": "CompositionWorker",
    "distillation": "DistillationWorker",
    "summarising": "SummarisingWorker",
}
NAMES = tuple(CLASSES)
STOPS_LAST = "audit"  # for the others append through it


def make(
    name: str,
    store: Store,
    auditor: Auditor,
    remake: Callable[[str, str], Awaitable[None]],
    settings: Settings,
    clock: Clock,
) -> Worker:
    """A worker; its module is loaded only now, for a process loads those that it runs. ``remake`` has the facts made
    again, for the worker that erases."""
    kind: Any = getattr(importlib.import_module(f"eunoe.{name}.worker"), CLASSES[name])
    if name == "audit":
        return cast("Worker", kind(store, settings, clock, remake))
    return cast("Worker", kind(store, auditor, settings, clock))


def checked(names: Iterable[str]) -> list[str]:
    """Names of workers, each once, in the order of `NAMES`; ``all`` stands for every one. Raises `Invalid`."""
    wanted = set(names)
    for name in sorted(wanted - {"all", *NAMES}):
        raise Invalid(f"there is no worker {name!r}; known are {', '.join(NAMES)}, and all")
    return [name for name in NAMES if name in wanted or "all" in wanted]
