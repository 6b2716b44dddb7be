"""How a context is asked for: what its verbs take, and the request that it comes to. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypedDict, get_type_hints

from eunoe.client import arguments
from eunoe.client.tools import definitions
from eunoe.schemas import ids, limits
from eunoe.schemas.context import FORMATS, Format
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeRequest, Refused

Tools = Sequence[Any]
_ASKED: Mapping[str, Any] = {"prompt": str, "turn": int, "nth": int, "preview": str | None}


class How(TypedDict, total=False):
    """How a context is composed. What is left out is as the settings of the composition workers say.

    ``model``: the name of the model that will read it, which decides what counts its tokens.
    ``memory_tool``: the model can call ``memory``, so that what is left out says how to recall it.
    ``target``: the share of the window (0.1 to 0.8) down to which turns leave, once they do.
    ``headroom``: of so many newest turns (0 to 64) the mean size is kept free for the next.
    ``keep``: so many newest turns (0 to 64) never leave and are never shortened.
    ``relevant``: whether facts that share words with the request stand beside it.
    ``wait``: seconds (0 to 30) until the facts of the turns that leave are known; what is not by then is named.
    ``tools``: those that could be registered: names, definitions as a provider's API takes them, or `ToolDefinition`.
    ``assess``: how those for this request are chosen: ``off``, by ``rules``, or by a ``model`` where they do not settle
    it. ``unregistered``: a tool that the model called and that was not registered: every one is to be, then.
    """

    model: str
    memory_tool: bool
    target: float
    headroom: int
    keep: int
    relevant: bool
    wait: float
    tools: Tools
    assess: Literal["off", "rules", "model"]
    unregistered: str


def request(
    window: int | None,
    format: Format,  # noqa: A002 - the word of the API
    how: Mapping[str, Any],
    *,
    key: str = "",
    prompt: str = "",
    turn: int = 0,
    nth: int = 0,
    store: bool = False,
    refused: Refused | None = None,
    session: str,
    agent: str,
    preview: str | None,
) -> ComposeRequest:
    """The request of a context; raises `Invalid`, and `TypeError` for an argument that there is not.

    What would mean the workers' settings in a request is refused where somebody gave it.
    """
    _check_asked(prompt=prompt, turn=turn, nth=nth, preview=preview)
    _check(window, format, how)
    tools: Tools = how.get("tools", ())
    return ComposeRequest(
        window=window or 0,
        format=format,
        key=key,
        prompt=prompt,
        turn=turn,
        nth=nth,
        store=store,
        pending_wait=how.get("wait", 0.0),
        memory_tool=how.get("memory_tool", False),
        target=how.get("target", 0.0),
        headroom=how.get("headroom", -1),
        keep=how.get("keep", -1),
        relevant=how.get("relevant"),
        model=how.get("model", ""),
        refused=refused,
        tools=definitions(tools),
        assess=how.get("assess", ""),
        unregistered=how.get("unregistered", ""),
        session=session,
        agent=agent,
        preview=ids.check(preview, "preview") if preview is not None else "",
    )


@cache
def _kinds() -> dict[str, Any]:
    """What every argument has to be, by its name."""
    return get_type_hints(How)


def _check_asked(**asked: object) -> None:
    for name, value in asked.items():
        arguments.check(name, _ASKED[name], value, "a context")


def _check(window: int | None, format: str, how: Mapping[str, Any]) -> None:  # noqa: A002
    kinds = _kinds()
    arguments.check("window", int | None, window, "a context")
    if format not in FORMATS:
        raise Invalid(f"there is no format {format!r} of messages; the formats are {', '.join(FORMATS)}")
    for name, value in how.items():
        if name not in kinds:
            raise TypeError(f"a context has no argument {name!r}; it has window, format, {', '.join(kinds)}")
        arguments.check(name, kinds[name], value, "a context")
    if window is not None and window < 1:
        raise Invalid(f"a window of {window} tokens is too small; the least is {limits.WINDOW_MIN}")
    target = how.get("target", 1.0)
    if not target or math.isnan(target):
        raise Invalid("the target of a context is a share of its window and more than 0; leave it out for the setting")
    for name in ("headroom", "keep"):
        if (turns := how.get(name, 0)) < 0:
            raise Invalid(f"{name} of a context is a number of turns, not {turns}; leave it out for the setting")
    wait = how.get("wait", 0.0)
    if not 0 <= wait <= limits.WAIT_SECONDS or math.isnan(wait):
        raise Invalid(f"a context waits from 0 to {limits.WAIT_SECONDS:g} seconds, not {wait:g}")
    if "unregistered" in how:
        ids.check(how["unregistered"], "tool")
