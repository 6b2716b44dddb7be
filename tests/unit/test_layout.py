"""The rules of the repository's layout, read from the source files themselves."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PORTIONS = ("schemas", "client", "services", "cli")
MODULE_LINES = 300
FUNCTION_LINES = 50
# Spelt apart, so that this file does not find itself.
MARKS = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "NotImplemented" + "Error")))

PURE = re.compile(r"\bPure\b")
EFFECTS = frozenset(
    {
        "anyio",
        "asyncio",
        "concurrent",
        "multiprocessing",
        "nats",
        "os",
        "random",
        "secrets",
        "selectors",
        "signal",
        "socket",
        "subprocess",
        "threading",
        "time",
        "trio",
        "uuid",
        "uvloop",
    }
)
CLOCK = re.compile(r"\bdate(?:time)?\.(?:now|utcnow|today)\Z")
ONLY_IN_RUNTIME = frozenset({"nats"})

SUBJECT = re.compile(
    r"\$(?:KV|JS|O|SYS|SRV)\.|_INBOX"
    r"|\beunoe\.(?P<space>\{\}|[*>]|[a-z0-9-]+)\."
    r"(?:append|piece|head|show|records|threads|compose|turns|facts?|thread|book|job|dead)\b"
    r"|\beunoe_(?:\{\}|[a-z0-9-]+)_(?:log|jobs|dead|blobs|permanent|session|thread)\b"
)


def portion_files() -> list[Path]:
    return sorted(path for portion in PORTIONS for path in (ROOT / portion).rglob("*.py"))


def packages() -> list[Path]:
    return sorted(
        folder
        for portion in PORTIONS
        for folder in (ROOT / portion / "eunoe").iterdir()
        if folder.is_dir() and folder.name != "__pycache__"
    )


def product_files() -> list[Path]:
    return portion_files() + sorted((ROOT / "ops").rglob("*.py")) + sorted((ROOT / "examples").rglob("*.py"))


def pure_files() -> list[Path]:
    """Every `rules.py`, and every module whose docstring says *Pure*."""
    return [
        path for path in portion_files() if path.name == "rules.py" or PURE.search(ast.get_docstring(parse(path)) or "")
    ]


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Name and length in lines of every function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def strings(tree: ast.Module) -> Iterator[str]:
    """Every string of the code that is no docstring; the placeholders of an f-string are ``{}``."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose | inside:
            yield node.value


def looks_like_a_subject(text: str) -> bool:
    """Names of modules look alike: ``eunoe.facts.…`` is one, since no space is called like a package here."""
    known = {package.name for package in packages()}
    return any(found["space"] not in known for found in SUBJECT.finditer(text))


def test_no_portion_of_the_namespace_has_an_init_module() -> None:
    """One `eunoe/__init__.py` would hide the other portions."""
    assert [name_of(path) for path in ROOT.glob("*/eunoe/__init__.py")] == []


def test_every_package_is_a_typed_package() -> None:
    """Each package has its `__init__.py` and its `py.typed`, and each folder inside is a package too."""
    assert len(packages()) >= 8

    for package in packages():
        assert (package / "py.typed").is_file(), name_of(package)
    for path in portion_files():
        assert (path.parent / "__init__.py").is_file(), name_of(path)


def test_no_two_portions_have_a_package_of_one_name() -> None:
    """Of two packages with one name, only the first on the path could be imported."""
    names = [package.name for package in packages()]

    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("name", [*PORTIONS, "ops", "tests"])
def test_the_folders_of_the_repository_cannot_be_imported(name: str, tmp_path: Path) -> None:
    """An install brings the name `eunoe` and none of the very general names of the folders."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is not None)"

    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, check=False)

    assert done.returncode == 0


def test_rules_have_no_effects() -> None:
    """What decides imports no clock, network, file or concurrency, and never waits."""
    files = pure_files()
    assert len(files) >= 5

    wrong = []
    for path in files:
        tree = parse(path)
        wrong += [f"{name_of(path)} imports {name}" for name in imported(tree) if name.split(".")[0] in EFFECTS]
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
                wrong.append(f"{name_of(path)}:{node.lineno} waits")
            elif isinstance(node, ast.Call) and CLOCK.search(ast.unparse(node.func)):
                wrong.append(f"{name_of(path)}:{node.lineno} reads the clock")

    assert wrong == []


def test_only_the_runtime_touches_nats() -> None:
    """The client library of NATS is behind `eunoe.runtime`."""
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in portion_files()
        if ROOT / "services/eunoe/runtime" not in path.parents
        for name in imported(parse(path))
        if name.split(".")[0] in ONLY_IN_RUNTIME
    ]

    assert wrong == []


def test_subjects_are_built_in_one_place() -> None:
    """No string outside `eunoe.schemas.subjects` and the runtime looks like a subject, stream or bucket."""
    home = ROOT / "schemas/eunoe/schemas/subjects.py"
    runtime = ROOT / "services/eunoe/runtime"

    wrong = [
        f"{name_of(path)}: {text!r}"
        for path in portion_files()
        if path != home and runtime not in path.parents
        for text in strings(parse(path))
        if looks_like_a_subject(text)
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f'eunoe.{space}.append.{role}'", True),
        ("'eunoe.default.thread.a.log'", True),
        ("'eunoe.*.compose.>'", True),
        ("'$KV.eunoe_a_thread.x'", True),
        ("'$JS.API.INFO'", True),
        ("f'eunoe_{space}_log'", True),
        ("f'_INBOX_{role}'", True),
        ("'eunoe.composition.facts'", False),
        ("f'eunoe.cli.{name}'", False),
        ("'Start one with `eunoe serve`.'", False),
        ("'''Stored on eunoe.default.thread.a.log.'''\n1", False),
    ],
)
def test_a_string_that_looks_like_a_subject_is_found(source: str, expected: bool) -> None:
    """Subjects and names of streams are told from names of modules, and docstrings may name them."""
    tree = ast.parse(source if "\n" in source else f"x = {source}")

    assert any(looks_like_a_subject(text) for text in strings(tree)) == expected


def test_modules_are_short() -> None:
    """A module that outgrew its idea is taken apart."""
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in product_files()}

    assert {name: length for name, length in lengths.items() if length > MODULE_LINES} == {}


def test_functions_are_short() -> None:
    """A function holds one thought."""
    wrong = [
        f"{name_of(path)} {name}: {length} lines"
        for path in product_files()
        for name, length in functions(parse(path))
        if length > FUNCTION_LINES
    ]

    assert wrong == []


def test_nothing_is_left_for_later() -> None:
    """No mark of unfinished work stands in code or tests."""
    files = product_files() + sorted((ROOT / "tests").rglob("*.py"))

    assert [name_of(path) for path in files if MARKS.search(path.read_text(encoding="utf-8"))] == []
