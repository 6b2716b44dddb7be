"""The scripted conversation: a task and five facts, ten turns about something else, then seven questions.

Everything in it is made up for this purpose. What is asked stands once in the conversation, but for the state of the
build, which changes; `tests/unit/ops/test_story.py` looks that no file gives an answer away.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation import reviews

INSTRUCTIONS = (
    "You work on the repository of Tidemark, a program that publishes nautical charts, and answer in a few sentences. "
    "You read files with read_file and run commands with run_command."
)
FILES = Path(__file__).with_name("files")

Given = Literal["tool", "prose", "output"]
"""Where an answer comes from: a fact that a tool's result gives, something a person said, or an output's text."""


@dataclass(frozen=True)
class Call:
    """One call of a tool, and what it gave back."""

    tool: str
    arguments: str
    output: str
    exit_status: int | None = None


@dataclass(frozen=True)
class Question:
    """What is asked: any of ``answers`` is right; with only one of ``stale`` the answer is of before."""

    name: str
    given: Given
    answers: tuple[str, ...]
    stale: tuple[str, ...] = ()


@dataclass(frozen=True)
class Turn:
    """One turn; ``question`` where its prompt is one of the seven."""

    prompt: str
    reply: str
    calls: tuple[Call, ...] = ()
    question: Question | None = None


def read(path: str, text: str) -> Call:
    return Call("read_file", json.dumps({"path": path}), text)


def _task_file(path: str, name: str) -> Call:
    return read(path, (FILES / name).read_text(encoding="utf-8"))


def _ci(output: str, exit_status: int) -> Call:
    return Call("run_command", json.dumps({"command": "make ci"}), output, exit_status)


_FAILED = """ruff check: all is well
collected 121 items
tests/test_upload.py ..............F..F......
tests/test_manifest.py ........................
tests/test_stations.py ..................F.....
3 failed, 118 passed in 42.10s
make: *** [Makefile:31: ci] Error 1
"""
_PASSED = """ruff check: all is well
collected 121 items
tests/test_upload.py ........................
tests/test_manifest.py ........................
tests/test_stations.py ........................
121 passed in 40.87s
"""

CODENAME = Question("codename", "prose", ("copper lantern",))
TICKET = Question("ticket", "prose", ("5291",))
PREFERENCE = Question("preference", "prose", ("table-driven tests",))
BUILD = Question("CI now", "tool", ("CI is green", "make ci: passed"), ("CI is failing", "make ci: failed"))
FIRST_FILE = Question("first file", "tool", ("docs/publishing.md",))
TASK = Question("task", "prose", ("--resume flag",))
DETAIL = Question("detail", "output", (".tidemark-part-<shard>",))
QUESTIONS = (CODENAME, TICKET, PREFERENCE, BUILD, FIRST_FILE, TASK, DETAIL)

_OPENING = (
    Turn(
        "We prepare the next release of Tidemark. Your task: give `tidemark publish` a --resume flag, so that a "
        "transfer which was cut off goes on where it stopped. We call the release Copper Lantern for now.",
        "Understood. Before I change anything I would like to know how a set travels to a station today, what the code "
        "does when the line breaks, and which settings touch it. Tell me where you want me to begin, and whether there "
        "is anything about the repository's state that I should know first.",
    ),
    Turn(
        "Begin with how it works now: docs/publishing.md. And know that CI is failing on the main branch at the "
        "moment; look for yourself what it says.",
        "I ran the checks, and three tests do not pass; two of them are about sending. The page describes the way of a "
        "set from the manifest to the station, what is kept when a line breaks and what is thrown away. For our task "
        "the part on the transfer is the one that matters: whatever arrived whole stays with the station.",
        (_ci(_FAILED, 2), _task_file("docs/publishing.md", "publishing.md")),
    ),
    Turn(
        "Now the code, in src/upload.py. Ines Falk will review what you write, and she prefers table-driven tests, so "
        "keep to that.",
        "I read it. The function that sends asks the station what it holds, packs what is missing, and gives up at the "
        "first break; it does not write down how far it came. I will keep to what the reviewer likes when I write the "
        "tests for it, one case a line, with the break at different places.",
        (_task_file("src/upload.py", "upload.txt"),),
    ),
    Turn(
        "Last the settings, publish.toml. By the way, the ticket for all of this is 5291; name it in every commit.",
        "I read the settings too. Two of them touch our task: the seconds without a byte after which a line counts as "
        "broken, and how often a piece is sent again before the sender gives up. I would leave both alone and name the "
        "ticket as you say.",
        (_task_file("publish.toml", "publish.toml"),),
    ),
)

_ASIDES = (
    "Something else in between: I have to give a talk about incidents, and read reviews of another product. Take {}.",
    "Next one, please: {}. What was behind it?",
    "Go on with {}, in the same way.",
    "And {}. Keep it to the cause and how it was mended.",
    "Please read {} too.",
    "{} now. By the way, the fix went in and CI is green again; run it once more to be sure, then read the review.",
    "Then {}. I think that one was bad.",
    "Read {} as well.",
    "Nearly done: {}.",
    "And the last of them, {}.",
)
_CHANGED = 6  # the review beside which the build has changed


def _aside(number: int) -> Turn:
    path = reviews.path(number)
    checked = (_ci(_PASSED, 0),) if number == _CHANGED else ()
    calls = (*checked, read(path, reviews.review(number)))
    return Turn(_ASIDES[number - 1].format(path), reviews.reply(number), calls)


_ANSWERED = "I have said what I know of it."
_ASKED = (
    Turn("Thank you, that is enough for the talk. Back to our work: which codename did I give it?", _ANSWERED),
    Turn("Which ticket is it for?", _ANSWERED),
    Turn("And the reviewer: what does she prefer?", _ANSWERED),
    Turn("How is the build at the moment, is it all right or not?", _ANSWERED),
    Turn("Which file did you read first of all?", _ANSWERED),
    Turn("So go back to what I asked you for in the beginning. What are you to do?", _ANSWERED),
    Turn("One thing about it: under which name does a station write what is still arriving?", _ANSWERED),
)

CONVERSATION: tuple[Turn, ...] = (
    *_OPENING,
    *(_aside(number) for number in range(1, reviews.COUNT + 1)),
    *(Turn(turn.prompt, turn.reply, question=question) for turn, question in zip(_ASKED, QUESTIONS, strict=True)),
)
