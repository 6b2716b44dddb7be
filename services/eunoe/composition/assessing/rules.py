"""What of a request rules can settle, and what an answer of a model may add. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from eunoe.composition.assessing.answering import Answered
from eunoe.composition.assessing.brief import Brief
from eunoe.composition.assessing.followups import follows_up
from eunoe.composition.assessing.naming import Said, named
from eunoe.extraction.secrets import redact
from eunoe.facts.values import blank, cut, one_line, same
from eunoe.schemas import limits
from eunoe.schemas.context import Assessment
from eunoe.schemas.labels import without_records
from eunoe.schemas.requests import ToolDefinition

SHORT_WORDS = 3  # words of a request that is too short to say anything by itself
INTENT_LENGTH = 200  # characters of an intent
OBJECTIVE = "; objective: "  # between a task and what it is done for


@dataclass(frozen=True, slots=True)
class Ruled:
    """``tools`` are those that rules name, in the order in which they were offered; whether that settles which ones
    the request needs, and whether the task of the request is settled."""

    tools: tuple[str, ...]
    tools_settled: bool
    task_settled: bool

    @property
    def settled(self) -> bool:
        return self.tools_settled and self.task_settled


def ruled(brief: Brief, offered: Sequence[ToolDefinition]) -> Ruled:
    """What rules make of a request: its own words first, then what it goes on with."""
    said = Said(brief.text)
    always = {tool.name for tool in offered if tool.always}
    by_name = {tool.name for tool in offered if named(tool, said)}
    follows = bool(brief.before) and said.length > 0 and (said.length <= SHORT_WORDS or follows_up(said))
    wanted = always | by_name | set(brief.working) | (set(brief.before) if follows else set())
    return Ruled(
        tools=_among(offered, wanted),
        tools_settled=bool(by_name) or follows or len(always) == len(offered),
        task_settled=brief.fixed or said.length <= SHORT_WORDS or (brief.task is not None and follows),
    )


def by_rules(ruled: Ruled, offered: Sequence[ToolDefinition]) -> Assessment:
    """What rules decide alone: the tools that they name, and every one where that settles nothing."""
    return Assessment(
        method="rules",
        tools=ruled.tools if ruled.tools_settled else every(offered),
        rule_tools=ruled.tools,
    )


def by_model(brief: Brief, ruled: Ruled, offered: Sequence[ToolDefinition], answered: Answered) -> Assessment:
    """What a model's answer adds to the rules; it chooses among what it was shown, and keeps a task that is fixed."""
    known = {tool.name for tool in offered}
    chosen = [name for name in dict.fromkeys(answered.tools or ()) if name in known][: limits.TOOLS_CHOSEN]
    offered_facts = {fact.shown.id for fact in brief.facts}
    task, objective = _line(answered.task, limits.TASK_LENGTH), _line(answered.objective, limits.TASK_LENGTH)
    return Assessment(
        method="model",
        tools=_among(offered, {*ruled.tools, *chosen}),
        rule_tools=ruled.tools,
        intent=_line(answered.intent, INTENT_LENGTH),
        task="" if brief.fixed else task,
        objective="" if brief.fixed or not task else objective,
        facts=tuple(one for one in dict.fromkeys(answered.facts or ()) if one in offered_facts)[: limits.FACTS_CHOSEN],
    )


def failed(ruled: Ruled, offered: Sequence[ToolDefinition], failure: str) -> Assessment:
    """Every tool, and the task as it is, since no model said anything; a server may quote the key that it refused."""
    said = redact(one_line(failure))
    return Assessment(method="fallback", tools=every(offered), rule_tools=ruled.tools, failure=said)


def retried(offered: Sequence[ToolDefinition]) -> Assessment:
    """Every tool, since one was called that was not registered."""
    return Assessment(method="retry", tools=every(offered))


def again(made: Assessment, offered: Sequence[ToolDefinition]) -> Assessment:
    """What was decided earlier in the turn, for the tools that are offered now."""
    always = {tool.name for tool in offered if tool.always}
    return msgspec.structs.replace(made, tools=_among(offered, {*made.tools, *always}))


def every(offered: Sequence[ToolDefinition]) -> tuple[str, ...]:
    return tuple(tool.name for tool in offered)


def new_task(brief: Brief, assessment: Assessment) -> str:
    """The task to record: one that was inferred and is not what the task is already; empty for none."""
    if not assessment.task or brief.fixed or brief.place.preview:
        return ""
    value = f"{assessment.task}{OBJECTIVE}{assessment.objective}" if assessment.objective else assessment.task
    value = cut(value, limits.TASK_LENGTH)
    return "" if brief.task is not None and same(brief.task.value, value) else value


def _among(offered: Sequence[ToolDefinition], wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(tool.name for tool in offered if tool.name in wanted)


def _line(text: str | None, length: int) -> str:
    """What a model wrote, as a line that may be kept: without secrets, and without what memory itself wrote."""
    line = cut(redact(one_line(without_records(text or ""))), length)
    return "" if blank(line) else line
