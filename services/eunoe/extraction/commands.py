"""Reading a command line: what runs in it, and whether its exit status tells how that went. Pure."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eunoe.extraction.calls import Call

_SEPARATORS = re.compile(
    r"""(?P<comment>(?<![^\s;&|(])\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\\])*"|'[^']*')|(?P<escaped>\\.)|(?P<separator>&&|\|\||\|&|[|;\n]|(?<![>&0-9])&(?![>&0-9]))""",
    re.DOTALL,
)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n")
_COMMANDS = ("command", "cmd", "script", "input", "commandline", "commandLine", "")  # arguments that hold a line
_LONGEST = 8_192  # characters of a command line that is read
SETTING_UP = frozenset({"cd", "pushd", "export", "source", ".", "set", "unset", "mkdir", "true", "echo", "umask"})
_QUIET = frozenset({"tail", "head", "tee", "cat"})  # ends of a pipe that do not fail
_QUOTING = frozenset(  # programs that print what somebody wrote, and never what they do themselves
    {"cat", "bat", "nl", "tac", "head", "tail", "less", "more", "grep", "egrep", "rg", "ag", "sed", "awk", "jq", "diff"}
    | {"echo", "printf", "find", "strings"}
)
_WRAPPERS: Mapping[str, int] = {  # words that run another command, with how many arguments of their own follow
    "sudo": 0,
    "time": 0,
    "env": 0,
    "command": 0,
    "exec": 0,
    "nice": 0,
    "nohup": 0,
    "timeout": 1,
    "npx": 0,
    "bunx": 0,
    "pnpx": 0,
    "xvfb-run": 0,
}
_RUNNERS = frozenset(
    {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("hatch", "run"), ("pdm", "run"), ("rye", "run")}
    | {("coverage", "run")}
)
_EXECUTORS = frozenset({("bundle", "exec"), ("npm", "exec"), ("pnpm", "exec"), ("yarn", "exec"), ("conda", "run")})


@dataclass(frozen=True, slots=True)
class Step:
    """One simple command, and the separator that follows it (empty for the last)."""

    text: str
    then: str = ""

    @property
    def words(self) -> Sequence[str]:
        """Its words, without assignments and wrappers in front."""
        return _unwrapped(list(_split(self.text)))


def command_of(call: Call) -> str:
    """The command line that a call ran, whatever its tool calls that argument, without here-documents.

    Empty when there is none, when it is what a running program is told, or when it is a script rather than a line
    (over `_LONGEST` characters).
    """
    if call.arguments.get("is_input") in (True, "true"):
        return ""
    action = call.arguments.get("action")
    arguments = action if isinstance(action, dict) else call.arguments
    for name in _COMMANDS:
        value = arguments.get(name)
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            value = _joined(value)
        if isinstance(value, str) and value.strip():
            line = _without_heredocs(value).strip()
            return line if len(line) <= _LONGEST else ""
    return ""


def steps(command: str) -> list[Step]:
    """The simple commands of a command line, in order; quotes hide separators, comments and subshells are off."""
    found, text, start, depth = [], "", 0, 0
    for match in _SEPARATORS.finditer(command + "\n"):
        if not match["separator"] and not match["comment"]:
            continue
        text += command[start : match.start()]
        start = match.end()
        if match["separator"]:
            text, depth = _outside(text.strip(), depth)
            found.append(Step(text, match["separator"] if start <= len(command) else ""))
            text = ""
    return [step for step in found if step.text]


def _outside(text: str, depth: int) -> tuple[str, int]:
    """The text of a step without the parentheses of the subshells that begin or end with it."""
    while text.startswith("(") and not text.startswith("(("):
        text, depth = text[1:].lstrip(), depth + 1
    while depth and text.endswith(")") and opens(text) < 0:
        text, depth = text[:-1].rstrip(), depth - 1
    return text, depth


def opens(text: str) -> int:
    """How many parentheses a text opens more than it closes, outside quotes."""
    plain = _SEPARATORS.sub("", text)
    return plain.count("(") - plain.count(")")


def quotes(line: Sequence[Step]) -> bool:
    """Whether a step prints a text that somebody wrote; one that a pipe feeds only passes on what came before."""
    fed = False
    for step in line:
        if not fed and program_of(step) in _QUOTING:
            return True
        fed = step.then in ("|", "|&")
    return False


def program_of(step: Step) -> str:
    """The name of the program that a step runs, without its folder; empty when there is none."""
    return step.words[0].rsplit("/", 1)[-1] if step.words else ""


def backgrounded(command: str, step: Step) -> bool:
    """Whether the shell did not wait for a step."""
    line = steps(command)
    after = (other.then for other in line[line.index(step) :])
    return next((then for then in after if then in ("&", ";", "\n", "")), "") == "&"


def set_up(command: str, step: Step) -> bool:
    """Whether a step needs another one that sets up, such as ``cd``, before it."""
    line = steps(command)
    return any(other.words and other.words[0] in SETTING_UP for other in line[: line.index(step)])


def passes_when_zero(command: str, step: Step) -> bool:
    """Whether exit status 0 of the line says that this step passed.

    It does for the last one of a line that surely ran, and for one that only ``&&`` (or, under pipefail, a
    pipe) follows.
    """
    line = steps(command)
    index = line.index(step)
    after = [other.then for other in line[index:-1]]
    ran = all(other.then != "||" for other in line[:index])
    return ran and all(then == "&&" or (then in ("|", "|&") and "pipefail" in command) for then in after)


def fails_alone(command: str, step: Step) -> bool:
    """Whether another exit status says that this step failed: nothing else of the line could have failed instead."""
    line = steps(command)
    index = line.index(step)
    if any(other.then not in ("&&", ";", "\n") for other in line[:index]):
        return False
    before = [other for other in line[:index] if other.then == "&&" and _busy(other)]
    after = [other for other in line[index + 1 :] if _busy(other)]
    return not before and not after and (index == len(line) - 1 or passes_when_zero(command, step))


def _busy(step: Step) -> bool:
    """Whether a step does anything that may well fail."""
    return bool(step.words) and step.words[0] not in SETTING_UP | _QUIET


def _without_heredocs(text: str) -> str:
    """The text without the bodies of here-documents; one that never ends takes the rest along."""
    kept, at = "", 0
    while opening := _HEREDOC.search(text, at):
        line = text[opening.start() : opening.end()]
        rest = line.split(opening[2], 1)[1].removeprefix(opening[1])
        kept += text[at : opening.start()] + rest
        closing = re.compile(rf"^[ \t]*{opening[2]}[ \t]*$\n?", re.MULTILINE).search(text, opening.end())
        if closing is None:
            return kept
        at = closing.end()
    return kept + text[at:]


def _joined(words: list[str]) -> str:
    shell = words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh")
    if shell and len(words) >= 3 and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2].strip()
    return shlex.join(words)


@functools.lru_cache(maxsize=64)  # each extractor reads the same command
def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


def _unwrapped(words: Sequence[str]) -> Sequence[str]:
    while words:
        if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
            words = words[1:]
        elif words[0] in _WRAPPERS:
            words = _arguments_after(words[1:], _WRAPPERS[words[0]])
        elif tuple(words[:2]) in _RUNNERS | _EXECUTORS:
            words = _arguments_after(words[2:], 0)
        else:
            break
    return words


def _arguments_after(words: Sequence[str], own: int) -> Sequence[str]:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words[own:]
