"""Records: what is sealed is read back, and what a newer version wrote is refused by name."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.schemas import blobs, events, limits, records
from eunoe.schemas.errors import (
    Damaged,
    ErrorReply,
    EunoeError,
    NewerSchema,
    TooLarge,
    TurnNotOpen,
    from_reply,
    to_reply,
)

text = st.text(st.characters(codec="utf-8"), max_size=60)


def header(**changes: int) -> records.Header:
    plain = records.Header(
        v=1,
        space="s",
        chain="thread.t",
        record=1,
        prev=records.GENESIS,
        time=5,
        role="agent",
        principal="a",
        producer="p",
        n=1,
        request="",
        digests=(),
    )
    return msgspec.structs.replace(plain, **changes)


@given(st.lists(text, min_size=1, max_size=5))
def test_a_record_gives_its_events_back(contents: list[str]) -> None:
    """Every character of a content survives: NUL, ESC, U+2028 and all planes."""
    sent = tuple(events.Prompt(content=content, turn=1, entry=index) for index, content in enumerate(contents))

    data, found = records.seal(header(), sent)
    record = records.read(9, data)

    assert record.events == sent
    assert (record.position, record.hash, record.header.record) == (9, found, 1)


def test_a_record_s_hash_is_that_of_its_header_s_bytes_which_hold_the_digests() -> None:
    """The rule, recomputed here with hashlib alone."""
    data, found = records.seal(header(), (events.Prompt(content="hi"),))

    wire = records.open_wire(data)
    assert hashlib.sha256(bytes(wire.header)).hexdigest() == found == wire.hash
    salted = bytes.fromhex(wire.salts[0]) + bytes(wire.events[0])
    assert records.open_header(wire.header).digests == (hashlib.sha256(salted).hexdigest(),)
    assert bytes(wire.events[0]) == b'{"type":"prompt","content":"hi"}'


def test_equal_contents_have_unequal_digests() -> None:
    """The salt keeps an erased content from being guessed by its digest."""
    one, two = (records.seal(header(), (events.Prompt(content="yes"),)) for _ in range(2))

    assert one[1] != two[1]


def test_a_field_that_an_older_version_did_not_write_has_its_default() -> None:
    """An older record is read: missing fields are what they were before they existed."""
    older = b'{"header":%b,"hash":"","salts":["00"],"events":[{"type":"turn.opened"}]}' % msgspec.json.encode(header())

    assert records.read(1, older).events == (events.TurnOpened(),)


def test_a_record_of_a_newer_version_is_refused_and_says_so() -> None:
    """Known fields or not, a newer version is named, with the way out."""
    newer = msgspec.json.encode(header(v=2))
    stranger = b'{"v":2,"shape":"new"}'

    for raw in (newer, stranger):
        with pytest.raises(NewerSchema, match="schema version 2; this is Eunoe with version 1"):
            records.open_header(raw)


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b'{"header":{},"hash":"","salts":[],"events":[]}'])
def test_what_is_no_record_is_damage(data: bytes) -> None:
    """Never a traceback of the decoder's."""
    with pytest.raises(Damaged):
        records.read(1, data)


@given(st.integers(0, 3 * limits.PIECE_BYTES // 100), st.sampled_from(["a", "é", "水", "🌊"]))
def test_pieces_join_to_the_content_and_excerpts_are_whole_characters(hundreds: int, character: str) -> None:
    """Whatever the width of a character and wherever the cut falls."""
    content = character * (hundreds * 100 // len(character.encode()))

    blob, pieces = blobs.split(content)

    data = content.encode()
    assert b"".join(pieces) == data
    assert (blob.size, blob.digest) == (len(data), hashlib.sha256(data).hexdigest())
    assert content.startswith(blob.head)
    assert content.endswith(blob.tail)
    assert len(blob.tail.encode()) > limits.EXCERPT_BYTES - 4 or blob.tail == content
    assert all(len(piece) <= limits.PIECE_BYTES for piece in pieces)


def test_64_mib_is_the_limit_of_a_content() -> None:
    """One byte more is refused with the limit and the way out."""
    with pytest.raises(TooLarge, match="67,108,865 bytes; the limit is 67,108,864"):
        blobs.split("x" * (limits.CONTENT_BYTES + 1))


def test_an_error_crosses_the_wire_with_its_kind_words_and_detail() -> None:
    """What is raised on one side is raised on the other; an unknown kind is an error still."""
    sent = TurnNotOpen("turn 3 was aborted", state="aborted")

    back = from_reply(msgspec.json.decode(msgspec.json.encode(to_reply(sent)), type=ErrorReply))

    assert type(back) is TurnNotOpen
    assert (str(back), back.detail) == ("turn 3 was aborted", {"state": "aborted"})
    assert type(from_reply(ErrorReply("from-the-future", "odd"))) is EunoeError


def test_an_error_without_words_says_its_docstring() -> None:
    """The docstring is the message."""
    assert str(TurnNotOpen()) == "The turn is not open, so nothing can be appended to it."
