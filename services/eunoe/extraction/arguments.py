"""How tools call the arguments that extractors read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eunoe.extraction.calls import Call

PATHS = (
    *("file_path", "path", "filepath", "filePath", "filename", "file", "notebook_path", "target_file"),
    *("absolute_path", "relative_path", "file_name"),
)
DIRECTORIES = ("workdir", "cwd", "working_directory", "directory", "dir_path")
REPOSITORIES = ("repo_path",)
URLS = ("url", "uri", "href", "endpoint")
STARTS = ("offset", "line_number", "start_line", "startLine", "start")
LIMITS = ("limit", "end_line", "endLine", "max_lines", "head")
_SEVERAL = ("paths", "files", "filePaths", "args")


def number(call: Call, *names: str) -> int:
    """The first of these arguments that is a number, else 0."""
    given = (call.arguments.get(name) for name in names)
    return next((value for value in given if isinstance(value, int) and not isinstance(value, bool)), 0)


def several(call: Call) -> list[str]:
    """The paths of a call that names several, as texts or as objects with a path; empty when it does not."""
    found = next((value for name in _SEVERAL if isinstance(value := call.arguments.get(name), list | dict)), [])
    return list(_paths(found))


def _paths(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for element in value:
                yield from _paths(element)
        case Mapping():
            yield from (path for name in PATHS for path in _paths(value.get(name)))
        case _:
            return
