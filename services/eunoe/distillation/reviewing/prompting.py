"""What a reviewing model is asked: what to keep of some turns in an agent's records, beside those that there are. Pure.

A fleet's own prompt stands in the place of the task; the form of the answer stays, for it is read by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eunoe.composition import marks
from eunoe.distillation import shares, turnlines
from eunoe.distillation.door import Turn
from eunoe.distillation.reviewing.records import Known, Place
from eunoe.facts.kinds import Kind
from eunoe.facts.values import one_line
from eunoe.schemas import limits

RECORDS_SHARE = 1 / 8  # of the window: the records that are shown
ANSWER_SHARE = 1 / 8  # of the window: the answer, in a small one

TASK = """You keep the memory records of an agent: what it should know in later turns, when this conversation is gone.
You read turns of a conversation between a person and the agent (the model), and records that there are already.
Keep what will matter later and cannot be looked up: how the person wants things done, what holds of the people and
things that the agent deals with, what happened, where something is found. A record is understood by itself: it names
what it is about, and says dates and numbers as they were said.
Keep little. Most turns leave no record. Keep nothing that a record says already, nothing that was only asked, supposed
or tried, nothing that holds for the moment alone, and no secrets.
Where a turn corrects or completes one of the agent's own records, replace that; where it shows that one is wrong or
outdated, and nothing takes its place, retire it."""

_FORM = f"""{turnlines.DATA}
Answer with one JSON list, and with nothing else; [] where nothing is to change. Its elements are objects:
- {{"action": "add", "kind": …, "text": …, "content": …, "turn": …, "reason": …}} for a new record
- {{"action": "replace", "id": …, …}}, with the fields of a new one, for a record that takes the place of that one
- {{"action": "retire", "id": …, "reason": …}} for a record that is wrong or outdated
- {{"action": "skip", "text": …, "id": …, "reason": …}} for what you considered and would not keep
"kind" is one of the listed ones; "text" one line of at most {limits.VALUE_LENGTH} characters, in the language of the
turn; "content" what does not fit there, "" where all does; "turn" the number of the turn that it comes from; "reason"
a few words; "id" that of a record that is shown. Only records marked (yours) are replaced or retired.
At most {limits.REVIEW_CANDIDATES} elements."""


def system(task: str) -> str:
    """The instructions; ``task`` empty for the shipped one."""
    return f"{task or TASK}\n{_FORM}"


def prompt(
    turns: Sequence[Turn], records: Sequence[Known], kinds: Iterable[tuple[str, Kind]], place: Place, window: int
) -> str:
    """What the model is shown: everything from the conversation, and from records, in marks."""
    parts = ["\n".join(["Kinds of records:", *(f"- {name}: {kind.description}" for name, kind in kinds)])]
    lines = _lines(records, place, turnlines.room(window, RECORDS_SHARE))
    parts += (
        ["Records that there are:", turnlines.marked("known", "\n".join(lines))]
        if lines
        else ["There are no records yet."]
    )
    said = turnlines.shown(turns, turnlines.room(window, limits.DISTILLED_SHARE))
    return marks.clean("\n\n".join([*parts, "Turns to review:", turnlines.marked("turns", said)]))


def output_tokens(window: int) -> int:
    """Tokens that the answer may have."""
    return min(limits.REVIEW_OUTPUT_TOKENS, int(window * ANSWER_SHARE))


def fitting(records: Sequence[Known], place: Place, window: int) -> Sequence[Known]:
    """The first of the records, as many as are shown."""
    return records[: len(_lines(records, place, turnlines.room(window, RECORDS_SHARE)))]


def _lines(records: Sequence[Known], place: Place, room: int) -> list[str]:
    """The records, a line each, as many of the first ones as fit."""
    lines: list[str] = []
    for one in records[: limits.REVIEW_SHOWN]:
        line = _line(one, place)
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    return lines


def _line(one: Known, place: Place) -> str:
    whose = " (yours)" if place.ends(one) else ""
    more = f" — {shares.cut(one_line(one.body), limits.REVIEW_SHOWN_BYTES)}" if one.body else ""
    return turnlines.data(f"- {one.id}{whose} {one.kind}: {one.summary}{more}")
