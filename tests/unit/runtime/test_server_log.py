"""What the log of a nats-server says about its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from eunoe.runtime import server_log
from eunoe.schemas.errors import Damaged, Misconfigured, Unreachable

DATA = Path("/data")
RESTORED = "[7] 2026/01/01 12:00:00 [INF]   Restored 1,234 messages for stream '$G > eunoe_default_log' in 1ms\n"


def test_a_server_that_restored_every_stream_is_fine() -> None:
    server_log.check("[INF]   Version:  2.15.1\n" + RESTORED, ["eunoe_default_log"], DATA)


def test_an_old_server_is_refused_with_the_least_version() -> None:
    with pytest.raises(Misconfigured, match=r"nats-server is version 2\.11\.4, and 2\.12 is the least"):
        server_log.check("[INF]   Version:  2.11.4\n", [], DATA)


def test_a_stream_that_was_not_restored_is_damage_with_the_servers_reason() -> None:
    said = '[7] 2026/01/01 12:00:00 [WRN]   Error recreating stream "eunoe_default_dead": not a directory\n'

    with pytest.raises(Damaged, match="cannot restore eunoe_default_dead of /data: Error recreating stream"):
        server_log.check(said + RESTORED, ["eunoe_default_log", "eunoe_default_dead"], DATA)


@pytest.mark.parametrize(
    ("fatal", "kind", "message"),
    [
        (
            'Error listening on port: 127.0.0.1:4222, "bind: address already in use"',
            Misconfigured,
            "port 4222 is in use",
        ),
        ("Can't start JetStream: storage directory is not writable", Damaged, "cannot open the store in /data"),
        ("write: no space left on device", Misconfigured, "the disk of /data is full"),
        ("something else", Unreachable, "nats-server did not start: something else; its log is /data/server.log"),
    ],
)
def test_a_refusal_says_the_fact_and_the_way_out(fatal: str, kind: type[Exception], message: str) -> None:
    found = server_log.refusal(f"[7] 2026/01/01 12:00:00 [FTL] {fatal}\n", 4222, DATA / "server.log")

    assert type(found) is kind
    assert message in str(found)
