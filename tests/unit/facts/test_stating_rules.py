"""What may be stated: each rule refuses what breaks it, with a word on what to do, and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from eunoe.facts.kinds import Kinds
from eunoe.facts.stating_rules import check_assertion, check_labels, check_reason
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source

KINDS = Kinds()


def stated(value: str = "tabs", *, name: str = "indent", preview: str = "", **fields: Any) -> Assertion:
    identity = Identity("permanent", "shared", fields.pop("subject", "preference"), name, preview)
    made = Assertion(identity=identity, value=value, source=Source(kind="person", principal="ada"), at=1)
    return msgspec.structs.replace(made, **fields)


@pytest.mark.parametrize(
    "fact",
    [
        stated(),
        stated("a\tb"),
        stated("x" * 200),
        stated("x" * 300, subject="task"),
        stated("👩‍👩‍👧 e\u0301"),
        stated(content="line\nline\x1b[0m\x00"),
        stated(content="é" * (32 * 1024)),
        stated(valid_from=0, valid_to=limits.LAST_MOMENT),
        stated(valid_to=5),
        stated(name="c++"),
        stated(provenance=Provenance(turn=limits.LAST_NUMBER, entries=(0, limits.LAST_NUMBER), positions=(0,))),
        stated("", preview="p", replaces="f1", removes=True),
        stated("spaces", preview="p", replaces="f1"),
    ],
)
def test_what_keeps_the_rules_is_taken(fact: Assertion) -> None:
    """At every limit, too."""
    check_assertion(fact, KINDS)


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (stated(""), "the value of a fact is empty"),
        (stated(" \u200b\u2028"), "the value of a fact is empty"),
        (stated("a\nb"), "one line; put more into its content"),
        (stated("a\u2028b"), "one line"),
        (stated("a\x00b"), "U+0000"),
        (stated("a\x9bb"), "U+009B"),
        (stated("a\ud800"), "half of a surrogate pair at character 2"),
        (stated("x" * 201), "201 characters long; the limit is 200"),
        (stated("x" * 301, subject="task"), "the limit is 300"),
        (stated(content="x\ud800"), "the content holds half of a surrogate pair at character 2"),
        (stated(content="é" * (32 * 1024) + "x"), "at most 64 KiB"),
        (stated(name=" "), "name id is empty"),
        (stated(name="\u200b"), "nothing is left of the name"),
        (stated(name="'...'"), "nothing is left of the name"),
        (stated(name="x" * 513), "513 bytes"),
        (stated(preview="x" * 129), "preview id is 129 bytes"),
        (stated(valid_from=5, valid_to=5), "would never hold"),
        (stated(valid_from=6, valid_to=5), "would never hold"),
        (stated(valid_from=-1), "valid_from is not within the years 1970 to 9999"),
        (stated(valid_to=limits.LAST_MOMENT + 1), "valid_to is not within"),
        (stated(valid_from=5, from_offset=24 * 60), "1440 minutes is no offset from UTC"),
        (
            stated(provenance=Provenance(turn=-1)),
            "cannot be; they are numbers from 0 to 9007199254740991",
        ),
        (stated(provenance=Provenance(turn=10**5_000)), "a turn that there cannot be"),
        (stated(provenance=Provenance(entries=(1, limits.LAST_NUMBER + 1))), "an entry that there cannot be"),
        (stated(provenance=Provenance(positions=(-1,))), "a position that there cannot be"),
        (stated(valid_to=5, to_offset=-24 * 60), "-1440 minutes is no offset from UTC"),
        (stated(replaces="f1"), "only a fact of a preview"),
        (stated(removes=True), "only a fact of a preview"),
        (stated(preview="p", removes=True), "give its id"),
        (stated("", preview="p", replaces="f1"), "is empty"),
    ],
)
def test_what_breaks_a_rule_is_refused(fact: Assertion, says: str) -> None:
    """In one line."""
    with pytest.raises(Invalid) as caught:
        check_assertion(fact, KINDS)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_have_numbers_and_are_bounded() -> None:
    """64 of them, counted once each, numbered 1 to 1,023."""
    check_labels(*range(1, 65), 1)
    with pytest.raises(Invalid, match="at most 64 labels, not 65"):
        check_labels(*range(1, 66))
    for number in (0, 1_024):
        with pytest.raises(Invalid, match=f"{number} is no label's number"):
            check_labels(number)


def test_a_reason_is_one_bounded_line() -> None:
    """None at all is fine."""
    check_reason("")
    check_reason("x" * 500)
    for wrong in ("a\nb", "x" * 501, "a\x07", "\udfff"):
        with pytest.raises(Invalid, match="reason"):
            check_reason(wrong)
