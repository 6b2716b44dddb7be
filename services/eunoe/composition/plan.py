"""The plan of a context: from inputs and settings to the recipe that composes it. Pure."""

from __future__ import annotations

from eunoe.composition import budget, fitting
from eunoe.composition.draft import Draft, reaches
from eunoe.composition.inputs import Inputs, Settings
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import Invalid


def plan(inputs: Inputs, settings: Settings) -> tuple[Recipe, dict[str, str]]:
    """What to show and how, with the lines of the facts, and of the session's state, by their ids. ``id``, ``sha256``
    and ``tokens`` are the renderer's to fill in.

    Raises `DoesNotFit`.
    """
    draft = Draft(inputs, settings)
    floor = fitting.fit(draft)
    opened = [inputs.open] if inputs.open is not None else []
    shown = [one for turn in (*draft.turns, *opened) for one in draft.renderings_of(turn)]
    gone = draft.gone
    recipe = Recipe(
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
        tools=inputs.tools,
        refused=inputs.refused,
        model=settings.model,
        steps=tuple(draft.steps),
        settings=_numbers(draft),
    )
    lines = {fact.shown.id: fact.line for fact in (*draft.facts.earlier, *draft.facts.now)}
    return recipe, lines | ({draft.carried.shown.id: draft.carried.line} if draft.carried else {})


def _numbers(draft: Draft) -> dict[str, float]:
    """Every number that the plan depended on, beside those that the recipe names."""
    return {
        "target": draft.settings.target,
        "headroom": draft.settings.headroom,
        "headroom_tokens": draft.budget.headroom,
        "goal": draft.budget.goal,
        "anchor": draft.inputs.anchor,
        "output": draft.settings.output,
        "keep": draft.settings.keep,
        "relevant": int(draft.settings.relevant),
        "outline": int(draft.settings.outline),
    }


def enough(inputs: Inputs, settings: Settings) -> bool:
    """Whether the fold reaches back as far as this plan can need: to the cut mark, or a window full of turns."""
    fold = inputs.fold
    if fold.complete:
        return True
    if inputs.open is not None and not inputs.open.whole:
        return False
    newest = sum(1 for _ in zip(fold.committed(), range(settings.headroom), strict=False))
    if newest < settings.headroom and fold.base > 1:
        return False
    if inputs.mark and fold.base <= inputs.mark:
        return True
    return reaches(inputs, settings)


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
