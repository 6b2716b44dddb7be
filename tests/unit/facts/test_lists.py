"""Lists of facts: their order, their pages, what is filtered, and as of which moment; in how many round trips."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import msgspec
import pytest
from desks import NOON
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written

from eunoe.facts.labels import Labels
from eunoe.facts.lookup import Lookup
from eunoe.facts.reading import Reading
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime import revisions
from eunoe.runtime.doors import Documents, Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import FactDeleted, FactLabelled, FactPinned, FactRecorded
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactsReply, FactsRequest, FactView
from eunoe.schemas.subjects import Caller

BUILDER = Caller("agent", "builder")
HOUR = 3_600_000  # milliseconds
HERE = FactsRequest(thread="t", session="s")


@pytest.fixture(params=["grouped", "by revision"])
def either_order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs in both orders of a list: what is too much for one answer is read by revision."""
    if request.param == "by revision":
        monkeypatch.setattr(limits, "FOUND_AT_ONCE", 0)


def said(value: str, **about: Any) -> FactRecorded:
    """What a person says."""
    return recorded(value, kind="person", who="ada", **about)


def dated(value: str, start: int | None, end: int | None = None, **about: Any) -> FactRecorded:
    fact = said(value, **about).fact
    return FactRecorded(fact=msgspec.structs.replace(fact, valid_from=start, valid_to=end))


def previewed(value: str, *, replaces: str = "", removes: bool = False, **about: Any) -> FactRecorded:
    """What a person says in the preview ``p``."""
    fact = said(value, **about).fact
    identity = msgspec.structs.replace(fact.identity, preview="p")
    return FactRecorded(fact=msgspec.structs.replace(fact, identity=identity, replaces=replaces, removes=removes))


async def everywhere(desk: FactDesk) -> None:
    """A ``note a`` in each scope, and further names around it."""
    for scope, owner, chain in (
        ("permanent", "shared", "book.permanent.shared"),
        ("session", "s", "book.session.s"),
        ("thread", "t", "thread.t"),
    ):
        for name in ("b", "a"):
            about = {"subject": "entity" if scope == "permanent" else "note", "scope": scope, "owner": owner}
            await desk.write(chain, said(f"{name} of {scope}", name=name, **about), caller=PERSON)
        await desk.write(
            chain, said(f"c of {scope}", subject="statement", name="c", scope=scope, owner=owner), caller=PERSON
        )


async def paged(reading: Reading, request: FactsRequest, viewer: Viewer, limit: int) -> list[tuple[FactView, ...]]:
    """The pages of a list, to the last."""
    pages: list[tuple[FactView, ...]] = []
    cursor = ""
    while True:
        wanted = msgspec.structs.replace(request, limit=limit, cursor=cursor)
        page: FactsReply = await reading.list(wanted, viewer)
        pages.append(page.facts)
        cursor = page.cursor
        if not cursor:
            return pages


def values(facts: Any) -> list[str]:
    return [fact.value for fact in facts]


# Order and pages


async def test_one_name_stands_together_across_scopes(desk: FactDesk) -> None:
    """By subject and name; of one name the thread's before the session's before the permanent one."""
    await everywhere(desk)
    await desk.catch_up()
    expected = [
        "a of permanent",
        "b of permanent",
        "a of thread",
        "a of session",
        "b of thread",
        "b of session",
        "c of thread",
        "c of session",
        "c of permanent",
    ]
    for viewer in (Viewer(PERSON, "t", "s"), Viewer(BUILDER, "t", "s")):
        assert values(await desk.listed(viewer, HERE)) == expected
        pages = await paged(desk.reading, HERE, viewer, 2)
        assert [values(page) for page in pages] == [expected[at : at + 2] for at in range(0, 9, 2)]


