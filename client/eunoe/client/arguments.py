"""The arguments of verbs: what a caller without a type checker gets wrong is refused by its name."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any, ParamSpec, TypeVar, get_type_hints

import msgspec

from eunoe.schemas.errors import Invalid

P = ParamSpec("P")
T = TypeVar("T")

_THEIRS = re.compile(r"\b(array|null)\b")
_OURS = {"array": "list", "null": "None"}  # what Python calls it


def checked(verb: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A verb that raises `Invalid` for an argument of another type than it declares, before it does anything."""
    signature = inspect.signature(verb)

    @functools.wraps(verb)
    async def called(*args: P.args, **kwargs: P.kwargs) -> T:
        given = signature.bind(*args, **kwargs).arguments
        for name, value in given.items():
            if name != "self":
                _check(verb, name, value)
        return await verb(*args, **kwargs)

    return called


@functools.cache
def _types(verb: Callable[..., Any]) -> dict[str, Any]:
    """What a verb declares. Of a scope only that it is text: each verb says which there are."""
    return get_type_hints(verb, localns={"Scope": str})


def _check(verb: Callable[..., Any], name: str, value: object) -> None:
    check(name, _types(verb)[name], value, verb.__name__)


def check(name: str, kind: Any, value: object, where: str) -> None:
    """Raise `Invalid` for an argument that is not of a type."""
    try:
        msgspec.convert(value, kind, builtin_types=(datetime,))
    except msgspec.ValidationError as error:
        wrong = _THEIRS.sub(lambda found: _OURS[found[1]], str(error))
        raise Invalid(f"{name} of {where}: {wrong[:1].lower()}{wrong[1:]}") from None
