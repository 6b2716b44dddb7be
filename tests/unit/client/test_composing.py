"""What a client asks of composition: every argument as it stands in the request, and what is refused before it is."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from recipes import recipe

from eunoe.client.composing import How
from eunoe.client.gate import Gate
from eunoe.client.memory import Memory, chosen_settings, opened
from eunoe.client.tools import definitions
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Context, Watermark
from eunoe.schemas.errors import Invalid, Misconfigured, OutcomeUnknown
from eunoe.schemas.requests import ComposeReply, ComposeRequest, Refused, ToolDefinition
from eunoe.schemas.subjects import Caller


class Composers:
    """Answers every request with a context of its own, ``c1`` first; what was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[ComposeRequest] = []
        self.timeouts: list[float] = []
        self.lost = False

    async def request(self, subject: str, data: bytes, *, timeout: float = limits.REQUEST_SECONDS) -> bytes:
        assert subjects.parse_request(subject).verb == "compose"
        request = msgspec.json.decode(data, type=ComposeRequest)
        self.asked.append(request)
        self.timeouts.append(timeout)
        if self.lost:
            raise OutcomeUnknown
        return msgspec.json.encode(ComposeReply(context=context(f"c{len(self.asked)}", request)))


def context(id: str, request: ComposeRequest) -> Context:  # noqa: A002 - the word of the API
    window = request.window or 8192
    return Context(
        id=id,
        thread="t",
        turn=1,
        window=window,
        format=request.format,
        messages=[],
        layers=(),
        recipe=recipe(id=id, turn=1, window=window, format=request.format, turns=(), first_turn=1),
        watermark=Watermark(),
    )


@pytest.fixture
def composers() -> Composers:
    return Composers()


@pytest.fixture
async def memory(composers: Composers) -> AsyncIterator[Memory]:
    async with opened(Memory, Gate(composers, "default", Caller("agent", "builder"))) as memory:
        yield memory


async def test_what_is_left_out_is_as_the_workers_settings_say(memory: Memory, composers: Composers) -> None:
    """In the request of a context of which nothing is said stands nothing but that it is the turn's, and stored."""
    turn = memory.thread("t").turn("Hi", key="k")

    await turn.context()

    assert composers.asked == [ComposeRequest(key="k", store=True)]


async def test_every_argument_stands_in_the_request(memory: Memory, composers: Composers) -> None:
    """Of a turn's context, as of a look, which takes the same."""
    how: dict[str, Any] = {
        "model": "m",
        "memory_tool": True,
        "target": 0.5,
        "headroom": 0,
        "keep": 2,
        "relevant": False,
        "wait": 1.5,
        "tools": ["read_file"],
        "assess": "rules",
        "unregistered": "grep",
    }
    asked = {**how, "pending_wait": 1.5, "tools": (ToolDefinition(name="read_file"),)}
    del asked["wait"]

    await memory.thread("t").turn("Hi", key="k").context(4096, "anthropic", **how)
    await memory.thread("t").context(4096, "anthropic", prompt="And?", **how)

    assert composers.asked == [
        ComposeRequest(window=4096, format="anthropic", key="k", store=True, **asked),
        ComposeRequest(window=4096, format="anthropic", prompt="And?", **asked),
    ]
    assert composers.timeouts[0] == 2.0 + 1.5 + limits.REQUEST_SECONDS


async def test_a_window_of_the_clients_own_is_asked_for_but_not_of_a_past_turn(
    memory: Memory, composers: Composers
) -> None:
    """One that is named wins; a past turn is shown in its own where none is named."""
    memory.window = 2048
    thread = memory.thread("t")

    await thread.context()
    await thread.context(4096)
    await thread.context(turn=3)
    await thread.context(4096, turn=3)
    await thread.context(turn=3, nth=2)

    assert [(request.window, request.turn, request.nth) for request in composers.asked] == [
        *((2048, 0, 0), (4096, 0, 0), (0, 3, 0), (4096, 3, 0), (0, 3, 2))
    ]


MADE: dict[str, Any] = {"memory_tool": True, "target": 0.5, "headroom": 0, "keep": 5, "relevant": False}
"""How a context is made."""
NEXT: dict[str, Any] = {
    "prompt": "And?",
    "preview": "trial",
    "wait": 3.0,
    "tools": ["read_file"],
    "assess": "rules",
    "unregistered": "grep",
}
"""What only a request that is still to come can have."""


@pytest.mark.parametrize("name", NEXT)
async def test_what_goes_with_the_next_request_is_not_taken_for_a_past_turn(
    memory: Memory, composers: Composers, name: str
) -> None:
    """It would change nothing of what that turn's model read."""
    with pytest.raises(Invalid) as refused:
        await memory.thread("t").context(turn=3, **{name: NEXT[name]})

    assert str(refused.value) == f"{name} goes with the next request, and turn 3 was asked for; give one of them"
    assert composers.asked == []


