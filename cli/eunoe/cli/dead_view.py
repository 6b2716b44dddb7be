"""Dead letters as people read them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.schemas.requests import DeadReply, Letter

NONE = "no dead letters: nothing failed for good"
WAYS = "`eunoe dead show NUMBER` says more, and what to do"
MORE = "more follow: add --after {}"
_NAMED = 8  # letters that are named before they are dropped


def listed(reply: DeadReply, width: int) -> Iterator[Text]:
    """Two lines a letter: its number, when, which worker and what about; then the reason."""
    if not reply.letters:
        yield Text(NONE)
        return
    for letter in reply.letters:
        yield Text(words.one_line(heading(letter), width), style="bold")
        yield Text("  " + words.one_line(letter.reason, width - 2))
    if reply.more:
        yield Text(MORE.format(reply.letters[-1].number), style="dim")
    yield Text(f"{words.count(reply.total, 'dead letter')}; {WAYS}", style="dim")


def shown(letter: Letter, width: int) -> Iterator[Text]:
    """One letter whole; the job as it was written."""
    yield Text(clean(heading(letter)), style="bold")
    yield Text(f"reason: {clean(letter.reason)}")
    yield Text(f"{words.count(letter.attempts, 'attempt')}, laid aside {words.moment(letter.time)}")
    if letter.subject:
        yield verbatim(f"subject: {letter.subject}")
    if letter.input:
        yield verbatim(f"{'record' if letter.position else 'job'}: {letter.input.removeprefix('record ')}")
    number = letter.number
    yield Text(f"`eunoe dead replay {number}` does it again, `eunoe dead drop {number}` lets go of it", style="dim")


def done(letters: Sequence[Letter], width: int) -> Iterator[Text]:
    """What became of letters, a line each."""
    if not letters:
        yield Text(NONE)
        return
    for letter in letters:
        yield Text(words.one_line(f"{letter.done} {heading(letter)}", width))
    if letters[0].done == "replayed":
        yield Text("their work waits for its workers; what fails again is a letter of a new number", style="dim")


def to_drop(letters: Sequence[Letter], width: int) -> Iterator[Text]:
    """What would be let go of: the first letters, and how many there are of which worker."""
    for letter in letters[:_NAMED]:
        yield Text(words.one_line(heading(letter), width))
        yield Text("  " + words.one_line(letter.reason, width - 2), style="dim")
    if len(letters) > _NAMED:
        counts = Counter(letter.worker for letter in letters)
        said = ", ".join(f"{count:,} of {clean(worker)}" for worker, count in sorted(counts.items()))
        yield Text(f"and {len(letters) - _NAMED:,} more; {said} in all")


def heading(letter: Letter) -> str:
    """``7 · 2026-01-31 09:05 · distillation · thread builder``; of a job with its kind: ``distillation (review)``."""
    worker = f"{letter.worker} ({letter.kind})" if letter.kind else letter.worker
    parts = [str(letter.number), words.day(letter.time), worker]
    parts += [f"thread {letter.thread}"] if letter.thread else []
    parts += [f"position {letter.position}"] if letter.position else []
    return " · ".join(part for part in parts if part)
