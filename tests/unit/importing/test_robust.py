"""Whatever stands in a file, a reader names it or reads it; it never fails."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.client.importing import FORMATS, Format, read
from eunoe.client.importing.prepare import Naming, plan
from eunoe.schemas.errors import Invalid
from eunoe.schemas.subjects import Caller

KEYS = st.sampled_from(
    [
        *(
            "role",
            "content",
            "messages",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "id",
            "tool_call_id",
            "refusal",
        ),
        *("type", "text", "message", "sessionId", "uuid", "parentUuid", "isSidechain", "timestamp", "toolUseResult"),
        *("tool_use_id", "input", "source", "usage", "history", "trajectory", "state", "action", "observation"),
        *("eunoe_export", "subject", "position", "data", "anchor", "is_error", "image_url", "url", "thinking"),
    ]
)
WORDS = st.sampled_from(
    [
        *("user", "assistant", "tool", "system", "text", "tool_use", "tool_result", "image_url", "thinking", "summary"),
        *("", "a", "\ud800", "\x00", "2026-01-01", "data:image/png;base64,AA", "eunoe.default.thread.t.log", "{}"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats(allow_nan=False) | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6))
NAMING = Naming("t", "d" * 64, Caller("person", "ada"))


@pytest.mark.parametrize("format_", FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(rows=st.lists(VALUES, min_size=1, max_size=5), whole=st.booleans())
def test_no_value_breaks_a_reader(tmp_path: Path, format_: Format, rows: list[object], whole: bool) -> None:
    """Any JSON, as one value or as lines, gives turns and problems, or the error of a file that is no transcript."""
    path = tmp_path / "file"
    path.write_text(json.dumps(rows[0]) if whole else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    with suppress(Invalid):
        for item in plan(read(path, format_), NAMING):
            assert item.line >= 0
