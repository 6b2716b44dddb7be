"""What every event has."""

from __future__ import annotations

import msgspec


class Base(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """``at`` is the transcript's own time, 0 where it has none and the time of acceptance counts."""

    at: int = 0
