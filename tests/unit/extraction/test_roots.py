"""One file has one name through all turns of its thread, however a tool writes its path."""

from __future__ import annotations

import pytest
from extracting import derived, facts_of
from extraction_desks import ExtractionDesk
from hypothesis import given
from hypothesis import strategies as st
from turns import call, turn, used

from eunoe.extraction.rules import ABSOLUTE
from eunoe.schemas.events import Event, Extracted, FactRecorded, TurnAborted, TurnOpened

Turns = list[list[tuple[Event, ...]]]
"""The calls of each turn."""


def read(path: str) -> tuple[Event, ...]:
    return used(1, "Read", {"file_path": path}, "x")


def ran(command: str, directory: str = "", text: str = "") -> tuple[Event, ...]:
    return used(1, "bash", {"command": command, "workdir": directory}, text)


def named(turns: Turns, root: str = "") -> tuple[list[list[str]], str]:
    """The names of the files of each turn, and the root that the last one leaves."""
    names: list[list[str]] = []
    known = ""
    for calls in turns:
        extracted, facts = derived(*(event for call in calls for event in call), root=root, known=known)
        known = extracted.root
        names.append([fact.identity.name for fact in facts if fact.identity.subject == "file"])
    return names, known


@pytest.mark.parametrize(
    ("turns", "names", "known"),
    [
        # The first directory of the thread counts, also for what came before it in its turn.
        ([[read("/r/a"), ran("ls", "/r")], [ran("ls", "/r/lib"), read("/r/lib/b")]], [["a"], ["lib/b"]], "/r"),
        # A directory that comes later does not rename what was named by its whole path.
        ([[read("/r/a")], [ran("ls", "/r"), read("/r/a")]], [["/r/a"], ["/r/a"]], ABSOLUTE),
        # A turn that names neither leaves it open; a relative path is one below the root.
        ([[read("a")], [], [ran("cd /r && ls"), read("/r/a")]], [["a"], [], ["a"]], "/r"),
        # What git says is the root, and the repository of a git tool.
        ([[ran("cd /r/lib && git rev-parse --show-toplevel", "", "/r\n"), read("/r/a")]], [["a"]], "/r"),
        ([[used(1, "git_status", {"repo_path": "/r"}, "On branch x"), read("/r/a")]], [["a"]], "/r"),
        # A command that failed was nowhere.
        ([[used(1, "bash", {"command": "cd /nope"}, "", exit_status=1), read("/r/a")]], [["/r/a"]], ABSOLUTE),
        # Where a command begins with cd, its files are below that.
        ([[ran("ls", "/r"), ran("cd /r/lib && cat b", "", "x"), ran("cd lib && cat b", "/r", "x")]], [["lib/b"]], "/r"),
        # Outside of the root a file keeps its whole path.
        ([[ran("ls", "/r"), read("/etc/hosts"), read("/rest/a")]], [["/etc/hosts", "/rest/a"]], "/r"),
    ],
)
def test_names_of_files(turns: Turns, names: list[list[str]], known: str) -> None:
    """Relative to the directory that the thread settled on first, or whole."""
    found, root = named(turns)
    assert ([sorted(set(one), key=one.index) for one in found], root) == (names, known)


def test_a_configured_root_goes_before_what_a_thread_says() -> None:
    """The setting names files in every thread alike."""
    assert named([[ran("ls", "/r/lib"), read("/r/lib/b"), read("/r/a")]], root="/r")[0] == [["lib/b", "a"]]


PLACES = st.sampled_from(["/r", "/r/lib", "/tmp"])
CALLS = st.one_of(
    st.sampled_from(["/r/a", "/r/lib/b", "/tmp/c"]).map(read),
    PLACES.map(lambda place: ran("ls", place)),
    PLACES.map(lambda place: ran(f"cd {place} && ls")),
)


@given(st.lists(st.lists(CALLS, max_size=4), max_size=6))
def test_a_whole_path_has_one_name_in_a_thread(turns: Turns) -> None:
    """Whatever directories a thread says and when: /r/a is never both ``a`` and ``/r/a``."""
    found, _ = named(turns)
    names = {name for one in found for name in one}
    for ways in ({"/r/a", "a"}, {"/r/lib/b", "lib/b", "b"}, {"/tmp/c", "c"}):
        assert len(names & ways) <= 1


async def test_the_root_is_that_of_the_log_for_every_worker(desk: ExtractionDesk) -> None:
    """The first turn settles it; a worker that starts later reads it from the turn's record, behind what came since."""
    first = [*ran("ls", "/r"), *read("/r/a")]
    for n, events in enumerate(([*first], [*ran("ls", "/r/lib"), *read("/r/lib/b")], [*read("/r/a")]), start=1):
        for part in range(4 * n, 4 * n + 3):
            await desk.append(1, TurnOpened(), TurnAborted(), turn=f"a{part}", producer=f"p{part}")
        await desk.append(n, *turn(*events), turn=f"k{n}")
        worker = desk.extractor()
        for stored in await desk.happened():
            await worker.handle(stored)
    events = [event for events in await desk.extractions() for event in events]
    assert [event.root for event in events if isinstance(event, Extracted)] == ["/r", "/r", "/r"]
    facts = [event.fact for event in events if isinstance(event, FactRecorded)]
    assert [fact.identity.name for fact in facts if fact.identity.subject == "file"] == ["a", "lib/b", "a"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text", "expected"),
    [
        ("bash", {"command": "git -C /r status"}, "On branch x", True),
        ("bash", {"command": "git -C . switch -c x"}, "", True),
        ("bash", {"command": "git -C /other status"}, "On branch x", False),
        ("git_status", {"repo_path": "/r/"}, "On branch x", True),
        ("git_status", {"repo_path": "/r/lib"}, "On branch x", True),
        ("git_status", {"repo_path": "/other"}, "On branch x", False),
        ("git_status", {"repo_path": "/rest"}, "On branch x", False),
    ],
)
def test_a_branch_is_that_of_the_root(tool: str, arguments: dict[str, str], text: str, expected: bool) -> None:
    """What git says of another repository than the thread's is not its branch."""
    assert facts_of(call(tool, arguments, text), root="/r") == ([("branch", "", "x")] if expected else [])
