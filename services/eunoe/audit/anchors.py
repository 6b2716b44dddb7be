"""Anchors: how far every chain was, kept outside the store.

A chain alone cannot show a lost tail. An anchor names the log's last sequence and the heads that moved
since the anchor before; folded together, anchors name the head of every chain, and ``root`` is a
SHA-256 over all of them. A file of anchors is JSON lines, appended and synced, never rewritten.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from eunoe.schemas import limits
from eunoe.schemas.errors import Damaged


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """Where a chain was: its record number, that record's position in the log, and its hash."""

    record: int
    position: int
    hash: str


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """``last`` is the log's last sequence at ``time`` (ms UTC), ``chains`` how many there were,

    ``heads`` those that moved since the anchor before, ``root`` the digest of all heads."""

    v: int
    time: int
    last: int
    chains: int
    root: str
    heads: dict[str, Mark]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a client was told of its last append to a chain."""

    chain: str
    record: int
    position: int
    hash: str
    space: str = ""


@dataclass(slots=True)
class Heads:
    """The heads of all chains, folded from anchors and records."""

    last: int = 0
    heads: dict[str, Mark] = field(default_factory=dict)

    def add(self, anchor: Anchor) -> None:
        self.last = anchor.last
        self.heads.update(anchor.heads)

    def root(self, time: int) -> str:
        """SHA-256 (hex) over the time, the last sequence, and ``chain record position hash`` of every chain, sorted."""
        digest = hashlib.sha256(f"{limits.SCHEMA_VERSION} {time} {self.last} {len(self.heads)}\n".encode())
        for chain, mark in sorted(self.heads.items()):
            digest.update(f"{chain} {mark.record} {mark.position} {mark.hash}\n".encode())
        return digest.hexdigest()

    def anchor(self, time: int, moved: dict[str, Mark]) -> Anchor:
        """The anchor of these heads at ``time`` (ms UTC), naming the ones that moved."""
        return Anchor(
            v=limits.SCHEMA_VERSION,
            time=time,
            last=self.last,
            chains=len(self.heads),
            root=self.root(time),
            heads=dict(sorted(moved.items())),
        )

    def states(self, anchor: Anchor) -> bool:
        """Whether the anchor, folded in already, says just what these heads are."""
        return (anchor.v, anchor.chains, anchor.root) == (
            limits.SCHEMA_VERSION,
            len(self.heads),
            self.root(anchor.time),
        )


def read_anchors(lines: Iterable[bytes], where: str = "the anchors") -> list[Anchor]:
    """Anchors in order. A last line cut short by a kill is left out; any other damage raises `Damaged`."""
    found: list[Anchor] = []
    heads = Heads()
    for number, line in enumerate(lines, start=1):
        try:
            anchor = msgspec.json.decode(line, type=Anchor)
        except msgspec.DecodeError as error:
            if line.endswith(b"\n"):
                raise Damaged(f"line {number} of {where} is no anchor: {error}") from None
            break
        heads.add(anchor)
        if not heads.states(anchor):
            raise Damaged(f"line {number} of {where} does not have the root it states: it was changed")
        found.append(anchor)
    return found


def load_anchors(path: Path) -> list[Anchor]:
    """The anchors kept at ``path``; none when there is no such file."""
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return read_anchors(lines, str(path))


def path_for(path: Path, space: str) -> Path:
    """The file of a space's anchors, from the one that the settings name for the default space."""
    return path if space == "default" else path.with_name(f"{path.stem}.{space}{path.suffix}")


def append_line(path: Path, line: bytes) -> None:
    """Append one line to a file of its user's own and sync it; a line cut short by a kill is closed first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.truncate(_last_newline(file, end))
                file.seek(0, os.SEEK_END)
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _last_newline(file: BinaryIO, end: int) -> int:
    file.seek(0)
    return file.read(end).rfind(b"\n") + 1
