"""Secrets do not become facts: what looks like one is replaced before a name, value or body is kept. Pure.

Letters of other scripts count as edges (``\\b`` does not see one between a Chinese character and ``sk_``).
"""

from __future__ import annotations

import re
from typing import Any

from eunoe.extraction.templates import decoded, written

REDACTED = "[redacted]"

_EDGE = r"(?<![A-Za-z0-9_])"
_TOKENS = re.compile(
    _EDGE
    + r"(?:"
    + "|".join(
        (
            r"sk[-_](?:live|test|proj|ant|or)?[-_A-Za-z0-9]{8,}",
            r"[rp]k_(?:live|test)_[A-Za-z0-9]{8,}",
            r"(?:AKIA|ASIA)[A-Z0-9]{12,}",
            r"gh[opsur]_[A-Za-z0-9]{16,}",
            r"github_pat_[A-Za-z0-9_]{16,}",
            r"glpat-[A-Za-z0-9_-]{16,}",
            r"xox[abeoprs]-[A-Za-z0-9-]{8,}",
            r"AIza[A-Za-z0-9_-]{30,}",
            r"npm_[A-Za-z0-9]{30,}",
            r"pypi-[A-Za-z0-9_-]{30,}",
            r"hf_[A-Za-z0-9]{20,}",
            r"S[UAON][A-Z2-7]{54,}",
            r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        )
    )
    + r")"
)
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"(?i)(" + _EDGE + r"(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}")
_URL = re.compile(_EDGE + r"([a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@]{0,200}):[^\s/@]+@")
_WORDS = (
    r"pass(?:word|wd|phrase|code)|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential"
    r"|密码|口令|密钥|令牌|パスワード|비밀번호|пароль"
)
_GAP = r"\s{0,16}"  # as much space as may stand around what gives a name its value
_NAMED = re.compile(
    rf"(?i)((?:{_WORDS})[A-Za-z0-9_-]{{0,24}}\\*[\"']?{_GAP}(?:=|(?<!:):(?!:)|\uff1a|\uff1d|为|是|は|\bis\b){_GAP})"
    r"(?!\\*[\"']?\[redacted\]\\*[\"']?(?:[\s,;&|)}\]]|\Z))(?:\\*\"[^\"]*\"|\\*'[^']*'|[^\s,;&|)}\]]+)"
)
_NAME = re.compile(rf"(?i)(?:{_WORDS})\Z")
_FLAG = re.compile(r"(?i)(--?(?:password|passwd|pass|token|secret|api-?key)(?:=|\s+))(?:\"[^\"]*\"|'[^']*'|\S+)")


def redact(text: str) -> str:
    """``text`` with what looks like a secret replaced; the words that introduce it stay."""
    for pattern in (_KEY_BLOCK, _TOKENS):
        text = pattern.sub(REDACTED, text)
    text = _URL.sub(rf"\1:{REDACTED}@", text)
    for pattern in (_BEARER, _FLAG, _NAMED):
        text = pattern.sub(rf"\1{REDACTED}", text)
    return text


def without(value: Any) -> Any:
    """A decoded JSON value with `redact` done to every text in it, and what a key names as a secret replaced."""
    match value:
        case str():
            return redact(value)
        case list():
            return [without(element) for element in value]
        case dict():
            return {redact(key): _named(key, element) for key, element in value.items()}
        case _:
            return value


def body(text: str) -> str:
    """A fact's body with the same done to it: what is JSON stays JSON, and as it was written where it has no secret."""
    if text.lstrip()[:1] not in ("{", "["):
        return redact(text)
    try:
        found = decoded(text)
    except ValueError:
        return redact(text)
    kept = without(found)
    return text if kept == found else written(kept)


def _named(key: str, element: Any) -> Any:
    plain = element is not None and not isinstance(element, dict | list | bool)
    return REDACTED if plain and _NAME.search(key) else without(element)
