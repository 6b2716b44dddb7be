"""A fresh desk, and a wire to it, for every test."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import Desk
from disks import Disk
from wires import Wire


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def wire(desk: Desk) -> Wire:
    return Wire(desk)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)
