"""Text that JSON can hold and UTF-8 cannot: halves of surrogate pairs, as cut-off outputs leave them."""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def mend(text: str) -> str:
    """``text`` with every half of a surrogate pair replaced by U+FFFD."""
    return _HALF.sub(REPLACEMENT, text)


def mend_value(value: Any) -> tuple[Any, int]:
    """A JSON value with every text in it mended, and how many halves there were."""
    if isinstance(value, str):
        return _HALF.subn(REPLACEMENT, value)
    if isinstance(value, list):
        items = [mend_value(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(value, dict):
        pairs = [(mend_value(key), mend_value(item)) for key, item in value.items()]
        return {key[0]: item[0] for key, item in pairs}, sum(key[1] + item[1] for key, item in pairs)
    return value, 0
