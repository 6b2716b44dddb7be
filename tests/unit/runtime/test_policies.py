"""What a stream must be, and what is said of one that is not."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.runtime import policies


def test_what_is_wanted_has_no_fault() -> None:
    """Every stream of a space passes its own examination."""
    wanted = policies.of_space("s")

    assert [one["name"] for one in wanted] == [
        "eunoe_s_log",
        "eunoe_s_dead",
        "eunoe_s_blobs",
        "KV_eunoe_s_permanent",
        "KV_eunoe_s_session",
        "KV_eunoe_s_thread",
    ]
    assert [policies.faults(one, one) for one in wanted] == [[]] * 6


def test_a_default_that_the_server_leaves_out_is_no_fault() -> None:
    """The server reports an unlimited stream with -1 or nothing; more than is wanted is no fault."""
    log = policies.log("s")
    found = {name: value for name, value in log.items() if not name.startswith("max_")}

    assert policies.faults(log, found) == []
    assert policies.faults(log, log | {"duplicate_window": log["duplicate_window"] * 2, "num_replicas": 3}) == []


@pytest.mark.parametrize(
    ("change", "command"),
    [
        ({"max_age": 1_000_000_000}, "nats stream edit eunoe_s_log --max-age=0s --force"),
        ({"max_msgs": 5}, "nats stream edit eunoe_s_log --max-msgs=-1 --force"),
        ({"max_bytes": 5}, "nats stream edit eunoe_s_log --max-bytes=-1 --force"),
        ({"max_msgs_per_subject": 1}, "nats stream edit eunoe_s_log --max-msgs-per-subject=-1 --force"),
        ({"max_msg_size": 1024}, "nats stream edit eunoe_s_log --max-msg-size=-1 --force"),
        ({"allow_direct": False}, "nats stream edit eunoe_s_log --allow-direct --force"),
        ({"duplicate_window": 1}, "nats stream edit eunoe_s_log --dupe-window=120s --force"),
        ({"storage": "memory"}, "nats stream backup eunoe_s_log"),
        ({"retention": "workqueue"}, "nats stream backup eunoe_s_log"),
        ({"persist_mode": "async"}, "nats stream backup eunoe_s_log"),
        ({"sealed": True}, "nats stream backup eunoe_s_log"),
        ({"mirror": {"name": "x"}}, "nats stream backup eunoe_s_log"),
    ],
)
def test_each_fault_comes_with_what_mends_it(change: dict[str, Any], command: str) -> None:
    """One fault, one sentence, one command."""
    log = policies.log("s")

    (said,) = policies.faults(log, log | change)

    assert command in said
