"""The scripted conversation, played to every strategy at every size, and what is left of it at each question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from eunoe.schemas.context import Format
from eunoe.schemas.events import Event, Instructions, Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened
from evaluation.dropping import Dropping
from evaluation.scoring import Recalled, Standing, standing
from evaluation.story import CONVERSATION, INSTRUCTIONS, Question, Turn
from evaluation.strategies import FILLS, Context, Size, Strategy, composed
from evaluation.threads import Thread

WINDOWS = (4_096, 8_192, 32_768)
SIZES = (
    *(Size(window) for window in WINDOWS),
    *(Size(window, fill) for fill in FILLS[1:] for window in WINDOWS[:2]),  # the largest is not half full of it
)


@dataclass(frozen=True)
class Seen:
    """What the model was sent in a turn, call by call."""

    turn: Turn
    contexts: tuple[Context, ...]


@dataclass(frozen=True)
class Row:
    """One strategy at one size. ``tokens`` are those of the last request of each turn, ``condensed`` counts the
    requests before which turns left."""

    strategy: str
    size: Size
    standings: Mapping[str, Standing]
    tokens: tuple[int, ...]
    condensed: int

    def count(self, *wanted: Standing) -> int:
        return sum(found in wanted for found in self.standings.values())

    @property
    def median(self) -> float:
        return median(self.tokens)

    @property
    def p95(self) -> int:
        return percentile(self.tokens, 0.95)


def percentile(values: Sequence[int], share: float) -> int:
    """The least value that at least that share of all does not exceed."""
    ordered = sorted(values)
    return ordered[max(-(-len(ordered) * round(share * 100) // 100) - 1, 0)]


def events(number: int, turn: Turn) -> Iterator[tuple[Event, ...]]:
    """What happens in a turn, up to each call of the model, and then to its end."""
    given: list[Event] = [Instructions(content=INSTRUCTIONS)] if number == 1 else []
    yield (TurnOpened(), *given, Prompt(content=turn.prompt))
    for at, call in enumerate(turn.calls, 1):
        name = f"{number}-{at}"
        yield (
            ToolCall(call=name, tool=call.tool, content=call.arguments),
            ToolResult(call=name, tool=call.tool, content=call.output, exit_status=call.exit_status),
        )
    yield (Response(content=turn.reply), TurnCommitted())


def play(thread: Thread, strategies: Sequence[Strategy], story: Iterable[Turn] = CONVERSATION) -> list[list[Seen]]:
    """The conversation, as each strategy sees it."""
    seen: list[list[Seen]] = [[] for _ in strategies]
    for number, turn in enumerate(story, 1):
        *before, last = events(number, turn)
        contexts: list[list[Context]] = [[] for _ in strategies]
        for happened in before:
            thread.append(*happened, key=f"turn-{number}")
            opened = thread.fold.opened(f"turn-{number}")
            assert opened is not None
            for strategy, found in zip(strategies, contexts, strict=True):
                found.append(strategy.context(thread, opened))
        thread.append(*last, key=f"turn-{number}")
        for one, found in zip(seen, contexts, strict=True):
            one.append(Seen(turn, tuple(found)))
    return seen


def row(strategy: str, size: Size, seen: Sequence[Seen], recalled: Recalled | None) -> Row:
    """What is left at each question; ``recalled`` is None without the memory tool."""
    contexts = [context for one in seen for context in one.contexts]
    left = [0, *(context.left for context in contexts)]
    return Row(
        strategy,
        size,
        {question.name: standing(question, context.texts, recalled) for question, context in asked(seen)},
        tuple(one.contexts[-1].tokens for one in seen),
        sum(after > before for before, after in pairwise(left)),
    )


def asked(seen: Iterable[Seen]) -> Iterator[tuple[Question, Context]]:
    """The questions, each with what the model was sent when it was asked."""
    for one in seen:
        if one.turn.question is not None:
            yield one.turn.question, one.contexts[0]


def strategies_at(size: Size, form: Format = "openai") -> Sequence[Strategy]:
    return (Dropping(size, form), *composed(size, form))


def rows(sizes: Sequence[Size] = SIZES) -> list[Row]:
    """Every strategy at every size, without a server."""
    thread = Thread("scripted")
    cast = [(size, strategy) for size in sizes for strategy in strategies_at(size)]
    seen = play(thread, [strategy for _, strategy in cast])
    recalled = thread.recalled()
    return [
        row(strategy.name, size, found, recalled if strategy.recalls else None)
        for (size, strategy), found in zip(cast, seen, strict=True)
    ]
