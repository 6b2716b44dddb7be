"""Lists of facts as people read them."""

from __future__ import annotations

from fact_views import view
from views import plain

from eunoe.cli import facts_view
from eunoe.schemas.facts import Identity, Source
from eunoe.schemas.requests import FactsReply


def test_facts_stand_under_their_owners_the_widest_first() -> None:
    """Permanent before thread; a fact that simply holds has no mark, and the column of marks is gone."""
    decision = Identity("permanent", "shared", "decision", "exit status")
    dana = Source(kind="person", principal="dana")
    facts = (view(turn=1), view(id="fbbbbbbbbbb", identity=decision, value="3 when dry", source=dana))

    assert plain(facts_view.facts(FactsReply(facts=facts), 80)) == [
        "permanent · shared",
        "id          subject  name        value      source",
        "fbbbbbbbbbb decision exit status 3 when dry person dana",
        "",
        "thread · builder",
        "id          subject name      value  source",
        "faaaaaaaaaa tests   make test passed bash, turn 1",
        "",
        "2 facts",
    ]


def test_facts_of_an_owner_are_in_order_of_their_names() -> None:
    """Facts about one subject stand together."""
    names = ("b.py", "a.py")
    facts = tuple(view(identity=Identity("thread", "t", "file", name)) for name in names)

    lines = plain(
        facts_view.facts(FactsReply(facts=(*facts, view(identity=Identity("thread", "t", "branch", "now")))), 80)
    )

    assert [line.split()[1:3] for line in lines[2:5]] == [["branch", "now"], ["file", "a.py"], ["file", "b.py"]]


def test_conflicts_and_proposals_are_marked() -> None:
    """Who disagrees stands under the value; a proposal and what is superseded say so."""
    facts = (
        view(conflict=True, others=("failed — from model",), sources=("tool bash", "caller ci")),
        view(id="fcccccccccc", state="proposed", source=Source(kind="model")),
        view(id="fdddddddddd", state="superseded", source=Source(kind="model")),
    )

    assert plain(facts_view.facts(FactsReply(facts=facts, cursor="thread:8"), 80)) == [
        "thread · builder",
        "id          subject name      value                 source  state",
        "faaaaaaaaaa tests   make test passed                bash +1 conflict",
        "                              ≠ failed — from model",
        "fcccccccccc tests   make test passed                model   (proposed)",
        "fdddddddddd tests   make test passed                model   superseded",
        "",
        "3 facts; more follow: add --cursor thread:8",
    ]


