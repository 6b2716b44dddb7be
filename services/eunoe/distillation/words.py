"""What was said in an entry, as far as it may be drawn from: nothing that memory itself wrote, and no secrets. Pure."""

from __future__ import annotations

from eunoe.extraction.secrets import body, redact
from eunoe.schemas.events import EntryBase, ToolCall
from eunoe.schemas.labels import without_records

LEFT_OUT = "\n…\n"  # stands between the head and the tail of what is kept in pieces
_ARGUMENTS = 4_096  # characters of a call's arguments
_OPENING, _CLOSING = "<eunoe-record ", "</eunoe-record>"


def said(entry: EntryBase) -> str:
    """The words of a prompt or reply; of one that is kept in pieces its head and its tail; none of an erased one."""
    if entry.erased:
        return ""
    blob = entry.blob
    parts = [entry.content] if blob is None else [blob.head, _after_record(blob.tail)]
    words = LEFT_OUT.join(without_records(part) for part in parts)
    return redact(words.replace("\r\n", "\n")).strip()


def arguments(call: ToolCall) -> str:
    """The arguments of a call, as far as anybody looks at them."""
    if call.erased:
        return ""
    return body((call.content if call.blob is None else call.blob.head)[:_ARGUMENTS])


def speaks(text: str) -> bool:
    """Whether a text has a letter or a digit of any script, so that anything can be drawn from it."""
    return any(character.isalnum() for character in text)


def _after_record(tail: str) -> str:
    """What follows a record of memory that began in what is left out: it cannot be told by its beginning."""
    end = tail.find(_CLOSING)
    return tail if end < 0 or 0 <= tail.find(_OPENING) < end else tail[end + len(_CLOSING) :]
