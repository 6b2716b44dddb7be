"""What is said of a context in words: doubts, what was done to make it, and its figures. Pure.

Of a past context only what was so then: what is still to come is said of the next request alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from eunoe.cli import context_basis, words
from eunoe.cli.context_basis import Basis
from eunoe.composition.changes import named
from eunoe.runtime import revisions
from eunoe.schemas.context import Assessment, Context, Recipe, ShownSummary, Watermark

_RENDERINGS = {
    "reference": ("reference",),
    "cut": ("cut reply", "cut replies"),
    "excerpt": ("excerpt",),
    "arguments": ("call without its long arguments", "calls without their long arguments"),
}

Said = tuple[str, str]
"""What is said of a context: under which name, and what."""


def told(found: Context, basis: Basis | None = None) -> Iterator[Said]:
    """What the remarks say: doubts first, then what was done, then figures. ``basis`` is that of the next request, None
    of a past one."""
    yield from (*_doubts(found, basis), *_deeds(found, basis), *_figures(found, basis))


def _doubts(found: Context, basis: Basis | None) -> Iterator[Said]:
    if found.note:
        yield "note", found.note
    if found.differs:
        yield "differs", found.differs
    if found.reconstructed:
        yield "reconstructed", "no model saw this; it is what a request of this turn would have carried"
    if found.stale:
        yield "not fresh", f"{', '.join(found.stale)}; ask again, or wait longer"
    if basis is not None and basis.open:
        turns = f"{named(basis.open, 'turn', 'turns')} {'is' if len(basis.open) == 1 else 'are'}"
        yield "open", f"{turns} not over; this is the request of a turn of its own, and holds nothing of that"


def _deeds(found: Context, basis: Basis | None) -> Iterator[Said]:
    """By what it was composed, what left, what stands for it, and what was shortened."""
    recipe = found.recipe
    if basis is not None:
        yield "composed", context_basis.described(basis)
    if recipe.refused:
        yield "refused", refused(recipe.refused)
    if recipe.pending:
        yield "pending", pending(found, basis)
    if recipe.ahead:
        yield "ahead", ahead(recipe, basis)
    if recipe.left:
        yield "left out", f"{words.count(recipe.left, 'turn')} before turn {recipe.first_turn}"
    if recipe.summary:
        yield "summary", summarised(recipe.summary, found.summary)
    if recipe.outline:
        more = f", and leaves {recipe.outline_hidden:,} unnamed" if recipe.outline_hidden else ""
        yield "outline", f"names {named([one.turn for one in recipe.outline], 'turn', 'turns')}{more}"
    if recipe.erased:
        yield "erased", f"everything said in {words.count(recipe.erased, 'turn')}"
    if recipe.steps:
        yield "done to fit", ", ".join(recipe.steps)
    if recipe.renderings:
        yield "in short", ", ".join(_renderings(recipe))


def refused(before: str) -> str:
    """In which context's place it was composed, and why it may count for more than that one did."""
    return (
        f"composed in place of {before}, which was too long for its provider; it is shorter than that, and its tokens "
        "are reckoned by the provider's count"
    )


def pending(found: Context, basis: Basis | None) -> str:
    """Of which turns facts were not there; of the next request, what has them drawn: a look asks for nothing."""
    turns, thread = named(found.recipe.pending, "turn", "turns"), shlex.quote(found.thread)
    if basis is None:
        return f"facts of {turns} were not drawn yet when it was composed"
    return f"facts of {turns} are not drawn yet; they are once an agent goes on, or now by `eunoe distil {thread}`"


def ahead(recipe: Recipe, basis: Basis | None) -> str:
    """Which turns are, or were, the next to leave."""
    turns = [turn for first, last in recipe.ahead for turn in range(first, last + 1)]
    leave = ("leaves", "leave") if basis else ("was to leave", "were to leave")
    return f"{named(turns, 'turn', 'turns')} {leave[len(turns) > 1]} next"


def summarised(shown: ShownSummary, source: str) -> str:
    """Which version of the running summary it is, of which turns, and what made it, as far as that is there."""
    said = ", ".join(filter(None, (f"version {shown.version}", source)))
    return f"{said}, shortened to {shown.size:,} bytes" if shown.size else said


def _renderings(recipe: Recipe) -> Iterator[str]:
    """How many entries are not shown whole, by how they are shown."""
    for how, what in _RENDERINGS.items():
        if count := sum(one.how == how for one in recipe.renderings):
            yield words.count(count, *what)


def _figures(found: Context, basis: Basis | None) -> Iterator[Said]:
    recipe = found.recipe
    if found.assessment is not None:
        yield "assessed", assessed(found.assessment)
    if recipe.tools:
        yield "tools", words.listed(recipe.tools, len(recipe.tools))
    model = f" for {recipe.model}" if recipe.model else ""
    counted = corrected(int(recipe.settings.get("anchor", 0)))
    yield "counted by", f"{found.counter or recipe.counter}{model}{counted}"
    if follows(found):
        yield "stable", stable(recipe)
    yield "reflects", reflects(found.watermark) if basis else logged(found.watermark)


def corrected(anchor: int) -> str:
    """What follows the name of a counter where its counts were corrected: ``, +702 by what the provider counted``."""
    return f", {anchor:+,} by what the provider counted" if anchor else ""


def assessed(found: Assessment) -> str:
    """What was decided about the request before it was composed, and how."""
    said = [f"by {found.method}" + (f" of {found.model}" if found.model else "")]
    said += [f"the call failed: {found.failure}"] if found.failure else []
    said += [f"intent: {found.intent}"] if found.intent else []
    said += [f"task: {found.task}"] if found.task else []
    return "; ".join(said)


def follows(found: Context) -> bool:
    """Whether there was a context before it, of which a provider may have had something in its cache."""
    return bool(found.recipe.before or found.recipe.stable) and not found.reconstructed


def stable(recipe: Recipe) -> str:
    """How much of the context a provider may have in its cache."""
    if not recipe.stable:
        return f"none of its {recipe.bytes:,} bytes lead as in the context before it"
    share = recipe.stable * 100 // recipe.bytes
    return f"its first {recipe.stable:,} of {recipe.bytes:,} bytes ({share}%) are those of the context before it"


def logged(watermark: Watermark) -> str:
    """``the log to position 45``: all that is known of what a past context reflected."""
    return f"the log to position {watermark.log}"


def reflects(watermark: Watermark) -> str:
    """``the log to position 45; the stores of facts to position 3 (permanent), 2 (session), 9 (thread)``.

    Facts that were made again say in which generation these are, and 0 for a store that is still of an older one.
    """
    stores = {"permanent": watermark.permanent, "session": watermark.session, "thread": watermark.thread}
    now = max(map(revisions.generation, stores.values()))
    facts = ", ".join(f"{revisions.seq(revision, now)} ({name})" for name, revision in stores.items())
    of = f", of generation {now}" if now > 1 else ""
    return f"{logged(watermark)}; the stores of facts to position {facts}{of}"
