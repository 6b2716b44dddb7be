"""A fresh desk, and a wire to it, for every test that asks for one; folders and modules may have their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import Desk
from wires import Wire


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def wire(desk: Desk) -> Wire:
    return Wire(desk)
