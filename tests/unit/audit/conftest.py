"""A fresh desk for every test."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
