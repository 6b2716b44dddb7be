"""The NATS micro protocol (ADR-32), spoken by hand so that its answers obey the rule of replies (pure).

``nats micro ls`` and ours ask on ``$SRV.PING``, ``$SRV.INFO`` and ``$SRV.STATS``, for all services, those of
a name, or one. A ready-made responder answers to any subject it is told to, a log's included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import msgspec

VERBS = ("PING", "INFO", "STATS")
_TYPE = "io.nats.micro.v1.{}_response"
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(slots=True)
class Endpoint:
    """One verb with its counts; ``nanoseconds`` is the time spent in its handler."""

    name: str
    subject: str
    queue: str
    requests: int = 0
    errors: int = 0
    nanoseconds: int = 0
    last_error: str = ""

    def failed(self, reason: str) -> None:
        self.errors += 1
        self.last_error = reason[:500]


@dataclass(slots=True)
class Description:
    """What a running service says of itself."""

    name: str
    id: str
    metadata: dict[str, str]
    endpoints: list[Endpoint] = field(default_factory=list)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def subjects(self) -> list[tuple[str, str]]:
        """(subject, verb) of everything to answer."""
        targets = ("", f".{self.name}", f".{self.name}.{self.id}")
        return [(f"$SRV.{verb}{target}", verb) for verb in VERBS for target in targets]

    def answer(self, verb: str, statistics: Mapping[str, int]) -> bytes:
        body: dict[str, Any] = {
            "type": _TYPE.format(verb.lower()),
            "name": self.name,
            "id": self.id,
            "version": version(),
            "metadata": self.metadata,
        }
        if verb == "INFO":
            body |= {"description": "a worker of Eunoe", "endpoints": [_info(one) for one in self.endpoints]}
        if verb == "STATS":
            body |= {
                "started": self.started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "endpoints": [_stats(one) for one in self.endpoints],
                "statistics": dict(statistics),
            }
        return msgspec.json.encode(body)


def version() -> str:
    """The installed version of Eunoe as the protocol wants it: three numbers."""
    found = _VERSION.match(metadata.version("eunoe"))
    return found[0] if found else "0.0.0"


def _info(one: Endpoint) -> dict[str, Any]:
    return {"name": one.name, "subject": one.subject, "queue_group": one.queue, "metadata": {}}


def _stats(one: Endpoint) -> dict[str, Any]:
    return {
        "name": one.name,
        "subject": one.subject,
        "queue_group": one.queue,
        "num_requests": one.requests,
        "num_errors": one.errors,
        "last_error": one.last_error,
        "processing_time": one.nanoseconds,
        "average_processing_time": one.nanoseconds // one.requests if one.requests else 0,
    }
