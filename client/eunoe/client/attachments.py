"""Content that is not text, as providers write it, turned into attachments."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any

from eunoe.schemas import limits
from eunoe.schemas.events import Attachment

FILE = "application/octet-stream"
KEPT_BYTES = 192 * limits.KIB  # bytes of an attachment that its entry holds


def read(part: Mapping[str, Any]) -> Attachment | None:
    """The attachment of a content part (an image, a file, a sound), or None for a part of another kind.

    Bytes over `KEPT_BYTES` are kept by size and digest only; a link is kept as the name.
    """
    match part:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return _from_url(url, "image/*")
        case {"type": "input_image" | "computer_screenshot", "image_url": str(url)}:
            return _from_url(url, "image/*")
        case {"type": "input_image" | "computer_screenshot", "file_id": str(name)}:
            return _link("image/*", name)
        case {"type": "image" | "document", "source": {"type": "file", "file_id": str(name)}}:
            return _link("image/*" if part["type"] == "image" else FILE, name)
        case {"type": "image" | "document", "source": {"type": "url", "url": str(url)}}:
            return _from_url(url, "image/*" if part["type"] == "image" else FILE)
        case {"type": "image" | "document", "source": {"media_type": str(media), "data": str(data)}}:
            return _from_data(media, data, str(part.get("title") or ""))
        case {"type": "image", "mimeType": str(media), "data": str(data)}:
            return _from_data(media, data, "")
        case {"type": "input_audio", "input_audio": {"data": str(data)}}:
            return _from_data(f"audio/{part['input_audio'].get('format') or '*'}", data, "")
        case {"type": "file", "file": Mapping() as file}:
            return _file(file)
        case {"type": "input_file"}:
            return _file(part)
    return None


def _file(file: Mapping[str, Any]) -> Attachment | None:
    """A file by its bytes, as a data URL or as base64 alone, else by where or what it is."""
    match file:
        case {"file_data": str(data)}:
            name = str(file.get("filename") or "")
            return _from_url(data, FILE, name) if data.startswith("data:") else _from_data(FILE, data, name)
        case {"file_url": str(link)} | {"file_id": str(link)}:
            return _link(FILE, link)
    return None


def _from_url(url: str, media: str, name: str = "") -> Attachment:
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not comma:
        return _link(media, url)
    found = head.removeprefix("data:").partition(";")[0] or "text/plain"
    return _from_data(found, data, name)


def _from_data(media: str, data: str, name: str) -> Attachment:
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raw = data.encode()
    kept = base64.b64encode(raw).decode() if len(raw) <= KEPT_BYTES else ""
    return Attachment(
        media_type=media, size=len(raw), digest=hashlib.sha256(raw).hexdigest(), name=name[: limits.ID_BYTES], data=kept
    )


def _link(media: str, url: str) -> Attachment:
    """What is only pointed at: the digest is that of the link, and the size is 0."""
    return Attachment(media_type=media, size=0, digest=hashlib.sha256(url.encode()).hexdigest(), name=url)
