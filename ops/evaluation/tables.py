"""The tables that ``make eval`` prints, 80 columns wide, and the same as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from evaluation import asking, live, recorded, scripted
from evaluation.scoring import Standing
from evaluation.story import QUESTIONS
from evaluation.strategies import Size

LETTERS: dict[Standing, str] = {"context": "C", "recall": "r", "stale": "s", "lost": "-"}
LEGEND = (
    "Answers in the order of the questions: "
    + ", ".join(question.name for question in QUESTIONS)
    + ".\nC in the context, r one recall away, s only the value of before, - neither.\n"
    "Tokens are those of the last request of each turn; left: requests before which turns left."
)


def scripted_table(rows: Sequence[scripted.Row]) -> str:
    """What is left of the scripted conversation at its seven questions."""
    lines = [f"{'strategy':<18}  {_SIZE_HEAD}  {'answers':<7} in it  +recall {'tokens':>7} {'p95':>6} {'left':>5}"]
    for size, group in _by_size(rows):
        lines.append("")
        for row in group:
            letters = "".join(LETTERS[row.standings[question.name]] for question in QUESTIONS)
            lines.append(
                f"{row.strategy:<18}  {_size(size)}  {letters:<7} {row.count('context'):>3}/{len(letters)} "
                f"{row.count('context', 'recall'):>6}/{len(letters)} {row.median:>7,.0f} {row.p95:>6,} "
                f"{row.condensed:>5}"
            )
    return "\n".join(lines)


WORK_LEGEND = (
    "jobs: pieces of work that distilled; aside: what was given and is no fact; ms: the median of a piece;\n"
    "tokens that a model was given and gave."
)


def work_table(rows: Sequence[live.Work]) -> str:
    """What distilling took."""
    lines = [
        f"{'strategy':<18}  {_SIZE_HEAD}  {'jobs':>4} {'facts':>5} {'aside':>5} {'summary':>7} {'ms':>7} {'tokens':>11}"
    ]
    for row in rows:
        tokens = f"{row.effort.input_tokens:,}/{row.effort.output_tokens:,}" if row.effort.calls else "-"
        lines.append(
            f"{row.strategy:<18}  {_size(row.size)}  {row.jobs:>4} {row.facts:>5} {row.set_aside:>5} "
            f"{row.versions:>7} {row.ms:>7,.0f} {tokens:>11}"
        )
        lines += [f"  {row.failed} failed"] if row.failed else []
    return "\n".join(lines)


def asked_table(rows: Sequence[asking.Row]) -> str:
    """What a model answered; times in seconds."""
    lines = [f"{'strategy':<18}  {_SIZE_HEAD}  {'answers':<7} right  stale {'p50 s':>8} {'p95 s':>7}"]
    for size, group in _by_size(rows):
        lines.append("")
        for row in group:
            letters = "".join(LETTERS[row.answers[question.name].standing] for question in QUESTIONS)
            p50, p95 = (f"{ms / 1000:.2f}" for ms in row.times) if row.times else ("", "")
            lines.append(
                f"{row.strategy:<18}  {_size(size)}  {letters:<7} {row.count('context'):>3}/{len(letters)} "
                f"{row.count('stale'):>6} {p50:>8} {p95:>7}"
            )
            lines += [f"  {failure}" for failure in row.failures]
    return "\n".join(lines)


def recorded_table(rows: Sequence[recorded.Row]) -> str:
    """What became of the quotes of recorded threads."""
    lines = [f"{'threads':<18} {'strategy':<18} {'window':>7} {'quotes':>6} {'in it':>6} {'+recall':>7} {'tokens':>6}"]
    lines[0] += f" {'p95':>5}"
    before = ""
    for row in rows:
        tally = row.tally
        lines += [""] if row.threads != before else []
        lines.append(
            f"{row.threads:<18} {row.strategy:<18} {row.size.window:>7,} {tally.quotes:>6} "
            f"{_share(tally.shown, tally.quotes):>6} {_share(tally.shown + tally.away, tally.quotes):>7} "
            f"{tally.median:>6,.0f} {tally.p95:>5,}"
        )
        lines += [f"  {tally.refused} requests fitted in no way"] if tally.refused else []
        before = row.threads
    return "\n".join(lines)


def as_json(
    script: Sequence[scripted.Row],
    threads: Sequence[recorded.Row],
    answers: Sequence[asking.Row],
    works: Sequence[live.Work] = (),
) -> dict[str, Any]:
    """The same figures, with the standing of every question."""
    return {
        "scripted": [
            {
                **_named(row.strategy, row.size),
                "answers": dict(row.standings),
                "tokens": {"median": row.median, "p95": row.p95},
                "condensed": row.condensed,
            }
            for row in script
        ],
        "distilled": [_work(row) for row in works],
        "recorded": [
            {
                "threads": row.threads,
                **_named(row.strategy, row.size),
                "quotes": row.tally.quotes,
                "in_context": row.tally.shown,
                "one_recall_away": row.tally.away,
                "refused": row.tally.refused,
                "tokens": {"median": row.tally.median, "p95": row.tally.p95},
            }
            for row in threads
        ],
        "asked": [
            {
                **_named(row.strategy, row.size),
                "answers": {name: one.standing for name, one in row.answers.items()},
                "ms": dict(zip(("p50", "p95"), row.times, strict=True)) if row.times else None,
                "failures": row.failures,
            }
            for row in answers
        ],
    }


_SIZE_HEAD = f"{'window':>6}  {'fill':<7}"


def _size(size: Size) -> str:
    return f"{size.window:>6,}  {size.fill:<7}"


def _by_size(rows: Sequence[Any]) -> list[tuple[Size, list[Any]]]:
    """Rows together that have one size, in the order in which they come."""
    found: dict[Size, list[Any]] = {}
    for row in rows:
        found.setdefault(row.size, []).append(row)
    return list(found.items())


def _named(strategy: str, size: Size) -> dict[str, Any]:
    return {"strategy": strategy, "window": size.window, "fill": size.fill, "composed": size.composed}


def _work(row: live.Work) -> dict[str, Any]:
    return {
        **_named(row.strategy, row.size),
        "jobs": row.jobs,
        "facts": row.facts,
        "set_aside": row.set_aside,
        "failed": row.failed,
        "summary_versions": row.versions,
        "ms_median": row.ms,
        "effort": msgspec.structs.asdict(row.effort),
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""
