"""Whether an export is as it was written, before anything of it goes in."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eunoe.audit.export import CUT_SHORT, verify_export
from eunoe.audit.verify import Verifier
from eunoe.client.importing.model import Problem
from eunoe.client.importing.source import Source
from eunoe.schemas.errors import Damaged, Invalid


def check_export(source: Source) -> None:
    """Raises `Damaged` for an export that was changed; one that ends too early is what it is, and passes."""
    way_out = f"nothing of it goes in; `eunoe audit verify {source.path}` says what is wrong"
    try:
        verdict = verify_export(_lines(source), Verifier())
    except Invalid as error:
        raise Damaged(f"{source.path} is not as it was exported: {error}; {way_out}") from None
    wrong = sum(problem.what != CUT_SHORT for problem in verdict.problems)
    if wrong:
        counted = "1 problem" if wrong == 1 else f"{wrong:,} problems"
        raise Damaged(f"{source.path} is not as it was exported ({counted}); {way_out}")


def _lines(source: Source) -> Iterator[bytes]:
    """The lines of the file; a last one that is only half there is left out, as what came after it is."""
    held = b""
    for number, line in source.lines():
        if isinstance(line, Problem):
            raise Invalid(f"line {number} is {line.reason}")
        if held:
            yield held
        held = line
    if held and _whole(held):
        yield held


def _whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
