"""Dead letters: work that failed for good, for people to look at, to have done again, or to let go of.

What is done again is asked of the worker that failed, by a job under the letter's number; the letter is erased once
that job waits. A worker does again only what is not done by then, so a job that is asked for twice changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec
from msgspec import structs

from eunoe.facts import lenient
from eunoe.runtime import payload
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Store, Stored
from eunoe.runtime.matching import matches
from eunoe.runtime.permissions import OPERATOR
from eunoe.runtime.roster import NAMES
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, EunoeError, Invalid, NotFound
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.records import Record
from eunoe.schemas.requests import DeadLetter, DeadReply, DeadRequest, Letter
from eunoe.schemas.subjects import Address, Caller

_request = msgspec.json.Decoder(DeadRequest)
_letter = msgspec.json.Decoder(DeadLetter)
_again = msgspec.json.Decoder(AgainJob)
_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class _Page:
    """Letters as they are stored; how many there are in all, and whether more of those that are meant follow."""

    letters: Sequence[Stored]
    total: int = 0
    more: bool = False


class DeadLetters:
    """The dead letters of one space."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def serve(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.answer(address.caller, payload.read(_request, data)))

    async def answer(self, caller: Caller, request: DeadRequest) -> DeadReply:
        """What a request asks for; raises `Denied`, `Invalid`, and `NotFound` before anything is done."""
        check_caller(caller, request)
        check(request)
        match request.action:
            case "list":
                found = await self._found(request)
                letters = tuple(told(stored) for stored in found.letters)
                return DeadReply(letters=letters, total=found.total, more=found.more)
            case "show":
                (stored,) = await self._named(request.numbers)
                return DeadReply(letters=(await self._whole(stored),), total=await self._total())
            case "replay":
                return await self._replay(await self._meant(request))
            case "drop":
                return await self._drop(await self._meant(request))

    async def _found(self, request: DeadRequest) -> _Page:
        """Letters after a number, in order. Those of one worker are counted by reading them all."""
        letters: list[Stored] = []
        count = 0
        async with closing(self._scan(request.worker, 1 if request.worker else request.after + 1)) as found:
            async for stored in found:
                count += 1
                if stored.seq > request.after:
                    letters.append(stored)
                if len(letters) > request.limit:
                    letters[request.limit + 1 :] = []
                    if not request.worker:
                        break
        total = count if request.worker else await self._total()
        return _Page(letters[: request.limit], total, len(letters) > request.limit)

    async def _meant(self, request: DeadRequest) -> _Page:
        """The letters with these numbers, or the first ones of a worker."""
        if request.worker:
            return await self._found(request)
        return _Page(await self._named(request.numbers))

    async def _replay(self, page: _Page) -> DeadReply:
        """Ask the workers that failed to do it again; a letter goes once its work waits."""
        space = self._store.space
        for stored, job in [(stored, again(space, stored)) for stored in page.letters]:
            subject = subjects.job_again(space, job.letter.worker, stored.seq)
            await self._store.jobs.submit(subject, _encode(job), msg_id=f"again.{stored.seq}")
            await self._erase(stored)
        return await self._gone(page, "replayed")

    async def _drop(self, page: _Page) -> DeadReply:
        for stored in page.letters:
            await self._erase(stored)
        return await self._gone(page, "dropped")

    async def _gone(self, page: _Page, done: str) -> DeadReply:
        letters = tuple(structs.replace(told(stored), done=done) for stored in page.letters)
        return DeadReply(letters=letters, total=await self._total(), more=page.more)

    async def _erase(self, stored: Stored) -> None:
        with suppress(NotFound):  # it is gone already
            await self._store.dead.erase(stored.seq)

    async def _named(self, numbers: Sequence[int]) -> list[Stored]:
        """The letters with these numbers; raises `NotFound` for the first that is not there."""
        found = await self._store.dead.get(numbers)
        for number, stored in zip(numbers, found, strict=True):
            if stored is None:
                raise NotFound(f"there is no dead letter {number}; `eunoe dead list` lists what there is")
        return [stored for stored in found if stored is not None]

    async def _whole(self, stored: Stored) -> Letter:
        """A letter with the job that it is about, or with where the record is and what that holds."""
        letter = told(stored)
        if letter.input or not letter.position:
            return letter
        (record,) = await self._store.log.get([letter.position])
        return structs.replace(letter, input=about(letter.position, record))

    def _scan(self, worker: str, start: int) -> AsyncIterator[Stored]:
        filters = [subjects.dead(self._store.space, worker)] if worker else []
        return self._store.dead.scan(filters, start=start)

    async def _total(self) -> int:
        return (await self._store.dead.info()).count


