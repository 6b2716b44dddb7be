"""A composed context, and the recipe that composes it again, byte for byte."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Format = Literal["openai", "anthropic", "text"]
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "text")
LayerName = Literal["instructions", "earlier", "literal", "now", "request"]


class Watermark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far each layer reflects the log: log sequences, and revisions of the three buckets."""

    log: int = 0
    permanent: int = 0
    session: int = 0
    thread: int = 0


class FactLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact in a context: its id, where its event is (position in the log, index in the record), and what
    was added to its line."""

    id: str
    position: int
    index: int
    note: str = ""


class Rendering(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one entry was shown. An entry that a recipe does not list was shown whole.

    ``excerpt``: head, marker and tail, of at most ``size`` bytes. ``cut``: the spans ``[start, end, entry]``
    of the reply (in characters) that copied the output of ``entry``; with a ``size``, what is left of the
    reply is an excerpt besides.
    """

    entry: int
    how: Literal["reference", "excerpt", "cut"]
    size: int = 0
    spans: tuple[tuple[int, int, int], ...] = ()


class Recipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Exactly what a context was made of. ``sha256`` is that of the serialised messages (hex), followed by
    a line feed and the system text where the format has it apart.

    ``turns`` are literal, oldest first; ``first_turn`` is the cut mark: no turn before it is. ``left`` counts
    the committed turns before the mark, ``erased`` those from it on that are not literal because everything that
    was said in them was erased, ``pending`` names those whose facts are not extracted yet.
    ``position`` is how far the log was read; ``instructions`` are entries, ``instructions_at`` their positions.
    ``request`` is the request where no entry holds it. ``dropped_rounds`` are the oldest tool rounds that
    left ``turn``, or, where that has none, the last of ``turns``. ``steps`` says in order what was done to fit.
    ``state`` is the event that set what the session carries; with a note, that note stands in its place.
    Token counts are the counter's. ``settings`` holds every number that the plan depended on.
    """

    v: int
    id: str
    turn: int
    window: int
    format: Format
    counter: str
    renderer: int
    position: int
    turns: tuple[int, ...]
    first_turn: int
    sha256: str
    left: int = 0
    erased: int = 0
    instructions: tuple[int, ...] = ()
    instructions_at: tuple[int, ...] = ()
    request: str = ""
    earlier: tuple[FactLine, ...] = ()
    earlier_hidden: int = 0
    now: tuple[FactLine, ...] = ()
    now_hidden: int = 0
    state: FactLine | None = None
    renderings: tuple[Rendering, ...] = ()
    dropped_rounds: int = 0
    memory_tool: bool = False
    floor: bool = False
    note: str = ""
    pending: tuple[int, ...] = ()
    steps: tuple[str, ...] = ()
    tokens: int = 0
    settings: dict[str, float] = {}


class Layer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One layer as the model reads it, in order, with its size in tokens. ``text`` is there when looking."""

    name: LayerName
    tokens: int
    text: str = ""


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller gets. ``messages`` has the shape of the API that ``format`` names (text: a string);
    ``system`` is the instructions where that API wants them apart. ``stale`` names the layers that did not
    become as fresh as was asked for in time; ``differs`` says why a replay is not what the model saw."""

    id: str
    thread: str
    turn: int
    window: int
    format: Format
    messages: Any
    layers: tuple[Layer, ...]
    recipe: Recipe
    watermark: Watermark
    reconstructed: bool = False
    system: str = ""
    tokens: int = 0
    note: str = ""
    differs: str = ""
    stale: tuple[str, ...] = ()
