"""A fresh desk for every test."""

from __future__ import annotations

from pathlib import Path

import pytest
from extraction_desks import ExtractionDesk


@pytest.fixture
def desk(tmp_path: Path) -> ExtractionDesk:
    return ExtractionDesk(tmp_path)
