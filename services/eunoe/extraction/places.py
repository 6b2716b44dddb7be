"""Where commands ran, and on which branch. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import Step, command_of, quotes, steps
from eunoe.extraction.found import Around, Found
from eunoe.extraction.outcomes import output_of, succeeded

_PROMPTS = (  # at the end of an output, where a shell writes them
    re.compile(r"^\(Current directory: ([^\n]+)\)\s*(?:bash-\$)?\s*\Z", re.MULTILINE),
    re.compile(r"^\[Current working directory: ([^\n]+)\]\s*(?:^\[[^\n]*\]\s*){0,4}\Z", re.MULTILINE),
)
_DIRECTORIES = ("workdir", "cwd", "working_directory", "directory")
_BRANCH = r"[\w./@#+-]+"
_SWITCHED = (
    re.compile(rf"^Switched to (?:a new )?branch '({_BRANCH})'$", re.MULTILINE),
    re.compile(rf"^Already on '({_BRANCH})'$", re.MULTILINE),
)
_BRANCHES: Mapping[str, tuple[re.Pattern[str], ...]] = {  # a subcommand of git, and how it names the branch
    "status": (
        re.compile(rf"^On branch ({_BRANCH})$", re.MULTILINE),
        re.compile(rf"^## ({_BRANCH}?)(?:\.\.\.\S+)?(?: \[[^\]]*\])?$", re.MULTILINE),
    ),
    "switch": _SWITCHED,
    "checkout": _SWITCHED,
    "branch": (re.compile(rf"^\* ({_BRANCH})$", re.MULTILINE),),
    "commit": (re.compile(rf"^\[({_BRANCH}) (?:\(root-commit\) )?[0-9a-f]{{7,40}}\] ", re.MULTILINE),),
}
_ELSEWHERE = ("-C", "--git-dir", "--work-tree")  # options of git that name another repository
_NAMED = re.compile(rf"\A\s*({_BRANCH})\s*\Z")


def prompted(text: str) -> str:
    """The directory that a shell's prompt line in this text names last, else an empty string."""
    found = [match for pattern in _PROMPTS for match in pattern.findall(text)]
    return found[-1].strip() if found else ""


def directory_of(call: Call) -> str:
    """Where a call ran, as far as it says: its prompt line, or its argument."""
    return prompted(call.text) or call.argument(*_DIRECTORIES)


def read_workdir(call: Call, around: Around) -> Iterator[Found]:
    """The working directory of a command."""
    if not succeeded(call):
        return
    argued = call.argument(*_DIRECTORIES)
    place = prompted(call.text) or _entered(command_of(call), argued) or argued
    if place.startswith(("/", "~")):
        yield Found("workdir", "", posixpath.normpath(place))


def read_branch(call: Call, around: Around) -> Iterator[Found]:
    """The branch that git names, where it names exactly one."""
    line = steps(command_of(call))
    calls = [step for step in line if step.words[:1] == ["git"]]
    if not calls or not succeeded(call) or quotes(line) or any(_elsewhere(step) for step in calls):
        return
    text = output_of(call)
    patterns = {pattern for step in calls for pattern in _BRANCHES.get("".join(step.words[1:2]), ())}
    named = {name for pattern in patterns for name in pattern.findall(text)}
    named |= {name for step in calls if (name := _asked(step, text))}
    if not named and len(calls) == 1:
        named = {name for step in calls if (name := _switched(step))}
    if len(named) == 1 and not named & {"HEAD", "(no"}:
        yield Found("branch", "", named.pop())


def _elsewhere(step: Step) -> bool:
    """Whether git is asked about another repository, or prints what somebody wrote as it stands."""
    words = step.words
    raw = words[1:2] in (["show"], ["cat-file"]) or any(word.startswith(("--format", "--pretty")) for word in words)
    return raw or any(word.startswith(_ELSEWHERE) for word in words[1:2])


def _entered(command: str, start: str) -> str:
    """The directory after the ``cd`` steps that begin a command."""
    place = start
    for step in steps(command) if not command.startswith("(") else ():  # a subshell is left again
        words = step.words
        if words[:1] != ["cd"] or len(words) != 2 or words[1] == "-":
            break
        place = posixpath.join(place, words[1]) if place or words[1].startswith(("/", "~")) else ""
    return place


def _asked(step: Step, text: str) -> str:
    """The answer to a question for the branch's name alone."""
    words = list(step.words)
    alone = words in (["git", "branch", "--show-current"], ["git", "rev-parse", "--abbrev-ref", "HEAD"])
    found = _NAMED.match(text) if alone else None
    return found[1] if found else ""


def _switched(step: Step) -> str:
    """The branch that a successful switch was told to go to; a plain checkout may name a file."""
    words = list(step.words)
    if words[1:2] == ["switch"]:
        names = [word for word in words[2:] if not word.startswith("-")]
        return names[0] if len(names) in (1, 2) and "--detach" not in words else ""
    if words[1:2] == ["checkout"] and len(words) >= 4 and words[2] in ("-b", "-B"):
        return words[3]
    return ""
