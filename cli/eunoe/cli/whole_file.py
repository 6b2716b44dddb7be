"""A file that appears under its name only when it is whole."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from eunoe.schemas.errors import Invalid


class WholeFile:
    """Written beside its place, synced, and moved there at the end; after a failure nothing is left.

    What is there and no plain file (a pipe, a device) is written to directly, and never replaced.
    Raises `Invalid` when it cannot be written there.
    """

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise Invalid(f"{path} cannot be written: it is a directory; give a file's name")
        self._path = path
        self._beside = not path.exists() or path.is_file()
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part") if self._beside else path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._file = self._part.open("xb" if self._beside else "wb")
        except OSError as error:
            raise Invalid(f"{self._path} cannot be written: {error.strerror or error}") from None
        return self

    def write(self, data: bytes) -> int:
        assert self._file is not None
        try:
            return self._file.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Invalid(f"{self._path} cannot be written: {error.strerror or error}") from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._file is not None
        try:
            if kind is None:
                self._file.flush()
                self._keep()
        except OSError as failed:
            raise Invalid(f"{self._path} cannot be written: {failed.strerror or failed}") from None
        finally:
            with contextlib.suppress(OSError):
                self._file.close()
            if self._beside:
                self._part.unlink(missing_ok=True)

    def _keep(self) -> None:
        assert self._file is not None
        if self._beside:
            os.fsync(self._file.fileno())
            self._part.replace(self._path)
