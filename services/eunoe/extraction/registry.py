"""Every extractor of a fleet: the shipped ones, and what its configuration maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eunoe.extraction import files, machine, outcomes, places, tools
from eunoe.extraction.calls import Call
from eunoe.extraction.found import Extractor
from eunoe.extraction.mapping import mapped

SHIPPED: tuple[Extractor, ...] = (
    Extractor("tests", tools.SHELL, outcomes.read, fails=True),
    Extractor("workdir", tools.SHELL, places.read_workdir),
    Extractor("branch", tools.SHELL, places.read_branch),
    Extractor("shown", tools.SHELL, files.read_shown),
    Extractor("shell patch", tools.SHELL, files.read_patch),
    Extractor("machine", tools.SHELL, machine.read),
    Extractor("read", tools.READ, files.read_read),
    Extractor("edit", tools.EDIT, files.read_edited),
    Extractor("write", tools.WRITE, files.read_written),
    Extractor("editor", tools.EDITOR, files.read_editor),
    Extractor("patch", tools.PATCH, files.read_patch),
)


class Registry:
    """Which extractors read a call. ``mappings`` are as `eunoe.extraction.mapping.Mapped` says."""

    def __init__(self, mappings: Iterable[Mapping[str, Any]] = (), more: Iterable[Extractor] = ()) -> None:
        self._extractors = (*SHIPPED, *more, *(mapped(mapping) for mapping in mappings))

    def readers(self, call: Call) -> list[Extractor]:
        """None for memory's own tools: what they show is not new."""
        return [] if tools.own(call.tool) else [one for one in self._extractors if one.reads(call)]
