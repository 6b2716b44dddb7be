"""What agents import: `Memory`, and what it hands out."""

from __future__ import annotations

from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion
from eunoe.client.importing import Report, import_file
from eunoe.client.memory import Memory
from eunoe.client.stating import StatedFact
from eunoe.client.thread import Thread
from eunoe.client.tickets import Receipt
from eunoe.client.turn import Turn

__all__ = [
    "Deletion",
    "Memory",
    "PreviewDeletion",
    "Receipt",
    "Report",
    "ScopeDeletion",
    "StatedFact",
    "Thread",
    "Turn",
    "import_file",
]
