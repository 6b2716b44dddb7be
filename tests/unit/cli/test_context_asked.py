"""What `eunoe context` is asked for: which requests it makes, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from recipes import recipe

from eunoe.cli.context_asked import Wish, check, format_of, turn_of
from eunoe.schemas.context import FORMATS, Context, Watermark
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeRequest


def saw(**rest: Any) -> Context:
    made = Context(
        id="c1", thread="t", turn=7, window=2048, format="anthropic", messages=[], layers=(),
        recipe=recipe(turn=7, window=2048, format="anthropic", turns=(), first_turn=1), watermark=Watermark(),
    )  # fmt: skip
    return msgspec.structs.replace(made, **rest)


def test_the_next_request_is_made_as_it_is_wished_for() -> None:
    """What is not wished for is left to the settings, but for the window, which a command has its own of."""
    wish = Wish(prompt="Go.", keep=2, target=0.5, headroom=0, relevant=False, preview="lamps", model="gpt-4o")

    assert wish.next(4096) == ComposeRequest(
        window=4096, prompt="Go.", keep=2, target=0.5, headroom=0, relevant=False, preview="lamps", model="gpt-4o"
    )
    assert Wish(window=512, format="text").next(4096) == ComposeRequest(window=512, format="text")
    assert Wish().next(4096) == ComposeRequest(window=4096)


def test_the_next_request_goes_on_as_the_last_context_did() -> None:
    """In each thing that decides what it holds; the request itself is a new one."""
    numbers = {"target": 0.4, "headroom": 3.0, "keep": 2.0, "relevant": 0.0, "anchor": 99.0}
    last = saw(recipe=recipe(window=2048, format="anthropic", model="haiku", memory_tool=True, settings=numbers))

    assert Wish(prompt="Go.").next(4096, last) == ComposeRequest(
        window=2048, format="anthropic", model="haiku", memory_tool=True, target=0.4, headroom=3, keep=2,
        relevant=False, prompt="Go.",
    )  # fmt: skip


def test_what_is_wished_for_comes_before_the_last_context() -> None:
    """Each option by itself, also one that says no; the screen names them, but for what is new in any request."""
    last = saw(recipe=recipe(window=2048, format="anthropic", model="haiku", memory_tool=True))
    wish = Wish(
        window=512, format="text", model="gpt-4o", keep=0, headroom=0, relevant=True, memory_tool=False,
        prompt="Go.", preview="lamps",
    )  # fmt: skip

    assert wish.next(4096, last) == ComposeRequest(
        window=512, format="text", model="gpt-4o", keep=0, headroom=0, relevant=True, prompt="Go.", preview="lamps"
    )
    assert wish.instead_of_last() == (
        "--window", "--model", "--format", "--keep", "--headroom", "--relevant", "--no-memory-tool"
    )  # fmt: skip
    assert Wish(prompt="Go.", preview="lamps").instead_of_last() == ()


def test_a_past_turn_is_shown_as_its_model_saw_it() -> None:
    """And where it is the same that is wished for, too."""
    assert Wish().saw(7) == ComposeRequest(turn=7)
    assert Wish().instead(saw()) is None
    assert Wish(format="anthropic").instead(saw()) is None
    assert Wish(nth=2).saw(7) == ComposeRequest(turn=7, nth=2)
    assert Wish(nth=2).instead(saw()) is None


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (Wish(window=512), ComposeRequest(turn=7, window=512, format="anthropic")),
        (Wish(format="text"), ComposeRequest(turn=7, window=2048, format="text")),
        (Wish(model="gpt-4o"), ComposeRequest(turn=7, model="gpt-4o", format="anthropic")),
    ],
)
def test_a_past_turn_is_made_anew_for_something_else(wish: Wish, expected: ComposeRequest) -> None:
    """In its own window and format where none are wished for; of a model, the window is the turn's too."""
    assert wish.instead(saw()) == expected


@pytest.mark.parametrize(
    ("whats", "options", "complaint"),
    [
        (["7"], {"prompt": "Hi"}, "--prompt goes with next, and turn 7 was asked for; leave it out"),
        (["7"], {"window": 512, "keep": 0}, "--keep goes with next, and turn 7 was asked for; leave it out"),
        (["next"], {"after": 0}, "--after goes with turns, and next was asked for; leave it out"),
        (
            ["turns"],
            {"window": 512},
            "--window goes with one context, and the list of turns was asked for; leave it out",
        ),
        (
            ["3", "7"],
            {"relevant": False},
            "--no-relevant goes with next, and turn 3 and turn 7 were asked for; leave it out",
        ),
        (["next"], {"nth": 1}, "--nth goes with one past turn, and next was asked for; leave it out"),
        (
            ["7"],
            {"memory-tool": False},
            "--no-memory-tool goes with next, and turn 7 was asked for; leave it out",
        ),
        (["7"], {"memory-tool": True}, "--memory-tool goes with next, and turn 7 was asked for; leave it out"),
        (["3", "7"], {"nth": 1}, "--nth goes with one past turn, and turn 3 and turn 7 were asked for; leave it out"),
        (
            ["7"],
            {"nth": 1, "window": 512},
            "--nth shows a context as it was, and --window asks for another one; give one of them",
        ),
        (["last"], {}, "'last' is no turn; give its number, next (the next request) or turns (the list)"),
        (
            ["3", "turns"],
            {},
            "'turns' is a list, and --diff compares two contexts; give turns by their numbers, or next",
        ),
        (["0"], {}, "'0' is no turn; give its number, next (the next request) or turns (the list)"),
    ],
)
def test_what_does_not_go_together_is_refused(whats: list[str], options: dict[str, object], complaint: str) -> None:
    """In a line that says what it goes with."""
    with pytest.raises(Invalid, match=f"^{re.escape(complaint)}$"):
        check(whats, options)


@pytest.mark.parametrize(
    ("whats", "options"),
    [
        (["next"], {"prompt": "Hi", "window": 512, "relevant": False, "after": None}),
        (["7"], {"window": 512, "model": "gpt-4o", "format": "text"}),
        (["7"], {"nth": 2, "window": None}),
        (["turns"], {"after": 3, "limit": 9}),
        (["3", "next"], {"prompt": "Hi", "format": "text"}),
    ],
)
def test_what_goes_together_is_not(whats: list[str], options: dict[str, object]) -> None:
    """Of two contexts, what one of them takes."""
    check(whats, options)


def test_turns_and_formats_are_known_by_their_names() -> None:
    """None is no format, and next is turn 0."""
    assert [format_of(name) for name in (None, *FORMATS)] == [None, *FORMATS]
    assert (turn_of("next"), turn_of("12")) == (0, 12)
    with pytest.raises(Invalid, match=r"^there is no format 'xml' of messages; the formats are openai, responses, "):
        format_of("xml")
