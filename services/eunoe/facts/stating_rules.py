"""What a statement must be like before it is taken: one line of value, a name, a body and times within their limits.

Where people and programs state, what is wrong is refused with a word on what to do; where facts are read out of
turns, the same things are mended or left out (`eunoe.facts.admission`). Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from eunoe.facts.kinds import Kinds
from eunoe.facts.values import blank, counted, limit, ordered, zoned
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Assertion, Identity, Provenance

_LONGEST = limits.FACT_CONTENT_BYTES // limits.KIB


def check_assertion(fact: Assertion, kinds: Kinds) -> None:
    """Raise `Invalid`, saying what is wrong with a statement and what to do; else nothing."""
    check_identity(fact.identity, kinds)
    if not (fact.removes and blank(fact.value)):
        check_value(fact.value, limit(fact.identity.subject))
    check_content(fact.content)
    if not kinds.takes(fact.identity.subject, fact.method):
        raise Invalid(f"no fact of the kind {fact.identity.subject!r} is {fact.method}; tools tell of those")
    check_times(fact.valid_from, fact.valid_to)
    check_offsets(fact.from_offset, fact.to_offset)
    check_numbers(fact.provenance)
    if (fact.replaces or fact.removes) and not fact.identity.preview:
        raise Invalid("only a fact of a preview stands in another's place; name the preview, or leave `replaces` out")
    if fact.removes and not fact.replaces:
        raise Invalid("a preview takes away a fact that it names; give its id as `replaces`")


def check_identity(identity: Identity, kinds: Kinds) -> None:
    """Raise `Invalid` for an id that cannot be one, and for a name that its kind writes as nothing."""
    ids.check(identity.owner, "owner")
    ids.check(identity.subject, "subject")
    ids.check(identity.name, "name", limits.NAME_BYTES)
    if identity.preview:
        ids.check(identity.preview, "preview")
    if not kinds.name(identity.subject, identity.name):
        raise Invalid(
            f"nothing is left of the name {identity.name!r} as its kind is named; give one with a letter or a digit"
        )


def check_kind(subject: str, known: Collection[str]) -> None:
    """Raise `Invalid` for a kind that nobody declared: most are a slip of the pen, which nobody would find again."""
    if subject not in known:
        raise Invalid(
            f"there is no kind {subject!r}; the kinds are {', '.join(sorted(known))}. `eunoe kinds` says how to add one"
        )


def check_value(value: str, most: int) -> None:
    """Raise `Invalid` for a value that is not one line of at most ``most`` characters."""
    if len(value) > most:
        raise Invalid(f"the value is {len(value)} characters long; the limit is {most}, and the rest goes into content")
    _check_line(value, "value")
    if blank(value):
        raise Invalid("the value of a fact is empty")
    if len(value.splitlines()) != 1:
        raise Invalid("the value of a fact is one line; put more into its content")


def check_content(content: str) -> None:
    """Raise `Invalid` for a body over 64 KiB, or with what no text holds."""
    _check_unicode(content, "content")
    if len(content.encode()) > limits.FACT_CONTENT_BYTES:
        raise Invalid(f"the content of a fact is at most {_LONGEST} KiB; keep it elsewhere, and name the place")


def check_times(valid_from: int | None, valid_to: int | None) -> None:
    """Raise `Invalid` for a span that holds no moment, or one outside the years 1970 to 9999."""
    for name, moment in (("valid_from", valid_from), ("valid_to", valid_to)):
        if moment is not None and not ordered(moment, None):
            raise Invalid(f"{name} is not within the years 1970 to 9999: {moment} ms")
    if not ordered(valid_from, valid_to):
        raise Invalid(
            "the fact would never hold: valid_to is not after valid_from; it holds until just before valid_to"
        )


def check_offsets(*offsets: int) -> None:
    """Raise `Invalid` for an offset from UTC of a day or more."""
    for offset in offsets:
        if not zoned(offset):
            raise Invalid(f"{offset} minutes is no offset from UTC; they are less than a day")


def check_numbers(came: Provenance) -> None:
    """Raise `Invalid` for a turn, an entry or a position to come from that there cannot be."""
    for what, numbers in (("turn", (came.turn,)), ("entry", came.entries), ("position", came.positions)):
        if not all(map(counted, numbers)):
            article = "an" if what == "entry" else "a"
            raise Invalid(
                f"the fact names {article} {what} that there cannot be; they are numbers from 0 to {limits.LAST_NUMBER}"
            )


def check_labels(*labels: int) -> None:
    """Raise `Invalid` for more labels than a fact may have, and for a number that none has."""
    if len(set(labels)) > limits.LABELS:
        raise Invalid(f"a fact has at most {limits.LABELS} labels, not {len(set(labels))}; take some off first")
    for number in labels:
        if not 1 <= number <= limits.LABEL_NUMBER:
            raise Invalid(f"{number} is no label's number; they are 1 to {limits.LABEL_NUMBER}")


def check_reason(reason: str) -> None:
    """Raise `Invalid` for a reason that is not one line within its limit; none is fine."""
    if len(reason) > limits.REASON_LENGTH:
        raise Invalid(f"the reason is {len(reason)} characters long; the limit is {limits.REASON_LENGTH}")
    _check_line(reason, "reason")
    if len(reason.splitlines()) > 1:
        raise Invalid("the reason is one line")


def _check_line(text: str, what: str) -> None:
    _check_unicode(text, what)
    for character in text:
        if unicodedata.category(character) == "Cc" and not character.isspace():
            raise Invalid(f"the {what} holds the control character U+{ord(character):04X}; remove it")


def _check_unicode(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"the {what} holds half of a surrogate pair at character {error.start + 1}; remove it") from None
