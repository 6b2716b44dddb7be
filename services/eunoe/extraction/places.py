"""Where commands ran, and on which branch. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from eunoe.extraction.arguments import DIRECTORIES, REPOSITORIES
from eunoe.extraction.calls import Call
from eunoe.extraction.commands import Step, command_of, quotes, steps
from eunoe.extraction.found import Around, Found
from eunoe.extraction.results import output_of, succeeded

_PROMPTS = (  # where a shell or a tool writes them, at the end of an output
    re.compile(r"^\(Current directory: ([^\n]+)\)\s*(?:bash-\$\s*)?\Z", re.MULTILINE),
    re.compile(r"^\[Current working directory: ([^\n]+)\]\s*(?:^\[[^\n]*\]\s*){0,4}\Z", re.MULTILINE),
)
_HEADED = re.compile(r"Command executed in terminal[^\n]* within working directory '(/[^'\n]*)'")  # or before it
_END = 8_192  # characters of an output in which its end is looked for
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
_NOT_BRANCHES = frozenset({"HEAD", "(no"})
_ELSEWHERE = ("-C", "--git-dir", "--work-tree")  # options of git that name another repository
_NAMED = re.compile(rf"\A\s*({_BRANCH})\s*\Z")
_TOPLEVEL = ["git", "rev-parse", "--show-toplevel"]


def prompted(text: str) -> str:
    """The directory that a prompt line at the end of this text names, else an empty string."""
    found = [match for pattern in _PROMPTS if (match := pattern.search(text, max(0, len(text) - _END)))]
    headed = _HEADED.match(text)
    return (found[-1][1] if found else headed[1] if headed else "").strip()


def directory_of(call: Call) -> str:
    """Where a call ended, as far as it says: its prompt line, its ``cd``, or its argument; it may be relative."""
    argued = call.argument(*DIRECTORIES)
    return prompted(call.text) or _entered(command_of(call), argued) or argued


def root_of(call: Call) -> str:
    """The directory that a call says its work is below: the repository that it names, else where it ran."""
    if not succeeded(call):
        return ""
    places = [_toplevel(call), call.argument(*REPOSITORIES), directory_of(call)]
    return next((posixpath.normpath(place) for place in places if place.startswith("/")), "")


def read_workdir(call: Call, around: Around) -> Iterator[Found]:
    """The working directory of a command."""
    place = directory_of(call)
    if place.startswith(("/", "~")) and succeeded(call):
        yield Found("workdir", "", posixpath.normpath(place))


def read_branch(call: Call, around: Around) -> Iterator[Found]:
    """The branch that git names, where it names exactly one, of the repository at hand."""
    line = steps(command_of(call))
    calls = [_here(step, around.root) for step in line if step.words[:1] == ["git"]]
    if not calls or not succeeded(call) or quotes(line) or any(_elsewhere(words) for words in calls):
        return
    text = output_of(call)
    patterns = {pattern for words in calls for pattern in _BRANCHES.get("".join(words[1:2]), ())}
    named = {name for pattern in patterns for name in pattern.findall(text)}
    named |= {name for words in calls if (name := _asked(words, text))}
    if not named and len(calls) == 1:
        named = {name for words in calls if (name := _switched(words))}
    if len(named) == 1 and not named & _NOT_BRANCHES:
        yield Found("branch", "", named.pop())


def read_git(call: Call, around: Around) -> Iterator[Found]:
    """The same, where each subcommand is a tool of its own, such as ``git_status``; not of a repository elsewhere."""
    place = call.argument(*REPOSITORIES)
    if around.root.startswith("/") and place.startswith("/") and not _within(place, around.root):
        return
    patterns = _BRANCHES.get(call.name.removeprefix("git_"), ())
    named = {name for pattern in patterns for name in pattern.findall(call.text)} - _NOT_BRANCHES
    if len(named) == 1:
        yield Found("branch", "", named.pop())


def _within(place: str, root: str) -> bool:
    """Whether one of two directories holds the other."""
    left, right = (posixpath.join(posixpath.normpath(one), "") for one in (place, root))
    return left.startswith(right) or right.startswith(left)


def _toplevel(call: Call) -> str:
    """The root that git was asked for, and nothing else with it."""
    asked = [list(step.words) for step in steps(command_of(call)) if step.words[:1] != ["cd"]] == [_TOPLEVEL]
    lines = output_of(call).split("\n") if asked else []
    named = [line.strip() for line in lines if line.strip()]
    return named[0] if len(named) == 1 else ""


def _here(step: Step, root: str) -> list[str]:
    """The words of a call of git, without a ``-C`` that names the root."""
    words = list(step.words)
    named = posixpath.normpath(posixpath.join(root, words[2])) if words[1:2] == ["-C"] and len(words) > 2 else ""
    return ["git", *words[3:]] if named.startswith("/") and named == posixpath.normpath(root) else words


def _elsewhere(words: Sequence[str]) -> bool:
    """Whether git is asked about another repository, or prints what somebody wrote as it stands."""
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


def _asked(words: Sequence[str], text: str) -> str:
    """The answer to a question for the branch's name alone."""
    alone = words in (["git", "branch", "--show-current"], ["git", "rev-parse", "--abbrev-ref", "HEAD"])
    found = _NAMED.match(text) if alone else None
    return found[1] if found else ""


def _switched(words: Sequence[str]) -> str:
    """The branch that a successful switch was told to go to; a plain checkout may name a file."""
    if words[1:2] == ["switch"]:
        names = [word for word in words[2:] if not word.startswith("-")]
        return names[0] if len(names) in (1, 2) and "--detach" not in words else ""
    if words[1:2] == ["checkout"] and len(words) >= 4 and words[2] in ("-b", "-B"):
        return words[3]
    return ""
