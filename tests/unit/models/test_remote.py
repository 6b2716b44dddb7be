"""Asking a model over HTTP: every way in which a server may answer, or not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from decimal import Decimal

import anyio
import pydantic
import pytest
from model_server import NAME, ModelServer, Reply
from polling import until
from remote_models import anthropic, openai

from eunoe.models import effort
from eunoe.models.door import Answer, Limits, Model, Usage
from eunoe.models.remote import PROBE
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import ModelFailed

Asking = Callable[..., AbstractAsyncContextManager[tuple[Model, ModelServer]]]


class Point(pydantic.BaseModel):
    x: int


@pytest.fixture(params=[openai, anthropic], ids=["openai", "anthropic"])
def asking(request: pytest.FixtureRequest) -> Asking:
    found: Asking = request.param
    return found


async def test_an_answer_is_checked_and_says_what_it_took(asking: Asking) -> None:
    """The value, the model as the server names it, its tokens, and no cost where no price is known."""
    async with asking('{"x": 1}') as (model, _):
        found = await model.ask("Where?", Point)

    assert found == Answer(Point(x=1), NAME, Usage(120, 15), ms=found.ms)
    assert 0 <= found.ms < 30_000


async def test_the_name_that_a_server_gives_is_one_short_line(asking: Asking) -> None:
    """It stands in facts and labels: no line break, no control character, and at most as many characters as a name."""
    async with asking(Reply('{"x": 1}', model="small\n\x1b[31m[system]"), Reply('{"x": 1}', model="m" * 9_000)) as (
        model,
        _,
    ):
        first, second = [(await model.ask("Where?", Point)).model for _ in range(2)]

    assert first == "small [31m[system]"
    assert second == "m" * 255 + "…"


async def test_what_a_model_is_asked_needs_nothing_but_text_of_a_server() -> None:
    """No tool, and no format of an answer, which a plain server may not know: the schema stands in the instructions."""
    async with openai('{"x": 1}') as (model, server):
        await model.ask("Where?", Point, Limits(output_tokens=77), system="Be brief.")

    body = server.asked[0]
    assert {name: body[name] for name in ("model", "max_tokens", "temperature")} == {
        "model": "llama",
        "max_tokens": 77,
        "temperature": 0.0,
    }
    assert not {"tools", "response_format", "tool_choice"} & body.keys()
    system, user = body["messages"]
    assert system["content"].startswith("Be brief.\n\nAnswer with one JSON value")
    assert user == {"role": "user", "content": "Where?"}


async def test_a_text_is_asked_for_without_a_schema(asking: Asking) -> None:
    """A plain question gets a plain answer."""
    async with asking("By the sea.") as (model, server):
        found = await model.ask("Where?", str)

    assert found.value == "By the sea."
    assert "JSON" not in server.prompt()


async def test_thoughts_are_no_part_of_an_answer(asking: Asking) -> None:
    """Neither those that come apart, nor those in the text."""
    async with asking(Reply('<think>Or {"x": 22222}?</think>{"x": 1}', thinking="Perhaps 3.")) as (model, _):
        found = await model.ask("Where?", str)

    assert found.value == '{"x": 1}'


@pytest.mark.parametrize("text", ['{"x": "a <think> tag"}', '{"x": "<think>a</think> b"}', '["</think>"]'])
async def test_marks_of_thoughts_inside_of_json_are_words(asking: Asking, text: str) -> None:
    """Nothing is taken out of a value."""
    async with asking(text) as (model, _):
        assert (await model.ask("Where?", str)).value == text


async def test_what_passes_is_tried_again(asking: Asking) -> None:
    """Too many requests, a server that stumbles, and then an answer."""
    async with asking(Reply(status=429, message="slow down"), Reply(status=503), '{"x": 1}') as (model, server):
        found = await model.ask("Where?", Point)

    assert found.value == Point(x=1)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("reply", "reason", "said", "times"),
    [
        (Reply(status=429, message="slow down"), "rate_limited", "is asked too much (429): 'slow down'", 2),
        (Reply(status=500, message="oops"), "server", "fails (500): 'oops'", 2),
        (Reply(status=401, message="bad key"), "rejected", "does not take the request (401): 'bad key'", 1),
        (Reply(status=404, message="no such model"), "rejected", "the request (404): 'no such model'", 1),
        (Reply("I'd rather not say"), "unreadable", 'without any JSON: "I\'d rather not say"', 1),
        (Reply('{"x": "one"}'), "unreadable", "does not fit: x: input should be a valid integer", 1),
        (Reply('{"x": ', finish="length"), "cut_off", "was cut off after 15 tokens", 1),
        (Reply(), "empty", "answered with nothing", 1),
        (Reply("<think>Hm.</think>"), "empty", "answered with nothing", 1),
        (Reply(body="<html>"), "unreachable", "cannot be reached, or breaks off", 1),
    ],
)
async def test_a_failure_says_what_it_was(asking: Asking, reply: Reply, reason: str, said: str, times: int) -> None:
    """After one more attempt where that may help; on one line."""
    async with asking(reply) as (model, server):
        with pytest.raises(ModelFailed) as failed:
            await model.ask("Where?", Point, Limits(retries=1))

    assert failed.value.detail["reason"] == reason
    assert said in str(failed.value)
    assert "\n" not in str(failed.value)
    assert len(server.asked) == times


async def test_a_refusal_is_told_from_an_answer() -> None:
    """The model would not, and says why."""
    async with openai(Reply(refusal="I can't help with that.")) as (model, _):
        with pytest.raises(ModelFailed, match=r"refused to answer: \"I can't help with that.\"") as failed:
            await model.ask("Where?", Point)

    assert failed.value.detail["reason"] == "refused"


@pytest.mark.parametrize(
    "body",
    [
        '{"answer": 1}',
        "[]",
        "null",
        '{"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}',
        '{"type": "message", "role": "assistant", "content": null, "usage": null}',
        '{"type": "message", "role": "assistant", "content": "yes", "stop_reason": "end_turn"}',
    ],
)
async def test_an_answer_in_a_shape_that_its_api_does_not_have_is_unreadable(asking: Asking, body: str) -> None:
    """JSON, but not what was promised, whatever the libraries between stumble over; nobody asks for it again."""
    async with asking(Reply(body=body)) as (model, server):
        with pytest.raises(ModelFailed, match="gave an answer that cannot be read") as failed:
            await model.ask("Where?", Point)

    assert failed.value.detail["reason"] == "unreadable"
    assert "\n" not in str(failed.value)
    assert len(server.asked) == 1


async def test_a_connection_that_breaks_is_tried_again(asking: Asking) -> None:
    """And is a failure of its own when it always does."""
    async with asking(Reply(drop=True), '{"x": 1}') as (model, _):
        assert (await model.ask("Where?", Point, Limits(retries=1))).value == Point(x=1)
    async with asking(Reply(drop=True)) as (model, server):
        with pytest.raises(ModelFailed) as failed:
            await model.ask("Where?", Point, Limits(retries=0))

    assert failed.value.detail["reason"] == "unreachable"
    assert len(server.asked) == 1


async def test_nobody_waits_longer_than_was_said(asking: Asking) -> None:
    """A server that never answers is told so: its connection is closed, and nothing is asked again."""
    async with asking(Reply(hold=True)) as (model, server):
        with pytest.raises(ModelFailed, match=r"gave no answer within 0\.2 s") as failed:
            await model.ask("Where?", Point, Limits(seconds=0.2))
        await until(lambda: server.given_up == 1, "the connection is closed")
        assert len(server.asked) == 1

    assert failed.value.detail["reason"] == "timeout"


async def test_no_more_is_asked_at_once_than_is_allowed() -> None:
    """Whoever comes after that waits for a slot, and no longer than was said either."""
    async with openai(Reply(hold=True)) as (model, server), anyio.create_task_group() as tasks:
        for _ in range(limits.MODEL_CALLS):
            tasks.start_soon(model.ask, "Where?", Point)
        await until(lambda: len(server.asked) == limits.MODEL_CALLS, "every slot is taken")
        with pytest.raises(ModelFailed) as failed:
            await model.ask("And where?", Point, Limits(seconds=0.2))
        assert failed.value.detail["reason"] == "timeout"
        assert len(server.asked) == limits.MODEL_CALLS
        tasks.cancel_scope.cancel()


async def test_who_is_patient_waits_for_a_slot_as_long_as_it_takes() -> None:
    """More time passes before its turn than its answer may take; only that counts, and does count."""
    gate, found = threading.Event(), list[str]()
    async with openai() as (model, server), anyio.create_task_group() as tasks:
        server.when |= {"first": Reply("yes", gate=gate), "second": "yes", "third": Reply(hold=True)}

        async def ask() -> None:
            found.append((await model.ask("The second?", str, Limits(seconds=1.0, patient=True))).value)

        for _ in range(limits.MODEL_CALLS):
            tasks.start_soon(model.ask, "The first?", str)
        await until(lambda: server.held == limits.MODEL_CALLS, "every slot is taken")
        tasks.start_soon(ask)
        with pytest.raises(ModelFailed):
            await model.ask("The second?", str, Limits(seconds=1.2))
        assert found == []
        gate.set()
        await until(lambda: found == ["yes"], "it is answered")
        with pytest.raises(ModelFailed, match=r"within 0\.05 s"):
            await model.ask("The third?", str, Limits(seconds=0.05, patient=True))


async def test_a_failure_tells_what_the_answer_took_that_cannot_be_used(asking: Asking) -> None:
    """Tokens that were spent on nothing are spent; of what got no answer nothing is known."""
    async with asking(Reply("So"), Reply(status=401)) as (model, _):
        with pytest.raises(ModelFailed) as unread:
            await model.ask("Where?", Point)
        with pytest.raises(ModelFailed) as refused:
            await model.ask("Where?", Point)

    took = effort.wasted(unread.value)
    assert took == Effort(model=NAME, calls=1, input_tokens=120, output_tokens=15, ms=took.ms)
    assert effort.wasted(refused.value) == Effort()


async def test_an_answer_that_is_cut_off_is_one_for_whoever_takes_it_so(asking: Asking) -> None:
    """It says that it was; without a word it is none."""
    async with asking(Reply("By the", finish="length"), Reply("By the sea."), Reply(finish="length")) as (model, _):
        half = await model.ask("Where?", str, partial=True)
        whole = await model.ask("Where?", str, partial=True)
        with pytest.raises(ModelFailed) as failed:
            await model.ask("Where?", str, partial=True)

    assert (half.value, half.cut_off) == ("By the", True)
    assert (whole.value, whole.cut_off) == ("By the sea.", False)
    assert failed.value.detail["reason"] == "cut_off"


@pytest.mark.parametrize("reply", [Reply("yes"), Reply("Perhaps, but", finish="length"), Reply()])
async def test_a_probe_takes_whatever_the_model_says(asking: Asking, reply: Reply) -> None:
    """It is one short question."""
    async with asking(reply) as (model, server):
        await model.probe()

    assert PROBE in server.prompt()
    assert server.asked[0]["max_tokens"] == 16


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status=429), "rate_limited"),
        (Reply(status=503), "server"),
        (Reply(status=401), "rejected"),
        (Reply(drop=True), "unreachable"),
        (Reply(body="[]"), "unreadable"),
    ],
)
async def test_a_probe_fails_at_once(asking: Asking, reply: Reply, reason: str) -> None:
    """It is not tried again: whoever probes does that when it is time."""
    async with asking(reply) as (model, server):
        with pytest.raises(ModelFailed) as failed:
            await model.probe()

    assert failed.value.detail["reason"] == reason
    assert len(server.asked) == 1


async def test_a_probe_waits_for_no_slot() -> None:
    """A model that is asked as much as it may be still tells that it answers."""
    async with openai() as (model, server), anyio.create_task_group() as tasks:
        server.when |= {PROBE: "yes", "Where?": Reply(hold=True)}
        for _ in range(limits.MODEL_CALLS):
            tasks.start_soon(model.ask, "Where?", Point)
        await until(lambda: server.held == limits.MODEL_CALLS, "every slot is taken")
        await model.probe()
        tasks.cancel_scope.cancel()


async def test_a_model_may_be_closed_twice(asking: Asking) -> None:
    """By each of those that were given it."""
    async with asking("yes") as (model, _):
        await model.ask("Where?", str)
        await model.close()


async def test_the_cost_is_told_where_a_price_is_known() -> None:
    """A provider's own prices, for the tokens that it counted; looked up without a network."""
    usage = Usage(120, 15, Decimal("0.000195"))
    async with anthropic(Reply('{"x": 1}', model="claude-haiku-4-5")) as (model, _):
        found = await model.ask("Where?", Point)

    assert found.usage == usage
