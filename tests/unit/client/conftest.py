"""A disk that fails as a test says."""

from __future__ import annotations

import pytest
from disks import Disk


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)
