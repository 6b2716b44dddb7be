"""Recorded threads, replayed request by request: whether what the model then quoted was there to be quoted.

A request's answer (what the model said, and the arguments of its calls) is looked through for quotes of earlier tool
results and earlier words of the user. A quote is *in the context* when the request holds all of it; else it is *one
recall away* when the request names, as `evaluation.scoring` reads it, an entry that has it, that entry's turn, or a
fact whose history has it. What the user says is in the request by being said, so no quote is looked for in it.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from eunoe.client.importing.model import Turn
from eunoe.client.importing.reading import read
from eunoe.composition.fold import Turn as Folded
from eunoe.extraction.registry import Registry
from eunoe.facts.kinds import Kinds
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Event, Prompt, Response, ToolCall, ToolResult
from evaluation.quotes import Quote, Sources, text_of
from evaluation.scoring import Named, named
from evaluation.scripted import percentile, strategies_at
from evaluation.strategies import Size, Strategy
from evaluation.threads import Thread

SIZES = (Size(4_096), Size(8_192))
SETS = ("claude_code", "swe_agent", "tau_bench_airline")
AIRLINE = Path(__file__).parents[2] / "examples" / "airline.toml"


@dataclass
class Tally:
    """One strategy at one size over a set of threads; ``refused`` counts requests that fitted in no way."""

    tokens: list[int] = field(default_factory=list)
    quotes: int = 0
    shown: int = 0
    away: int = 0
    refused: int = 0

    @property
    def median(self) -> float:
        return median(self.tokens) if self.tokens else 0

    @property
    def p95(self) -> int:
        return percentile(self.tokens, 0.95) if self.tokens else 0


@dataclass(frozen=True)
class Row:
    """What became of the quotes of a set of threads."""

    threads: str
    strategy: str
    size: Size
    tally: Tally


def folder() -> Path | None:
    """The recorded threads beside the repository, None where they are not."""
    found = (above.parent / "shared" / "data" for above in Path(__file__).resolve().parents)
    return next((path for path in found if path.is_dir()), None)


def rows(data: Path, *, quick: bool = False) -> list[Row]:
    """Every set of threads, every strategy, every size; ``quick``: two files of each set."""
    found = []
    for name in SETS:
        files = sorted(path for path in (data / name).iterdir() if path.is_file())
        tallies: dict[tuple[str, Size], Tally] = defaultdict(Tally)
        for path in files[:2] if quick else files:
            for thread, turns in threads(path):
                replay(_thread(thread, name), turns, tallies)
        found += [Row(name, strategy, size, tally) for (strategy, size), tally in tallies.items()]
    return found


def threads(path: Path) -> Iterator[tuple[str, list[Turn]]]:
    """The threads of a transcript, each with its turns in order."""
    found: dict[str, list[Turn]] = defaultdict(list)
    for item in read(path):
        if isinstance(item, Turn) and item.key:
            found[path.stem + item.suffix].append(item)
    yield from found.items()


def replay(thread: Thread, turns: Sequence[Turn], tallies: dict[tuple[str, Size], Tally]) -> None:
    """One thread, to every strategy at every size."""
    cast = [(strategy, size) for size in SIZES for strategy in strategies_at(size)]
    sources = Sources()
    for turn in turns:
        given: list[int] = []
        for happened in parts(turn.events):
            opened = thread.fold.opened(turn.key)
            said = "\n".join(event.content for event in happened if isinstance(event, Response | ToolCall))
            if opened is not None and any(isinstance(event, Response | ToolCall) for event in happened):
                quotes = sources.quotes(said, given)
                for strategy, size in cast:
                    _request(strategy, thread, opened, quotes, tallies[strategy.name, size])
                given = []
            thread.append(*happened, key=turn.key)
            given += _learn(sources, thread)


def parts(events: Sequence[Event]) -> Iterator[tuple[Event, ...]]:
    """The events of a turn: what the model says and calls at once is one part, and what is between is another."""
    part: list[Event] = []
    for event in events:
        if part and isinstance(event, Response | ToolCall) != isinstance(part[-1], Response | ToolCall):
            yield tuple(part)
            part = []
        part.append(event)
    if part:
        yield tuple(part)


def _request(strategy: Strategy, thread: Thread, opened: Folded, quotes: Sequence[Quote], tally: Tally) -> None:
    tally.quotes += len(quotes)
    try:
        context = strategy.context(thread, opened)
    except DoesNotFit:
        tally.refused += 1
        return
    tally.tokens.append(context.tokens)
    if not quotes:
        return
    texts = context.texts
    shown = text_of("\n".join(texts))
    missing = [quote for quote in quotes if not quote.within(shown)]
    tally.shown += len(quotes) - len(missing)
    if strategy.recalls and missing:
        found = named(texts)
        tally.away += sum(_away(quote, found, thread) for quote in missing)


def _away(quote: Quote, found: Named, thread: Thread) -> bool:
    """Whether one recall of what a request names gives a quote."""
    entries = thread.entries
    if any(entry in found.entries or entries[entry].turn in found.turns for entry in quote.sources):
        return True
    return any(quote.within(text_of(thread.history(name))) for name in found.facts)


def _learn(sources: Sources, thread: Thread) -> list[int]:
    """Take in what may be quoted from now on, and say which entries that are."""
    new = [
        entry
        for entry, event in thread.entries.items()
        if isinstance(event, Prompt | ToolResult) and entry not in sources.texts
    ]
    for entry in new:
        sources.texts[entry] = text_of(thread.entries[entry].content)
    return new


def _thread(name: str, threads: str) -> Thread:
    """An empty thread, in the airline's fleet with what reads its tools' results."""
    if threads != "tau_bench_airline":
        return Thread(name)
    example = tomllib.loads(AIRLINE.read_text(encoding="utf-8"))
    return Thread(name, Kinds(example.get("kinds", {})), Registry(example.get("mappings", ()), example.get("tools")))
