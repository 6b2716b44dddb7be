"""A file that appears under its name only when it is whole."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from eunoe.schemas.errors import Invalid


class WholeFile:
    """Written beside its place, synced, and moved there at the end; after a failure nothing is left.

    Raises `Invalid` when it cannot be written there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._file = self._part.open("xb")
        except OSError as error:
            raise Invalid(f"{self._path} cannot be written: {error.strerror or error}") from None
        return self

    def write(self, data: bytes) -> int:
        assert self._file is not None
        return self._file.write(data)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._file is not None
        try:
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())
                self._part.replace(self._path)
        except OSError as failed:
            raise Invalid(f"{self._path} cannot be written: {failed.strerror or failed}") from None
        finally:
            self._file.close()
            self._part.unlink(missing_ok=True)
