"""What changed from one context to another, as people read it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.text import Text

from eunoe.cli import context_basis, context_told, context_view, words
from eunoe.cli.context_basis import Basis
from eunoe.cli.context_diff import BLOCKS, Difference, LayerDifference, Otherwise, Part, Side
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


Bases = tuple[Basis | None, Basis | None]
"""By what each of the two contexts was composed, None for a past one."""


def difference(found: Difference, width: int, bases: Bases = (None, None)) -> Iterator[Text]:
    """Both sides, then every layer in which something changed."""
    before, after = (_named(side, basis) for side, basis in zip((found.before, found.after), bases, strict=True))
    yield Text(f"thread {clean(found.thread)}: {before} → {after}", style="bold")
    yield from _sides(found.before, found.after)
    yield from (_figure("composed", context_basis.described(basis)) for basis in dict.fromkeys(bases) if basis)
    if found.identical:
        yield Text("identical: the same bytes")
        return
    for layer in found.layers:
        yield Text()
        yield from _layer(layer, width)
    if not found.layers:
        yield Text("what they say is the same; only its serialised form differs")


def _named(side: Side, basis: Basis | None) -> str:
    if basis is not None:
        return f"next (turn {side.turn})"
    return f"turn {side.turn} (reconstructed)" if side.reconstructed else f"turn {side.turn}"


def _sides(before: Side, after: Side) -> Iterator[Text]:
    """The figures of both; what is the same in both is said once."""
    rows = [
        ("tokens", f"{before.tokens:,}", f"{after.tokens:,}"),
        ("window", f"{before.window:,}", f"{after.window:,}"),
        ("format", before.format, after.format),
        ("counter", *(f"{side.counter}{context_told.corrected(side.corrected)}" for side in (before, after))),
    ]
    if before.summary or after.summary:
        rows.append(("summary", _version(before.summary), _version(after.summary)))
    for name, old, new in rows:
        yield _figure(name, old if old == new else f"{old} → {new}")


def _figure(name: str, what: str) -> Text:
    return Text(f"{name:<8} ", style="bold").append(clean(what), style="not bold")


def _version(summary: int) -> str:
    return f"version {summary}" if summary else "none"


def _layer(found: LayerDifference, width: int) -> Iterator[Text]:
    old, new = found.tokens
    tokens = f"{old:,} tokens" if old == new else f"{old:,} → {new:,} tokens"
    same = [f"{words.count(found.same, 'part')} as before"] if found.same else []
    yield context_view.rule(" · ".join([found.name, tokens, *same]), width)
    went = Counter(part.moved for part in found.gone if part.moved)
    for layer, count in went.items():
        yield Text(f"  {words.count(count, 'part')} moved to {layer}", style="dim")
    for part in found.gone:
        if not part.moved:
            yield from _part("-", part, found.name in BLOCKS, width)
    for one in found.otherwise:
        yield from _otherwise(one, width)
    for part in found.added:
        yield from _part("+", part, found.name in BLOCKS, width)


def _part(sign: str, part: Part, whole: bool, width: int) -> Iterator[Text]:
    """A part: who says it, where it came from, and how it begins; a block of memory with all its lines."""
    moved = f"moved from {part.moved}: " if part.moved else ""
    who = f"[{part.who}] " if part.who else ""
    style = "dim" if part.moved else _STYLES[sign]
    lines = part.text.splitlines() if whole and not part.moved else []
    yield Text(words.one_line(f"{sign} {moved}{who}{'' if lines else part.text}", width), style=style)
    for line in lines:
        shown = verbatim(f"  {sign}{line}")
        shown.stylize(style)
        yield shown


def _otherwise(one: Otherwise, width: int) -> Iterator[Text]:
    """A part that is said otherwise: its lines that changed."""
    sizes = " → ".join(words.size(len(text.encode())) for text in (one.before, one.after))
    who = f"[{one.who}] " if one.who else ""
    moved = f"moved from {one.moved}, " if one.moved else ""
    yield Text(words.one_line(f"~ {who}{moved}said otherwise, {sizes}", width), style="yellow")
    for line in one.lines:
        shown = verbatim(f"  {line}")
        shown.stylize(_STYLES.get(line[:1], ""))
        yield shown
