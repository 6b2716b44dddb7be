"""Dead letters over the in-memory twins: what is listed and shown, what is done again, and who may do which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from desks import Desk, whole_turn
from erasing_desks import erase
from msgspec import structs

from eunoe.runtime.doors import Stored
from eunoe.runtime.permissions import OPERATOR
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied, Invalid, NotFound, Unreachable
from eunoe.schemas.jobs import AgainJob, DistilJob
from eunoe.schemas.requests import DeadLetter, DeadReply, DeadRequest, Letter
from eunoe.schemas.subjects import Address, Caller

pytestmark = pytest.mark.anyio

ADA = Caller("person", "ada")
JOB = msgspec.json.encode(DistilJob(thread="t", up_to=4, position=9)).decode()


def of_record(position: int, worker: str = "facts", thread: str = "t") -> DeadLetter:
    subject = subjects.chain_subject("default", subjects.thread_chain(thread), "log")
    return DeadLetter(
        v=1, worker=worker, reason="ValueError: no", attempts=5, time=7, subject=subject, position=position,
        thread=thread,
    )  # fmt: skip


def of_job(payload: str = JOB, worker: str = "distillation", subject: str = "", thread: str = "t") -> DeadLetter:
    subject = subject or subjects.job("default", "distil", thread)
    return DeadLetter(
        v=1, worker=worker, reason="it ended", attempts=5, time=8, subject=subject, thread=thread, payload=payload
    )


async def laid(desk: Desk, *letters: DeadLetter) -> None:
    for letter in letters:
        await desk.store.dead.append(subjects.dead("default", letter.worker), msgspec.json.encode(letter))


async def asked(desk: Desk, caller: Caller = ADA, **request: Any) -> DeadReply:
    data = msgspec.json.encode(DeadRequest(**request))
    answer = await desk.worker.handlers()["dead"](Address("dead", caller, ""), data)
    return msgspec.json.decode(answer, type=DeadReply)


def numbers(letters: Sequence[Letter]) -> list[int]:
    return [letter.number for letter in letters]


async def left(desk: Desk) -> list[int]:
    return [stored.seq async for stored in desk.store.dead.scan()]


async def jobs(desk: Desk) -> dict[str, AgainJob]:
    """The jobs that wait, by their subjects."""
    consumer = await desk.store.jobs.consumer("look", [subjects.jobs_filter("default")])
    found: list[Stored] = [delivery.message for delivery in await consumer.fetch(100, 0.01)]
    return {stored.subject: msgspec.json.decode(stored.data, type=AgainJob) for stored in found}


async def test_letters_are_listed_in_pages_in_their_order(desk: Desk) -> None:
    """Three letters in pages of two: the second page is what comes after the last number of the first."""
    await laid(desk, of_record(1), of_record(2), of_job())

    first = await asked(desk, limit=2)
    second = await asked(desk, limit=2, after=2)

    assert (numbers(first.letters), first.total, first.more) == ([1, 2], 3, True)
    assert (numbers(second.letters), second.total, second.more) == ([3], 3, False)
    assert second.letters[0] == Letter(
        number=3, worker="distillation", reason="it ended", attempts=5, time=8, thread="t",
        subject="eunoe.default.job.distil.t", input=JOB, kind="distil",
    )  # fmt: skip


async def test_the_letters_of_one_worker_are_listed_and_counted_alone(desk: Desk) -> None:
    """Of five letters three are of facts; the rest of a page's count is what that worker has, whatever others have."""
    await laid(desk, of_record(1), of_job(), of_record(2), of_job(), of_record(3))

    first = await asked(desk, worker="facts", limit=2)
    second = await asked(desk, worker="facts", limit=2, after=3)

    assert (numbers(first.letters), first.total, first.more) == ([1, 3], 3, True)
    assert (numbers(second.letters), second.total, second.more) == ([5], 3, False)


async def test_a_letter_of_a_record_shows_what_the_record_is_and_none_of_its_content(desk: Desk) -> None:
    reply = await desk.append(1, *whole_turn("my password is hunter2"))
    await laid(desk, of_record(reply.position))

    (letter,) = (await asked(desk, action="show", numbers=(1,))).letters

    assert letter.input == (
        "record 1 of thread t, at position 1: turn.opened, prompt, response, turn.committed (turn 1)"
    )
    assert (letter.reason, letter.position) == ("ValueError: no", 1)


async def test_a_letter_of_a_record_that_is_gone_says_so(desk: Desk) -> None:
    await laid(desk, of_record(40))

    (letter,) = (await asked(desk, action="show", numbers=(1,))).letters

    assert letter.input == "the record at position 40, which is not there any more"


