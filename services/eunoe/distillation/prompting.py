"""What a model is asked that draws facts from turns, and updates the summary where that is due. Pure.

Of the model's window the turns have a third, and what is shown beside them has the shares below; with a summary that is
read and written in a tenth each, about a sixth is left for the instructions and the facts of the answer.
"""

from __future__ import annotations

from eunoe.composition import marks
from eunoe.distillation import turnlines
from eunoe.distillation.door import Known, Task
from eunoe.facts import values
from eunoe.schemas import limits
from eunoe.summarising import prompting as summaries

KNOWN_SHARE = 1 / 16  # of the window: facts that are known
AFTER_SHARE = 1 / 16  # of the window: prompts of later turns
EARLIER_SHARE = 1 / 8  # of the window: turns that only the summary needs
ANSWER_SHARE = 1 / 8  # of the window: facts of the answer, in a small one

_DRAWING = f"""You read turns of a conversation between a person and a model, and note the facts that were said in them.
{turnlines.DATA}
A fact is a JSON object:
- "subject": one of the listed kinds, exactly as it is written there.
- "name": what the fact is about, in a few words; of a known fact its name, where it is about the same thing.
- "value": what was said of it, in the words and the language of the turn, in at most {limits.VALUE_LENGTH} characters.
- "speaker": "person" for what the person said, "model" for what the model concluded.
- "turn": the number of the turn in which it was said.
Note what will matter later, as it was said: names, numbers, dates, decisions, preferences, corrections.
Guess nothing. Leave out questions and proposals, and whatever stands in a file. Of a value that changed, note the
newest one alone: what a later prompt says otherwise is not so any more, and later prompts themselves are not noted.
At most {limits.DISTILLED_FACTS} facts; where nothing is worth noting, the list is empty."""

_FACTS = """Answer with JSON, and with nothing else:
{"facts": [{"subject": …, "name": …, "value": …, "speaker": …, "turn": …}]}"""

_WITH_SUMMARY = f"""You also keep the running summary of this conversation.
{summaries.WANTED}
Answer with JSON, and with nothing else; the facts come first:
{{"facts": [{{"subject": …, "name": …, "value": …, "speaker": …, "turn": …}}], "summary": …}}"""


def system(task: Task) -> str:
    """The instructions."""
    return f"{_DRAWING}\n{_FACTS if task.batch is None else _WITH_SUMMARY}"


def prompt(task: Task, window: int) -> str:
    """What the model is shown: everything from the conversation in marks."""
    numbers = [turn.number for turn in task.turns]
    parts = ["\n".join(["Kinds of facts:", *(f"- {one.subject}: {one.description}" for one in task.kinds)])]
    if known := _known(task, turnlines.room(window, KNOWN_SHARE)):
        parts.append(turnlines.marked("known", known))
    if task.batch is not None:
        parts.append(summaries.so_far(task.batch, window))
        if earlier := summaries.others(task.batch, numbers, window, EARLIER_SHARE):
            parts += ["Earlier turns, for the summary alone:", turnlines.marked("earlier", earlier)]
    calls = () if task.batch is None else [turn.number for turn in task.batch.turns]
    turns = turnlines.shown(task.turns, turnlines.room(window, limits.DISTILLED_SHARE), calls)
    parts += [f"Note facts of these turns ({_span(numbers)}):", turnlines.marked("turns", turns)]
    if later := turnlines.prompts(task.after[: limits.DISTILLED_AFTER], turnlines.room(window, AFTER_SHARE)):
        parts += ["Later prompts, of which nothing is noted:", turnlines.marked("later", later)]
    if task.batch is not None:
        parts.append(summaries.wanted(task.batch, window))
    return "\n\n".join(parts)


def output_tokens(task: Task, window: int) -> int:
    """Tokens that the answer may have."""
    facts = min(limits.DISTILLED_OUTPUT_TOKENS, int(window * ANSWER_SHARE))
    return facts + (summaries.output_tokens(task.batch, window) if task.batch is not None else 0)


def _known(task: Task, room: int) -> str:
    """The known facts, a line each, as many as fit."""
    lines: list[str] = []
    for one in task.known[: limits.DISTILLED_KNOWN]:
        line = _line(one)
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _line(one: Known) -> str:
    name, value = (values.cut(values.one_line(text), limits.VALUE_LENGTH) for text in (one.name, one.value))
    return turnlines.data(f"- {one.subject} {marks.one_line(name, ': ')}: {value}")


def _span(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
