"""How numbers, sizes, times and texts are said to people. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.cells import cell_len, chop_cells

from eunoe.cli.output import clean
from eunoe.facts import times

_UNITS = ("KB", "MB", "GB", "TB")  # each a thousand of the one before


def size(count: int) -> str:
    """Bytes in short: ``999 B``, ``1.5 KB``, ``42 MB``."""
    if count < 1000:
        return f"{count} B"
    value, power = count / 1000, 0
    while value >= 999.5 and power < len(_UNITS) - 1:
        value, power = value / 1000, power + 1
    unit = _UNITS[power]
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def count(number: int, what: str, many: str = "") -> str:
    """``1 turn``, ``2,345 turns``; ``many`` where an s is not enough."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def day(time: int) -> str:
    """Milliseconds UTC as ``2026-01-31 09:05``, or nothing for none."""
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M") if time else ""


def moment(time: int) -> str:
    """Milliseconds UTC as ``2026-01-31 09:05:07Z``, or nothing for none."""
    return times.stamp(time) if time else ""


def one_line(text: str, width: int) -> str:
    """The text on one line of at most ``width`` columns, cut with an ellipsis; no control character is left."""
    flat = " ".join(clean(text).split())
    if cell_len(flat) <= width:
        return flat
    return chop_cells(flat, max(1, width - 1))[0].rstrip() + "…"


def broken(text: str, width: int) -> str:
    """The text with line feeds in every word wider than ``width`` columns, after a ``/`` or ``_`` where it has some.

    Nothing else is added, and nothing taken away.
    """
    parts: list[str] = re.split(r"(\s+)", text)
    return "".join("\n".join(_pieces(part, width)) if cell_len(part.strip()) > width else part for part in parts)


def listed(names: tuple[str, ...], most: int = 3) -> str:
    """``a, b, c and 2 more``."""
    shown = ", ".join(clean(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def span(first: int, last: int) -> str:
    """``7``, or ``7-9``."""
    return str(first) if first == last else f"{first}-{last}"


def spans(found: Sequence[tuple[int, int]], most: int = 8) -> str:
    """``1-4, 7``; of many the first and the last: ``1-4, 7, …, 90-95``."""
    said = [span(first, last) for first, last in found]
    return ", ".join([*said[: most - 1], "…", said[-1]] if len(said) > most else said)


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in as few parts of at most ``width`` columns as end in ``/`` or ``_``, or at the width where none does."""
    line = ""
    for part in re.findall("[^/_]*[/_]|[^/_]+", word):
        if cell_len(line + part) <= width:
            line += part
            continue
        whole = [line] if line else []
        *full, line = [*whole, *chop_cells(part, width)]
        yield from full
    yield line
