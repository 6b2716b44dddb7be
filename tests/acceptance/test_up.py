"""`eunoe up`, `serve` and `status` as a stranger runs them: real processes, real signals."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eunoe.runtime import endpoint

EUNOE = str(Path(sys.prefix) / "bin" / "eunoe")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Process:
    """A command that keeps running, read line by line."""

    def __init__(self, *arguments: str, home: Path) -> None:
        self._home = home
        self.process = subprocess.Popen(
            [EUNOE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(home),
            start_new_session=True,
        )

    def until(self, beginning: str) -> str:
        """Read up to the first line that begins so, and return it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(beginning):
                return line.rstrip("\n")
        raise AssertionError(f"it ended with {self.process.wait()} and never said {beginning!r}")

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal, and return the exit code with what was still said."""
        self.process.send_signal(number)
        rest, _ = self.process.communicate()
        return self.process.returncode, rest

    def abandon(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EUNOE_", "XDG_"))}
    return kept | {"XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")}


def run(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([EUNOE, *arguments], env=environment(home), capture_output=True, text=True, check=False)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Process]:
    process = Process("up", home=tmp_path)
    yield process
    process.abandon()


def _ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _get(port: int, path: str) -> int:
    """The status of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to that")


def _one_of_each(home: Path) -> bool:
    found = run("status", "--json", home=home)
    return found.returncode == 0 and [one["running"] for one in json.loads(found.stdout)["workers"]] == [1] * 6


def test_it_says_where_the_data_is_and_that_it_runs_and_stops_at_ctrl_c(up: Process, tmp_path: Path) -> None:
    """Ctrl-C drains the workers and then stops the server; that is no failure."""
    assert up.until("data") == f"data     {tmp_path}/data/eunoe"
    assert up.until("server").startswith("server   nats://127.0.0.1:")
    assert up.until("workers") == "workers  audit, extraction, facts, composition, distillation, summarising"
    assert up.until("distils") == "distils  rules"
    assert up.until("ready") == "ready    press Ctrl-C to stop"
    server = endpoint.find(tmp_path / "data" / "eunoe")
    assert server is not None
    assert os.getsid(server.pid) == server.pid  # so that Ctrl-C at the terminal does not reach it first

    assert up.end(signal.SIGINT) == (0, "stopped\n")
    assert _ended(server.pid)


def test_other_commands_find_it(up: Process, tmp_path: Path) -> None:
    """Without being told where it is; nothing is wrong, so status is 0."""
    up.until("ready")

    found = run("status", "--json", home=tmp_path)

    assert found.returncode == 0, found.stderr
    status = json.loads(found.stdout)
    assert [(one["name"], one["running"]) for one in status["workers"]] == [
        ("audit", 1),
        ("extraction", 1),
        ("facts", 1),
        ("composition", 1),
        ("distillation", 1),
        ("summarising", 1),
    ]
    assert status["wrong"] == []


def test_status_fits_eighty_columns(up: Process, tmp_path: Path) -> None:
    up.until("ready")

    found = run("status", home=tmp_path)

    assert found.returncode == 0
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_a_second_one_on_the_same_data_says_that_it_runs_already(up: Process, tmp_path: Path) -> None:
    """One line with the process and the address; the first one goes on as it was, and commands join it."""
    address = up.until("server").removeprefix("server   ")
    up.until("ready")

    second = run("up", home=tmp_path)

    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == f"eunoe: already running on {tmp_path}/data/eunoe (pid {up.process.pid}, {address})\n"
    assert _one_of_each(tmp_path)
    assert run("threads", "--embedded", home=tmp_path).returncode == 0


def test_when_it_was_killed_the_next_one_runs(up: Process, tmp_path: Path) -> None:
    """The kernel lets go of what it held."""
    up.until("ready")
    up.end(signal.SIGKILL)

    again = Process("up", home=tmp_path)
    try:
        again.until("ready")
    finally:
        again.end(signal.SIGTERM)


def test_as_json_it_says_in_one_line_that_all_is_ready(tmp_path: Path) -> None:
    """For a program that starts it; nothing else is printed, not even at the end."""
    process = Process("up", "--json", "--space", "lab", home=tmp_path)
    try:
        ready = json.loads(process.until("{"))
        assert process.end(signal.SIGTERM) == (0, "")
    finally:
        process.abandon()

    assert ready["data"] == f"{tmp_path}/data/eunoe"
    assert ready["space"] == "lab"
    assert ready["url"].startswith("nats://127.0.0.1:")
    assert ready["workers"] == ["audit", "extraction", "facts", "composition", "distillation", "summarising"]
    assert ready["distils"] == "rules"
    assert ready["pid"] == process.process.pid


