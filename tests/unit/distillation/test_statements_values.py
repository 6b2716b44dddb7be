"""Where the value of an attribute ends, and what sort of attribute it is, by figures, dates, addresses and asides."""

from __future__ import annotations

import pytest
from stating import Fact, facts, items


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The quota is 40,000 requests per hour.", ("entity", "quota", "40,000 requests per hour")),
        ("Our budget is 3,400,000 kr.", ("entity", "budget", "3,400,000 kr")),
        ("The limit is 2.500,75 euros.", ("entity", "limit", "2.500,75 euros")),
        ("My budget is $7,200, so hurry.", ("entity", "user's budget", "$7,200")),
        ("The threshold is 2,5 %.", ("entity", "threshold", "2,5 %")),
        ("The quota is 80, the timeout comes later.", ("entity", "quota", "80")),
        ("The budget is no longer 9,000 but 11,000 euros.", ("entity", "budget", "11,000 euros")),
        ("The budget went from 9,000 to 11,000 euros.", ("entity", "budget", "11,000 euros")),
        ("The budget is 11,000 euros, not 9,000.", ("entity", "budget", "11,000 euros")),
    ],
)
def test_a_comma_or_a_point_between_digits_ends_no_value(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


@pytest.mark.parametrize(
    "said",
    [
        "The quota is 4, 5 or 6.",
        "The budget is 12 000 kr.",
        "The limit is 7 of 9.",
        "The ticket is OPS-7,OPS-8.",
        "The deadline is Monday, or Thursday.",
        "The owner is Tove, Ravi and Ana.",
    ],
)
def test_what_could_be_kept_in_part_alone_is_no_fact(said: str) -> None:
    """One of several, and a number that goes on in a way that is not known."""
    assert facts(said) == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The code freeze is June 21, 2031.", ("entity", "code freeze", "June 21, 2031")),
        ("The due date is Monday, 8 April.", ("entity", "due date", "Monday, 8 April")),
        ("The start date is Thursday, the 3rd of May.", ("entity", "start date", "Thursday, the 3rd of May")),
        ("The deadline is Tuesday, 17:30.", ("entity", "deadline", "Tuesday, 17:30")),
        ("The deadline is June 21, but nobody minds.", ("entity", "deadline", "June 21")),
        ("The deadline is June 21, not June 12.", ("entity", "deadline", "June 21")),
        ("The audit is due Monday, 8 April.", ("entity", "deadline of audit", "Monday, 8 April")),
        ("The demo moved from June 21, 2031 to July 2, 2031.", ("entity", "date of demo", "July 2, 2031")),
        ("The launch is set for Monday, July 7, 2031.", ("entity", "launch", "Monday, July 7, 2031")),
    ],
)
def test_a_comma_inside_a_date_ends_no_value(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The broker is at 192.168.7.20:4222, in the cellar.", ("entity", "address of broker", "192.168.7.20:4222")),
        ("The cache runs on 192.168.7.21.", ("entity", "address of cache", "192.168.7.21")),
        ("The wiki is at https://wiki.example.org/home.",
         ("entity", "address of wiki", "https://wiki.example.org/home")),
        ("The gateway is reachable at gw.example.org:9443.",
         ("entity", "address of gateway", "gw.example.org:9443")),
        ("The staging host is 192.168.7.22.", ("entity", "staging host", "192.168.7.22")),
        ("The staging host is db.example.org:5432.", ("entity", "staging host", "db.example.org:5432")),
        ("The parser is on 4.1.2.", ("entity", "version of parser", "4.1.2")),
    ],
)  # fmt: skip
def test_an_address_is_one_and_no_version(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


@pytest.mark.parametrize("aside", ["by the way", "btw", "I think", "as far as I know", "if I remember correctly"])
@pytest.mark.parametrize("comma", [",", ""])
def test_what_is_said_beside_a_statement_is_no_part_of_its_value(aside: str, comma: str) -> None:
    assert facts(f"My birthday is July 9{comma} {aside}.") == [("entity", "user's birthday", "July 9")]
    assert facts(f"The port is 7070{comma} {aside}, and it works.") == [("entity", "port", "7070")]
    assert facts(f"We settled on weekly releases{comma} {aside}.") == [
        ("decision", "weekly releases", "We settled on weekly releases")
    ]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The time zone is America/Lima.", ("entity", "time zone", "America/Lima")),
        ("My timezone is UTC+3.", ("entity", "user's timezone", "UTC+3")),
        ("The release script is tools/ship.py.", ("entity", "release script", "tools/ship.py")),
        ("The config file is etc/relay.toml.", ("entity", "config file", "etc/relay.toml")),
        ("The URL is https://relay.example.org/v2.", ("entity", "url", "https://relay.example.org/v2")),
        ("Ruby 3.3 is required.", ("entity", "version of ruby", "3.3")),
        ("Ruby 3.3 or newer is required.", ("entity", "version of ruby", "3.3 or newer")),
        ("The weekly import takes about 25 minutes.", ("entity", "duration of weekly import", "about 25 minutes")),
        ("Tove Berg owns the billing service.", ("entity", "owner of billing service", "Tove Berg")),
    ],
)
def test_places_durations_owners_and_what_is_required_are_kept(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


@pytest.mark.parametrize(
    "said",
    [
        "The path is clear.",
        "The directory is empty.",
        "Section 4.2 is required.",
        "The import takes 2 days of work.",
        "She owns the billing service.",
    ],
)
def test_what_only_looks_like_one_is_none(said: str) -> None:
    assert facts(said) == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("I'm Tove Berg.", "Tove Berg"),
        ("I am Ravi, by the way.", "Ravi"),
        ("Hello, I'm Ravi! The gate is stuck.", "Ravi"),
        ("I'm Ravi and I look after the gate.", "Ravi"),
        ("I'm Ana Maria Prado from the platform team.", "Ana Maria Prado"),
        ("My name is Tove Berg.", "Tove Berg"),
    ],
)
def test_who_says_their_name_has_one(said: str, name: str) -> None:
    assert ("entity", "name of user", name) in facts(said)


@pytest.mark.parametrize(
    "am",
    [
        *("Polish", "Brazilian", "Dutch", "Catholic", "Israeli", "Vegan", "Gemini", "Tired", "Here", "Back", "Working"),
        *(
            "sure",
            "Not Ravi",
            "Product Owner",
            "Senior Developer",
            "Team Red",
            "Head of Data",
            "Chief",
            "the owner",
            "New Here",
            "AFK",
        ),
        *("Rust developer", "Lima based"),
    ],
)
def test_what_somebody_is_becomes_no_name(am: str) -> None:
    """Adjectives, peoples, signs of the zodiac and titles are written large too."""
    assert [fact for fact in facts(f"I'm {am}.", f"I am {am}.") if fact[1] == "name of user"] == []


def test_a_new_owner_takes_the_place_of_the_one_before() -> None:
    """However either was told."""
    owner = ("entity", "owner of billing service")
    told = ("Tove Berg owns the billing service.", "The owner of the billing service is Tove Berg.")
    for before in told:
        found = items(before, "Ravi owns the billing service now.")

        assert [(item.subject, item.name) for item in found] == [owner, owner]
        assert [item.value for item in found] == ["Tove Berg", "Ravi"]
