"""Cursors and the order of grouped lists: what a reply gives is read back, and every document has one place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.facts import pages
from eunoe.facts.pages import ORDER, Cursor
from eunoe.runtime import revisions
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Invalid

names = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=40).filter(str.strip)
keys = st.builds(subjects.fact_key, names, names, names, st.just("") | names)


@given(bucket=st.sampled_from(ORDER), key=keys, revision=st.integers(0, 10 * revisions.SPAN))
def test_a_cursor_is_read_back(bucket: subjects.Bucket, key: str, revision: int) -> None:
    """Of any document, by its key or by its revision."""
    for cursor in (Cursor(bucket, key=key), Cursor(bucket, revision=revision)):
        assert pages.read(str(cursor)) == cursor


@given(places=st.lists(st.tuples(st.sampled_from(ORDER), keys), unique=True, max_size=20))
def test_every_document_has_a_place_of_its_own(places: list[tuple[subjects.Bucket, str]]) -> None:
    """So that what comes after a cursor is what was not shown, whatever else there is."""
    assert len({pages.place(bucket, key) for bucket, key in places}) == len(places)


def test_one_name_stands_together() -> None:
    """By subject, name, scope and owner, and a preview's behind the live one."""
    shown = [
        ("permanent", subjects.fact_key("shared", "entity", "z")),
        ("thread", subjects.fact_key("t", "note", "a")),
        ("thread", subjects.fact_key("t", "note", "a", "p")),
        ("session", subjects.fact_key("s", "note", "a")),
        ("permanent", subjects.fact_key("builder", "note", "a")),
        ("permanent", subjects.fact_key("shared", "note", "a")),
        ("thread", subjects.fact_key("a", "note", "b")),
        ("thread", subjects.fact_key("t", "notes", "a")),
    ]
    buckets: dict[str, subjects.Bucket] = {bucket: bucket for bucket in ORDER}
    assert sorted(shown, key=lambda one: pages.place(buckets[one[0]], one[1])) == shown


def test_a_name_too_long_for_a_key_has_a_place_too() -> None:
    """It is in its key by a digest, which a cursor carries like any other name."""
    key = subjects.fact_key("t", "note", "n" * 500)
    assert ids.key_token("n" * 500) in key
    assert pages.read(f"thread:{key}") == Cursor("thread", key=key)


@pytest.mark.parametrize("cursor", ["thread", "thread:", ":1", "thread:-1", "thread:1.5", "thread:٣", "a:b:c"])
def test_what_no_reply_gave_is_no_cursor(cursor: str) -> None:
    """Half a cursor, another number, other letters."""
    with pytest.raises(Invalid, match="no cursor"):
        pages.read(cursor)


def test_a_revision_of_another_generation_goes_on_nowhere() -> None:
    """The documents were made again, in another order; the beginning of a bucket, and a key, are of no generation."""
    old, now = Cursor("thread", revision=5), revisions.of(2, 9)
    pages.check(old, 9)
    with pytest.raises(Invalid, match="from the beginning"):
        pages.check(old, now)
    for cursor in (None, Cursor("thread"), Cursor("thread", key="fact.t.note.a"), Cursor("thread", revision=now)):
        pages.check(cursor, now)
