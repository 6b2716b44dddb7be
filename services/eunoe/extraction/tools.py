"""Which shape a tool has, by its name: as shipped, as extensions and the configuration of a fleet say. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from eunoe.extraction.calls import parts_of
from eunoe.extraction.found import Profile
from eunoe.extraction.profiles import PROFILES, SHAPES
from eunoe.schemas.errors import Misconfigured

_SERVERS = frozenset({"memory", "eunoe"})  # servers all of whose tools are a memory's


class Tools:
    """The shapes of one fleet's tools; what its configuration says of a name goes before what is shipped."""

    def __init__(self, configured: Mapping[str, str] | None = None, profiles: Iterable[Profile] = ()) -> None:
        brought = list(profiles)
        self._shapes = SHAPES + tuple(sorted({shape for one in brought for shape in _read(one)} - set(SHAPES)))
        self._known = dict(_SHIPPED)
        for one in brought:
            self._known |= self._checked(one.tools, f"the extension {one.name}: tools")
        self._given = self._checked(configured or {}, "tools")

    def shape(self, tool: str) -> str:
        """The shape of a tool, *none* of one that nobody declared; the server or namespace in front may be left out."""
        whole = tool.casefold()
        *before, name = parts_of(whole)
        for known in (whole, name):
            if known in self._given:
                return self._given[known]
        if "eunoe" in whole or name.startswith("memory_") or not _SERVERS.isdisjoint(before):
            return "memory"
        return self._known.get(whole) or self._known.get(name, "none")

    def _checked(self, given: Mapping[str, str], where: str) -> dict[str, str]:
        for name, shape in given.items():
            if not name.strip():
                raise Misconfigured(f"{where}: a tool needs a name")
            if shape not in self._shapes:
                close = difflib.get_close_matches(shape, self._shapes, n=1)
                hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(self._shapes)}"
                raise Misconfigured(f"{where}.{name}: there is no shape {shape!r}; {hint}")
        return {name.casefold(): shape for name, shape in given.items()}


def _read(profile: Profile) -> set[str]:
    """The shapes that a profile's own extractors read."""
    return {shape for extractor in profile.extractors for shape in extractor.shapes}


_SHIPPED = {name: shape for profile in PROFILES.values() for shape, names in profile.items() for name in names.split()}
