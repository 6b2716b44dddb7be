"""Every extractor of a fleet: the shipped ones, what its extensions bring, and what its configuration maps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eunoe.extraction import files, http, machine, outcomes, places
from eunoe.extraction.calls import Call
from eunoe.extraction.found import Extractor, Profile
from eunoe.extraction.mapping import mapped
from eunoe.extraction.tools import Tools

_SHELL = frozenset({"shell"})

SHIPPED: tuple[Extractor, ...] = (
    Extractor("tests", outcomes.read, _SHELL, fails=True),
    Extractor("workdir", places.read_workdir, _SHELL),
    Extractor("branch", places.read_branch, _SHELL),
    Extractor("shown", files.read_shown, _SHELL),
    Extractor("shell patch", files.read_patch, _SHELL),
    Extractor("machine", machine.read, _SHELL),
    Extractor("asked by shell", http.read_command, _SHELL),
    Extractor("read", files.read_read, frozenset({"read"})),
    Extractor("write", files.changed("written"), frozenset({"write"})),
    Extractor("create", files.changed("created"), frozenset({"create"})),
    Extractor("edit", files.changed("edited"), frozenset({"edit"})),
    Extractor("delete", files.changed("deleted"), frozenset({"delete"})),
    Extractor("move", files.read_moved, frozenset({"move"})),
    Extractor("editor", files.read_editor, frozenset({"editor"})),
    Extractor("patch", files.read_patch, frozenset({"patch"})),
    Extractor("git", places.read_git, frozenset({"git"})),
    Extractor("asked", http.read_tool, frozenset({"http"})),
)


class Registry:
    """Which extractors read a call.

    ``mappings`` are as `eunoe.extraction.mapping.Mapped` says, ``tools`` shapes by names of tools, ``profiles`` what
    extensions bring. Raises `Misconfigured` with the name of the field that is wrong.
    """

    def __init__(
        self,
        mappings: Iterable[Mapping[str, Any]] = (),
        tools: Mapping[str, str] | None = None,
        profiles: Iterable[Profile] = (),
    ) -> None:
        brought = tuple(profiles)
        self._tools = Tools(tools, brought)
        self._extractors = (
            *SHIPPED,
            *(extractor for one in brought for extractor in one.extractors),
            *(mapped(mapping, number) for number, mapping in enumerate(mappings)),
        )

    def readers(self, call: Call) -> list[Extractor]:
        """None for a memory's tools: what they show is not new."""
        shape = self._tools.shape(call.tool)
        return [] if shape == "memory" else [one for one in self._extractors if one.reads(call, shape)]