def test_after_a_kill_it_starts_again_on_what_it_had(up: Process, tmp_path: Path) -> None:
    """Nothing that a killed process leaves is in the way, and commands meanwhile say that nothing runs."""
    address = up.until("server")
    up.until("ready")
    up.end(signal.SIGKILL)
    assert run("status", home=tmp_path).returncode == 3

    again = Process("up", home=tmp_path)
    try:
        assert again.until("server") == address
        again.until("ready")
        assert again.end(signal.SIGINT)[0] == 0
    finally:
        again.abandon()


def test_it_can_be_pasted_together_with_what_comes_next(tmp_path: Path) -> None:
    """A command that a shell starts at the same moment waits until it can be asked."""
    pasted = f"{EUNOE} up >/dev/null & {EUNOE} import {EXAMPLES}/builder.json; kill $!; wait"

    done = subprocess.run(
        ["bash", "-c", pasted], env=environment(tmp_path), capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    assert done.stdout == f"{EXAMPLES}/builder.json: thread builder, 6 turns, 83 events; added\n"


def test_one_that_fails_to_start_is_not_waited_for_any_longer(tmp_path: Path) -> None:
    """What was asked for meanwhile says that nothing runs, and no worse for a lock that stays behind."""
    data = tmp_path / "data" / "eunoe"
    data.mkdir(parents=True)
    (data / "nats-server.conf").mkdir()
    pasted = f"{EUNOE} up >/dev/null 2>&1 & {EUNOE} threads"

    done = subprocess.run(
        ["bash", "-c", pasted], env=environment(tmp_path), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"eunoe: no server runs on {data}. ")


def test_a_second_signal_ends_it_at_once(up: Process, tmp_path: Path) -> None:
    """When the drain does not come to an end, as with a server that hangs."""
    up.until("ready")
    server = endpoint.find(tmp_path / "data" / "eunoe")
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    try:
        up.process.send_signal(signal.SIGINT)
        code, _ = up.end(signal.SIGTERM)
    finally:
        os.kill(server.pid, signal.SIGCONT)

    assert code in (128 + signal.SIGINT, 128 + signal.SIGTERM)  # either may be taken first


def test_status_names_the_worker_that_is_missing(tmp_path: Path) -> None:
    """With the command that starts it; something is wrong, so it exits with 1."""
    first = Process("up", home=tmp_path)
    first.until("ready")
    second = Process("serve", "audit", "facts", "--space", "lab", home=tmp_path)
    try:
        second.until("ready")
        found = run("status", "--space", "lab", "--json", home=tmp_path)
    finally:
        second.end(signal.SIGTERM)
        first.end(signal.SIGTERM)

    assert found.returncode == 1
    assert json.loads(found.stdout)["wrong"] == [
        "extraction does not run; start it with `eunoe --space lab serve extraction`",
        "composition does not run; start it with `eunoe --space lab serve composition`",
        "distillation does not run; start it with `eunoe --space lab serve distillation`",
        "summarising does not run; start it with `eunoe --space lab serve summarising`",
    ]


def test_a_server_that_goes_away_does_not_end_a_worker_but_its_readiness(tmp_path: Path) -> None:
    """It lives, is not ready, and is ready again when the server is back."""
    first = Process("up", home=tmp_path)
    first.until("ready")
    port = _free_port()
    second = Process("serve", "audit", "--health", str(port), home=tmp_path)
    try:
        second.until("ready")
        assert _get(port, "/ready") == 200
        first.end(signal.SIGINT)
        _until(lambda: _get(port, "/ready") == 503)
        assert _get(port, "/live") == 200
        first = Process("up", home=tmp_path)
        first.until("ready")
        _until(lambda: _get(port, "/ready") == 200)
        assert second.end(signal.SIGTERM)[0] == 0
    finally:
        second.abandon()
        first.abandon()


def test_a_watched_worker_waits_for_a_server_that_is_away_at_its_start(tmp_path: Path) -> None:
    """It lives and is not ready; nobody has to start it again when the server comes. Told to stop, it stops."""
    port = _free_port()
    worker = Process("serve", "audit", "--health", str(port), "--url", "nats://127.0.0.1:1", home=tmp_path)
    try:
        _until(lambda: _listens(port))
        assert (_get(port, "/live"), _get(port, "/ready")) == (200, 503)
        assert worker.end(signal.SIGTERM)[0] == 0
    finally:
        worker.abandon()
