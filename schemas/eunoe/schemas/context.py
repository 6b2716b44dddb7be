"""A composed context, and the recipe that composes it again, byte for byte."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Format = Literal["openai", "responses", "anthropic", "text", "markdown"]
FORMATS: tuple[Format, ...] = ("openai", "responses", "anthropic", "text", "markdown")
QUOTING = "another source disagrees: "
"""How the part of a note to a fact begins that quotes values of others; everything else in a note is memory's own."""

LayerName = Literal["instructions", "earlier", "literal", "now", "request"]


Position = Annotated[int, msgspec.Meta(ge=0)]
"""A place in the log, or a revision of a bucket; 0 for none."""


class Watermark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far each layer reflects the log: log sequences, and revisions of the three buckets."""

    log: Position = 0
    permanent: Position = 0
    session: Position = 0
    thread: Position = 0


class FactLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact in a context: its id, where its event is (position in the log, index in the record), and what
    was added to its line."""

    id: str
    position: int
    index: int
    note: str = ""


class ShownSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The running summary in a context: its version, where its event is (position in the log, index in the record), the
    ordinal of the last committed turn that it covers, and the bytes to which it was shortened (0: it is whole)."""

    version: int
    position: int
    index: int
    last: int
    size: int = 0


class LeftTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that left, as the outline names it: its first and last entry (0 for none), and the position in the log
    of the record that holds its first prompt (0 where it had none)."""

    turn: int
    entries: tuple[int, int]
    position: int = 0


class Rendering(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one entry was shown. An entry that a recipe does not list was shown whole.

    ``excerpt``: head, marker and tail, of at most ``size`` bytes. ``cut``: the spans ``[start, end, entry]``
    of the reply (in characters) that copied the output of ``entry``; with a ``size``, what is left of the
    reply is an excerpt besides. ``arguments``: a call whose long values are held back, ``size`` bytes at most.
    """

    entry: int
    how: Literal["reference", "excerpt", "cut", "arguments"]
    size: int = 0
    spans: tuple[tuple[int, int, int], ...] = ()


class Recipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Exactly what a context was made of. ``sha256`` is that of the serialised messages (hex), followed by
    a line feed and the system text where the format has it apart.

    ``turns`` are literal, oldest first; ``first_turn`` is the cut mark: no turn before it is. ``left`` counts
    the committed turns before the mark, but for those among the ``erased``: the turns, there and from it on, of which
    everything that was said was erased, as far as known. ``pending`` names those whose facts are not drawn yet.
    ``position`` is how far the log was read; ``instructions`` are entries, ``instructions_at`` their positions.
    ``request`` is the request where no entry holds it. ``dropped_rounds`` are the oldest tool rounds that
    left ``turn``, or, where that has none, the last of ``turns``. ``steps`` says in order what was done to fit.
    ``state`` is the event that set what the session carries; with a note, that note stands in its place.
    ``summary`` is the running one. ``outline`` names turns that left, oldest first, and ``outline_hidden`` counts those
    that left and are not named.
    ``ahead`` are spans of the literal turns that leave next, whose facts are asked for already. ``tools`` are those
    that the now block names for this request. ``refused`` is the context in whose place this one was composed, since
    its provider refused that.
    ``layers`` are the tokens of each layer; their sum is ``tokens``. ``bytes`` is the size of what ``sha256`` digests,
    and ``stable`` how many of its leading bytes are those of ``before``, the last recipe of this profile (empty where
    there was none); ``ladder`` is what the next one compares with: base64 of 4 bytes for each piece, a digest of it and
    of all before it.
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
    ahead: tuple[tuple[int, int], ...] = ()
    summary: ShownSummary | None = None
    outline: tuple[LeftTurn, ...] = ()
    outline_hidden: int = 0
    tools: tuple[str, ...] = ()
    refused: str = ""
    model: str = ""
    steps: tuple[str, ...] = ()
    tokens: int = 0
    layers: dict[LayerName, int] = {}
    bytes: int = 0
    before: str = ""
    stable: int = 0
    ladder: str = ""
    settings: dict[str, float] = {}


class Layer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One layer as the model reads it, in order, with its size in tokens. ``text`` is there when looking."""

    name: LayerName
    tokens: int
    text: str = ""


class ShownFact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact that a context shows: its id, the layer whose block it stands in, and its line."""

    id: str
    layer: LayerName
    line: str


class Assessment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was decided about one request before it was composed. It never enters the context.

    ``method``: settled by ``rules``; by one call of a ``model``; ``fallback`` to every tool because that call failed
    (``failure`` says how); ``retry`` with every tool, since one was called that was not registered.
    ``tools`` are to be registered, ``rule_tools`` those of them that the rules named. ``task`` is the task that was
    inferred, empty where none was or where a person or a caller set it. ``facts`` are ids of facts that bear on the
    request. ``ms`` is the time the call took, ``bytes`` the size of what the model was shown, token counts as the
    provider reported them.
    """

    method: Literal["rules", "model", "fallback", "retry"]
    tools: tuple[str, ...] = ()
    rule_tools: tuple[str, ...] = ()
    intent: str = ""
    task: str = ""
    objective: str = ""
    facts: tuple[str, ...] = ()
    model: str = ""
    ms: int = 0
    bytes: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failure: str = ""


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller gets. ``messages`` has the shape of the API that ``format`` names (text: a string);
    ``system`` is the instructions where that API wants them apart. ``stale`` names the layers that did not
    become as fresh as was asked for in time; ``differs`` says why a replay is not what the model saw.
    ``counter`` counted the tokens. ``facts`` are there when looking, and so is ``summary``, which says what the running
    one covers and what made it. Where tools were given, ``tools`` are those to register for this request, ``catalogue``
    a text that names every one of them, for whoever owns the instructions to place, and ``assessment`` how they were
    chosen."""

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
    counter: str = ""
    facts: tuple[ShownFact, ...] = ()
    summary: str = ""
    tools: tuple[str, ...] = ()
    catalogue: str = ""
    assessment: Assessment | None = None
