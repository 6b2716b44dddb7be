"""The plan of a context: from inputs and settings to the recipe that composes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from eunoe.composition import ahead, budget, fitting, left, literal
from eunoe.composition.draft import Draft
from eunoe.composition.fold import Fold
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.outline import Asked
from eunoe.composition.summary import Summary
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import Invalid

SLACK = 2  # records that are read beyond what is likely to do, so that turns of a record more take no second look


@dataclass(frozen=True, slots=True)
class Planned:
    """A recipe, with the lines of its facts, and of the session's state, by their ids, what was asked in the turns that
    its outline names, and its summary."""

    recipe: Recipe
    lines: dict[str, str]
    prompts: dict[int, Asked]
    summary: Summary | None


def plan(inputs: Inputs, settings: Settings, spare: int = 0) -> Planned:
    """What to show and how, in a window of which ``spare`` tokens are kept free. ``id``, ``sha256`` and what is
    measured are the renderer's to fill in.

    Raises `Over`.
    """
    draft = Draft(inputs, settings, spare)
    start = draft.used
    floor = fitting.fit(draft)
    lines = {fact.shown.id: fact.line for fact in (*draft.facts.earlier, *draft.facts.now)}
    lines |= {draft.carried.shown.id: draft.carried.line} if draft.carried else {}
    named = {one.turn for one in draft.outline}
    prompts = {turn: said for turn, said in draft.past.prompts.items() if turn in named}
    return Planned(_recipe(draft, floor=floor, start=start), lines, prompts, draft.summary)


def _recipe(draft: Draft, *, floor: bool, start: int) -> Recipe:
    """What a draft comes to, which took ``start`` tokens before anything was done to fit."""
    inputs, settings = draft.inputs, draft.settings
    opened = [inputs.open] if inputs.open is not None else []
    shown = [one for turn in (*draft.turns, *opened) for one in draft.renderings_of(turn)]
    gone = draft.gone
    return Recipe(
        v=limits.SCHEMA_VERSION,
        id="",
        turn=inputs.turn,
        window=settings.window,
        format=settings.manner.format,
        counter=settings.counter.name,
        renderer=limits.RENDERER_VERSION,
        position=inputs.fold.position,
        turns=tuple(turn.number for turn in draft.turns),
        first_turn=draft.first_turn,
        sha256="",
        left=draft.left,
        erased=draft.erased,
        instructions=tuple(item.entry for item in inputs.instructions),
        instructions_at=tuple(item.position for item in inputs.instructions),
        request=inputs.request,
        earlier=tuple(fact.shown for fact in draft.facts.earlier),
        earlier_hidden=draft.facts.hidden[0],
        now=tuple(fact.shown for fact in draft.facts.now),
        now_hidden=draft.facts.hidden[1],
        state=draft.carried.shown if draft.carried else None,
        renderings=tuple(one for one in shown if one.entry not in gone),
        dropped_rounds=draft.dropped,
        memory_tool=settings.manner.memory_tool,
        floor=floor,
        note=fitting.note(draft) if floor else "",
        pending=draft.pending,
        ahead=ahead.next_to_leave(draft),
        tools=inputs.tools,
        refused=inputs.refused,
        model=settings.model,
        steps=tuple(draft.steps),
        summary=draft.summary.shown if draft.summary else None,
        outline=draft.outline,
        outline_hidden=draft.outline_hidden,
        settings=_numbers(draft, start),
    )


def _numbers(draft: Draft, start: int) -> dict[str, float]:
    """Every number that the plan depended on, beside those that the recipe names, and what the next plan goes on from.

    ``fill_before`` and ``fill_after`` are tokens without the request, before and after what was done to fit.
    """
    settings = draft.settings
    return {
        "target": settings.target,
        "headroom": settings.headroom,
        "headroom_tokens": draft.budget.headroom,
        "goal": draft.budget.goal,
        "anchor": draft.inputs.anchor,
        "spare": draft.spare,
        "output": settings.output,
        "keep": settings.keep,
        "relevant": int(settings.relevant),
        "outline": int(settings.outline),
        "fill_before": start,
        "fill_after": draft.used,
        "turns_left": draft.left_now,
        "erased": draft.past.erased,
        "squeezed": draft.squeezed,
        "older": int(draft.older),
        "rounds_of": draft.last.number if draft.dropped and draft.last else 0,
    }


def enough(inputs: Inputs, settings: Settings) -> bool:
    """Whether the fold reaches back as far as this plan can need: to the cut mark, or a window full of turns, and to
    the turns before that are looked at."""
    fold = inputs.fold
    if fold.complete:
        return True
    if not fold.base or (inputs.open is not None and not inputs.open.whole):
        return False
    count = max(settings.headroom, settings.keep)
    newest = sum(1 for _ in zip(fold.committed(), range(count), strict=False))
    if newest < count and fold.base > 1:
        return False
    since = literal.start(inputs, settings)
    if since and fold.base <= left.reach(inputs, since):
        return True
    return _full(inputs, settings)


def begins(fold: Fold, settings: Settings) -> int:
    """The first turn that a context likely shows, as far as the last recipe of its profile says; 0 where it does not,
    or is so old that there may be others by now."""
    composed = fold.recipes.get(settings.profile)
    if composed is None or fold.trimmed or composed.recipe.turn <= fold.last - left.LOOKED_AT:
        return 0
    return composed.recipe.first_turn


def likely(inputs: Inputs, settings: Settings) -> int:
    """How many records more it likely takes until there is `enough`; 0 where the last recipe does not say how far back
    the plan reaches."""
    fold, since = inputs.fold, literal.start(inputs, settings)
    return reckoned(fold, fold.base - left.reach(inputs, since)) if since and fold.base else 0


def reckoned(fold: Fold, turns: int) -> int:
    """How many records hold so many turns, where each has as many as those that are folded, or as the thread has on
    average, whichever is more; 0 for no turns."""
    if turns <= 0 or fold.header is None or not fold.header.turns:
        return 0
    average = fold.header.record / fold.header.turns
    folded = (fold.record - fold.oldest + 1) / (fold.last - fold.base + 1) if fold.base else 0.0
    return ceil(turns * max(average, folded)) + SLACK


def _full(inputs: Inputs, settings: Settings) -> bool:
    """Whether the turns that are folded fill the window, and those before them that are looked at are there."""
    found = literal.literal(inputs, settings)
    return literal.full(found.reach, inputs, settings) and inputs.fold.base <= left.reach(inputs, found.first)


def check(window: int, target: float, headroom: int, keep: int = 0) -> None:
    """Refuse what no plan can be made with."""
    if window < limits.WINDOW_MIN:
        raise Invalid(f"a window of {window} tokens is too small; the least is {limits.WINDOW_MIN}")
    if window > limits.WINDOW_MAX:
        raise Invalid(f"a window of {window} tokens is larger than any; the most is {limits.WINDOW_MAX}")
    if target and not budget.TARGET_MIN <= target <= budget.TARGET_MAX:
        raise Invalid(
            f"the target {target} must be a share of the window from {budget.TARGET_MIN} to {budget.TARGET_MAX}"
        )
    if headroom > budget.HEADROOM_TURNS_MAX:
        raise Invalid(f"the headroom is kept for at most {budget.HEADROOM_TURNS_MAX} turns, not {headroom}")
    if keep > limits.KEEP_TURNS_MAX:
        raise Invalid(f"at most {limits.KEEP_TURNS_MAX} turns are kept whatever else leaves, not {keep}")