async def test_a_letter_that_cannot_be_read_is_listed_and_can_only_be_dropped(desk: Desk) -> None:
    """It holds up no list, and the letters beside it are not replayed with half of them done."""
    await laid(desk, of_record(1))
    await desk.store.dead.append(subjects.dead("default", "facts"), b"not JSON")

    (letter,) = (await asked(desk, after=1)).letters
    assert letter.worker == "facts"
    assert letter.reason.startswith("this letter itself cannot be read: ")
    with pytest.raises(Invalid, match="dead letter 2 does not say what failed, so it can only be dropped"):
        await asked(desk, action="replay", numbers=(1, 2))
    assert (await left(desk), await jobs(desk)) == ([1, 2], {})
    assert [one.done for one in (await asked(desk, action="drop", numbers=(2,))).letters] == ["dropped"]
    assert await left(desk) == [1]


@pytest.mark.parametrize("letter", [of_record(1, "facts"), of_record(1, "extraction"), of_job()])
async def test_what_is_replayed_is_asked_of_the_worker_that_failed(desk: Desk, letter: DeadLetter) -> None:
    """A job under the number of the letter, with all that it says but why; then the letter is gone."""
    await laid(desk, letter)

    reply = await asked(desk, action="replay", numbers=(1,))

    assert [(one.number, one.done) for one in reply.letters] == [(1, "replayed")]
    assert (reply.total, await left(desk)) == (0, [])
    asked_for = AgainJob(number=1, letter=structs.replace(letter, reason=""))
    assert await jobs(desk) == {f"eunoe.default.job.again-{letter.worker}.1": asked_for}


async def test_what_failed_again_is_asked_for_as_it_failed_first(desk: Desk) -> None:
    """The letter of a job that did something again holds that job; the letter in it says what the work was."""
    first = of_record(6, "extraction")
    job = msgspec.json.encode(AgainJob(number=3, letter=first)).decode()
    subject = subjects.job_again("default", "extraction", 3)
    await laid(desk, of_job(job, "extraction", subject))

    await asked(desk, action="replay", numbers=(1,))

    asked_for = AgainJob(number=1, letter=structs.replace(first, reason=""))
    assert await jobs(desk) == {"eunoe.default.job.again-extraction.1": asked_for}


async def test_a_letter_says_what_kind_of_job_failed(desk: Desk) -> None:
    """Of what failed again, the kind that it was the first time; of a record, none."""
    review = of_job(subject=subjects.job("default", "review", "t"))
    again = msgspec.json.encode(AgainJob(number=3, letter=review)).decode()
    await laid(desk, of_job(), review, of_job(again, subject=subjects.job_again("default", "distillation", 3)))
    await laid(desk, of_record(1), of_job("{}", subject=subjects.job_again("default", "distillation", 3)))

    assert [letter.kind for letter in (await asked(desk)).letters] == ["distil", "review", "review", "", ""]


async def test_what_failed_again_and_cannot_be_read_can_only_be_dropped(desk: Desk) -> None:
    """Another version may have asked for it."""
    await laid(desk, of_job('{"number":3}', "extraction", subjects.job_again("default", "extraction", 3)))

    with pytest.raises(Invalid, match="dead letter 1 does not say what failed, so it can only be dropped"):
        await asked(desk, action="replay", numbers=(1,))
    assert await left(desk) == [1]


async def test_all_letters_of_a_worker_are_replayed_a_page_at_a_time(desk: Desk) -> None:
    await laid(desk, of_record(1), of_job(), of_record(2), of_record(3))

    reply = await asked(desk, action="replay", worker="facts", limit=2)

    assert (numbers(reply.letters), reply.more, reply.total) == ([1, 3], True, 2)
    assert await left(desk) == [2, 4]
    assert not (await asked(desk, action="replay", worker="facts", limit=2)).more
    assert await left(desk) == [2]