@pytest.mark.parametrize("name", MADE)
async def test_a_past_turn_as_it_was_is_not_made_otherwise(memory: Memory, composers: Composers, name: str) -> None:
    """Only one that is composed anew, for another window or model."""
    thread, how = memory.thread("t"), {name: MADE[name]}
    with pytest.raises(Invalid) as refused:
        await thread.context(turn=3, **how)
    assert str(refused.value) == (
        f"{name} goes with the next request, and turn 3 was asked for as it was; leave it out, "
        "or give the window or model for which that is to be composed anew"
    )
    assert composers.asked == []

    await thread.context(4096, turn=3, **how)
    await thread.context(turn=3, model="m", **how)

    assert composers.asked == [
        ComposeRequest(window=4096, turn=3, **how),
        ComposeRequest(turn=3, model="m", **how),
    ]


def test_of_every_argument_of_a_context_it_is_known_whether_a_past_turn_has_it() -> None:
    assert {*NEXT, *MADE, "model"} == {*How.__annotations__, "prompt", "preview"}


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"turn": 0}, "0 is no turn, they count from 1; leave it out for the next request"),
        ({"turn": -1}, "-1 is no turn, they count from 1; leave it out for the next request"),
        ({"turn": 3, "nth": 0}, "a turn has no context 0, they count from 1; leave nth out for its last"),
        ({"nth": 1}, "nth is one of the contexts of a past turn; give its turn too"),
        (
            {"turn": 3, "nth": 1, "window": 4096},
            "nth shows a context as it was, and window asks for another one; give one of them",
        ),
        (
            {"turn": 3, "nth": 1, "model": "m"},
            "nth shows a context as it was, and model asks for another one; give one of them",
        ),
    ],
)
async def test_a_past_turn_is_named_as_it_is_counted(
    memory: Memory, composers: Composers, how: dict[str, Any], said: str
) -> None:
    """Nobody who gives a number that is none means another."""
    with pytest.raises(Invalid) as refused:
        await memory.thread("t").context(**how)

    assert str(refused.value) == said
    assert composers.asked == []


def test_a_server_of_its_own_and_another_are_not_both_meant() -> None:
    """What was named would never be reached."""
    with pytest.raises(Misconfigured, match="embedded=True runs a server of its own, and url names another one; give"):
        Memory.connect("nats://127.0.0.1:1", embedded=True)


