"""What a model is asked that updates a running summary. Pure."""

from __future__ import annotations

from collections.abc import Collection

from eunoe.composition import marks
from eunoe.distillation import shares, turnlines
from eunoe.distillation.door import Batch
from eunoe.schemas import limits

SHARE = 1 / 10  # of the model's window: the summary, which it both reads and writes
WRITTEN_BYTES = 3  # bytes of a summary for each token of the answer, which leaves room beyond the usual four
SPARE_TOKENS = 64  # tokens of an answer beside what is wanted of it

WANTED = """Update the summary, and do not write it anew: leave its lines as they are, change or drop what is no
longer so, and add at its end what the turns bring.
Say what the person wants, what was decided and why, what was done and what came of it, and what is still open.
Write short sentences, one a line, in the language of the conversation. Guess nothing. Copy no file and no output."""

SYSTEM = f"""You keep the running summary of a conversation between a person and a model that works with tools.
{turnlines.DATA}
{WANTED}
Answer with the text of the whole updated summary, and with nothing else."""


def prompt(batch: Batch, window: int) -> str:
    """The summary so far, and the turns that are to be in it."""
    numbers = [turn.number for turn in batch.turns]
    turns = turnlines.shown(batch.turns, turnlines.room(window, limits.DISTILLED_SHARE), numbers)
    return "\n\n".join([so_far(batch, window), turnlines.marked("turns", turns), wanted(batch, window)])


def so_far(batch: Batch, window: int) -> str:
    text = shares.cut(marks.clean(batch.text), turnlines.room(window, SHARE))
    return turnlines.marked("summary", turnlines.data(text) or "(there is none yet: begin it)")


def wanted(batch: Batch, window: int) -> str:
    """How long the summary may be."""
    return f"The updated summary has at most {size(batch, window):,} characters."


def size(batch: Batch, window: int) -> int:
    """Bytes of the summary that a model with this window is asked for."""
    return min(batch.size, turnlines.room(window, SHARE))


def output_tokens(batch: Batch, window: int) -> int:
    """Tokens that it may take to answer with a summary."""
    return size(batch, window) // WRITTEN_BYTES + SPARE_TOKENS


def others(batch: Batch, numbers: Collection[int], window: int, share: float) -> str:
    """The turns of a batch without those that are shown anyway."""
    left = [turn for turn in batch.turns if turn.number not in numbers]
    return turnlines.shown(left, turnlines.room(window, share), [turn.number for turn in left]) if left else ""
