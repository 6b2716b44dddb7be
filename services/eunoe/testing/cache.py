"""A cache in memory."""

from __future__ import annotations


class MemoryCache:
    """A `doors.Cache` that forgets nothing by itself."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    async def put(self, key: str, value: bytes) -> None:
        self.values[key] = value

    async def clear(self) -> None:
        self.values.clear()

    async def close(self) -> None:
        return None

    def statistics(self) -> dict[str, int]:
        return {"cached": len(self.values)}
