"""Every subject, stream, bucket and durable name, built here and nowhere else.

Arguments are plain ids; the functions encode them. A *chain* is one hash chain of records: a thread's,
or that of a *book* (the facts of a scope and owner that belong to no thread). It is named by the middle
of its subjects: ``thread.<thread>`` or ``book.<scope>.<owner>``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

from eunoe.schemas import ids
from eunoe.schemas.document_keys import INDEX_PREFIX as INDEX_PREFIX
from eunoe.schemas.document_keys import ORIGIN_KEY as ORIGIN_KEY
from eunoe.schemas.document_keys import REBUILD_KEY as REBUILD_KEY
from eunoe.schemas.document_keys import content_key as content_key
from eunoe.schemas.document_keys import every_fact_of as every_fact_of
from eunoe.schemas.document_keys import fact_key as fact_key
from eunoe.schemas.document_keys import facts_of as facts_of
from eunoe.schemas.document_keys import index_filter as index_filter
from eunoe.schemas.document_keys import index_key as index_key
from eunoe.schemas.document_keys import indexes_filter as indexes_filter
from eunoe.schemas.document_keys import is_fact_key as is_fact_key
from eunoe.schemas.document_keys import mark_key as mark_key
from eunoe.schemas.document_keys import previews_of as previews_of
from eunoe.schemas.document_keys import session_key as session_key
from eunoe.schemas.document_keys import sessions_filter as sessions_filter
from eunoe.schemas.document_keys import state_key as state_key
from eunoe.schemas.document_keys import states_filter as states_filter
from eunoe.schemas.document_keys import summary_key as summary_key
from eunoe.schemas.errors import Invalid

Role = Literal["person", "caller", "tool", "agent", "worker", "viewer"]
ROLES: tuple[Role, ...] = ("person", "caller", "tool", "agent", "worker", "viewer")
_ROLES: dict[str, Role] = {role: role for role in ROLES}
Bucket = Literal["permanent", "session", "thread"]
BUCKETS: tuple[Bucket, ...] = ("permanent", "session", "thread")
Part = Literal["log", "memory"]

LOG_DURABLES = ("extraction", "facts")  # in the order in which work flows from one to the next


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, taken from the subject that the server's permissions guard, never from a payload."""

    role: Role
    principal: str

    @property
    def kind(self) -> str:
        """The role with its article, for messages."""
        return f"an {self.role}" if self.role == "agent" else f"a {self.role}"

    @property
    def inbox(self) -> str:
        return inbox(self.role, self.principal)


# Chains


def thread_chain(thread: str) -> str:
    return f"thread.{ids.encode(thread)}"


def book_chain(scope: str, owner: str) -> str:
    if scope not in ("permanent", "session"):
        raise Invalid(f"there is no book of scope {scope!r}; use permanent or session")
    return f"book.{scope}.{ids.encode(owner)}"


def home_chain(scope: str, owner: str) -> str:
    """The chain in which the facts of a scope and owner are changed: their thread's, or their book."""
    return thread_chain(owner) if scope == "thread" else book_chain(scope, owner)


ERASURES = "book.space.erasures"  # the chain of what was erased in the space, and why


def chain_thread(chain: str) -> str:
    """The thread that a chain belongs to, or the empty string for a book."""
    kind, _, rest = chain.partition(".")
    return ids.decode(rest) if kind == "thread" else ""


def chain_session(chain: str) -> str:
    """The session whose book a chain is, or the empty string for another chain."""
    book, _, owner = chain.rpartition(".")
    return ids.decode(owner) if book == "book.session" else ""


def chain_owner(chain: str) -> str:
    """The owner whose permanent facts' book a chain is, or the empty string for another chain."""
    book, _, owner = chain.rpartition(".")
    return ids.decode(owner) if book == "book.permanent" else ""


def chain_name(chain: str) -> str:
    """A chain as people say it: ``thread x`` or ``book permanent shared``."""
    kind, _, rest = chain.partition(".")
    try:
        return f"{kind} " + " ".join(ids.decode(token) for token in rest.split("."))
    except Invalid:
        return repr(chain)


def chain_subject(space: str, chain: str, part: Part) -> str:
    """Where records of a chain are stored: what happened (log), or what memory did (memory)."""
    return f"eunoe.{space}.{chain}.{part}"


def chain_filter(space: str, chain: str) -> str:
    return f"eunoe.{space}.{chain}.>"


def chain_of(subject: str) -> str:
    """The chain that a stored record's subject belongs to."""
    return ".".join(subject.split(".")[2:-1])


# Requests


def append(space: str, caller: Caller, chain: str) -> str:
    """``eunoe.<space>.append.<role>.<principal>.<thread>``; for a book the last tokens are scope and owner."""
    return request(space, "append", caller, chain)


def request(space: str, verb: str, caller: Caller, chain: str = "") -> str:
    """``eunoe.<space>.<verb>.<role>.<principal>.<chain>``, where a thread's chain is its encoded id alone.

    A request about no chain ends in ``=all``, which no id encodes to.
    """
    kind, _, rest = chain.partition(".")
    tail = {"thread": rest, "book": rest, "": "=all"}[kind]
    return f"eunoe.{space}.{verb}.{caller.role}.{ids.encode(caller.principal)}.{tail}"


def requests(space: str, verb: str) -> str:
    """The subscription that serves a verb: any caller, any chain."""
    return f"eunoe.{space}.{verb}.>"


