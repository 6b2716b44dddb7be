"""Which format a file holds, told from its content; what is no transcript is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eunoe.client.importing import detect, other
from eunoe.schemas.errors import Invalid

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
CODE = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}
AGENT = {"trajectory": [], "history": [{"role": "user", "content": "hi"}], "info": {}}


def lines(*values: object) -> str:
    return "\n".join(json.dumps(value) for value in values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps({"messages": CHAT}), "openai"),
        (json.dumps({"messages": CHAT}, indent=2), "openai"),
        (json.dumps(CHAT), "openai"),
        (json.dumps(CHAT, indent=2), "openai"),
        (json.dumps([CHAT, CHAT]), "openai"),
        (lines(*CHAT), "openai"),
        (lines({"messages": CHAT}, {"messages": CHAT}), "openai"),
        (json.dumps(CHAT[0]), "openai"),
        ("[\n" + ",\n".join(map(json.dumps, CHAT)) + "\n]", "openai"),
        (lines(CODE), "claude_code"),
        (lines({"type": "summary", "summary": "x", "leafUuid": "u"}, CODE), "claude_code"),
        (lines({"type": "file-history-snapshot", "messageId": "m"}, CODE), "claude_code"),
        ("half a li\n" + lines(CODE, CODE), "claude_code"),
        (lines("massive error", 42, [1], CODE), "claude_code"),
        (json.dumps(AGENT), "swe_agent"),
        (json.dumps(AGENT, indent=1), "swe_agent"),
        (lines({"eunoe_export": 1, "space": "default", "time": 1}, {"anchor": {}}), "eunoe"),
        ("\ufeff" + lines(*CHAT), "openai"),
        ("\n\n" + lines(*CHAT) + "\n\n", "openai"),
        (lines(*CHAT).replace("\n", "\r\n"), "openai"),
    ],
)
def test_formats(tmp_path: Path, text: str, expected: str) -> None:
    """Whole values and JSON lines, on one line or many, with a byte order mark or blank lines."""
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8", newline="")

    assert detect(path) == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b" \n\n ", "is empty"),
        (b'{"messages": [{"role": "us', "no transcript: line 1 is not JSON"),
        (b'{\n "messages": [\n  {"role": "user",\n', "no transcript: line 4 is not JSON"),
        (b"Dear diary,\ntoday I", "no transcript: line 1 is not JSON"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is a binary file"),
        (b"\xff\xfe[\x00]\x00", "is UTF-16"),
        (b'{"messages": "caf\xe9"}', "not UTF-8"),
        (b"[]", "no format known here"),
        (b'{"silly": "this"}', "no format known here"),
        (b"42", "no format known here"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_transcript(tmp_path: Path, data: bytes, reason: str) -> None:
    """One clear line, no traceback of a decoder."""
    path = tmp_path / "file"
    path.write_bytes(data)

    with pytest.raises(Invalid, match=reason) as raised:
        detect(path)
    assert "\n" not in str(raised.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    """A missing file and a directory are named as such."""
    with pytest.raises(Invalid, match="there is no file"):
        detect(tmp_path / "nowhere")
    with pytest.raises(Invalid, match="is a directory"):
        detect(tmp_path)


def test_a_file_that_looks_like_another_format_than_it_should(tmp_path: Path) -> None:
    """That one is named; none where it looks as it should, or like no format."""
    chat, diary = tmp_path / "chat.json", tmp_path / "diary.txt"
    chat.write_text(json.dumps(CHAT), encoding="utf-8")
    diary.write_text("Dear diary,", encoding="utf-8")

    assert other(chat, "claude_code") == "openai"
    assert other(chat, "openai") is None
    assert other(diary, "openai") is None
    assert other(tmp_path / "nowhere", "openai") is None
