"""Anchors: how far every chain was, kept outside the store.

A chain alone cannot show a lost tail. An anchor names the log's last sequence and the heads that moved
since the anchor before; folded together, anchors name the head of every chain, and their roots are a
chain of hashes over all of them. A file of anchors is JSON lines, appended and synced, never rewritten.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
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
    """``last`` is the log's last sequence at ``time`` (ms UTC), ``chains`` how many there were.

    ``heads`` are those that moved since the anchor before, whose root is ``prev`` (empty for the first).
    ``root`` is a digest of all this, so of every head that was ever anchored here.
    """

    v: int
    time: int
    last: int
    chains: int
    prev: str
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
class KnownHeads:
    """The heads of all chains, folded from anchors and records, and the root of the last anchor."""

    last: int = 0
    heads: dict[str, Mark] = field(default_factory=dict)
    root: str = ""

    def anchor(self, time: int, moved: Mapping[str, Mark]) -> Anchor:
        """The anchor of these heads at ``time`` (ms UTC), naming the ones that moved."""
        anchor = Anchor(
            v=limits.SCHEMA_VERSION,
            time=time,
            last=self.last,
            chains=len(self.heads),
            prev=self.root,
            root="",
            heads=dict(sorted(moved.items())),
        )
        return msgspec.structs.replace(anchor, root=digest(anchor))

    def add(self, anchor: Anchor) -> bool:
        """Take in an anchor; False when it does not follow from these heads or was changed."""
        follows = anchor.prev == self.root and anchor.root == digest(anchor)
        self.last, self.root = anchor.last, anchor.root
        self.heads.update(anchor.heads)
        return follows and anchor.chains == len(self.heads)


def digest(anchor: Anchor) -> str:
    """SHA-256 (hex) over everything an anchor says but its root, a line each for the chains, sorted."""
    found = hashlib.sha256(f"{anchor.prev} {anchor.v} {anchor.time} {anchor.last} {anchor.chains}\n".encode())
    for chain, mark in sorted(anchor.heads.items()):
        found.update(f"{chain} {mark.record} {mark.position} {mark.hash}\n".encode())
    return found.hexdigest()


def read_anchors(lines: Iterable[bytes], where: str = "the anchors") -> list[Anchor]:
    """Anchors in order. A last line cut short by a kill is left out; any other damage raises `Damaged`."""
    found: list[Anchor] = []
    heads = KnownHeads()
    for number, line in enumerate(lines, start=1):
        try:
            anchor = msgspec.json.decode(line, type=Anchor)
        except msgspec.DecodeError as error:
            if line.endswith(b"\n"):
                raise Damaged(f"line {number} of {where} is no anchor: {error}") from None
            break
        if not heads.add(anchor):
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
