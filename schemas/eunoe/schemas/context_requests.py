"""Requests and replies about contexts. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context import Context, Format, LayerName, Watermark

Assess = Literal["", "off", "rules", "model"]


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool that a caller could register: its name, what it is for, and words whose use in a request asks for it.

    ``always``: it is registered with every request, whatever that says.
    """

    name: str
    description: str = ""
    words: tuple[str, ...] = ()
    always: bool = False


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """The provider refused a context as too long: its id, and the tokens that the provider counted."""

    context: str
    tokens: int


class ComposeRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Compose the context of the next request in ``window`` tokens (0: the setting).

    ``key``: compose inside that open turn, whose prompt is the request. Else ``prompt`` is the request
    as it would be asked (looking), or empty for none. ``store``: this is a real request, so its recipe is
    logged before the reply. ``turn``: compose a past turn again instead, as its recipe says; with another
    ``window`` or ``model``, as it would have been composed for that one. ``nth``: of the contexts of that turn the
    first, the second and so on, as it was, and not the last (0).
    ``after``: wait until the layers are this fresh, ``wait`` seconds at most. ``pending_wait``: wait so many seconds at
    most until the facts of the turns that leave are known.
    ``model`` names the model that will read it, which decides what counts its tokens. ``refused``: the provider
    refused the turn's last context; compose one that is smaller by its count.
    ``target`` (share of the window), ``headroom`` (turns), ``keep`` (newest turns that never leave or are shortened)
    and ``relevant`` (up to four facts that share words with the request stand beside it) override settings: 0, -1, -1
    and None leave them.
    ``tools``: what the caller could register; with ``assess`` (empty: the setting) those for this request are chosen.
    ``unregistered`` names a tool that the model called and that was not registered: every one is, then.
    ``session``, ``agent`` and ``preview``: where the request comes from, when no turn of the thread says otherwise.
    """

    window: int = 0
    format: Format = "openai"
    key: str = ""
    prompt: str = ""
    turn: int = 0
    nth: int = 0
    store: bool = False
    after: Watermark = Watermark()
    wait: float = 2.0
    pending_wait: float = 0.0
    memory_tool: bool = False
    target: float = 0.0
    headroom: int = -1
    keep: int = -1
    relevant: bool | None = None
    model: str = ""
    refused: Refused | None = None
    tools: tuple[ToolDefinition, ...] = ()
    assess: Assess = ""
    unregistered: str = ""
    session: str = ""
    agent: str = ""
    preview: str = ""


class ComposeReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    context: Context


class TurnLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn in the list of turns: what it was, and what its composition changed.

    ``layers`` are the tokens of each layer of its last context, ``stable`` of its ``bytes`` are those that it begins
    with as ``before`` did, the context before it (empty: there was none).

    Of a committed turn ``ordinal`` is its place in the order of commits, and ``facts`` how far those are that tools
    gave in it: ``failed`` where some of them could not be extracted, for the reason in ``failure``.
    """

    turn: int
    state: Literal["open", "committed", "aborted"]
    time: int
    prompt: str
    entries: tuple[int, int]
    ordinal: int = 0
    facts: Literal["", "pending", "extracted", "failed"] = ""
    failure: str = ""
    agent: str = ""
    session: str = ""
    composed: bool = False
    tokens: int = 0
    window: int = 0
    format: str = ""
    counter: str = ""
    model: str = ""
    layers: dict[LayerName, int] = {}
    bytes: int = 0
    before: str = ""
    stable: int = 0
    contexts: int = 0
    changes: tuple[str, ...] = ()


class TurnsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of turns after turn ``after``. ``wait``: so many seconds at most until the facts of none of them are
    pending; the list is then as fresh as the end of the log."""

    after: int = 0
    limit: int = 200
    wait: float = 0.0


class TurnsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    turns: tuple[TurnLine, ...]
    more: bool = False
    watermark: Watermark = Watermark()
