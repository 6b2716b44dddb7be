"""How a space is doing, as people read it."""

from __future__ import annotations

from views import plain

from eunoe.cli import status_view
from eunoe.runtime.faults import WorkerStatus
from eunoe.runtime.status import Status


def test_what_waits_is_shown_by_kinds_and_what_is_wrong_below() -> None:
    """A line for each worker, whose numbers stand under their names; long lines wrap at the terminal's width."""
    found = Status(
        space="lab",
        url="nats://127.0.0.1:4222",
        records=2_345,
        dead=1,
        jobs=4,
        workers=(WorkerStatus("audit", 1, requests=40), WorkerStatus("distillation", 0, waiting=3, in_hand=1)),
        kinds={"distil": 3, "again": 1},
        wrong=("distillation does not run, and 4 jobs wait for it; start it with `eunoe serve distillation`",),
    )

    assert plain(status_view.shown(found, 80)) == [
        "space lab at nats://127.0.0.1:4222: 2,345 records, 4 jobs (3 distil, 1 again), 1",
        "dead letter",
        "",
        "worker        running  waiting  in hand  requests  errors  conflicts",
        "audit               1        0        0        40       0          0",
        "distillation        0        3        1         0       0          0",
        "",
        "wrong: distillation does not run, and 4 jobs wait for it; start it with `eunoe",
        "serve distillation`",
    ]


def test_a_space_that_is_well_says_no_more() -> None:
    """No jobs have no kinds, and nothing stands below the workers."""
    found = Status(space="lab", url="nats://h:4222", records=1, dead=0, jobs=0, workers=(WorkerStatus("audit", 1),))

    lines = plain(status_view.shown(found, 80))

    assert lines[0] == "space lab at nats://h:4222: 1 record, 0 jobs, 0 dead letters"
    assert len(lines) == 4


def test_what_was_no_fact_in_a_models_answer_is_counted_and_is_not_wrong() -> None:
    """Its whole facts were kept; where the rest is to be read stands beside it, within 80 columns."""
    workers = (WorkerStatus("distillation", 1, set_aside=2),)
    found = Status(space="lab", url="nats://h:4222", records=1, dead=0, jobs=0, workers=workers)

    assert plain(status_view.shown(found, 80))[4:] == [
        "",
        "set aside: 2 items of a model's answers; `eunoe distillations THREAD RECORD`",
        "says which, and why",
    ]
