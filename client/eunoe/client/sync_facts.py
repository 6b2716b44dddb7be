"""What scripts do to facts and sessions: the names of the asynchronous twin, without ``await``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion
from eunoe.client.erasing import Erasing, Numbers
from eunoe.client.stating import Moment, StatedFact
from eunoe.client.sync_asking import Asking
from eunoe.client.tickets import Receipt
from eunoe.schemas.erasures import EraseReply
from eunoe.schemas.facts import Scope

_Memory = TypeVar("_Memory", bound=Erasing)


class Facts(Asking[_Memory]):
    """The edits and the deletes of `eunoe.client.Memory`."""

    def state_fact(
        self,
        subject: str,
        name: str,
        value: str,
        *,
        content: str = "",
        thread: str | None = None,
        session: str | None = None,
        owner: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        expected: str | None = None,
        key: str = "",
        preview: str | None = None,
        replaces: str = "",
        removes: bool = False,
    ) -> StatedFact:
        return self._run(
            self._memory.state_fact,
            subject,
            name,
            value,
            content=content,
            thread=thread,
            session=session,
            owner=owner,
            valid_from=valid_from,
            valid_to=valid_to,
            expected=expected,
            key=key,
            preview=preview,
            replaces=replaces,
            removes=removes,
        )

    def approve(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        return self._run(self._memory.approve, id, preview=preview, expected=expected, key=key)

    def move(
        self,
        id: str,  # noqa: A002 - the word of the API
        scope: Scope,
        *,
        thread: str | None = None,
        session: str | None = None,
        owner: str | None = None,
        reason: str = "",
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        return self._run(
            self._memory.move,
            id,
            scope,
            thread=thread,
            session=session,
            owner=owner,
            reason=reason,
            preview=preview,
            expected=expected,
            key=key,
        )

    def retire_fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        reason: str = "",
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        return self._run(
            self._memory.retire_fact,
            id,
            reason,
            thread=thread,
            session=session,
            preview=preview,
            expected=expected,
            key=key,
        )

    def pin(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        return self._run(
            self._memory.pin, id, thread=thread, session=session, preview=preview, expected=expected, key=key
        )

    def unpin(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        return self._run(
            self._memory.unpin, id, thread=thread, session=session, preview=preview, expected=expected, key=key
        )

    def label(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        return self._run(
            self._memory.label,
            id,
            add=add,
            remove=remove,
            thread=thread,
            session=session,
            preview=preview,
            expected=expected,
            key=key,
        )

    def end_session(
        self,
        id: str,  # noqa: A002 - the word of the API
        reason: str = "",
    ) -> Receipt:
        return self._run(self._memory.end_session, id, reason)

    def set_session_state(
        self,
        id: str,  # noqa: A002 - the word of the API
        value: Any,
        *,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        return self._run(self._memory.set_session_state, id, value, expected=expected, key=key)

    def delete_fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        reason: str = "",
        *,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Deletion:
        return self._run(self._memory.delete_fact, id, reason, preview=preview, expected=expected, key=key)

    def delete_scope(
        self,
        scope: Scope,
        owner: str,
        reason: str = "",
        *,
        preview: str | None = None,
        dry_run: bool = False,
    ) -> ScopeDeletion:
        return self._run(self._memory.delete_scope, scope, owner, reason, preview=preview, dry_run=dry_run)

    def delete_preview(
        self,
        preview: str,
        reason: str = "",
        *,
        dry_run: bool = False,
    ) -> PreviewDeletion:
        return self._run(self._memory.delete_preview, preview, reason, dry_run=dry_run)

    def erase(
        self,
        *,
        reason: str = "",
        fact: str | None = None,
        thread: str | None = None,
        entries: Sequence[Numbers] = (),
        turns: Sequence[Numbers] = (),
        scope: Scope | None = None,
        owner: str | None = None,
        dry_run: bool = False,
        key: str = "",
        seconds: float | None = None,
    ) -> EraseReply:
        return self._run(
            self._memory.erase,
            reason=reason,
            fact=fact,
            thread=thread,
            entries=entries,
            turns=turns,
            scope=scope,
            owner=owner,
            dry_run=dry_run,
            key=key,
            seconds=seconds,
        )
