"""What rules draw from talk is right by the verdicts of judges, and enough to be of use."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import recordings

from evaluation import precision
from evaluation.precision import Conversation, Measured, Verdict

ROOT = Path(__file__).resolve().parents[3]
VERDICTS = Path(__file__).with_name("verdicts.json")
COMMAND = ROOT / "ops" / "precision.py"
FACTS_LEAST = 300  # of the three conversations
PRECISION_LEAST = 0.8

_TALK: list[dict[str, Any]] = [
    {
        "sample_id": "made-up",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 7 May, 2023",
            "session_1": [
                {"speaker": "Bo", "dia_id": "D1:1", "text": "Hello! My sister opened a bakery in Lund last week."},
                {"speaker": "Ada", "dia_id": "D1:2", "text": "Nice! I planted two apple trees yesterday."},
                {"speaker": "Bo", "dia_id": "D1:3", "text": "Wow, what kind?"},
            ],
            "session_2_date_time": "9:00 am on 2 June, 2023",
            "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "The trees bloom. I love gardening."}],
        },
        "observation": {
            "session_1_observation": {
                "Ada": [["Ada planted apple trees.", "D1:2"], ["Ada has a house.", ["D1:2"]]],
                "Bo": [["Bo's sister has opened a bakery.", "D1:1"]],
            }
        },
    }
]


@cache
def measured() -> Measured:
    """The three conversations beside the repository."""
    return precision.measured(precision.conversations(recordings.folder() / "locomo" / "locomo_first3.json"))


def talks(folder: Path) -> list[Conversation]:
    path = folder / "talks.json"
    path.write_text(json.dumps(_TALK), encoding="utf-8")
    return precision.conversations(path)


def test_a_conversation_is_read_as_turns_of_a_user_and_an_assistant(tmp_path: Path) -> None:
    """A turn ends where the user speaks after the assistant, and where a session ends; each has its session's time."""
    (talk,) = talks(tmp_path)

    assert [[(said.entry, said.speaker) for said in turn.said] for turn in talk.turns] == [
        [(1, "model")],
        [(2, "person"), (3, "model")],
        [(4, "person")],
    ]
    assert [turn.at for turn in talk.turns] == [1_683_467_760_000] * 2 + [1_685_696_400_000]


def test_observations_are_found_where_a_fact_of_their_message_tells_them(tmp_path: Path) -> None:
    """Two of the three: that Ada has a house is in none."""
    found = precision.measured(talks(tmp_path))

    assert [(fact.message.label, fact.item.value) for fact in found.facts] == [
        ("D1:1", "My sister opened a bakery in Lund last week (week of 2023-04-24)"),
        ("D1:2", "I planted two apple trees yesterday (2023-05-06)"),
        ("D2:1", "I love gardening"),
    ]
    assert (found.observations, found.found, found.turns) == (3, 2, 3)


def test_a_sample_is_the_same_each_time_and_another_by_another_seed(tmp_path: Path) -> None:
    facts = precision.measured(talks(tmp_path)).facts
    by_digest = sorted(facts, key=lambda fact: hashlib.sha256(f"7 {fact.key}".encode()).hexdigest())

    assert precision.sample(facts, "7", 2) == precision.sample(list(reversed(facts)), "7", 2) == by_digest[:2]


def test_judges_see_the_messages_around_a_fact(tmp_path: Path) -> None:
    facts = precision.measured(talks(tmp_path)).facts

    shown = next(precision.to_judge(facts[2:]))

    assert shown["speaker"] == "Ada (user)"
    assert shown["message"] == "D2:1: The trees bloom. I love gardening."
    assert [line.split()[0] for line in shown["around"]] == ["D1:2", "D1:3", "D2:1"]


def test_precision_is_the_share_of_right_ones_among_the_judged(tmp_path: Path) -> None:
    facts = precision.measured(talks(tmp_path)).facts
    right, wrong = Verdict(judges=[True, True], settled=True), Verdict(judges=[True, False], settled=False)

    assert precision.precision(facts, {facts[0].key: right, facts[1].key: wrong}) == 0.5
    assert precision.precision(facts, {}) == 0.0


def test_three_conversations_give_enough_facts() -> None:
    assert len(measured().facts) >= FACTS_LEAST


def test_every_fact_of_the_sample_was_judged_and_most_are_right() -> None:
    """Where rules change, so does the sample: what is new in it has to be judged before this holds again."""
    verdicts: dict[str, Verdict] = json.loads(VERDICTS.read_text(encoding="utf-8"))
    judged = precision.sample(measured().facts)
    missing = sum(fact.key not in verdicts for fact in judged)

    assert missing == 0, (
        f"{missing} of {len(judged)} sampled facts have no verdict; "
        f"write them with `python ops/precision.py --sample FILE`, have two judges say what is right, and put it into "
        f"{VERDICTS.relative_to(ROOT)}"
    )
    assert precision.precision(judged, verdicts) >= PRECISION_LEAST


def test_verdicts_hold_no_word_of_the_data() -> None:
    """A digest each, two judges' answers and the settled one."""
    verdicts: dict[str, Verdict] = json.loads(VERDICTS.read_text(encoding="utf-8"))

    for key, verdict in verdicts.items():
        assert len(key) == 64
        assert int(key, 16) >= 0
        assert set(verdict) == {"judges", "settled"}
        assert [type(judge) for judge in verdict["judges"]] == [bool, bool]
        assert type(verdict["settled"]) is bool


def test_what_is_to_be_judged_is_not_written_into_the_repository() -> None:
    recordings.folder()
    place = ROOT / "tests" / "sample.jsonl"

    done = subprocess.run(
        [sys.executable, str(COMMAND), "--sample", str(place)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip().endswith("is in the repository; name a file outside it.")
    assert not place.exists()
