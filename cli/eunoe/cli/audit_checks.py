"""Checking the live log against what is kept outside of it, or an export on its own."""

from __future__ import annotations

import re
from pathlib import Path

from eunoe.audit.anchors import load_anchors, path_for
from eunoe.audit.contents import fetch
from eunoe.audit.export import verify_export
from eunoe.audit.verify import Verdict, Verifier
from eunoe.client import receipts
from eunoe.client.files import unreadable
from eunoe.runtime.session import Session
from eunoe.schemas.errors import Invalid, NotFound

_ROOT = re.compile("[0-9a-fA-F]{64}")


async def live(session: Session, thread: str = "", root: str = "") -> Verdict:
    """Every record of the log as it is now; what is outside is read first, so that it is never ahead of it.

    ``root``: that of an anchor, kept elsewhere.
    """
    await session.store.log.info()  # so that a space that is not there is said to be
    settings, verifier = session.settings, Verifier(thread=thread)
    kept = [line for line in receipts.read(settings.data / receipts.FILE) if line.space in ("", session.space)]
    verifier.expect(load_anchors(path_for(settings.anchors_path, session.space)), kept, root)
    async for stored in session.store.log.scan():
        verifier.feed(stored)
        for content in verifier.contents:
            verifier.check_pieces(content, await fetch(session.store, content.thread, content.blob))
        verifier.contents.clear()
    if not thread:
        info = await session.store.log.info(gaps=True)
        verifier.gaps(info.gaps, info.first)
    return _known(verifier.verdict(), thread)


def exported(file: Path, thread: str = "") -> Verdict:
    """An export, which needs no server; raises `Invalid` when the file is none."""
    try:
        with file.open("rb") as lines:
            return _known(verify_export(lines, Verifier(thread=thread)), thread)
    except OSError as error:
        raise unreadable(file, error) from None


def root_given(text: str | None) -> str:
    """A root as people give it; raises `Invalid` for what cannot be one."""
    if text is None:
        return ""
    if not _ROOT.fullmatch(text.strip()):
        raise Invalid("a root is 64 hexadecimal digits, as `eunoe audit anchor` prints it")
    return text.strip().lower()


def _known(verdict: Verdict, thread: str) -> Verdict:
    if thread and not verdict.records and verdict.fine:
        raise NotFound(f"there is no thread {thread!r} to check")
    return verdict
