"""The recorded agents of the demo."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["builder.json", "reviewer.json"])
def test_the_demo_replays_the_examples(name: str) -> None:
    """What is packaged for the demo is what stands in the folder of examples, byte for byte."""
    packaged = resources.files("eunoe.cli") / "examples" / name

    assert packaged.read_bytes() == (ROOT / "examples" / name).read_bytes()
