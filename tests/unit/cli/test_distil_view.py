"""What was distilled, summarised and reviewed, as lines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from views import plain

from eunoe.cli import distil_view
from eunoe.cli.distil_view import Made
from eunoe.schemas.distilled_events import Decision, Effort, SetAside, Spans
from eunoe.schemas.facts import Identity, Source
from eunoe.schemas.requests import Distillation, DistillationsReply, DistilReply, FactView

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC

BY_RULES = Distillation(
    kind="distilled", record=12, position=40, time=NINE, turns=((1, 3), (5, 5)), by="rules", facts=("faaaaaaaaaa",),
    summary="updated",
)  # fmt: skip
BY_MODEL = Distillation(
    kind="distilled", record=15, position=60, time=NINE, turns=((6, 6),), by="model", dropped=2,
    facts=("fbbbbbbbbbb", "fcccccccccc"), set_aside=(SetAside(text='{"subject": "mood"}', reason="unknown subject"),),
    summary="kept", reason="empty answer",
    effort=Effort(model="small-1", calls=2, input_tokens=3412, output_tokens=210, cost=1234, ms=2450),
)  # fmt: skip
FAILED = Distillation(
    kind="summarised", record=20, position=80, time=NINE, turns=((1, 6),), by="model", failed="ModelFailed: no answer",
    effort=Effort(model="small-1", calls=5, input_tokens=10, ms=340),
)  # fmt: skip


def fact(id_: str, name: str, value: str, *, conflict: bool = False) -> FactView:
    return FactView(
        id=id_, identity=Identity("thread", "t", "decision", name), value=value, version=1, state="current",
        source=Source(kind="model", principal="distiller"), at=NINE, position=40, turn=3, conflict=conflict,
    )  # fmt: skip


def test_work_is_listed_with_what_came_of_it_and_what_all_of_it_took() -> None:
    """By rules no model was asked, so nothing is said of tokens; what failed says why."""
    effort = Effort(model="small-1", calls=7, input_tokens=3422, output_tokens=210, cost=1_500_000, ms=2790)
    reply = DistillationsReply(distillations=(FAILED, BY_MODEL, BY_RULES), effort=effort, more=True)

    assert plain(distil_view.listed(reply, 80)) == [
        "    20  2026-01-31 09:05 summarised turns 1-6 by small-1",
        "        5 calls, 10 tokens in, 0 out, 340 ms",
        "        failed: ModelFailed: no answer",
        "    15  2026-01-31 09:05 distilled turn 6 by small-1",
        "        2 facts · 2 over the limit · 1 set aside · summary kept",
        "        2 calls, 3,412 tokens in, 210 out, $0.0012, 2.5 s",
        "    12  2026-01-31 09:05 distilled turns 1-3, 5 by rules",
        "        1 fact · summary updated",
        "more follow: add --before 12",
        "in all: 7 calls, 3,422 tokens in, 210 out, $1.5000, 2.8 s",
        "one with its facts: `eunoe distillations THREAD RECORD`",
    ]


def test_nothing_is_said_to_be_nothing() -> None:
    assert plain(distil_view.listed(DistillationsReply(), 80)) == [
        "nothing was distilled, summarised or reviewed of this thread yet"
    ]


def test_one_is_shown_whole() -> None:
    """Each fact with its id, a fact that is gone by its id alone, and what was set aside with its reason."""
    facts = {"fbbbbbbbbbb": fact("fbbbbbbbbbb", "database", "Postgres", conflict=True)}

    assert plain(distil_view.whole(BY_MODEL, facts, 80)) == [
        "record 15 · 2026-01-31 09:05:07Z · distilled turn 6 by small-1",
        "  fbbbbbbbbbb decision database: Postgres · turn 3 · conflict",
        "  fcccccccccc is no fact of its own: it was known already, or is gone",
        "  2 facts over the limit left out",
        '  set aside, unknown subject: {"subject": "mood"}',
        "  summary kept: empty answer",
        "  2 calls, 3,412 tokens in, 210 out, $0.0012, 2.5 s",
    ]


def test_a_value_that_does_not_fit_beside_its_name_stands_under_it_whole() -> None:
    """On one line there would be 69 columns, and there are 68; a long name is cut, and how the fact stands is not."""
    short, long = (fact("fbbbbbbbbbb", name, "x" * 20, conflict=True) for name in ("disk", "n" * 60))

    assert plain(distil_view.fact_lines(short.id, short, 69)) == [
        f"  fbbbbbbbbbb decision disk: {'x' * 20} · turn 3 · conflict"
    ]
    assert plain(distil_view.fact_lines(short.id, short, 68)) == [
        "  fbbbbbbbbbb decision disk · turn 3 · conflict",
        f"    {'x' * 20}",
    ]
    assert plain(distil_view.fact_lines(long.id, long, 60))[0] == (
        f"  fbbbbbbbbbb decision {'n' * 16}… · turn 3 · conflict"
    )


def test_a_value_of_many_words_wraps_under_its_name() -> None:
    """Indented, between words."""
    said = fact("fbbbbbbbbbb", "ledger", "We decided to use Postgres for the ledger, and for nothing else")

    assert plain(distil_view.fact_lines(said.id, said, 40), 40) == [
        "  fbbbbbbbbbb decision ledger · turn 3",
        "    We decided to use Postgres for the",
        "    ledger, and for nothing else",
    ]


def test_a_review_is_shown_with_what_it_decided() -> None:
    """What was simply added is among its facts; in a list the decisions are counted."""
    review = Distillation(
        kind="reviewed", record=30, position=90, time=NINE, turns=((4, 6),), by="model",
        decisions=(
            Decision(action="added", text="Tests run nightly."),
            Decision(action="added", text="Dana leads.", reason="another agent says otherwise"),
            Decision(action="replaced", text="Ports 8000 to 8010 are taken.", reason="newer", about="faaaaaaaaaa"),
            Decision(action="retired", text="Port 80 is free.", about="fbbbbbbbbbb"),
            Decision(action="skipped", text="Dana leads.", reason="there is one that says it"),
        ),
    )  # fmt: skip

    assert plain(distil_view.whole(review, {}, 80)) == [
        "record 30 · 2026-01-31 09:05:07Z · reviewed turns 4-6 by model",
        "  added: Dana leads. (another agent says otherwise)",
        "  replaced faaaaaaaaaa: Ports 8000 to 8010 are taken. (newer)",
        "  retired fbbbbbbbbbb: Port 80 is free.",
        "  skipped: Dana leads. (there is one that says it)",
    ]
    assert plain(distil_view.brief(review, 80)) == [
        "    30  2026-01-31 09:05 reviewed turns 4-6 by model",
        "        2 added · 1 replaced · 1 retired · 1 skipped",
    ]


def test_no_content_steers_the_terminal() -> None:
    """Neither a value nor what was set aside nor a reason."""
    one = Distillation(
        kind="distilled", record=1, position=1, time=NINE, turns=((1, 1),), by="model", facts=("fbbbbbbbbbb",),
        set_aside=(SetAside(text="\x1b[2J", reason="\x07"),), failed="\x1b]0;x",
    )  # fmt: skip

    said = "\n".join(plain(distil_view.whole(one, {"fbbbbbbbbbb": fact("fbbbbbbbbbb", "\x1b[1m", "\x9b2J")}, 80)))

    assert not [character for character in said if (ord(character) < 32 and character != "\n") or character == "\x9b"]


@pytest.mark.parametrize(
    ("state", "verb", "up_to", "line"),
    [
        ("nothing", "distil", 0, "nothing to do: 0 committed turns are distilled"),
        ("nothing", "distil", 1, "nothing to do: 1 committed turn is distilled"),
        ("done", "summarise", 6, "done: 6 committed turns are in the summary"),
    ],
)
def test_the_end_says_how_far_the_thread_is(state: str, verb: str, up_to: int, line: str) -> None:
    found = Made(verb, "t", DistilReply(state=state, up_to=up_to))  # type: ignore[arg-type]

    assert plain(distil_view.made(found, 80)) == [line]
    assert found.well


def test_turns_of_which_distilling_failed_are_counted() -> None:
    """Also where nothing is left to do: they are passed over, and a person may have them done again."""
    reply = DistilReply(state="nothing", up_to=9, undistilled=((1, 3, "no answer"), (7, 7, "no answer")))

    assert plain(distil_view.made(Made("distil", "t", reply), 80)) == [
        "nothing to do: 9 committed turns are worked on, of which 4 failed",
        "`eunoe distillations` says why, and `eunoe dead list` what there is to have done",
        "again",
    ]


def test_of_much_work_the_newest_is_shown_with_its_facts() -> None:
    """A long thread is hundreds of pieces of work, each with many facts: two lines tell of an older one."""
    made = [replace(BY_RULES, record=record) for record in range(1, distil_view.WHOLE + 2)]
    reply = DistilReply(state="done", up_to=9, distillations=tuple(made))

    lines = plain(distil_view.made(Made("distil", "t", reply), 80))

    assert lines[0].startswith("     1  ")
    assert lines[2] == distil_view.SEE
    assert [line.split()[1] for line in lines if line.startswith("record ")] == [
        str(record) for record in range(2, distil_view.WHOLE + 2)
    ]


def test_what_goes_on_in_the_background_is_said() -> None:
    """When the wait ends first, with the commands that show how it goes."""
    found = Made("distil", "t", DistilReply(state="waiting", up_to=2))

    assert plain(distil_view.made(found, 80)) == [
        "not done yet: 2 committed turns are distilled. It goes on in the background;",
        "`eunoe distillations` shows what is made, and `eunoe status` what holds it up",
    ]
    assert not found.well


def test_what_holds_the_work_up_is_said() -> None:
    """While it waits, and when the wait ends first."""
    reply = DistilReply(state="waiting", up_to=2, waits="the model openai:x cannot be reached")

    assert distil_view.progress("distil", reply) == (
        "2 committed turns distilled so far; it waits, as the model openai:x cannot be reached"
    )
    assert plain(distil_view.made(Made("distil", "t", reply), 120), 120) == [
        "not done yet: 2 committed turns are distilled. It waits, as the model openai:x cannot be reached",
    ]


def test_a_summary_that_was_left_as_it_is_does_not_go_on() -> None:
    """Its turns wait for the next try, whoever asks for it."""
    kept = Distillation(
        kind="summarised",
        record=9,
        position=9,
        time=NINE,
        turns=((1, 3),),
        by="model",
        summary="kept",
        reason="cut off",
    )

    lines = plain(distil_view.made(Made("summarise", "t", DistilReply(state="waiting", distillations=(kept,))), 80))

    assert lines == [
        "record 9 · 2026-01-31 09:05:07Z · summarised turns 1-3 by model",
        "  summary kept: cut off",
        "not done: 0 committed turns are in the summary; the others wait for the next try",
    ]


@pytest.mark.parametrize(("one", "well"), [(BY_RULES, True), (BY_MODEL, False), (FAILED, False)])
def test_it_went_well_where_nothing_failed_and_no_summary_was_left_as_it_was(one: Distillation, well: bool) -> None:
    assert Made("distil", "t", DistilReply(state="done", distillations=(one,))).well == well


@pytest.mark.parametrize(
    ("spans", "said"), [((), "no turns"), (((3, 3),), "turn 3"), (((1, 4), (7, 7)), "turns 1-4, 7")]
)
def test_turns_are_said_as_ranges(spans: Spans, said: str) -> None:
    assert distil_view.turns(spans) == said


@pytest.mark.parametrize(
    ("ms", "said"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (99_949, "99.9 s"), (99_950, "100 s")]
)
def test_times_are_short(ms: int, said: str) -> None:
    assert distil_view.seconds(ms) == said