def check_caller(caller: Caller, request: DeadRequest) -> None:
    """Raise `Denied` unless a person asks; the operator may look."""
    if caller.role == "person" or (caller == OPERATOR and request.action in ("list", "show")):
        return
    deed = {"list": "look at", "show": "look at", "replay": "replay", "drop": "drop"}[request.action]
    raise Denied(f"{caller.kind} may not {deed} dead letters; a person may")


def check(request: DeadRequest) -> None:
    """Raise `Invalid` for a request that names no letters, or too many, or a worker that there is not."""
    if request.worker and request.worker not in NAMES:
        raise Invalid(f"there is no worker {request.worker!r}; known are {', '.join(NAMES)}")
    if not 1 <= request.limit <= limits.LETTERS_SHOWN or len(request.numbers) > limits.LETTERS_SHOWN:
        raise Invalid(f"a page has 1 to {limits.LETTERS_SHOWN} dead letters; ask for more in several requests")
    if any(not 1 <= number <= limits.LAST_NUMBER for number in (*request.numbers, request.after + 1)):
        raise Invalid("dead letters are numbered from 1; `eunoe dead list` lists what there is")
    if len(set(request.numbers)) < len(request.numbers):
        raise Invalid("a dead letter is named twice; name each once")
    named, of_worker = len(request.numbers), bool(request.worker)
    match request.action:
        case "list" if named:
            raise Invalid("a list names no dead letters; show one by its number")
        case "show" if named != 1 or of_worker:
            raise Invalid("name the one dead letter to show, by its number")
        case "replay" | "drop" if bool(named) == of_worker:
            raise Invalid(f"say which dead letters to {request.action}: by their numbers, or all of a worker")
        case _:
            return


def told(stored: Stored) -> Letter:
    """A dead letter as it is listed, with the job where it is about one."""
    letter = read(stored)
    return Letter(
        number=stored.seq,
        worker=letter.worker,
        reason=letter.reason,
        attempts=letter.attempts,
        time=letter.time,
        thread=letter.thread,
        position=letter.position,
        subject=letter.subject,
        input=letter.payload,
        kind=_kind(letter),
    )


def _kind(letter: DeadLetter) -> str:
    """What kind of job failed; of one that failed again, what it was the first time."""
    if matches(subjects.again_filter("*", letter.worker), letter.subject):
        try:
            return _kind(_again.decode(letter.payload).letter)
        except payload.UNREADABLE:
            return ""
    return subjects.job_kind(letter.subject)


def read(stored: Stored) -> DeadLetter:
    """A dead letter as it was written; of one that cannot be read, that it cannot."""
    try:
        return _letter.decode(stored.data)
    except payload.UNREADABLE as error:
        worker = stored.subject.rpartition(".")[2]
        reason = f"this letter itself cannot be read: {error}"
        return DeadLetter(v=limits.SCHEMA_VERSION, worker=worker, reason=reason, attempts=0, time=stored.time)


def again(space: str, stored: Stored) -> AgainJob:
    """The job that has the work of a letter done again; raises `Invalid` where the letter does not say what it was.

    What failed a second time is asked for as it was the first time. Why it failed is not said in the job: that may
    quote what was said, and an erasure looks at letters, not at what waits in a queue.
    """
    letter = read(stored)
    untold = Invalid(f"dead letter {stored.seq} does not say what failed, so it can only be dropped")
    if not (letter.payload or letter.position):
        raise untold
    if matches(subjects.again_filter(space, letter.worker), letter.subject):
        try:
            letter = _again.decode(letter.payload).letter
        except payload.UNREADABLE:
            raise untold from None
    return AgainJob(number=stored.seq, letter=structs.replace(letter, reason=""))


def about(position: int, stored: Stored | None) -> str:
    """Where a record is, and what kinds of events it holds: none of their content."""
    if stored is None:
        return f"the record at position {position}, which is not there any more"
    try:
        record, whole = lenient.read(stored)
    except EunoeError as error:
        return f"the record at position {position}, which cannot be read: {error}"
    where = f"record {record.header.record} of {subjects.chain_name(record.header.chain)}, at position {position}"
    return f"{where}: {_kinds(record) if whole else 'it cannot be read'}"


def _kinds(record: Record) -> str:
    turns = sorted({turn for event in record.events if (turn := getattr(event, "turn", 0))})
    kinds = dict.fromkeys(str(type(event).__struct_config__.tag) for event in record.events)
    said = f" (turn {', '.join(map(str, turns))})" if turns else ""
    return ", ".join(kinds) + said
