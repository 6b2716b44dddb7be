"""How a context is asked for: what its verbs take, and the request that it comes to. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from eunoe.client import arguments
from eunoe.client.tools import definitions
from eunoe.schemas import ids, limits
from eunoe.schemas.context import FORMATS, Format
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeRequest, Refused

Tools = Sequence[Any]
Ways = Literal["off", "rules", "model"]
_ASKED: Mapping[str, Any] = {"prompt": str, "turn": int | None, "nth": int | None, "preview": str | None}
_ANEW = frozenset({"window", "model"})  # for which a past turn's context is composed anew
_MADE = frozenset({"memory_tool", "target", "headroom", "keep", "relevant"})  # how it is made then


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
    assess: Ways
    unregistered: str


def request(
    window: int | None,
    format: Format,  # noqa: A002 - the word of the API
    how: Mapping[str, Any],
    *,
    key: str = "",
    prompt: str = "",
    turn: int | None = None,
    nth: int | None = None,
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
    if turn is None and nth is not None:
        raise Invalid("nth is one of the contexts of a past turn; give its turn too")
    if turn is not None:
        _check_past(turn, nth, {"window": window, "prompt": prompt or None, "preview": preview, **how})
    tools: Tools = how.get("tools", ())
    return ComposeRequest(
        window=window or 0,
        format=format,
        key=key,
        prompt=prompt,
        turn=turn or 0,
        nth=nth or 0,
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


def _check_past(turn: int, nth: int | None, given: Mapping[str, object]) -> None:
    """Refuse what would change nothing of the context of a turn that is over (None: not given).

    That is shown as it was, or composed anew for another window or model, be it made otherwise too.
    """
    if turn < 1:
        raise Invalid(f"{turn} is no turn, they count from 1; leave it out for the next request")
    if nth is not None and nth < 1:
        raise Invalid(f"a turn has no context {nth}, they count from 1; leave nth out for its last")
    names = [name for name, value in given.items() if value is not None]
    for name in names:
        if name not in _ANEW | _MADE:
            raise Invalid(f"{name} goes with the next request, and turn {turn} was asked for; give one of them")
        if nth is not None:
            raise Invalid(f"nth shows a context as it was, and {name} asks for another one; give one of them")
        if not _ANEW.intersection(names):
            raise Invalid(
                f"{name} goes with the next request, and turn {turn} was asked for as it was; leave it out, "
                "or give the window or model for which that is to be composed anew"
            )


def _check(window: int | None, format: str, how: Mapping[str, Any]) -> None:  # noqa: A002
    kinds = _kinds()
    arguments.check("window", int | None, window, "a context")
    if format not in FORMATS:
        raise Invalid(f"there is no format {format!r} of messages; the formats are {', '.join(FORMATS)}")
    if how.get("assess", "off") not in get_args(Ways):
        raise Invalid(
            f"there is no way {how['assess']!r} to assess a request; the ways are {', '.join(get_args(Ways))}"
        )
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
