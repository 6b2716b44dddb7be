"""How the names of facts are written, so that one thing has one name: a function for each normaliser. Pure.

Names of ``trim`` and ``casefold`` are composed (NFC), as those of people and things are; those of ``command`` and
``path`` stay as they are, since a file system keeps two spellings apart. A name that shows nothing is empty.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Literal

from eunoe.facts.values import blank, bounded, folded, one_line
from eunoe.schemas import limits

Normaliser = Literal["trim", "casefold", "single", "command", "path"]

_EDGES = " \t\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e.,;:!?()[]{}<>"
_LEADS = (
    re.compile(r"""cd\s+(?:"[^"]*"|'[^']*'|[^\s&;|]+)\s*(?:&&|;)\s*"""),
    re.compile(r"set\s+(?:-[a-z]+\s*)*(?:-?o\s+pipefail)?\s*(?:&&|;)\s*"),
)
_TRAILS = (
    re.compile(r"\s*\|\s*(?:tail|head)(?:\s+-{1,2}[\w=-]+|\s+\d+)*\s*\Z"),
    re.compile(r"\s*2>\s*(?:&1|/dev/null)\s*\Z"),
)


def trim(name: str, root: str = "") -> str:
    """One line, without space at its edges, within the limit of a name."""
    return _bounded(unicodedata.normalize("NFC", _line(name)))


def casefold(name: str, root: str = "") -> str:
    """As `trim`, without regard to case, quotes and punctuation at the edges; empty when there is nothing else."""
    return _bounded(folded(_line(name)).strip(_EDGES))


def single(name: str, root: str = "") -> str:
    """A kind with one fact in its scope: every name is the same."""
    return "current"


def command(name: str, root: str = "") -> str:
    """A command without what does not change what it tests: a leading ``cd X &&`` or ``set -o pipefail;``,
    a trailing ``2>&1`` or pipe to ``tail`` or ``head``."""
    text = _line(name)
    for patterns, cut in ((_LEADS, _cut_lead), (_TRAILS, _cut_trail)):
        found = True
        while found:
            shorter = [after for pattern in patterns if (after := cut(pattern, text)) != text and after]
            found = bool(shorter)
            text = shorter[0] if shorter else text
    return _bounded(text)


def path(name: str, root: str = "") -> str:
    """A path without ``.`` and ``..``, relative to the repository's root when it lies below it."""
    clean = _clean(_line(name).replace("\\", "/"))
    base = posixpath.normpath(root) if root else ""
    if base not in ("", "/", ".") and clean.startswith(base + "/"):
        clean = _clean(clean[len(base) + 1 :])
    return _bounded(clean)


NORMALISERS: Mapping[Normaliser, Callable[[str, str], str]] = {
    "trim": trim,
    "casefold": casefold,
    "single": single,
    "command": command,
    "path": path,
}


def _cut_lead(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return text[found.end() :] if found else text


def _cut_trail(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub("", text)


def _clean(path: str) -> str:
    """A path in its shortest form, without space at its edges, where what is left may be shortened again."""
    clean = posixpath.normpath(path).strip() if path else ""
    return clean if clean == path else _clean(clean)


def _line(name: str) -> str:
    line = one_line(name)
    return "" if blank(line) else line


def _bounded(name: str) -> str:
    return bounded(name, limits.NAME_BYTES)