async def test_a_letter_stays_where_its_work_could_not_be_asked_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store goes away between the first and the second of two letters: the first is done, the second still there;
    asked for again it is asked for once."""
    await laid(desk, of_record(1), of_record(2))
    submit = desk.store.jobs.submit

    async def away(subject: str, data: bytes, *, msg_id: str = "") -> Any:
        if subject.endswith(".2"):
            raise Unreachable
        return await submit(subject, data, msg_id=msg_id)

    with monkeypatch.context() as patched:
        patched.setattr(desk.store.jobs, "submit", away)
        with pytest.raises(Unreachable):
            await asked(desk, action="replay", numbers=(1, 2))

    assert await left(desk) == [2]
    await asked(desk, action="replay", numbers=(2,))
    assert sorted(await jobs(desk)) == ["eunoe.default.job.again-facts.1", "eunoe.default.job.again-facts.2"]


async def test_a_replay_that_was_cut_off_before_its_letter_went_may_come_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job waits and the letter is still there: the second time one job waits, and the letter is gone."""
    await laid(desk, of_record(1))

    async def killed(seq: int) -> None:
        raise Unreachable

    with monkeypatch.context() as patched:
        patched.setattr(desk.store.dead, "erase", killed)
        with pytest.raises(Unreachable):
            await asked(desk, action="replay", numbers=(1,))
    assert await left(desk) == [1]

    await asked(desk, action="replay", numbers=(1,))

    assert (await desk.store.jobs.waiting(), await left(desk)) == (1, [])


async def test_what_is_dropped_is_gone_and_nothing_is_done_about_it(desk: Desk) -> None:
    await laid(desk, of_record(1), of_job())

    reply = await asked(desk, action="drop", numbers=(2,))

    assert [(one.number, one.done) for one in reply.letters] == [(2, "dropped")]
    assert (await left(desk), await jobs(desk)) == ([1], {})


@pytest.mark.parametrize("action", ["show", "replay", "drop"])
async def test_nothing_is_done_where_a_letter_is_not_there(desk: Desk, action: str) -> None:
    await laid(desk, of_record(1))

    with pytest.raises(NotFound, match="there is no dead letter 7; `eunoe dead list` lists what there is"):
        await asked(desk, action=action, numbers=(7,) if action == "show" else (1, 7))

    assert (await left(desk), await jobs(desk)) == ([1], {})


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"worker": "cook"}, "there is no worker 'cook'; known are audit, "),
        ({"limit": 0}, "a page has 1 to 200 dead letters"),
        ({"limit": 201}, "a page has 1 to 200 dead letters"),
        ({"after": -1}, "dead letters are numbered from 1"),
        ({"numbers": (1,)}, "a list names no dead letters"),
        ({"action": "show"}, "name the one dead letter to show"),
        ({"action": "show", "numbers": (1, 2)}, "name the one dead letter to show"),
        ({"after": 1 << 53}, "dead letters are numbered from 1"),
        ({"action": "show", "numbers": (1 << 64,)}, "dead letters are numbered from 1"),
        ({"action": "drop", "numbers": (0,)}, "dead letters are numbered from 1"),
        ({"action": "drop", "numbers": (1, 1)}, "a dead letter is named twice"),
        ({"action": "replay"}, "say which dead letters to replay"),
        ({"action": "drop", "numbers": (1,), "worker": "facts"}, "say which dead letters to drop"),
    ],
)
async def test_what_names_no_letters_is_refused_in_a_line(desk: Desk, request_: dict[str, Any], said: str) -> None:
    await laid(desk, of_record(1))

    with pytest.raises(Invalid) as refused:
        await asked(desk, **request_)

    assert str(refused.value).startswith(said)
    assert await left(desk) == [1]


@pytest.mark.parametrize("action", ["list", "show", "replay", "drop"])
async def test_persons_do_everything_and_the_operator_looks(desk: Desk, action: str) -> None:
    await laid(desk, of_record(1))
    request: dict[str, Any] = {"action": action, "numbers": () if action == "list" else (1,)}

    callers = [Caller(role, "x") for role in ("agent", "caller", "tool", "viewer", "worker")]
    for caller in callers + [OPERATOR] * (action in ("replay", "drop")):
        with pytest.raises(Denied, match=r"may not (look at|replay|drop) dead letters; a person may"):
            await asked(desk, caller, **request)
    assert await left(desk) == [1]
    if action in ("list", "show"):
        assert numbers((await asked(desk, OPERATOR, **request)).letters) == [1]
    assert numbers((await asked(desk, **request)).letters) == [1]


async def test_the_letters_of_an_erased_thread_go_with_it(desk: Desk) -> None:
    """Those about its records, and those that hold a job of it; those of another thread stay."""
    mine = await desk.append(1, *whole_turn("Hi"))
    other = await desk.append(1, *whole_turn("Hi"), thread="u")
    await laid(desk, of_record(mine.position), of_job(), of_record(other.position, thread="u"), of_job(thread="u"))

    await erase(desk, thread="t")

    assert [letter.thread for letter in (await asked(desk)).letters] == ["u", "u"]
