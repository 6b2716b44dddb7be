"""Threads and entries as lists."""

from __future__ import annotations

from views import plain

from eunoe.cli import threads_view
from eunoe.schemas.requests import Shown, ShowReply, ThreadsReply, ThreadState

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC


def shown(entry: int, **rest: object) -> Shown:
    given: dict[str, object] = {
        "entry": entry, "turn": 1, "kind": "prompt", "time": NINE, "content": "", "size": 0, "state": "committed",
        "position": 1, **rest,
    }  # fmt: skip
    return Shown(**given)  # type: ignore[arg-type]  # the fields of a Shown by name


def test_threads_have_figures_and_what_they_are_about() -> None:
    """Id left, figures right, and under it who worked there and the first prompt."""
    state = ThreadState(
        v=1, thread="builder", turns=4, entries=1231, bytes=28_100, changed=NINE, agents=("ann", "bob"), title="Fix it"
    )

    assert plain(threads_view.threads(ThreadsReply(threads=(state,), cursor="thread:9"), 80)) == [
        "thread                                 turns  entries     size  changed (UTC)",
        "builder                                    4    1,231    28 KB  2026-01-31 09:05",
        "  ann, bob: Fix it",
        "more follow: add --cursor thread:9",
    ]


def test_a_thread_of_which_facts_are_missing_says_so() -> None:
    """Of two turns extraction failed, and of two ranges with five turns distilling; the reasons are in the JSON."""
    state = ThreadState(
        v=1, thread="t", title="Fix it", failed=((1, "x"), (4, "y")), undistilled=((1, 3, "x"), (7, 8, "y"))
    )

    lines = plain(threads_view.threads(ThreadsReply(threads=(state,)), 80))

    assert lines[3:] == ["  2 turns not wholly extracted, 5 turns not distilled; --json says why"]


def test_a_long_thread_id_is_never_cut() -> None:
    """An id that does not fit beside the figures has a line of its own, so that it can be copied."""
    state = ThreadState(v=1, thread="x" * 60, turns=1, entries=1, bytes=9, changed=NINE)

    lines = plain(threads_view.threads(ThreadsReply(threads=(state,)), 80))

    assert lines[1:] == [
        "x" * 60,
        "                                           1        1      9 B  2026-01-31 09:05",
        "  no prompt yet",
    ]


def test_what_is_attached_to_an_entry_has_a_line() -> None:
    """Under the entry, with its media type and bytes."""
    reply = ShowReply(entries=(shown(1, content="See.", attachments=("image/png, 2,048 bytes",)),), total=1)

    assert plain(threads_view.entries("t", reply, 80))[-1] == " " * 21 + "attached: image/png, 2,048 bytes"


def test_no_threads_say_how_to_begin() -> None:
    """An empty memory names the command that fills it."""
    assert plain(threads_view.threads(ThreadsReply(threads=()), 80))[-1] == (
        "no threads yet; `eunoe import FILE` brings a transcript in"
    )


def test_entries_stand_under_their_turns() -> None:
    """A heading a turn, then a line an entry: number, kind, and the beginning of what it says."""
    reply = ShowReply(
        entries=(
            shown(1, turn=0, kind="instructions", content="Be brief."),
            shown(2, content="Run the tests.", agent="ann", session="s1"),
            shown(3, kind="tool.call", tool="bash", content='{"command": "make test"}'),
            shown(4, kind="tool.result", tool="bash", status="ok", exit_status=1, size=1500, content="1 failed\n…"),
            shown(5, kind="response", thinking="hm"),
        ),
        total=6,
        more=True,
    )

    assert plain(threads_view.entries("builder", reply, 80)) == [
        "thread builder: 6 entries",
        "",
        "before the first turn",
        "    1  instructions  Be brief.",
        "",
        "turn 1 · committed · 2026-01-31 09:05 · agent ann · session s1",
        "    2  prompt        Run the tests.",
        '    3  tool.call     bash {"command": "make test"}',
        "    4  tool.result   bash, exit status 1, 1.5 KB: 1 failed …",
        "    5  response      (thinking only)",
        "more follow: add --after 5",
    ]


def test_long_entries_are_cut_to_the_width() -> None:
    """No line of the list is wider than the terminal."""
    reply = ShowReply(entries=(shown(1, content="word " * 100),), total=1)

    assert max(map(len, plain(threads_view.entries("t", reply, 60), 60))) <= 60


def test_the_heading_of_an_entry_says_what_it_is() -> None:
    """Thread, entry, kind, tool, outcome, turn, size and time."""
    entry = shown(4, kind="tool.result", tool="bash", status="failed", size=1500)

    assert threads_view.heading("builder", entry) == (
        "thread builder · entry 4 · tool.result · bash · failed · turn 1 (committed) · 1.5 KB · 2026-01-31 09:05"
    )
