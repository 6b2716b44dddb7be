"""Every key of a document in its bucket, built here and nowhere else; `eunoe.schemas.subjects` has their names too."""

from __future__ import annotations

from eunoe.schemas import ids

INDEX_PREFIX = 5  # characters of a fact's id that people must type at least


def fact_key(owner: str, subject: str, name: str, preview: str = "") -> str:
    """The key of a fact's document; one of a preview has a key of its own."""
    kind = f"preview.{ids.encode(preview)}" if preview else "fact"
    return f"{kind}.{ids.encode(owner)}.{ids.encode(subject)}.{ids.key_token(name)}"


def facts_of(owner: str = "", subject: str = "") -> str:
    """The filter for every fact document of one owner (empty: of any), and of one subject where it is given."""
    return f"fact.{_owned(owner, subject)}"


def previews_of(preview: str, owner: str = "", subject: str = "") -> str:
    """The same in a preview."""
    return f"preview.{ids.encode(preview)}.{_owned(owner, subject)}"


def _owned(owner: str, subject: str) -> str:
    return f"{ids.encode(owner) or '*'}.{ids.encode(subject)}.>" if subject else f"{ids.encode(owner) or '*'}.>"


def every_fact_of(owner: str) -> list[str]:
    """The filters for every fact document of one owner, those of previews too."""
    return [facts_of(owner), f"preview.*.{ids.encode(owner)}.>"]


def is_fact_key(key: str) -> bool:
    """Whether a fact's document is under this key."""
    return key.startswith(("fact.", "preview."))


def session_key(session: str) -> str:
    """Where a session's record is kept, in the bucket of sessions."""
    return f"session.{ids.encode(session)}"


def content_key(owner: str, fact: str) -> str:
    return f"content.{ids.encode(owner)}.{fact}"


def state_key(thread: str) -> str:
    return f"state.{ids.encode(thread)}"


def summary_key(thread: str) -> str:
    return f"summary.{ids.encode(thread)}"


def states_filter() -> str:
    """The filter for the state of every thread."""
    return "state.*"


def index_key(fact: str) -> str:
    """Where the identity of a fact's id is kept: a fact's id has no scope in it.

    The first `INDEX_PREFIX` characters are a token of their own, so that a beginning can be looked up.
    """
    return f"id.{fact[:INDEX_PREFIX]}.{fact[INDEX_PREFIX:]}"


def indexes_filter() -> str:
    """The filter for the ids of every fact."""
    return "id.*.*"


def sessions_filter() -> str:
    """The filter for the record of every session."""
    return "session.*"


def index_filter(beginning: str) -> str:
    """The filter for every id that shares its first `INDEX_PREFIX` characters with ``beginning``."""
    return f"id.{beginning[:INDEX_PREFIX]}.*"


def mark_key(owner: str) -> str:
    """Where it is kept how far the book of an owner is applied to the documents of its bucket."""
    return f"mark.{ids.encode(owner)}"


ORIGIN_KEY = "origin"
REBUILD_KEY = "rebuild"  # in the bucket of permanent facts: who makes this set, and what became of the last time