@dataclass(frozen=True, slots=True)
class Address:
    """A request's subject taken apart. ``chain`` is empty for a request about no chain."""

    verb: str
    caller: Caller
    chain: str

    @property
    def thread(self) -> str:
        return chain_thread(self.chain)


@functools.lru_cache(maxsize=1_024)  # the same ones ask again and again
def parse_request(subject: str) -> Address:
    """The address of a request; raises `Invalid` on a subject that `request` never builds."""
    caller, tokens = asker(subject), subject.split(".")
    if len(tokens) not in (6, 7):
        raise Invalid(f"{subject!r} is not the subject of a request")
    if len(tokens) == 7:
        return Address(tokens[2], caller, book_chain(tokens[5], ids.check(ids.decode(tokens[6]), "owner")))
    chain = "" if tokens[5] == "=all" else thread_chain(ids.check(ids.decode(tokens[5]), "thread"))
    return Address(tokens[2], caller, chain)


def asker(subject: str) -> Caller:
    """Who sends a request, whatever it is about; raises `Invalid` on a subject that names nobody."""
    tokens = subject.split(".")
    if len(tokens) < 6 or tokens[3] not in _ROLES:
        raise Invalid(f"{subject!r} is not the subject of a request")
    return Caller(_ROLES[tokens[3]], ids.check(ids.decode(tokens[4]), "principal"))


def inbox(role: str, principal: str) -> str:
    """The inbox prefix of one principal, the only place where its requests are answered."""
    return f"_INBOX_{role}_{ids.encode(principal)}"


def queue(verb: str) -> str:
    return f"eunoe_{verb}"


# Streams and buckets


def log_stream(space: str) -> str:
    return f"eunoe_{space}_log"


def log_subjects(space: str) -> list[str]:
    return [f"eunoe.{space}.thread.*.*", f"eunoe.{space}.book.*.*.*"]


def memory_filters(space: str) -> list[str]:
    return [f"eunoe.{space}.thread.*.memory", books_filter(space)]


def books_filter(space: str) -> str:
    """What memory did in any book."""
    return f"eunoe.{space}.book.*.*.memory"


def happened_filter(space: str) -> str:
    return f"eunoe.{space}.thread.*.log"


def jobs_stream(space: str) -> str:
    return f"eunoe_{space}_jobs"


def job(space: str, kind: str, thread: str) -> str:
    return f"eunoe.{space}.job.{kind}.{ids.encode(thread)}"


def job_thread(subject: str) -> str:
    """The thread that a job of a kind is about."""
    return ids.decode(subject.split(".")[-1])


def job_kind(subject: str) -> str:
    """What kind of job a subject is for, empty for no job."""
    parts = subject.split(".")
    return parts[3] if len(parts) == 5 and parts[2] == "job" else ""


def job_again(space: str, worker: str, number: int) -> str:
    """Where a worker is asked to do again what the dead letter with that number is about."""
    return f"eunoe.{space}.job.again-{worker}.{number}"


def jobs_filter(space: str, kind: str = "*") -> str:
    return f"eunoe.{space}.job.{kind}.*"


def again_filter(space: str, worker: str) -> str:
    return jobs_filter(space, f"again-{worker}")


def dead_stream(space: str) -> str:
    return f"eunoe_{space}_dead"


def dead(space: str, worker: str) -> str:
    return f"eunoe.{space}.dead.{worker}"


def blobs_stream(space: str) -> str:
    return f"eunoe_{space}_blobs"


def piece(space: str, thread: str, digest: str) -> str:
    """One piece of large content, under the SHA-256 (hex) of its bytes, kept apart for each thread."""
    return f"eunoe.{space}.piece.{ids.encode(thread)}.{digest}"


def pieces_filter(space: str) -> str:
    return f"eunoe.{space}.piece.*.*"


SLOTS = (1, 2)  # a bucket has two names: generations take turns, so that permissions can name both


def bucket(space: str, scope: Bucket, slot: int = 1) -> str:
    """The bucket of a scope; the set in use and the one that replaces it are in different slots."""
    return f"eunoe_{space}_{scope}" + (f"_g{slot}" if slot > 1 else "")


def streams(space: str) -> list[str]:
    """Every stream that a space has from the start, those of its buckets too."""
    plain = (log_stream(space), dead_stream(space), blobs_stream(space))
    return [*plain, *(f"KV_{bucket(space, scope)}" for scope in BUCKETS)]


def bucket_streams(space: str, slot: int) -> list[str]:
    """The streams of the buckets in a slot."""
    return [f"KV_{bucket(space, scope, slot)}" for scope in BUCKETS]


def all_streams(space: str) -> list[str]:
    """Every stream that a space may have, those of the buckets in both slots."""
    return [*streams(space), *bucket_streams(space, SLOTS[1])]


def deletions(space: str) -> list[str]:
    """Where the server tells that a stream of a space was deleted."""
    return [f"$JS.EVENT.ADVISORY.STREAM.DELETED.{name}" for name in all_streams(space)]


def book_mark(chain: str) -> tuple[Bucket, str]:
    """The bucket and the key of a book's mark; that of `ERASURES` is under a token that no owner encodes to."""
    if chain == ERASURES:
        return "permanent", "mark.=erasures"
    _, scope, owner = chain.split(".")
    return ("session" if scope == "session" else "permanent"), f"mark.{owner}"