def test_a_table_of_long_facts_keeps_ids_whole_at_80_columns() -> None:
    """Long names and values wrap; an id is never broken, for it is to be typed."""
    long = Identity("thread", "builder", "tests", "python -m pytest tests/test_backup.py::test_something_very_long -v")
    facts = (view(identity=long, value="2 failed, 71 passed in 3.20s", conflict=True),)

    lines = plain(facts_view.facts(FactsReply(facts=facts), 80))

    assert any(line.startswith("faaaaaaaaaa ") for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_long_file_name_is_broken_at_its_joints() -> None:
    """After a slash or an underscore; of 60 columns name and value have 16 each."""
    name = "services/eunoe/composition/formats/openai_request_messages.py"
    facts = (view(identity=Identity("thread", "builder", "file", name), value="changed by edit_file, 1,204 lines"),)

    lines = plain(facts_view.facts(FactsReply(facts=facts), 60))

    assert lines[2:7] == [
        "faaaaaaaaaa file    services/eunoe/  changed by       bash",
        "                    composition/     edit_file, 1,204",
        "                    formats/openai_  lines",
        "                    request_",
        "                    messages.py",
    ]


def test_a_long_source_leaves_room_for_the_value() -> None:
    """It wraps between its words, and the table stays within the terminal."""
    booked = Identity("thread", "run", "reservation", "EHGLP3")
    source = Source(kind="tool", principal="get_reservation_details")
    value = "booked, JFK to SEA, economy, HAT083 on 2024-05-17, Kim, bags 1 (0 paid), insurance no"
    facts = (view(identity=booked, value=value, source=source, turn=1, has_content=True),)

    assert plain(facts_view.facts(FactsReply(facts=facts), 80))[1:6] == [
        "id          subject     name   value          source                   state",
        "faaaaaaaaaa reservation EHGLP3 booked, JFK to get_reservation_details, + content",
        "                               SEA, economy,  turn 1",
        "                               HAT083 on",
        "                               2024-05-17,",
    ]


def test_a_distilled_fact_says_by_what_and_who_said_it() -> None:
    """In few columns, however long the name of the model is."""
    drawn = {"source": Source(kind="model", principal="distiller"), "method": "distilled", "turn": 4}
    deadline, owner = (Identity("thread", "builder", "entity", name) for name in ("deadline", "owner"))
    model = "claude-sonnet-4-5-20250929"
    facts = (
        view(identity=deadline, value="2026-12-14", model="rules", detail="the person said", **drawn),
        view(identity=owner, value="the payments team", model=model, detail="the model concluded", **drawn),
    )

    assert plain(facts_view.facts(FactsReply(facts=facts), 80))[1:5] == [
        "id          subject name     value             source",
        "faaaaaaaaaa entity  deadline 2026-12-14        rules: the person said, turn 4",
        "faaaaaaaaaa entity  owner    the payments team claude-sonnet-4-5-…: the model",
        "                                               concluded, turn 4",
    ]


def test_no_facts_say_so() -> None:
    """An empty answer is a sentence, not an empty table."""
    assert plain(facts_view.facts(FactsReply(facts=()), 80)) == ["no facts here"]


def test_labels_pins_validity_and_content_stand_with_the_fact() -> None:
    """Under the value what belongs to it, in the last column a word for each mark."""
    decision = Identity("permanent", "shared", "decision", "exit status")
    fact = view(
        identity=decision, source=Source(kind="person", principal="dana"), value="3 when dry", pinned=True,
        labels=("release", "infra"), valid_from=1_767_225_600_000, has_content=True,
    )  # fmt: skip

    assert plain(facts_view.facts(FactsReply(facts=(fact,)), 80))[:5] == [
        "permanent · shared",
        "id          subject  name        value                  source      state",
        "faaaaaaaaaa decision exit status 3 when dry             person dana pinned",
        "                                 holds from 2026-01-01              + content",
        "                                 labels: release, infra",
    ]


def test_facts_of_a_preview_stand_apart_from_the_live_ones() -> None:
    """Under a heading that names the preview, and with the id of what each stands in for."""
    trial = Identity("permanent", "shared", "decision", "exit status", preview="trial")
    facts = (view(identity=Identity("permanent", "shared", "decision", "exit status")),
             view(id="fbbbbbbbbbb", identity=trial, value="4", replaces="faaaaaaaaaa"))  # fmt: skip

    lines = plain(facts_view.facts(FactsReply(facts=facts), 80))

    assert [line for line in lines if " · " in line] == ["permanent · shared", "permanent · shared · preview trial"]
    assert lines[-3].endswith("in place of faaaaaaaaaa")


def test_a_preview_says_what_it_replaces_and_what_it_takes_away() -> None:
    """The value in whose place each of its facts stands, and in its own table what is not seen any more, and why."""
    exit_status, colour, size = (
        Identity("permanent", "shared", "decision", name) for name in ("exit status", "colour", "size")
    )
    trial = Identity("permanent", "shared", "decision", "exit status", preview="trial")
    reply = FactsReply(
        facts=(view(id="fbbbbbbbbbb", identity=trial, value="4", replaces="faaaaaaaaaa"), view(identity=size)),
        instead=(
            view(identity=exit_status, value="3", state="superseded", rule="preview", superseded_by="fbbbbbbbbbb"),
            view(id="fccccccccccc", identity=colour, value="red", state="removed", superseded_by="fdddddddddd"),
        ),
    )

    lines = plain(facts_view.facts(reply, 100))

    assert "permanent · shared · preview trial" in lines
    assert any(line.endswith("in place of 3 (faaaaaaaaaa)") for line in lines)
    removed = next(index for index, line in enumerate(lines) if " red " in line)
    assert lines[removed].endswith(" removed")
    assert lines[removed + 1].strip() == "by fdddddddddd"
    assert removed < lines.index("permanent · shared · preview trial")
    assert lines[-1] == "2 facts; the preview takes away 1"
    assert not any("superseded" in line for line in lines)


def test_conflicts_say_how_they_are_settled() -> None:
    """Each with who disagrees; none is a sentence."""
    fact = view(conflict=True, others=("failed — from model",))

    lines = plain(facts_view.conflicts(FactsReply(facts=(fact,)), 80))

    assert lines[3].strip() == "≠ failed — from model"
    assert lines[5:] == [
        "1 conflict",
        "the highest rank leads, then the newest; to settle one, `eunoe fact why ID`",
        "names the others' ids, and `eunoe fact delete ID` takes away what is wrong",
    ]
    assert plain(facts_view.conflicts(FactsReply(facts=()), 80)) == ["no conflicts here"]


def test_proposals_say_how_they_are_approved() -> None:
    """And a page without any, of which more follow, does not look like the end."""
    lines = plain(facts_view.proposals(FactsReply(facts=(view(state="proposed"),)), 80))

    assert lines[-2:] == [
        "1 proposal",
        "`eunoe fact approve ID` admits one; `eunoe fact delete ID` refuses it",
    ]
    assert plain(facts_view.proposals(FactsReply(facts=(), cursor="thread:8"), 80)) == [
        "no proposals on this page; more follow: add --cursor thread:8"
    ]


def test_what_cannot_be_read_is_named_and_how_it_is_mended() -> None:
    """The other facts are shown."""
    lines = plain(facts_view.facts(FactsReply(facts=(view(),), damaged=("fact.builder.tests.x",)), 80))

    assert lines[2].startswith("faaaaaaaaaa")
    assert " ".join(lines[4:6]) == (
        "cannot be read, and is left out: fact.builder.tests.x; `eunoe rebuild facts` makes it again"
    )
