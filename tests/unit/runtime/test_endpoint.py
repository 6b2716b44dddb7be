"""How the server of a data folder is found."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from eunoe.runtime import endpoint
from eunoe.runtime.endpoint import Endpoint


def test_the_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system does not let us signal it, which says that it is there; of none it says so."""
    answers: list[type[OSError]] = [PermissionError, ProcessLookupError]

    def kill(pid: int, number: int) -> None:
        raise answers.pop(0)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        written = Endpoint(f"nats://127.0.0.1:{listening.getsockname()[1]}", "u", "p", pid=7, owner=8)
        endpoint.write(tmp_path, written)
        monkeypatch.setattr(os, "kill", kill)

        assert endpoint.find(tmp_path) == written
        assert endpoint.find(tmp_path) is None
