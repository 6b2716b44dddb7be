"""What is wrong with a space: a line for each thing, with the way out."""

from __future__ import annotations

import pytest

from eunoe.runtime.faults import WorkerStatus, faults

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("worker", "said"),
    [
        (WorkerStatus("facts", 1), []),
        (WorkerStatus("facts", 0), ["facts does not run; start it with `eunoe --space lab serve facts`"]),
        (
            WorkerStatus("facts", 0, waiting=2, in_hand=1),
            ["facts does not run, and 3 records wait for it; start it with `eunoe --space lab serve facts`"],
        ),
        (
            WorkerStatus("distillation", 0, waiting=1),
            ["distillation does not run, and 1 job waits for it; start it with `eunoe --space lab serve distillation`"],
        ),
        (
            WorkerStatus("distillation", 1, waiting=4, in_hand=2, outage=NOON),
            [
                "the model that distillation asks has not been usable since 2026-01-01T12:00:00Z, and 6 jobs wait for "
                "it; work goes on by itself once it is, the log of that worker says why it is not, and `eunoe config` "
                "which model that is, and where"
            ],
        ),
        (
            WorkerStatus("summarising", 1, outage=NOON),
            [
                "the model that summarising asks has not been usable since 2026-01-01T12:00:00Z; "
                "work goes on by itself once it is, the log of that worker says why it is not, and `eunoe config` "
                "which model that is, and where"
            ],
        ),
        (
            WorkerStatus("extraction", 1, failed=2),
            ["2 extractions failed; `eunoe --space lab threads --json` says of which turns, and why (failed)"],
        ),
        (WorkerStatus("distillation", 1, failed=1), []),
        (
            WorkerStatus("facts", 1, wrong=("x.*",)),
            [
                "the consumer facts takes x.* only, so nothing comes to it; "
                "starting the worker again mends it: `eunoe --space lab serve facts`"
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_worker(worker: WorkerStatus, said: list[str]) -> None:
    """That it does not run, waits for its model, failed, or takes other messages; with what waits."""
    assert faults([worker], 0, "lab") == said


def test_what_failed_is_told_of_once_and_while_its_letters_are_there() -> None:
    """Once they were replayed or dropped, nothing is left to do."""
    workers = [WorkerStatus("distillation", 1, failed=1), WorkerStatus("summarising", 1, failed=2)]

    assert faults(workers, 0) == []
    assert faults(workers, 3) == ["3 pieces of work failed and are dead letters; `eunoe dead list` says which, and why"]


def test_dead_letters_are_told_of_with_the_command_that_shows_them() -> None:
    """In the default space the command names none."""
    assert faults([], 1) == ["1 piece of work failed and is a dead letter; `eunoe dead list` says which, and why"]
    assert faults([], 2) == ["2 pieces of work failed and are dead letters; `eunoe dead list` says which, and why"]