async def test_what_does_not_change_comes_once_while_others_come_and_change(desk: FactDesk) -> None:
    """Between two pages a fact before the cursor changes, one comes before it and one behind it."""
    for name in "bdfh":
        await desk.write("thread.t", recorded(name, subject="note", name=name))
    await desk.catch_up()
    viewer, request = Viewer(BUILDER, "t"), FactsRequest(thread="t", limit=2)
    first = await desk.reading.list(request, viewer)
    await desk.write("thread.t", *(recorded(name, subject="note", name=name) for name in "ag"))
    await desk.write("thread.t", recorded("b again", subject="note", name="b"))
    await desk.catch_up()
    rest = await desk.reading.list(msgspec.structs.replace(request, cursor=first.cursor, limit=9), viewer)
    assert values(first.facts) == ["b", "d"]
    assert values(rest.facts) == ["f", "g", "h"]


async def test_many_facts_of_one_owner_come_in_the_order_in_which_they_changed(desk: FactDesk) -> None:
    """Over 1,024 of them: each once, and a list that grew so long between two pages goes on as it began."""
    many = limits.FOUND_AT_ONCE
    names = [f"n{number:04}" for number in range(many)]
    for start in range(0, many, 128):
        some = reversed(names[start : start + 128])
        await desk.write("thread.t", *(recorded(name, subject="note", name=name) for name in some))
    await desk.catch_up()
    viewer, request = Viewer(BUILDER, "t"), FactsRequest(thread="t", scope="thread", limit=1000)
    grouped = await desk.reading.list(request, viewer)
    assert values(grouped.facts) == names[:1000]
    await desk.write("thread.t", recorded("zz", subject="note", name="zz"), recorded("a", subject="note", name="a"))
    await desk.catch_up()
    rest = await desk.reading.list(msgspec.structs.replace(request, cursor=grouped.cursor), viewer)
    assert values(rest.facts) == [*names[1000:], "zz"]
    assert rest.cursor == ""
    pages = await paged(desk.reading, request, viewer, 400)
    assert [len(page) for page in pages] == [400, 400, 226]
    assert sorted(value for page in pages for value in values(page)) == sorted([*names, "a", "zz"])


