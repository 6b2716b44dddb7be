"""Quoting the bytes that hold a value: literal or not, across parts, at whole characters, in bounded memory."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from eunoe.facts.quoting import AROUND, Quotation, Quoter


def _quote(value: str, *parts: bytes) -> Quotation:
    quoter = Quoter(value)
    for part in parts:
        quoter.feed(part)
        if quoter.done:
            break
    return quoter.quotation()


def _letter(byte: bytes) -> bool:
    return re.fullmatch(rb"[A-Za-z0-9_\x80-\xff]", byte) is not None


def _stands_alone(content: bytes, at: int, value: bytes) -> bool:
    end = at + len(value)
    begins = not (_letter(value[:1]) and _letter(content[:at][-1:]))
    return begins and not (_letter(value[-1:]) and _letter(content[end : end + 1]))


def test_a_value_is_quoted_where_it_stands_as_a_word_of_its_own() -> None:
    """And where it never does, where it is a part of another; parts may end within either."""
    run = b"test_flag_is_passed_on PASSED\n" + b"." * 1000 + b" 154 passed in 7.02s"
    assert _quote("passed", run).value == (1035, 1041)
    assert _quote("passed", run[:20], run[20:1037], run[1037:1041], run[1041:]).value == (1035, 1041)
    assert _quote("passed", b"it passed").value == (3, 9)
    assert _quote("passed", b"is_", b"passed", b"_on").value == (3, 9)
    assert _quote("/srv", b"cd a/srv/scratch").value == (4, 8)


def test_a_short_content_is_quoted_whole() -> None:
    """The value is at bytes 9 to 12 of 16."""
    assert _quote("uv!", b"we chose uv! ok.") == Quotation(0, 16, "we chose uv! ok.", (9, 12))


def test_a_value_that_is_not_literally_there_gives_the_beginning() -> None:
    """400 bytes of a longer content, and no place of the value."""
    found = _quote("failed, exit status 1", b"x" * 1000)
    assert (found.start, found.end, found.text, found.value) == (0, 400, "x" * 400, None)
    assert _quote("v", b"") == Quotation(0, 0, "", None)


def test_a_value_that_was_cut_is_found_by_what_is_left_of_it() -> None:
    """``long…`` stands for a text that begins with ``long``."""
    assert _quote("long…", b"a long text").value == (2, 6)


def test_a_value_is_found_where_two_parts_meet() -> None:
    """Its offset counts from the beginning of the content, with as much before it as after it."""
    found = _quote("needle", b"a" * 10_000 + b"nee", b"dle" + b"b" * 10_000)
    assert found.value == (10_000, 10_006)
    assert (found.start, found.end) == (10_000 - 197, 10_000 - 197 + AROUND)
    assert found.text == "a" * 197 + "needle" + "b" * 197


def test_a_quotation_ends_at_whole_characters() -> None:
    """600 bytes of a character of three bytes: 133 of them are 399 bytes."""
    found = _quote("none", "€".encode() * 200)
    assert (found.end, found.text) == (399, "€" * 133)


def test_no_more_is_kept_than_may_still_be_needed() -> None:
    """A hundred parts of 64 KiB without the value leave less than one part in memory."""
    quoter = Quoter("needle")
    for _ in range(100):
        quoter.feed(b"x" * 65_536)
    assert all(len(one._part) <= AROUND + len("needle") for one in (quoter._words, quoter._anywhere))
    quoter.feed(b"needle")
    assert quoter.quotation().value == (100 * 65_536, 100 * 65_536 + 6)


@given(
    before=st.text(max_size=600),
    value=st.text(min_size=1, max_size=40).filter(lambda text: "…" not in text),
    after=st.text(max_size=600),
    size=st.integers(1, 700),
)
def test_any_value_is_found_in_any_parts(before: str, value: str, after: str, size: int) -> None:
    """The bytes that are named hold the value, and the text is the bytes from ``start`` to ``end``."""
    content = (before + value + after).encode()
    found = _quote(value, *(content[at : at + size] for at in range(0, len(content), size)))
    assert found.value is not None
    start, end = found.value
    places = [at for at in range(len(content)) if content.startswith(value.encode(), at)]
    assert start == next((at for at in places if _stands_alone(content, at, value.encode())), places[0])
    assert content[start:end] == value.encode()
    assert found.text == content[found.start : found.end].decode()
    assert found.start <= start
    assert end <= found.end
    assert found.end - found.start <= AROUND
