"""The owners whose documents are held in memory, the least recently used of them forgotten beyond so many bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from eunoe.composition.owned import Owned
from eunoe.schemas import subjects


@dataclass(slots=True)
class Held:
    """An owner that is held, and the revision of its bucket that was read of it.

    ``size`` are the bytes that it is counted for, ``loaded`` whether it was read at all. Once ``dropped`` it is held no
    more, and nothing brings its changes to whoever still has it. The lock is of who reads it.
    """

    token: str
    owned: Owned
    upto: int = 0
    size: int = 0
    loaded: bool = False
    dropped: bool = False
    lock: anyio.Lock = field(default_factory=lambda: anyio.Lock(fast_acquire=True))


class Owners:
    """The owners of one bucket, in ``most`` bytes of memory."""

    def __init__(self, new: Callable[[str], Owned], most: int) -> None:
        self._new = new
        self._most = most
        self._held: OrderedDict[str, Held] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._held)

    def named_by(self, key: str) -> Held | None:
        """The owner that a key names, where it is held; to look is no use of it."""
        return self._held.get(_token(key))

    def hold(self, owner: str) -> Held:
        """The owner of that name, as the last used; held from now on where it was not."""
        token = _token(subjects.state_key(owner))
        held = self._held.get(token)
        if held is None:
            held = self._held[token] = Held(token, self._new(owner))
        self._held.move_to_end(token)
        return held

    def measure(self, held: Held) -> None:
        """Count an owner for what it takes by now."""
        if not held.dropped:
            self.size += held.owned.size - held.size
            held.size = held.owned.size

    def forget(self, held: Held) -> None:
        if not held.dropped:
            held.dropped = True
            self.size -= held.size
            del self._held[held.token]

    def tidy(self) -> None:
        """Forget as many of the least recently used as are too many; none that somebody is reading."""
        if self.size <= self._most:
            return
        for held in list(self._held.values()):
            if self.size > self._most and held.loaded and not held.lock.locked():
                self.forget(held)

    def clear(self) -> int:
        """Forget all of them, and say how many they were."""
        count = len(self._held)
        for held in self._held.values():
            held.dropped = True
        self._held.clear()
        self.size = 0
        return count


def _token(key: str) -> str:
    """The token of a key that names its owner."""
    return key.split(".", 2)[1]
