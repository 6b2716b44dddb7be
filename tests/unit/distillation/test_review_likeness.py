"""How alike two records are, and whether they say the same."""

from __future__ import annotations

import pytest

from eunoe.distillation.reviewing.likeness import likeness, near


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("abcd", "abcd", 100),
        ("abcd", "ABCD", 100),  # case does not count
        ("a  b", "a b", 100),  # nor does space
        ("abcd", "abxd", 75),  # 3 of 4 characters on each side stand in both in order: 6 of 8
        ("abcd", "ab", 67),  # 4 of 6
        ("abcd", "wxyz", 0),
        ("ab", "ba", 50),  # in order, one of two: 2 of 4
    ],
)
def test_likeness_is_the_share_of_characters_in_the_same_order(left: str, right: str, expected: int) -> None:
    """Worked out by hand; it is the same from either side."""
    assert likeness(left, right) == likeness(right, left) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The staging server listens on port 8080.", "the staging server listens on port 8080"),
        ("Use tabs in the Makefile", "Use tabs in Makefile"),
        ("Ada wants test for each fix", "Ada wants tests for each fix"),
        ("Der Prüfserver hört auf Port 8080", "der prüfserver hört auf port 8080!"),
    ],
)
def test_what_differs_in_case_edges_articles_and_plurals_says_the_same(left: str, right: str) -> None:
    """Nothing that tells anything differs."""
    assert near(left, right)
    assert near(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The staging server listens on port 8080", "The staging server listens on port 8081"),
        (
            "The release of the mobile app is planned for Tuesday",
            "The release of the mobile app is planned for Thursday",
        ),
        ("Commit generated files to the repository", "Never commit generated files to the repository"),
        ("The service of the billing team is written in C", "The service of the billing team is written in C++"),
        ("The api of billing depends on core of billing", "The core of billing depends on api of billing"),
        ("Retry can be switched on", "Retry can be switched off"),
        ("The limit is -5 degrees for the whole rack", "The limit is 5 degrees for the whole rack"),
        ("发布日期是星期二", "发布日期是星期三"),
    ],
)
def test_one_word_that_tells_something_makes_two_records(left: str, right: str) -> None:
    """However alike their characters are: what was corrected is no duplicate of what it corrects."""
    assert not near(left, right)
    assert not near(right, left)


def test_what_says_more_is_no_duplicate() -> None:
    """Longer by a clause is another record."""
    assert not near("Release on Friday", "Release on Friday, unless the audit is open")
