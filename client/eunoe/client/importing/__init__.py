"""Reading transcripts of other systems: which format a file holds, its turns, and bringing them in."""

from __future__ import annotations

from eunoe.client.importing.detect import detect, other
from eunoe.client.importing.model import FORMATS, Aside, Format, Problem, Turn
from eunoe.client.importing.reading import read
from eunoe.client.importing.report import Progress, Report
from eunoe.client.importing.running import import_file

__all__ = [
    "FORMATS",
    "Aside",
    "Format",
    "Problem",
    "Progress",
    "Report",
    "Turn",
    "detect",
    "import_file",
    "other",
    "read",
]
