"""How other processes find the embedded server of a data folder: ``endpoint.json``, readable by its owner alone."""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from eunoe.runtime.files import write_private

CONNECT_SECONDS = 1.0  # seconds a server on this machine may take to accept a connection


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server: its address, its one user, and its process id; ``owner`` is the process that keeps it, 0 for none."""

    url: str
    user: str
    password: str
    pid: int
    owner: int


def write(data: Path, endpoint: Endpoint) -> None:
    write_private(_file(data), msgspec.json.encode(endpoint).decode())


def read(data: Path) -> Endpoint | None:
    """What the file says, if there is one; its server may be gone since."""
    try:
        return msgspec.json.decode(_file(data).read_bytes(), type=Endpoint)
    except (OSError, msgspec.DecodeError):
        return None


def find(data: Path) -> Endpoint | None:
    """The running server of the data folder, or None; one whose owner was killed is about to end."""
    found = read(data)
    return found if found and found.owner and _alive(found.owner) and accepts(found.url) else None


def accepts(url: str) -> bool:
    """Whether something accepts connections there."""
    address = urlsplit(url)
    with contextlib.suppress(OSError, ValueError):
        socket.create_connection((address.hostname or "", address.port or 4222), CONNECT_SECONDS).close()
        return True
    return False


def port_of(endpoint: Endpoint | None) -> int:
    """The port of an endpoint, 0 for none."""
    return urlsplit(endpoint.url).port or 0 if endpoint else 0


def free(port: int) -> bool:
    """Whether a server could listen on that port of this machine now."""
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


def _alive(pid: int) -> bool:
    """Whether there is such a process, of whichever user."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _file(data: Path) -> Path:
    return data / "endpoint.json"
