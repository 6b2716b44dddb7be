"""The files for running a fleet: what they say is true of the program and of the server."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.core import TyperGroup

from eunoe.cli.main import build
from eunoe.runtime import health
from eunoe.runtime.roster import checked
from eunoe.runtime.settings import PREFIX, Settings
from eunoe.testing.server import nats_server_binary

ROOT = Path(__file__).resolve().parents[3]
NATS_NODES = ("nats-1", "nats-2", "nats-3")
WORKERS = {"audit": 2, "extraction": 1, "facts": 1, "composition": 2, "distillation": 1, "summarising": 1}  # replicas


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    return found


@pytest.fixture(scope="module")
def workers(services: dict[str, Any]) -> dict[str, Any]:
    return {name: service for name, service in services.items() if "build" in service}


def accepts(*arguments: str) -> bool:
    """Whether the command line knows this command with these arguments; nothing is run."""
    root = typer.main.get_command(build())
    assert isinstance(root, TyperGroup)
    context = typer.Context(root, info_name="eunoe")
    command = root.get_command(context, arguments[0])
    if command is None:
        return False
    command.make_context(arguments[0], list(arguments[1:]), parent=context)
    return True


def test_every_worker_is_a_service(workers: dict[str, Any]) -> None:
    """Each worker runs on its own, those that answer requests twice."""
    assert {name: service.get("deploy", {}).get("replicas", 1) for name, service in workers.items()} == WORKERS


@pytest.mark.parametrize("name", WORKERS)
def test_the_command_of_a_service_exists(workers: dict[str, Any], name: str) -> None:
    """The command line takes what the service runs: its worker, and the port that its health is asked at."""
    command = workers[name]["command"]

    assert command == ["serve", name, "--health", "8080"]
    assert checked([name]) == [name]
    assert accepts(*command)


def test_the_image_asks_whether_its_workers_are_ready() -> None:
    """The health check of the image asks the port of the services' commands, for a path that is served."""
    dockerfile = (ROOT / "ops/Dockerfile").read_text(encoding="utf-8")

    assert "urlopen('http://127.0.0.1:8080/ready'" in dockerfile
    assert health.answer("/ready", [])[0] == 503


def test_every_variable_is_a_setting(workers: dict[str, Any]) -> None:
    """A variable that is no setting would be refused by the worker at its start."""
    dockerfile = (ROOT / "ops/Dockerfile").read_text(encoding="utf-8")
    given = {variable for service in workers.values() for variable in service["environment"]}
    given |= set(re.findall(r"\bEUNOE_[A-Z_]+(?==)", dockerfile))

    assert {name for name in given if name.startswith(PREFIX)} <= {
        PREFIX + field.upper() for field in Settings.model_fields
    }


def test_workers_know_every_node(workers: dict[str, Any]) -> None:
    """A worker can reach the cluster while any node is up, and keeps three copies of every stream."""
    for service in workers.values():
        environment = service["environment"]
        assert environment["EUNOE_URL"] == ",".join(f"nats://{node}:4222" for node in NATS_NODES)
        assert environment["EUNOE_REPLICAS"] == "3"


def test_every_file_and_volume_that_is_named_exists(services: dict[str, Any]) -> None:
    """Build files, mounted folders and named volumes are there."""
    named = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["volumes"]
    for service in services.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).is_dir() if source.startswith(".") else source in named
        if "build" in service:
            assert (ROOT / service["build"]["dockerfile"]).is_file()


@pytest.mark.parametrize("node", NATS_NODES)
def test_the_server_takes_its_configuration(services: dict[str, Any], node: str, tmp_path: Path) -> None:
    """nats-server finds the configuration valid, with the variables that the service gives it."""
    binary = nats_server_binary()
    assert binary is not None
    text = (ROOT / "ops/nats/server.conf").read_text(encoding="utf-8").replace('"/data"', f'"{tmp_path}"')
    (tmp_path / "server.conf").write_text(text, encoding="utf-8")
    (tmp_path / "users.conf").write_text((ROOT / "ops/nats/users.conf").read_text(encoding="utf-8"), encoding="utf-8")
    given = {"NATS_NAME": node, "NATS_USER": '"eunoe"', "NATS_PASSWORD": '"1234"'}
    assert given.keys() <= services[node]["environment"].keys()

    done = subprocess.run(
        [binary, "-t", "-c", str(tmp_path / "server.conf")],
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_redis_that_workers_are_told_of_is_a_service(services: dict[str, Any], workers: dict[str, Any]) -> None:
    """All of them, for the one that erases clears the copies that others put there; it keeps nothing on disk."""
    assert {worker["environment"]["EUNOE_REDIS_URL"] for worker in workers.values()} == {"redis://redis:6379"}
    assert services["redis"]["command"][:5] == ["redis-server", "--save", "", "--appendonly", "no"]