def test_only_a_window_that_was_configured_is_the_clients_own() -> None:
    """The default of a setting is no choice of anybody's."""
    chosen = {"url": None, "space": "lab", "role": None, "principal": "ada"}

    assert "window" not in chosen_settings(Settings(), **chosen).model_fields_set  # type: ignore[arg-type]
    assert "window" in chosen_settings(Settings(window=4096), **chosen).model_fields_set  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"window": 0}, "a window of 0 tokens is too small; the least is 256"),
        ({"window": -1}, "a window of -1 tokens is too small; the least is 256"),
        ({"window": "8192"}, "window of a context: expected `int | None`, got `str`"),
        ({"window": True}, "window of a context: expected `int | None`, got `bool`"),
        (
            {"format": "xml"},
            "there is no format 'xml' of messages; the formats are openai, responses, anthropic, text, ma",
        ),
        ({"target": math.nan}, "the target of a context is a share of its window and more than 0"),
        ({"target": 0.0}, "the target of a context is a share of its window and more than 0"),
        ({"target": "half"}, "target of a context: expected `float`, got `str`"),
        ({"headroom": -1}, "headroom of a context is a number of turns, not -1; leave it out for the setting"),
        ({"keep": -2}, "keep of a context is a number of turns, not -2; leave it out for the setting"),
        ({"keep": None}, "keep of a context: expected `int`, got `None`"),
        ({"relevant": 1}, "relevant of a context: expected `bool`, got `int`"),
        ({"wait": -1}, "a context waits from 0 to 30 seconds, not -1"),
        ({"wait": 31.0}, "a context waits from 0 to 30 seconds, not 31"),
        ({"wait": math.nan}, "a context waits from 0 to 30 seconds, not nan"),
        ({"assess": "foo"}, "there is no way 'foo' to assess a request; the ways are off, rules, model"),
        ({"assess": ""}, "there is no way '' to assess a request; the ways are off, rules, model"),
        ({"assess": None}, "there is no way None to assess a request; the ways are off, rules, model"),
        ({"unregistered": ""}, "tool"),
        ({"tools": "read_file"}, "tools of a context: expected `list`, got `str`"),
        ({"tools": {"name": "read_file"}}, "tools of a context: expected `list`, got `object`"),
        ({"tools": [7]}, "a tool is a name, a ToolDefinition, or what a provider's API takes, not int"),
        ({"tools": [{"parameters": {}}]}, "a tool has a name, and may have a description, as text; this one has param"),
        ({"tools": [{"name": "a", "always": "yes"}]}, "always is True or False; those of 'a' are not"),
        ({"tools": [{"name": "a", "words": "ship"}]}, "words of a tool are a list of text"),
        ({"tools": [{"name": "a", "words": [7]}]}, "words of a tool are a list of text"),
        ({"tools": [{"name": 7}]}, "a tool has a name, and may have a description, as text; this one has name"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_anybody_is_asked(
    memory: Memory, composers: Composers, how: dict[str, Any], said: str
) -> None:
    """Also what would stand for the workers' setting in a request: nobody who gives 0 means that."""
    with pytest.raises(Invalid) as refused:
        await memory.thread("t").turn("Hi").context(**how)

    assert said in str(refused.value)
    assert composers.asked == []


async def test_an_argument_that_there_is_not_is_named(memory: Memory) -> None:
    """With those that there are."""
    unknown: dict[str, Any] = {"windw": 4096}
    with pytest.raises(TypeError, match="no argument 'windw'; it has window, format, model"):
        await memory.thread("t").context(**unknown)


def test_tools_are_taken_as_they_are_at_hand() -> None:
    """A name, a definition of each API, one that a provider runs itself, and one with words of its own."""
    own = ToolDefinition(name="deploy", words=("ship",), always=True)
    chat = {"type": "function", "function": {"name": "read_file", "description": "Read a file.", "parameters": {}}}
    responses: dict[str, object] = {"type": "function", "name": "grep", "description": None, "parameters": {}}
    custom = {"type": "custom", "custom": {"name": "run_sql", "description": "Run SQL.", "format": {"type": "text"}}}
    anthropic = {"name": "edit", "description": "Edit a file.", "input_schema": {}}

    assert definitions(["ls", own, chat, responses, custom, anthropic, {"type": "web_search"}]) == (
        ToolDefinition(name="ls"),
        own,
        ToolDefinition(name="read_file", description="Read a file."),
        ToolDefinition(name="grep"),
        ToolDefinition(name="run_sql", description="Run SQL."),
        ToolDefinition(name="edit", description="Edit a file."),
        ToolDefinition(name="web_search"),
    )


def test_a_definition_may_say_by_which_words_and_whether_always_a_tool_is_wanted() -> None:
    """Beside what a provider's API takes, or inside; nothing of it is passed over."""
    beside = {"type": "function", "function": {"name": "deploy"}, "words": ["ship"], "always": True}
    inside = {"type": "function", "function": {"name": "deploy", "words": ["ship"], "always": True}}
    flat = {"name": "deploy", "words": ("ship",), "always": True}

    assert definitions([beside, inside, flat]) == (ToolDefinition(name="deploy", words=("ship",), always=True),) * 3


@pytest.mark.parametrize("kind", ["function", "custom"])
def test_a_tool_of_the_callers_own_is_not_called_by_its_type(kind: str) -> None:
    """One without a name is a mistake, in either shape of a definition."""
    for tool in ({"type": kind, "description": "Read a file."}, {"type": kind, kind: {"description": "Read."}}):
        with pytest.raises(Invalid, match="a tool has a name"):
            definitions([tool])


async def test_a_refused_context_is_composed_again_as_it_was(memory: Memory, composers: Composers) -> None:
    """With the same arguments, in the window that it had, under its id; the next refusal is of what came then."""
    turn = memory.thread("t").turn("Hi", key="k")
    await turn.context(format="responses", keep=1, model="m")

    second = await turn.refused(9_000)
    await turn.refused(8_500)

    asked = ComposeRequest(window=8192, format="responses", key="k", store=True, keep=1, model="m")
    assert second.id == "c2"
    assert composers.asked[1:] == [
        msgspec.structs.replace(asked, refused=Refused(context="c1", tokens=9_000)),
        msgspec.structs.replace(asked, refused=Refused(context="c2", tokens=8_500)),
    ]


async def test_of_a_refusal_without_a_count_the_least_that_it_can_be_is_said(
    memory: Memory, composers: Composers
) -> None:
    """One token more than the window of the context that was refused, by which whatever follows it is smaller."""
    turn = memory.thread("t").turn("Hi", key="k")
    await turn.context(2048)

    await turn.refused()

    assert composers.asked[1].refused == Refused(context="c1", tokens=2049)


async def test_a_refusal_whose_answer_is_lost_is_sent_again_as_it_was(memory: Memory, composers: Composers) -> None:
    """The client still names the context that was refused."""
    turn = memory.thread("t").turn("Hi")
    await turn.context()
    composers.lost = True
    with pytest.raises(OutcomeUnknown):
        await turn.refused(9_000)
    composers.lost = False

    await turn.refused(9_000)

    assert composers.asked[1] == composers.asked[2]


async def test_nothing_can_be_refused_before_a_context_was_handed_out(memory: Memory, composers: Composers) -> None:
    """The message says what to do first; and tokens are a number."""
    turn = memory.thread("t").turn("Hi")
    with pytest.raises(Invalid, match=r"no context of this turn was handed out.*ask for one with context\(\)"):
        await turn.refused(9_000)
    await turn.context()
    many: Any = "many"
    with pytest.raises(Invalid, match=r"tokens of refused: expected `int \| None`, got `str`"):
        await turn.refused(many)

    assert len(composers.asked) == 1
