"""One context of the squirrel team's builder in every format, byte for byte what `tests/golden` says and explains."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from goldens import golden
from shapes import CHECKS

from eunoe.composition import outline
from eunoe.composition.carried import carried
from eunoe.composition.known import Known, known
from eunoe.composition.summary import Summary
from eunoe.facts.document import build
from eunoe.facts.fold import fold
from eunoe.schemas.context import FORMATS, Format, ShownSummary
from eunoe.schemas.events import Attachment, Prompt, Response, ToolCall, ToolResult
from eunoe.schemas.facts import Assertion, Identity, Provenance, SessionRecord, Source, Stated

FILES: dict[Format, str] = {
    "openai": "openai.jsonc",
    "responses": "responses.jsonc",
    "anthropic": "anthropic.jsonc",
    "text": "text.txt",
    "markdown": "markdown.md",
}
WINDOW = 3_072  # tokens: a tenth of it are 1,228 bytes of facts, and one output may have 4,096

DANA = Source(kind="person", principal="dana")
READ = Source(kind="tool", principal="read_file", agent="builder")
TESTS = "PASSED tests/test_config.py::test_case_01\n" * 14 + (
    "FAILED tests/test_backup.py::test_dry_run_does_not_prune - AssertionError: pruned 3 snapshots\n"
    "1 failed, 14 passed in 6.41s\n"
)
LOG = "".join(f"{n:02} copied /home/dana/photos/2026/05/img_{n:04}.jpg to the store..\n" for n in range(1, 81))
WRITES = json.dumps(
    {"path": "tests/test_prune.py", "content": "assert prune(dry_run=True) == []\n" * 30, "overwrite": True}
)
PICTURE = Attachment(media_type="image/png", size=20_480, digest="0" * 64, name="run.png", data="iVBORw0KGgo=")


def bash(call: str, command: str, output: str, **result: Any) -> tuple[ToolCall, ToolResult]:
    arguments = json.dumps({"command": command})
    return ToolCall(call=call, tool="bash", content=arguments), ToolResult(call=call, content=output, **result)


def reads(call: str, path: str, output: str) -> tuple[ToolCall, ToolResult]:
    arguments = json.dumps({"path": path})
    return ToolCall(call=call, tool="read_file", content=arguments), ToolResult(call=call, content=output)


@pytest.fixture
def thread(kit: Any) -> Any:
    """Two turns that left, two that are over, and one that has come to its first tool round."""
    made = kit.thread()
    made.instruct(
        "You are builder, a coding agent of the squirrel team. Run the tests before you say that something works."
    )
    looks = reads("a", "backup.py", "def run(): ...")
    made.turn(Prompt(content="Have a look at how a backup run works first."), *looks, Response(content="I see."))
    branches = bash("b", "git switch -c dry-run", "Switched to a new branch 'dry-run'")
    made.turn(Prompt(content="Start a branch for the flag."), *branches, Response(content="The branch is dry-run."))
    copied = f"One test fails:\n\n```\n{TESTS}```\n\nA dry run still prunes."
    tests = bash("c", "python -m pytest -q", TESTS, status="failed", exit_status=1)
    made.turn(Prompt(content="Run the tests."), *tests, Response(content=copied))
    writes = ToolCall(call="d", tool="write_file", content=WRITES), ToolResult(call="d", content="written")
    mended = Response(content="The test is there.", thinking="A test that fails without the change.")
    made.turn(Prompt(content="Mend it, and write a test for it."), *writes, mended)
    asked = Prompt(content="Why did the run in this picture stop? See store.py too.", attachments=(PICTURE,))
    made.open(asked, Response(content="I read its log."), *reads("e", "run.log", LOG))
    return made


def stated(subject: str, name: str, value: str, source: Source, at: int, scope: Any = "thread") -> Stated:
    """What a source said; a tool said it in the first turn, with its output."""
    provenance = Provenance(thread="t", turn=1, entries=(4,)) if source.kind == "tool" else Provenance()
    identity = Identity(scope, "t", subject, name)
    fact = Assertion(identity=identity, value=value, source=source, at=at, provenance=provenance)
    return Stated(id=f"f{at}", position=at, index=0, fact=fact)


def in_force(*said: Stated) -> Known:
    return known(fold(build(said[0].fact.identity, said)), "t")[0]


def earlier() -> list[Known]:
    """The task, what two sources disagree about, a decision, and four files, the newest first."""
    values = {
        "cli.py": "reads the options of every command, among them --store and --verbose; each is passed on to the run "
        "as a field of Config, which is frozen, so that a new flag has to be added there as well",
        "prune.py": "removes the snapshots that are older than the policy keeps; it is called at the end of every run, "
        "asks nobody, and returns the names of what it removed for the report of that run",
        "report.py": "prints what a run did, in bytes and in files, on the standard output; with --quiet it prints "
        "only what failed, and the status of the process is 1 where anything did fail",
        "store.py": "keeps the snapshots, one directory each; files that did not change are hard links to the snapshot "
        "before, and a lock file names the run that is writing, so that no two do so at once",
    }
    weak, strong = stated("note", "python", "3.11", READ, 3), stated("note", "python", "3.12", DANA, 2)
    decided = "3 when a backup would change something, else 0"
    return [
        in_force(stated("task", "current", "add a --dry-run flag to squirrel backup", DANA, 1)),
        in_force(weak, strong),
        in_force(stated("decision", "dry-run exit status", decided, DANA, 4)),
        *(in_force(stated("file", name, value, READ, 9 - at)) for at, (name, value) in enumerate(values.items())),
    ]


def composed(kit: Any, thread: Any, form: Format) -> Any:
    """In a window that turns 1 and 2 had left when the last context of this profile was composed; turn 1 is summarised
    since."""
    folded = thread.fold()
    compose = kit.compose(window=WINDOW, format=form, memory_tool=True, headroom=0)
    left = [folded.turns[number] for number in (1, 2)]
    before = msgspec.structs.replace(compose.marked(3), outline=tuple(outline.left_turn(turn) for turn in left))
    state = SessionRecord(v=1, session="release", state='{"release": "2.4"}', state_id="s1", state_order=(1, 1, 0))
    return compose(
        folded,
        key="k5",
        earlier=earlier(),
        now=[in_force(stated("note", "freeze", "nothing but the flag goes into 2.4", DANA, 10, "session"))],
        carried=carried(state),
        before=before,
        named={turn.number: outline.asked_in(turn) for turn in left},
        ready=1,
        summary=Summary(
            ShownSummary(version=1, position=60, index=1, last=1),
            "Turn 1: person: Have a look at how a backup run works first.\nTurn 1: model: I see.",
            ((1, 1),),
            "rules",
        ),
        tools=("bash", "read_file"),
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_context_is_what_the_file_says(kit: Any, thread: Any, form: Format) -> None:
    """Every part of it: what the caller said, what the memory kept, what is held back and how, and the request."""
    made = composed(kit, thread, form)
    messages, system = golden(FILES[form])

    assert made.rendered.messages.decode() == messages
    assert made.rendered.system == system
    CHECKS.get(form, len)(made.messages)


def test_a_context_of_the_files_shows_every_rendering(kit: Any, thread: Any) -> None:
    """So that each has been written down by hand once."""
    recipe = composed(kit, thread, "openai").recipe

    found = {(one.entry, one.how) for one in recipe.renderings}
    assert found == {(12, "reference"), (13, "cut"), (15, "arguments"), (21, "excerpt")}
    assert (recipe.left, recipe.pending, recipe.earlier_hidden) == (2, (2,), 1)
    assert (recipe.summary, [one.turn for one in recipe.outline]) == (
        ShownSummary(version=1, position=60, index=1, last=1),
        [1, 2],
    )