async def test_a_cursor_of_documents_that_were_made_again_is_refused(
    desk: FactDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its revision is of another generation, in whose order it says nothing."""
    await everywhere(desk)
    await desk.catch_up()
    monkeypatch.setattr(limits, "FOUND_AT_ONCE", 0)
    page = await desk.reading.list(FactsRequest(scope="thread", limit=1), Viewer(PERSON))
    assert int(page.cursor.removeprefix("thread:")) < revisions.SPAN
    with pytest.raises(Invalid, match="made again since"):
        await desk.reading.list(FactsRequest(scope="thread", cursor=f"thread:{revisions.SPAN + 1}"), Viewer(PERSON))


@pytest.mark.parametrize("cursor", ["thread:fact.t.n", "thread:fact.t.n*.a", "other:fact.t.n.a", "thread:x.t.n.a"])
async def test_a_cursor_that_names_no_document_is_refused(desk: FactDesk, cursor: str) -> None:
    """A key has an owner, a subject and a name, and no wildcard."""
    with pytest.raises(Invalid, match="no cursor"):
        await desk.reading.list(FactsRequest(thread="t", cursor=cursor), Viewer(BUILDER, "t"))


class Counted:
    """A bucket whose calls are counted by name."""

    def __init__(self, inner: Documents, calls: Counter[str]) -> None:
        self._inner = inner
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        self._calls[name] += 1
        return getattr(self._inner, name)


def counted(store: Store) -> tuple[Store, Counter[str]]:
    calls: Counter[str] = Counter()
    permanent, session, thread = (
        cast("Documents", Counted(bucket, calls)) for bucket in (store.permanent, store.session, store.thread)
    )
    return replace(store, permanent=permanent, session=session, thread=thread), calls


def reading_of(desk: FactDesk, store: Store | None = None, labels: Labels | None = None) -> Reading:
    lookup = Lookup(store or desk.store, desk.kinds, desk.clock)
    viewing = Viewing(lookup, desk.kinds, desk.clock, labels or Labels())
    return Reading(store or desk.store, lookup, viewing, desk.clock)


async def test_a_view_of_three_scopes_is_one_round_trip_a_bucket(desk: FactDesk) -> None:
    """300 facts of a thread, its session and everyone: three reads, the session's record in one of them."""
    for scope, owner, chain in (
        ("thread", "t", "thread.t"),
        ("session", "s", "book.session.s"),
        ("permanent", "shared", "book.permanent.shared"),
    ):
        about = {"subject": "entity" if scope == "permanent" else "note", "scope": scope, "owner": owner}
        await desk.write(chain, *(said("v", name=f"n{n}", **about) for n in range(100)), caller=PERSON)
    await desk.catch_up()
    store, calls = counted(desk.store)
    request = FactsRequest(thread="t", session="s", limit=300)
    found = await reading_of(desk, store).list(request, Viewer(BUILDER, "t", "s"))
    assert len(found.facts) == 300
    assert calls == {"few": 3}


# Filters


@pytest.mark.usefixtures("either_order")
async def test_a_subject_is_filtered_by_key(desk: FactDesk) -> None:
    """Names and subjects that are not Latin are found by their own words, and no others (F71, F88)."""
    for subject in ("note", "notes", "предпочтение", "决定", "🧪"):
        await desk.write("thread.t", recorded(f"of {subject}", subject=subject, name="имя"), caller=EXTRACTION)
    await desk.catch_up()
    for subject in ("note", "предпочтение", "决定", "🧪"):
        for request in (FactsRequest(thread="t", subject=subject), FactsRequest(scope="thread", subject=subject)):
            found = await desk.listed(Viewer(PERSON, request.thread), request)
            assert [(fact.value, fact.identity.name) for fact in found] == [(f"of {subject}", "имя")]
    assert await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", subject="not")) == []


async def test_labels_pins_proposals_and_conflicts_filter(desk: FactDesk) -> None:
    """Each keeps what has it; several labels keep what has all of them, written as they like."""
    labels = Labels({"urgent": 1, "Öl": 2})
    a, b = (written("thread.t", 1, index, PERSON) for index in range(2))
    await desk.write("thread.t", *(said(name, subject="note", name=name) for name in "ab"), caller=PERSON)
    await desk.write("thread.t", FactLabelled(id=a, add=(1, 2)), FactPinned(id=a), caller=PERSON)
    await desk.write("thread.t", FactLabelled(id=b, add=(1, 9)), caller=PERSON)
    await desk.write("thread.t", recorded("uv", subject="decision"), recorded("other", subject="note", name="b"))
    await desk.catch_up()
    reading = reading_of(desk, labels=labels)

    async def kept(**filters: Any) -> list[str]:
        return values((await reading.list(FactsRequest(thread="t", **filters), Viewer(PERSON, "t"))).facts)

    assert await kept() == ["uv", "a", "b"]
    assert await kept(labels=("Urgent",)) == ["a", "b"]
    assert await kept(labels=(" urgent ", "öl")) == ["a"]
    assert await kept(labels=("#9",)) == ["b"]
    assert await kept(pinned=True) == ["a"]
    assert await kept(proposed=True) == ["uv"]
    assert await kept(conflicts=True) == ["b"]
    with pytest.raises(Invalid, match=r"no label 'nobody' \(there are urgent, öl\)"):
        await kept(labels=("nobody",))
    found = (await reading.list(FactsRequest(thread="t", labels=("#9",)), Viewer(PERSON, "t"))).facts
    assert found[0].labels == ("urgent", "#9")


@pytest.mark.usefixtures("either_order")
async def test_what_changed_since_a_position(desk: FactDesk) -> None:
    """What came, what was replaced and by what, what was deleted and what was pinned, whatever its state."""
    for name in "abcde":
        await desk.write("thread.t", said(f"{name}1", subject="note", name=name), caller=PERSON)
    since = len(await desk.stored())
    await desk.write("thread.t", said("b2", subject="note", name="b"), caller=PERSON)
    await desk.write("thread.t", FactDeleted(id=written("thread.t", 3, 0, PERSON)), caller=PERSON)
    await desk.write("thread.t", FactPinned(id=written("thread.t", 4, 0, PERSON)), caller=PERSON)
    await desk.write("thread.t", said("f1", subject="note", name="f"), caller=PERSON)
    await desk.catch_up()
    for request in (FactsRequest(thread="t", since=since), FactsRequest(scope="thread", since=since)):
        found = await desk.listed(Viewer(PERSON, request.thread), request)
        assert sorted((fact.value, fact.state) for fact in found) == [
            ("b1", "superseded"),
            ("b2", "current"),
            ("c1", "deleted"),
            ("d1", "current"),
            ("f1", "current"),
        ]
    assert await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", since=since + 4)) == []


@pytest.mark.parametrize("values", [4, 20])
async def test_what_came_late_changed_too(desk: FactDesk, values: int) -> None:
    """An import from before everything else: what it adds to was changed, also where the document folded it away."""
    for number in range(1, values + 1):
        await desk.write("thread.t", said(f"v{number}", at=NOON - HOUR + number), caller=PERSON)
    await desk.write("thread.t", said("v0", at=NOON - 2 * HOUR), caller=PERSON)
    await desk.catch_up()
    found = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", since=values))
    assert (f"v{values}", "current") in [(fact.value, fact.state) for fact in found]
    assert await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", since=values + 1)) == []


# Moments


async def test_what_was_known_and_what_held_at_a_moment(desk: FactDesk) -> None:
    """A job that changed: in force now is one, history has both, and each moment its own (F55)."""
    await desk.write("thread.t", said("programmer", subject="note", name="job"), caller=PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.write("thread.t", said("student", subject="note", name="job"), caller=PERSON)
    desk.clock.advance(ms=HOUR)
    await desk.catch_up()

    async def at(**moment: Any) -> list[str]:
        return values(await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", **moment)))

    assert await at() == ["student"]
    assert await at(recorded=NOON + HOUR - 1) == ["programmer"]
    assert await at(recorded=NOON - 1) == []
    everything = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", all=True))
    assert values(everything) == ["programmer", "student"]


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles"])
def other_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's own time is another than UTC."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("other_zone")
async def test_moments_near_midnight_are_the_same_in_every_zone(desk: FactDesk) -> None:
    """Written at 23:30Z and at 00:30Z: a moment of midnight UTC is between them wherever the worker runs (F84)."""
    midnight = NOON + 12 * HOUR
    desk.clock.set(midnight - HOUR // 2)
    await desk.write("thread.t", said("before", subject="note", name="a"), caller=PERSON)
    desk.clock.set(midnight + HOUR // 2)
    await desk.write("thread.t", said("after", subject="note", name="b"), caller=PERSON)
    await desk.write("thread.t", dated("until", None, midnight, subject="note", name="c"), caller=PERSON)
    await desk.write("thread.t", dated("from", midnight, subject="note", name="d"), caller=PERSON)
    await desk.catch_up()
    found = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", recorded=midnight))
    assert values(found) == ["before"]
    held = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", valid=midnight))
    assert values(held) == ["before", "after", "from"]
    held = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t", valid=midnight - 1))
    assert values(held) == ["before", "after", "until"]


@pytest.mark.usefixtures("either_order")
async def test_an_earlier_moment_is_answered_from_the_log(desk: FactDesk) -> None:
    """Forty values of two facts: the documents keep sixteen of each, and the third is known of its own moment."""
    for number in range(40):
        both = [said(f"{name}{number}", subject="note", name=name) for name in "ab"]
        await desk.write("thread.t", *both, caller=PERSON)
        desk.clock.advance(ms=HOUR)
    await desk.catch_up()
    request = FactsRequest(thread="t", recorded=NOON + 2 * HOUR)
    assert values(await desk.listed(Viewer(PERSON, "t"), request)) == ["a2", "b2"]


# Previews, sessions, damage


@pytest.mark.usefixtures("either_order")
async def test_a_preview_stands_in_place_of_what_is_live_for_its_viewer_alone(desk: FactDesk) -> None:
    """One fact replaced, one taken away, one added: in either order of a list, each once."""
    await desk.write("thread.t", *(recorded(f"{name} live", subject="note", name=name) for name in "abc"))
    ids = [written("thread.t", 1, index) for index in range(3)]
    own = (
        previewed("a new", subject="note", name="a", replaces=ids[0]),
        previewed("", subject="note", name="b", replaces=ids[1], removes=True),
        previewed("d new", subject="note", name="d"),
    )
    await desk.write("thread.t", *own, caller=PERSON)
    await desk.catch_up()
    live, seen = ["a live", "b live", "c live"], ["a new", "c live", "d new"]
    for request in (FactsRequest(thread="t"), FactsRequest(scope="thread")):
        plain = await desk.listed(Viewer(PERSON, request.thread), request)
        assert sorted(values(plain)) == live
        viewer = Viewer(PERSON, request.thread, preview="p")
        wanted = msgspec.structs.replace(request, preview="p")
        assert sorted(values(await desk.listed(viewer, wanted))) == seen
        pages = await paged(desk.reading, wanted, viewer, 1)
        assert sorted(value for page in pages for value in values(page)) == seen
        other = Viewer(PERSON, request.thread, preview="q")
        assert sorted(values(await desk.listed(other, msgspec.structs.replace(request, preview="q")))) == live


@pytest.mark.usefixtures("either_order")
async def test_an_expired_session_is_not_shown_in_either_order(desk: FactDesk) -> None:
    """A day after its last write nobody sees its facts; one that is written to stays."""
    for session in ("s", "u"):
        fact = said(f"of {session}", subject="service", scope="session", owner=session)
        await desk.write(f"book.session.{session}", fact, caller=PERSON)
        desk.clock.advance(seconds=3600)
    desk.clock.advance(seconds=limits.SESSION_SECONDS - 3600 - 60)
    await desk.catch_up()
    for request in (FactsRequest(session="s", scope="session"), FactsRequest(scope="session")):
        found = await desk.listed(Viewer(PERSON, session=request.session), request)
        assert values(found) == ([] if request.session else ["of u"])


@pytest.mark.usefixtures("either_order")
async def test_a_document_that_cannot_be_read_is_named(desk: FactDesk) -> None:
    """The others are listed, and the reply says which one is left out."""
    await desk.write("thread.t", *(recorded(f"of {name}", subject="note", name=name) for name in "abc"))
    await desk.catch_up()
    key = subjects.fact_key("t", "note", "b")
    await desk.store.thread.put(key, b"{")
    for request in (FactsRequest(thread="t"), FactsRequest(scope="thread")):
        reply = await desk.reading.list(request, Viewer(PERSON, request.thread))
        assert (values(reply.facts), reply.damaged) == (["of a", "of c"], (key,))


@pytest.mark.usefixtures("either_order")
async def test_a_filter_that_keeps_nothing_goes_on_in_pages(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many documents a page ends, even an empty one, and its cursor goes on."""
    monkeypatch.setattr("eunoe.facts.reading._LOOKED_AT", 3)
    for name in "abcdefgh":
        await desk.write("thread.t", recorded(name, subject="note", name=name))
    await desk.catch_up()
    pages = await paged(desk.reading, FactsRequest(scope="thread", pinned=True), Viewer(PERSON), 9)
    assert [len(page) for page in pages] == [0, 0, 0]


@pytest.mark.usefixtures("either_order")
async def test_every_list_goes_by_one_predicate(desk: FactDesk) -> None:
    """What a viewer may not see is in no list, whatever is asked for (F65, F76)."""
    await everywhere(desk)
    await desk.write("thread.u", recorded("other thread", subject="note", name="a", owner="u"))
    await desk.write(
        "book.permanent.reviewer",
        said("other agent", subject="entity", name="a", scope="permanent", owner="reviewer"),
        caller=PERSON,
    )
    await desk.catch_up()
    everything = [
        FactsRequest(thread="t", session="s", all=every, since=since) for every in (False, True) for since in (0, 1)
    ]
    everything += [FactsRequest(thread="t", subject="note"), FactsRequest(agent="reviewer", thread="t")]
    everything += [FactsRequest(thread="t", recorded=NOON), FactsRequest(thread="t", preview="p")]
    for request in everything:
        found = await desk.listed(Viewer(BUILDER, "t", request.session, request.preview), request)
        assert not {"other thread", "other agent"} & set(values(found))
        assert all(fact.identity != Identity("session", "s", "note", "a") or request.session for fact in found)
