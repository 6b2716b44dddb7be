"""What is decided, undone, wished for and working again, in further wordings."""

from __future__ import annotations

import pytest
from stating import Fact, facts


@pytest.mark.parametrize(
    "said",
    [
        "Let's go with 3 August instead.",
        "Let's go with next Tuesday.",
        "Let's stick with the second one for now.",
        "We decided on 3 August.",
        "We settled on Wednesday.",
        "We went with 12 instead.",
        "Let's go with option C.",
        "Decision: 3 August.",
    ],
)
def test_a_decision_that_names_a_date_or_a_number_alone_says_nothing_of_what(said: str) -> None:
    assert facts(said) == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Let's go with 3 August for the fair.", ("decision", "fair", "Let's go with 3 August for the fair")),
        ("Let's go with Redis 7.", ("decision", "go redis 7", "Let's go with Redis 7")),
        ("Right, we go with gRPC then.", ("decision", "go grpc", "we go with gRPC then")),
        ("Decision: retry three times.", ("decision", "retry three times", "retry three times")),
        ("Final decision: we keep the old parser.", ("decision", "keep old parser", "we keep the old parser")),
        ("I'd rather not spend more than 2,500 euros.",
         ("preference", "user spend 2,500 euros", "I'd rather not spend more than 2,500 euros")),
        ("I don't like long functions.", ("preference", "user like long functions", "I don't like long functions")),
    ],
)  # fmt: skip
def test_a_choice_is_kept_without_the_words_that_lead_to_it(said: str, fact: Fact) -> None:
    assert facts(said) == [fact]


@pytest.mark.parametrize(
    "said", ["I'd rather not say.", "I'd rather go home.", "I don't like it.", "We go with them then."]
)
def test_what_somebody_wishes_just_now_is_no_preference(said: str) -> None:
    assert facts(said) == []


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("We decided to use RabbitMQ.", "We won't use RabbitMQ after all.", "use rabbitmq"),
        ("We decided to use RabbitMQ for the mail.", "We won't use RabbitMQ after all.", "mail"),
        ("We decided to use RabbitMQ for the mail.", "We decided not to use RabbitMQ.", "mail"),
        ("We decided to use RabbitMQ.", "We are not going to use RabbitMQ after all.", "use rabbitmq"),
        ("We decided to use RabbitMQ.", "We're not using RabbitMQ after all.", "use rabbitmq"),
        ("We decided to use RabbitMQ.", "We decided against RabbitMQ.", "use rabbitmq"),
    ],
)
def test_a_decision_that_is_undone_has_its_identity(before: str, after: str, name: str) -> None:
    assert facts(before, after) == [
        ("decision", name, before.rstrip(".")),
        ("decision", name, after.rstrip(".")),
    ]


def test_what_is_used_in_its_place_is_a_fact_of_its_own() -> None:
    assert facts("We won't use RabbitMQ after all, we use Pulsar.") == [
        ("decision", "use rabbitmq", "We won't use RabbitMQ after all"),
        ("note", "user use pulsar", "we use Pulsar"),
    ]


def test_another_decision_is_not_undone() -> None:
    assert [name for _, name, _ in facts("We decided to use Pulsar.", "We won't use RabbitMQ after all.")] == [
        "use pulsar",
        "use rabbitmq",
    ]


@pytest.mark.parametrize(
    "again", ["works again", "is working again", "is back", "is back to normal", "is now working again"]
)
def test_what_works_again_is_no_longer_broken(again: str) -> None:
    assert facts("Checkout is down.", f"Checkout {again}.") == [
        ("note", "checkout", "Checkout is down"),
        ("note", "checkout", f"Checkout {again}"),
    ]
    assert facts("The nightly is failing.", f"The nightly {again}.") == [
        ("tests", "nightly", "The nightly is failing"),
        ("tests", "nightly", f"The nightly {again}"),
    ]


def test_somebody_who_is_back_is_no_state_of_a_thing() -> None:
    assert facts("My wife is back.") == facts("The dog is back.") == []


def test_what_is_said_beside_a_task_or_a_reminder_is_no_part_of_it() -> None:
    assert facts("Remember that the badge is in the drawer, by the way.") == [
        ("note", "badge drawer", "the badge is in the drawer")
    ]
    assert facts("Your task: mend the garden gate, btw.") == [("task", "current", "mend the garden gate")]
