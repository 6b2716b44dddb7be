"""Which commands test or build: the programs of the common runners, by name. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from eunoe.extraction.commands import Step, opens, program_of

_ANY: frozenset[str] = frozenset()

_TESTING: Mapping[str, frozenset[str]] = {  # a program, and its first words that test or build; none: always
    "pytest": _ANY,
    "py.test": _ANY,
    "tox": _ANY,
    "nox": _ANY,
    "nose2": _ANY,
    "jest": _ANY,
    "vitest": _ANY,
    "mocha": _ANY,
    "ctest": _ANY,
    "rspec": _ANY,
    "phpunit": _ANY,
    "make": _ANY,
    "ninja": _ANY,
    "tsc": _ANY,
    "mypy": _ANY,
    "pyright": _ANY,
    "eslint": _ANY,
    "ruff": frozenset({"check"}),
    "manage.py": frozenset({"test", "check"}),
    "rake": _ANY,
    "go": frozenset({"test", "build", "vet"}),
    "cargo": frozenset({"test", "build", "check", "clippy", "nextest"}),
    "mvn": frozenset({"test", "verify", "package", "compile", "install"}),
    "mvnw": frozenset({"test", "verify", "package", "compile", "install"}),
    "gradle": frozenset({"test", "build", "check", "assemble"}),
    "gradlew": frozenset({"test", "build", "check", "assemble"}),
    "swift": frozenset({"test", "build"}),
    "dotnet": frozenset({"test", "build"}),
    "mix": frozenset({"test", "compile"}),
    "cmake": frozenset({"--build"}),
    "bazel": frozenset({"test", "build"}),
    "stack": frozenset({"test", "build"}),
    "zig": frozenset({"test", "build"}),
    "deno": frozenset({"test", "check", "lint"}),
    "sbt": frozenset({"test", "compile"}),
    "flutter": frozenset({"test", "build", "analyze"}),
    "dart": frozenset({"test", "analyze"}),
    "rails": frozenset({"test", "spec"}),
    "hatch": frozenset({"test"}),
    "pre-commit": frozenset({"run"}),
    "python -m": frozenset({"pytest", "unittest", "tox", "nox", "nose2", "build", "mypy", "ruff check"}),
}
_SCRIPTED = frozenset({"npm", "pnpm", "yarn", "bun"})  # what runs is named by a script of the project
_SCRIPT = re.compile(
    r"(?:.*[-_:])?(?:tests?|specs?|checks?|typecheck|build|verify|lint|unit|compile|e2e)(?:[-_:.].*)?", re.DOTALL
)
_BY_TARGET = frozenset({"make", "ninja", "rake"})  # what runs is named by a target; none: the default one
_TARGET = re.compile(r"(?:.*[-_:./])?(?:tests?|specs?|checks?|build|all|verify|ci|lint|unit|compile)(?:[-_:./].*)?")
_TARGET_VALUES = frozenset({"-C", "-f", "-I", "-o", "-W"})  # options of these with a word of their own
_ONLY_SAYS = frozenset(  # options with which nothing is tested or built
    {"--version", "--help", "-h", "--collect-only", "--co", "--dry-run", "--just-print", "--question", "--listTests"}
)


def tests(step: Step) -> bool:
    """Whether a simple command tests or builds."""
    words = list(step.words)
    if not words or opens(step.text) or not _ONLY_SAYS.isdisjoint(words):
        return False
    program, rest = _script(program_of(step), [word for word in words[1:] if word])
    if program in _BY_TARGET:
        return _builds(rest)
    if program in _SCRIPTED:
        return _runs(program, [word for word in rest if not word.startswith("-")])
    wanted = _TESTING.get(program)
    if not wanted:
        return wanted is not None
    plain = [word for word in rest if (not word.startswith("-") or word in wanted) and word != "clean"]
    return bool(plain) and (plain[0].rsplit(":", 1)[-1] in wanted or " ".join(plain[:2]) in wanted)


def _script(program: str, rest: list[str]) -> tuple[str, list[str]]:
    """What Python runs in a program's place: a module, as ``python -m``, or a script."""
    if not re.fullmatch(r"python[0-9.]*", program):
        return program, rest
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        rest = rest[2 if rest[0] in ("-W", "-X") else 1 :]
    if rest[:1] == ["-m"]:
        return "python -m", rest[1:]
    return (rest[0].rsplit("/", 1)[-1], rest[1:]) if rest else (program, rest)


def _runs(program: str, words: list[str]) -> bool:
    """Whether the script that a package manager runs tests or builds; npm has ``run`` for it."""
    if words[:1] in (["run"], ["run-script"]):
        return bool(words[1:] and _SCRIPT.fullmatch(words[1]))
    return words[:1] in (["test"], ["t"]) or (program != "npm" and bool(words and _SCRIPT.fullmatch(words[0])))


def _builds(words: Sequence[str]) -> bool:
    """Whether the targets of a make line test or build, each of them."""
    if any(re.fullmatch(r"-[a-zA-Z]*[nqt]", word) for word in words):
        return False
    words = list(itertools.takewhile(lambda word: not set("<>&") & set(word), words))  # up to a redirection
    values = {index + 1 for index, word in enumerate(words) if word in _TARGET_VALUES}
    named = [word for index, word in enumerate(words) if index not in values or word.startswith("-")]
    targets = [word for word in named if word[0] not in "-0123456789" and "=" not in word]
    return all(_TARGET.fullmatch(target) or target == "clean" for target in targets) and targets != ["clean"]
