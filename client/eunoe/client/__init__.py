"""What agents import: `Memory`, and what it hands out."""

from __future__ import annotations

from eunoe.client.composing import How
from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion
from eunoe.client.importing import Report, import_file
from eunoe.client.memory import Memory
from eunoe.client.stating import StatedFact
from eunoe.client.thread import Thread
from eunoe.client.tickets import Receipt
from eunoe.client.turn import Turn
from eunoe.schemas.requests import ToolDefinition

__all__ = [
    "Deletion",
    "How",
    "Memory",
    "PreviewDeletion",
    "Receipt",
    "Report",
    "ScopeDeletion",
    "StatedFact",
    "Thread",
    "ToolDefinition",
    "Turn",
    "import_file",
]
