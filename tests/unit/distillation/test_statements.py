"""What people plainly state becomes facts, in other wordings than those of any one conversation."""

from __future__ import annotations

import pytest
from stating import SUNDAY, Fact, facts, items

from eunoe.distillation.door import Item, Known

BEACON: Fact = ("entity", "name of release", "Amber Finch")


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The release is called Amber Finch.", BEACON),
        ("By the way, we named the release Amber Finch.", BEACON),
        ("The codename is Blue Otter.", ("entity", "codename", "Blue Otter")),
        ("The ticket for the migration is OPS-88.", ("entity", "ticket for migration", "OPS-88")),
        ("This is for ticket 77.", ("entity", "ticket", "77")),
        ("Oh, and the issue number is #412.", ("entity", "issue number", "#412")),
        ("The API listens on port 8080.", ("entity", "port of api", "8080")),
        ("We use Python 3.11.", ("entity", "version of python", "3.11")),
        ("The deadline for the report is 4 May.", ("entity", "deadline for report", "4 May")),
        ("The report is due on Friday.", ("entity", "deadline of report", "Friday")),
        ("The owner of the service is Priya Nair.", ("entity", "owner of service", "Priya Nair")),
        ("My user ID is tom_reed_12.", ("entity", "user's user id", "tom_reed_12")),
        ("My dog's name is Rex.", ("entity", "name of user's dog", "Rex")),
        ("I live in Oslo, by the sea.", ("entity", "where user lives", "Oslo")),
        ("I'm a nurse.", ("note", "user nurse", "I'm a nurse")),
        ("I am allergic to peanuts.", ("preference", "user allergic peanuts", "I am allergic to peanuts")),
    ],
)
def test_a_lasting_property_of_a_thing_is_kept(said: str, fact: Fact) -> None:
    """Names, numbers, ports, versions, deadlines and people, under the thing that they belong to."""
    assert facts(said) == [fact]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("We decided to ship on Tuesday.", ("decision", "ship tuesday", "We decided to ship on Tuesday")),
        ("We settled on weekly releases.", ("decision", "weekly releases", "We settled on weekly releases")),
        ("Let's use Kafka for the queue.", ("decision", "queue", "Let's use Kafka for the queue")),
        ("OK, let's go with Postgres.", ("decision", "go postgres", "let's go with Postgres")),
        ("I prefer short answers.", ("preference", "user prefer short answers", "I prefer short answers")),
        ("Tom Reed prefers small commits.", ("preference", "tom reed small commits", "Tom Reed prefers small commits")),
        ("Never push to main.", ("preference", "push main", "Never push to main")),
        ("Please always run the linter.", ("preference", "run linter", "always run the linter")),
        ("Keep to British spelling.", ("preference", "keep british spelling", "Keep to British spelling")),
        ("Use tabs, not spaces.", ("preference", "use tabs spaces", "Use tabs, not spaces")),
        ("Remember that the key is under the mat.", ("note", "key under mat", "the key is under the mat")),
        ("Don't forget that Ana is away.", ("note", "ana", "Ana is away")),
        ("Please note: the staging host is s.example.org.", ("entity", "staging host", "s.example.org")),
        ("Remember that the docs live at https://docs.example.org/a.",
         ("note", "docs live https docs.example.org/a", "the docs live at https://docs.example.org/a")),
        ("From now on, answer in German.", ("preference", "answer german", "From now on, answer in German")),
        ("Keep answers under ten lines.",
         ("preference", "keep answers under ten lines", "Keep answers under ten lines")),
        ("Do not touch the migrations.", ("preference", "touch migrations", "Do not touch the migrations")),
        ("Your task: port the tests to pytest.", ("task", "current", "port the tests to pytest")),
        ("I want you to write the changelog, and keep it short.",
         ("task", "current", "write the changelog, and keep it short")),
    ],
)  # fmt: skip
def test_decisions_preferences_tasks_and_what_is_to_be_remembered_are_kept(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


def test_whose_preference_it_is_stays_with_it_where_a_pronoun_stands_for_them() -> None:
    """The name that was said last is in the name of the fact."""
    said = "Mara Lind reads your drafts, and she likes plain words."

    assert facts(said) == [("preference", "mara lind plain words", "she likes plain words")]
    assert facts("She likes plain words.") == []


@pytest.mark.parametrize(
    ("before", "after", "subject", "name", "value"),
    [
        ("The build is broken.", "The build on main is fixed now.", "tests", "build", "The build on main is fixed now"),
        ("Tests are red.", "The fix is in and tests are green again.", "tests", "tests", "tests are green again"),
        ("Staging is down.", "Staging is back up.", "note", "staging", "Staging is back up"),
        ("The ticket is 17.", "Actually it's 18, not 17.", "entity", "ticket", "18"),
        ("The ticket is 17.", "It's not 17 but 18.", "entity", "ticket", "18"),
        ("The ticket is 17.", "The ticket number changed from 17 to 18.", "entity", "ticket", "18"),
        ("The deadline for the talk is 4 May.", "The deadline moved to 9 May.", "entity", "deadline for talk", "9 May"),
        ("The port of the cache is 1.", "The port of the cache is 2, not 1.", "entity", "port of cache", "2"),
        ("We use Redis for caching.", "We no longer use Redis for caching.", "note", "user use redis caching",
         "We no longer use Redis for caching"),
        ("I'm a baker.", "I'm no longer a baker.", "note", "user baker", "I'm no longer a baker"),
        ("I live in Oslo.", "I now live in Bergen.", "entity", "where user lives", "Bergen"),
        ("We call the release Amber Finch.", "We now call the release Iron Gate.", "entity", "name of release",
         "Iron Gate"),
        ("Let's use Kafka for the queue.", "Let's use Redis for the queue instead.", "decision", "queue",
         "Let's use Redis for the queue instead"),
        ("CI is failing.", "CI isn't failing any more.", "tests", "ci", "CI isn't failing any more"),
        ("The launch is set for 12 June.", "The launch moved from 12 June to 19 June.", "entity", "launch", "19 June"),
        ("The talk is planned for 12 June.", "The talk was postponed to 19 June.", "entity", "date of talk", "19 June"),
        ("The tool is called Blue Otter.", "The tool isn't called Blue Otter but Red Fox.", "entity", "name of tool",
         "Red Fox"),
        ("I live in Oslo.", "I no longer live in Oslo.", "entity", "where user lives", "I no longer live in Oslo"),
        ("We run Go 1.21.", "We upgraded Go from 1.21 to 1.22.", "entity", "version of go", "1.22"),
    ],
)  # fmt: skip
def test_a_change_has_the_identity_of_what_it_changes(
    before: str, after: str, subject: str, name: str, value: str
) -> None:
    """Also across distillations, where what was stated before is known."""
    first, second = items(before, after)
    assert (first.subject, first.name) == (second.subject, second.name) == (subject, name)
    assert second.value == value

    known = Known(first.subject, first.name, first.value)
    assert facts(after, known=(known,)) == [(subject, name, value)]


def test_a_correction_of_nothing_that_is_known_is_no_fact() -> None:
    """Nobody can say what it corrects; nor where two things have the value."""
    assert facts("It's not 17 but 18.") == []
    for wrong in ("It's not 17 but 18.", "It's not \U0001f642 but 18."):
        assert facts("The ticket is 16.", wrong) == [("entity", "ticket", "16")]
    known = (Known("entity", "ticket", "17"), Known("entity", "room", "17"))
    assert facts("It's not 17 but 18.", known=known) == []


def test_what_people_say_of_a_build_does_not_stand_against_what_its_tool_told() -> None:
    """It goes under their own name for it; what a person said of it before is changed by it."""
    told = Known("tests", "make ci", "passed", tool=True)
    assert facts("CI is green again.", known=(told,)) == [("tests", "ci", "CI is green again")]
    said = Known("tests", "ci", "CI is failing")
    assert facts("CI is green again.", known=(told, said)) == [("tests", "ci", "CI is green again")]


def test_of_many_statements_a_change_touches_one() -> None:
    """One of a hundred things changes, and no other's identity is taken."""
    before = [f"The port of service{number} is {8000 + number}." for number in range(100)]

    found = facts(*before, "The port of service7 is now 9007.")

    assert len(found) == 101
    assert found[-1] == ("entity", "port of service7", "9007")
    assert len({(subject, name) for subject, name, _ in found}) == 100


@pytest.mark.parametrize(
    "said",
    [
        "What is the port?",
        "Can you read the settings, too?",
        "Hello there! Thanks a lot.",
        "That's great!",
        "If the build is green, deploy.",
        "Maybe we use Kafka for the queue.",
        "I would move to Oslo.",
        "Run the tests.",
        "Please read docs/a.md and docs/b.md.",
        "```\nThe port is 8080.\n```",
        "    The port is 8080.",
        "> The port is 8080.",
        "1. The port is 8080.\n2. The port is 9090.",
        "- Never push to main.",
        '{"port": "The port is 8080."}',
        'She said: "I like tea and coffee and cake".',
        "I did it.",
        "I gave it to them.",
        "I think so.",
        "I had a great time!",
        "You live in Oslo.",
    ],
)
def test_what_states_nothing_gives_no_fact(said: str) -> None:
    """Questions, greetings, reactions, conditions, commands, code, quotes, lists, and what points at something else."""
    assert facts(said) == []


@pytest.mark.parametrize(
    "replied",
    [
        "I read the file and fixed the bug.",
        "I will now run the tests.",
        "I ran the checks, and three tests fail.",
        "I've updated your reservation to two bags.",
        "Your task is done, and the port is 8080.",
        "I found a cheaper flight for my calculation.",
        "I want to look at the settings next.",
        "I'll use grep for the search.",
        "I decided to look at the parser first.",
        "Let me check the logs. I have all the details.",
    ],
)
def test_what_a_model_says_of_its_work_is_no_fact(replied: str) -> None:
    assert facts(f"model: {replied}") == []


def test_of_a_reply_what_was_settled_is_kept_as_the_models() -> None:
    """With the entry it is in, and when that was said."""
    assert items("model: Done. We decided to keep the old format.") == [
        Item("decision", "keep old format", "We decided to keep the old format", "model", 1, (1,), SUNDAY)
    ]


def test_where_both_sides_are_people_each_speaks_of_themselves() -> None:
    """The same words of two people are two facts."""
    assert facts("I love sailing.", "model: I love sailing.") == [
        ("preference", "user love sailing", "I love sailing"),
        ("preference", "assistant love sailing", "I love sailing"),
    ]
    assert facts("model: My kids and I baked some bread yesterday.") == [
        ("note", "assistant kids baked bread 2023-05-06", "My kids and I baked some bread yesterday (2023-05-06)")
    ]
