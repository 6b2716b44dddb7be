"""What was decided about a request, and what that changes for its context, the log and its caller. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.composition.assessing import rules
from eunoe.composition.assessing.catalogue import catalogue
from eunoe.schemas.context import Assessment, Context
from eunoe.schemas.events import ContextAssessed
from eunoe.schemas.requests import ComposeRequest


@dataclass(frozen=True, slots=True)
class Assessed:
    """A request to compose, after what was decided about it.

    ``tools`` are those to register, in the order in which they were offered, and ``named`` those of them that the
    context is to name: none where that would be every one. ``bearing`` are ids of facts. ``new`` says that this
    was decided now, and not earlier in the same turn.
    """

    request: ComposeRequest
    assessment: Assessment | None = None
    new: bool = False

    @property
    def tools(self) -> tuple[str, ...]:
        return self.assessment.tools if self.assessment else rules.every(self.request.tools)

    @property
    def named(self) -> tuple[str, ...]:
        return self.tools if len(self.tools) < len(self.request.tools) else ()

    @property
    def bearing(self) -> tuple[str, ...]:
        return self.assessment.facts if self.assessment else ()

    def events(self, turn: int) -> tuple[ContextAssessed, ...]:
        """What the log is to know of it, beside the recipe of that turn's context."""
        return (ContextAssessed(turn=turn, assessment=self.assessment),) if self.assessment and self.new else ()

    def on(self, context: Context) -> Context:
        """The context with what was decided."""
        if not self.request.tools:
            return context
        return msgspec.structs.replace(
            context,
            tools=self.tools,
            catalogue=catalogue(self.request.tools),
            assessment=self.assessment,
        )


def told(context: Context, assessment: Assessment | None) -> Context:
    """The context of a past request with what was decided about that, as far as the log has it: not which tools were
    offered, so that there is no catalogue, and of tools that nothing was decided about only those that it names."""
    named = context.recipe.tools
    if assessment is None:
        return msgspec.structs.replace(context, tools=named)
    tools = named or assessment.tools
    decided = msgspec.structs.replace(assessment, tools=tools)
    return msgspec.structs.replace(context, tools=tools, assessment=decided)
