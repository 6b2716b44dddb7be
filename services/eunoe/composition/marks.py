"""The labels around everything derived, and how data is kept from forging them.

A label begins ``<eunoe-`` or ``</eunoe-``. Inside, whatever looks like one gets a backslash after its
bracket, and one more where it already had some, so that taking one away gives back exactly what was there. Pure.
"""

from __future__ import annotations

import json
import re

from eunoe.schemas.labels import record_id

_ESCAPE = re.compile(r"<(\\*)(/?eunoe-)", re.IGNORECASE)
_UNPLAIN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\s|\s$|^\"| — from |^$")
_SURROGATE = re.compile("[\ud800-\udfff]")


def escape(text: str) -> str:
    return _ESCAPE.sub(r"<\\\1\2", text)


def label(kind: str, body: str) -> str:
    """``body`` as a labelled record; its id is a digest of the body, so an unchanged record stays the same."""
    inside = escape(body)
    return f'<eunoe-record kind="{kind}" id="{record_id(kind, inside)}">\n{inside}\n</eunoe-record>'


def one_line(value: str, also: str = "") -> str:
    """``value`` itself where it is plain text on one line, else as a JSON string; only one begins with a quote.

    ``also``: a separator that a plain value may not hold.
    """
    if (not _plain(value) and _UNPLAIN.search(value)) or (also and also in value):
        return json.dumps(value, ensure_ascii=bool(_SURROGATE.search(value))).translate(_BREAKS)
    return value


def _plain(value: str) -> bool:
    """Whether it is easily told that a value is plain: printable ASCII with neither space nor quote at its ends."""
    return value.isascii() and value.isprintable() and value.strip(' "') == value != ""


def is_own_json(text: str) -> bool:
    """Whether it is easily told that text stands in a JSON string as it is."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def unbroken(json_text: str) -> str:
    """JSON text without line feeds, as one line for every reader: what else ends one is escaped in its strings."""
    return json_text.translate(_BREAKS)


def clean(text: str) -> str:
    """``text`` with halves of surrogate pairs, which no request can carry, replaced by U+FFFD."""
    return text if text.isascii() or not _SURROGATE.search(text) else _SURROGATE.sub("\ufffd", text)


_BREAKS = {
    ordinal: f"\\u{ordinal:04x}" for ordinal in (*range(0x7F, 0xA0), 0x2028, 0x2029)
}  # json leaves these as they are, and some of them end a line
