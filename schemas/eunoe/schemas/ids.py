"""Ids: what may be one, and their injective form as one token of a subject or key.

``[A-Za-z0-9_-]`` stands for itself; every other byte of the UTF-8 becomes ``=XX`` (upper-case hex, as in
RFC 2045's quoted-printable). ``=`` itself is escaped, so two ids never share a token and no id can
hold a separator or a wildcard. ``=`` followed by no hex digit is free for names of our own.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
import unicodedata

from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

_PLAIN = re.compile(r"[A-Za-z0-9_-]+\Z")
_TOKEN = re.compile(r"(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+\Z")
_SPACE = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z")
_KEPT = 4_096  # ids whose other form is remembered
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def check(value: str, what: str, limit: int = limits.ID_BYTES) -> str:
    """``value`` itself when it can be the id of a ``what``; raises `Invalid` saying why when it cannot."""
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"the {what} id is empty; give one of 1 to {limit} bytes")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise Invalid(f"the {what} id {value!r} holds half of a surrogate pair; it must be valid Unicode") from None
    if size > limit:
        raise Invalid(f"the {what} id is {size} bytes long; the limit is {limit}, and ids are never cut")
    if not value.isprintable() and any(unicodedata.category(character) == "Cc" for character in value):
        raise Invalid(f"the {what} id {value!r} holds a control character; remove it")
    return value


def check_model(value: str) -> str:
    """``value`` itself when it can name a model; raises `Invalid` saying why when it cannot."""
    if not value.strip():
        raise Invalid(f"a model's name is empty; give one of 1 to {limits.MODEL_CHARACTERS} characters")
    if len(value) > limits.MODEL_CHARACTERS:
        raise Invalid(f"a model's name has at most {limits.MODEL_CHARACTERS} characters, not {len(value):,}")
    return value


def check_space(value: str) -> str:
    """``value`` itself when it can name a space, which becomes part of the names of streams and buckets."""
    if len(value) > limits.SPACE_LENGTH or not _SPACE.match(value):
        raise Invalid(f"the space {value!r} must be 1 to {limits.SPACE_LENGTH} of a-z, 0-9 and - (not at an edge)")
    return value


@functools.lru_cache(maxsize=_KEPT)
def encode(value: str) -> str:
    """The token for a checked id: injective, without separators or wildcards."""
    if _PLAIN.match(value):
        return value
    return "".join(chr(byte) if byte in _SAFE else f"={byte:02X}" for byte in value.encode())


@functools.lru_cache(maxsize=_KEPT)
def decode(token: str) -> str:
    """The id that ``token`` stands for; raises `Invalid` on what `encode` never writes."""
    if _PLAIN.match(token):
        return token
    if not _TOKEN.match(token):
        raise Invalid(f"{token!r} is not an encoded id")
    raw = re.sub(rb"=([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), token.encode())
    try:
        value = raw.decode()
    except UnicodeDecodeError:
        raise Invalid(f"{token!r} is not an encoded id") from None
    if encode(value) != token:
        raise Invalid(f"{token!r} is not an encoded id")
    return value


def key_token(value: str) -> str:
    """The token for a name in a document key: as `encode`, or ``=-`` and a digest when that is too long.

    The digest form cannot be decoded; the document holds the name.
    """
    token = encode(value)
    if len(token) <= limits.KEY_LENGTH:
        return token
    return "=-" + hashlib.sha256(value.encode()).hexdigest()


def fact_id(chain: str, origin: str, index: int) -> str:
    """``f`` and 10 base32 characters of SHA-256 over the chain, the append (`records.origin`) and the index in it.

    An append's producer and number are the same wherever the same turns are brought in, and whenever their
    facts are derived; a record's number is not.
    """
    digest = hashlib.sha256(f"{chain}\x00{origin}\x00{index}".encode()).digest()
    return "f" + base64.b32encode(digest)[:10].decode().lower()
