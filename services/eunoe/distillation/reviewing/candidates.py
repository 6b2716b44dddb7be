"""What a reviewing model answered, item by item: what is to become a record, and which records are outdated. Pure.

An item that is broken, or not what was asked for, is set aside with its text and the reason; it costs no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from eunoe.distillation.door import Turn
from eunoe.distillation.scanning import NO_OBJECT, scan
from eunoe.extraction.secrets import body, redact
from eunoe.facts.values import blank, cut, one_line
from eunoe.models import answers
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import SetAside
from eunoe.schemas.errors import ModelFailed
from eunoe.schemas.labels import without_records

Action = Literal["add", "replace", "retire", "skip"]
ACTIONS: tuple[Action, ...] = get_args(Action)
_BODY_BYTES = limits.FACT_CONTENT_BYTES // limits.REVIEW_CANDIDATES  # bytes of the content of one record, at most


@dataclass(frozen=True, slots=True)
class Candidate:
    """One item: what is to be done, and why. ``about`` is the id of the record that it names, empty for none; a
    ``retire`` has no more than that. ``turn`` is the one that it was drawn from, None where it names none."""

    action: Action
    reason: str = ""
    about: str = ""
    kind: str = ""
    summary: str = ""
    body: str = ""
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The items of an answer in their order, and what is none."""

    candidates: Sequence[Candidate] = ()
    set_aside: Sequence[SetAside] = ()


class _Wrong(Exception):
    """Why something is no item."""


def read(text: str, turns: Iterable[Turn], kinds: Iterable[str], *, cut_off: bool = False) -> Answered:
    """The items of an answer; raises `ModelFailed` where nothing in it can be used."""
    found = scan(text)
    aside = list(found.broken)
    kept: list[Candidate] = []
    numbers, names = {turn.number: turn for turn in turns}, {kind.casefold(): kind for kind in kinds}
    for value, given in _items(found.facts):
        try:
            kept.append(_candidate(value, numbers, names))
        except _Wrong as wrong:
            aside.append(SetAside(text=given, reason=str(wrong)))
    if not (kept or found.empty):
        raise _failed(text, aside, cut_off=cut_off)
    over = f"it is over {limits.REVIEW_CANDIDATES} items"
    aside += [SetAside(text=one.summary or one.about, reason=over) for one in kept[limits.REVIEW_CANDIDATES :]]
    return Answered(tuple(kept[: limits.REVIEW_CANDIDATES]), tuple(aside))


def _items(found: Sequence[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """The items, out of an object with a list of them too, whatever that is called."""
    for value, text in found:
        lists = [one for one in value.values() if isinstance(one, list)] if isinstance(value, dict) else []
        if len(lists) == 1 and "action" not in value:
            yield from ((one, text) for one in lists[0])
        else:
            yield value, text


def _candidate(value: Any, turns: Mapping[int, Turn], kinds: Mapping[str, str]) -> Candidate:
    if not isinstance(value, dict):
        raise _Wrong(NO_OBJECT)
    action = _line(value, "action").casefold()
    if action not in ACTIONS:
        raise _Wrong(f"its action is none of {', '.join(ACTIONS)}")
    reason, about = cut(_line(value, "reason"), limits.REASON_LENGTH), _line(value, "id")
    if action in ("replace", "retire") and not about:
        raise _Wrong("it names no record; give its id")
    if action == "retire":
        return Candidate("retire", reason, about)
    summary = _line(value, "text")
    if blank(summary):
        raise _Wrong("it has no text")
    if action == "skip":
        return Candidate("skip", reason, about, summary=cut(summary, limits.VALUE_LENGTH))
    kind = kinds.get(_line(value, "kind").casefold(), "")
    if not kind:
        raise _Wrong(f"its kind is none of {', '.join(kinds.values())}")
    said = _body(value, summary)
    summary = cut(summary, limits.VALUE_LENGTH)
    return Candidate(cast("Action", action), reason, about, kind, summary, said, _turn(value, turns))


def _line(value: Mapping[str, Any], field: str) -> str:
    given = value.get(field)
    if given is None:
        return ""
    if not isinstance(given, str):
        raise _Wrong(f"its {field} is no string")
    return redact(one_line(without_records(given)))


def _body(value: Mapping[str, Any], summary: str) -> str:
    """The content; of a summary that is too long for one line, where there is none, all of it."""
    given = value.get("content") or ""
    if not isinstance(given, str):
        raise _Wrong("its content is no string")
    text = body(without_records(given).encode(errors="replace").decode()).strip()
    if blank(text):
        text = summary if len(summary) > limits.VALUE_LENGTH else ""
    data = text.encode()
    return text if len(data) <= _BODY_BYTES else data[:_BODY_BYTES].decode(errors="ignore")


def _turn(value: Mapping[str, Any], turns: Mapping[int, Turn]) -> Turn:
    given = value.get("turn")
    text = given.strip() if isinstance(given, str) else ""
    if not (text.isascii() and text.isdigit()):
        raise _Wrong("its turn is no number")
    found = turns.get(int(text[:18]))
    if found is None:
        raise _Wrong(f"turn {cut(text, 20)} is none of those that are reviewed")
    return found


def _failed(text: str, aside: Sequence[SetAside], *, cut_off: bool) -> ModelFailed:
    if cut_off:
        said = "the model's answer was cut off before anything in it was whole"
        return ModelFailed(f"{said}: {answers.quoted(text)}", reason="cut_off")
    why = f"nothing in the model's answer can be used ({aside[0].reason})" if aside else "the model answered no list"
    return ModelFailed(f"{why}: {answers.quoted(text)}", reason="unreadable")
