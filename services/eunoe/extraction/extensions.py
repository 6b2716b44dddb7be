"""What installed packages bring for extraction: entry points of the group ``eunoe.extraction``."""

from __future__ import annotations

from importlib import metadata

from eunoe.extraction.found import Profile
from eunoe.schemas.errors import Misconfigured

GROUP = "eunoe.extraction"


def load() -> tuple[Profile, ...]:
    """The profile of every entry point, by name; raises `Misconfigured` with the entry point that gives none."""
    return tuple(_profile(one) for one in sorted(metadata.entry_points(group=GROUP), key=lambda one: one.name))


def _profile(point: metadata.EntryPoint) -> Profile:
    where = f"the extension {point.name} ({GROUP}: {point.value})"
    try:
        found = point.load()
    except Exception as error:
        raise Misconfigured(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Profile):
        raise Misconfigured(f"{where} is no eunoe.extraction.found.Profile but {type(found).__name__}")
    return found
