"""What the last recipe of a profile hands on to the next, beside its cut mark and its outline. Pure.

What was done to make a turn's requests fit stays done while that turn goes on, so that the request after does not begin
anew with other bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Handed:
    """``squeezed``: how far the blocks were (`Draft.squeeze`). ``older``: the outputs of the older rounds of this very
    turn are references. ``dropped`` are the tool rounds that left turn ``of`` for it, 0 for none."""

    squeezed: int = 0
    older: bool = False
    dropped: int = 0
    of: int = 0


def handed(inputs: Inputs) -> Handed:
    """What holds on; of the steps inside a turn nothing does once another turn asks."""
    before = inputs.before
    if before is None:
        return Handed()
    squeezed = int(before.settings.get("squeezed", 0))
    if before.turn != inputs.turn:
        return Handed(squeezed=squeezed)
    older, of = bool(before.settings.get("older", 0)), int(before.settings.get("rounds_of", 0))
    return Handed(squeezed, older, before.dropped_rounds if of else 0, of)
