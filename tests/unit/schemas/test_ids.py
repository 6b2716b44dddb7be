"""Ids: any text up to 128 bytes is one, each with a token of its own; nothing else is."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.subjects import ROLES, Caller

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip()) and len(text.encode()) <= 128
)
awkward = st.sampled_from(
    ["a.b", "a:b", "a*", "a>", "*", ">", "a b", "a/b", "a%b", "a_b", "a=b", "a=2Eb", "=2E", "水", "🌊", "-", "A", "a"]
)
anything = texts | awkward


@given(anything)
def test_a_token_gives_its_id_back(text: str) -> None:
    """Encoding loses nothing."""
    assert ids.decode(ids.encode(ids.check(text, "thread"))) == text


@given(anything, anything)
def test_two_ids_never_share_a_token(one: str, other: str) -> None:
    """Encoding is injective, so nothing of one thread can reach another."""
    assert (ids.encode(one) == ids.encode(other)) == (one == other)


@given(anything)
def test_a_token_holds_no_separator_and_no_wildcard(text: str) -> None:
    """A token is one token of a subject and of a KV key, whatever the id."""
    assert re.fullmatch(r"[A-Za-z0-9_=-]+", ids.encode(text))


@given(st.text(max_size=600).filter(bool))
def test_a_long_name_has_a_short_token_of_its_own(text: str) -> None:
    """Over the limit the token is a digest, in a form that no encoded id has."""
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        return
    token = ids.key_token(text)
    assert len(token) <= 160
    assert token == ids.encode(text) or re.fullmatch(r"=-[0-9a-f]{64}", token)


@pytest.mark.parametrize("text", ["", " ", "\t", "\n "])
def test_an_empty_id_is_refused(text: str) -> None:
    """Nothing stands for *everything*."""
    with pytest.raises(Invalid, match="the thread id is empty"):
        ids.check(text, "thread")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x" * 129, "129 bytes long; the limit is 128, and ids are never cut"),
        ("水" * 43, "129 bytes long"),
        ("a\x00b", "control character"),
        ("a\x1bb", "control character"),
        ("\ud800", "half of a surrogate pair"),
    ],
)
def test_what_cannot_be_an_id_is_refused_with_the_reason(text: str, says: str) -> None:
    """128 bytes fit and 129 do not; control characters and half characters are named."""
    with pytest.raises(Invalid, match=says):
        ids.check(text, "thread")
    assert ids.check("x" * 128, "thread") == "x" * 128


@pytest.mark.parametrize("token", ["a.b", "a*", "=", "=2", "=2e", "=41", "a=ZZ", "=-00", "=FF", ""])
def test_a_token_that_encoding_never_writes_is_refused(token: str) -> None:
    """Lower-case hex, an escaped letter, half an escape, bytes that are no UTF-8."""
    with pytest.raises(Invalid):
        ids.decode(token)


@pytest.mark.parametrize("space", ["", "A", "a_b", "a.b", "-a", "a-", "a" * 33, "ä"])
def test_a_space_that_cannot_name_a_stream_is_refused(space: str) -> None:
    """Spaces become part of stream and bucket names."""
    with pytest.raises(Invalid):
        ids.check_space(space)


@given(anything, anything, st.sampled_from(ROLES))
def test_a_request_s_subject_gives_back_who_asks_and_of_what(thread: str, principal: str, role: subjects.Role) -> None:
    """Role, principal and chain survive the way through a subject."""
    caller = Caller(role, principal)
    for chain in (subjects.thread_chain(thread), subjects.book_chain("session", thread), ""):
        address = subjects.parse_request(subjects.request("space", "append", caller, chain))
        assert (address.verb, address.caller, address.chain) == ("append", caller, chain)


@pytest.mark.parametrize(
    "subject",
    ["eunoe.s.append.god.x.t", "eunoe.s.append.agent.x", "eunoe.s.append.agent.x.a.b.c", "eunoe.s.append.agent.x.=q"],
)
def test_a_subject_that_is_no_request_is_refused(subject: str) -> None:
    """An unknown role, too few tokens, too many, a token that is no id."""
    with pytest.raises(Invalid):
        subjects.parse_request(subject)


@pytest.mark.parametrize("rest", ["zzz.q", "space.erasures", "=q", "a.b.c", "t", ""])
def test_who_asks_is_read_whatever_it_is_about(rest: str) -> None:
    """A chain that cannot be leaves the role and the principal as they are."""
    assert subjects.asker(f"eunoe.s.append.agent.a=2Eb.{rest}") == Caller("agent", "a.b")


@pytest.mark.parametrize("subject", ["eunoe.s.append.god.x.t", "eunoe.s.append.agent.x", "eunoe.s.append.agent.=q.t"])
def test_nobody_asks_in_a_subject_without_a_principal(subject: str) -> None:
    """An unknown role, nothing behind the principal, a principal that is no id."""
    with pytest.raises(Invalid):
        subjects.asker(subject)


def test_a_fact_s_id_is_the_digest_of_where_its_event_stands() -> None:
    """An f and ten characters of base32, lower case, of the SHA-256 over chain, append and index."""
    digest = hashlib.sha256(b"thread.t\x00worker/extraction/extraction/3\x001").digest()
    assert (
        ids.fact_id("thread.t", "worker/extraction/extraction/3", 1)
        == "f" + base64.b32encode(digest).decode()[:10].lower()
    )
    assert len({ids.fact_id("thread.t", f"o/{n}", index) for n in range(100) for index in range(10)}) == 1000
