"""What rules draw from conversations between two people: how many facts, which of them are right, and what they miss.

One speaker is the user and the other the assistant; each message was said at its session's time. Precision is judged by
people, on a seeded sample: verdicts are kept under digests of the facts, never with the words of the data. Recall is
counted against the observations that come with the conversations: one is found where a fact of its message has enough
of the words that carry its meaning.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from eunoe.distillation.by_rules import drawn
from eunoe.distillation.door import Item, Kind, Known, Said, Speaker, Task, Turn
from eunoe.distillation.statements.english.words import LITTLE
from eunoe.facts.kinds import SHIPPED
from eunoe.schemas import limits

SAMPLE = 100  # facts that are judged
SEED = "1"
FOUND_SHARE = 0.4  # of the words of an observation: so many in a fact of its message find it
STEM = 5  # characters of a word that are compared
NEIGHBOURS = 2  # messages before, and after, that a judge is shown

KINDS = tuple(Kind(subject, kind.description) for subject, kind in SHIPPED.items() if kind.distil)


class Verdict(TypedDict):
    """What two judges said of one fact, and what was settled."""

    judges: list[bool]
    settled: bool


@dataclass(frozen=True)
class Message:
    """One message of a conversation, under its number there."""

    label: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Conversation:
    """One conversation: its messages by entry (the first is 1), as turns, and its observations with their messages."""

    name: str
    messages: Sequence[Message]
    turns: Sequence[Turn]
    observations: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Fact:
    """One fact of a conversation."""

    conversation: Conversation
    item: Item

    @property
    def message(self) -> Message:
        return self.conversation.messages[self.item.entries[0] - 1]

    @property
    def key(self) -> str:
        """The digest under which its verdict is kept."""
        item = self.item
        parts = [self.conversation.name, item.turn, item.subject, item.name, item.value]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Measured:
    """Facts of all conversations; observations, and how many of them were found; turns, and milliseconds for each."""

    facts: Sequence[Fact]
    observations: int
    found: int
    turns: int
    ms: float


def conversations(path: Path) -> list[Conversation]:
    return [_conversation(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def measured(talks: Sequence[Conversation]) -> Measured:
    facts: list[Fact] = []
    start = time.perf_counter()
    for talk in talks:
        facts += [Fact(talk, item) for item in items(talk)]
    took = time.perf_counter() - start
    turns = sum(len(talk.turns) for talk in talks)
    seen = [(talk, observation) for talk in talks for observation in talk.observations]
    found = sum(_found(talk, observation, facts) for talk, observation in seen)
    return Measured(facts, len(seen), found, turns, took * 1_000 / max(1, turns))


def items(talk: Conversation) -> list[Item]:
    """What is drawn of a conversation in ranges, as a worker does it: each knows what was in force by then."""
    known: dict[tuple[str, str], str] = {}
    found: list[Item] = []
    for at in range(0, len(talk.turns), limits.DISTILLED_TURNS):
        newest = [Known(*identity, value) for identity, value in known.items()][-limits.DISTILLED_KNOWN :]
        part, _ = drawn(Task(talk.turns[at : at + limits.DISTILLED_TURNS], KINDS, newest))
        for item in part:
            known.pop((item.subject, item.name), None)
            known[item.subject, item.name] = item.value
        found += part
    return found


def sample(facts: Sequence[Fact], seed: str = SEED, count: int = SAMPLE) -> list[Fact]:
    """So many facts, those whose digests with the seed are lowest: a fact that stays keeps its place in the sample."""
    by_key = {fact.key: fact for fact in facts}
    lowest = sorted(by_key, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).hexdigest())
    return [by_key[key] for key in lowest[:count]]


def precision(facts: Sequence[Fact], verdicts: Mapping[str, Verdict]) -> float:
    """The share of right ones among those that have a verdict."""
    settled = [verdicts[fact.key]["settled"] for fact in facts if fact.key in verdicts]
    return sum(settled) / len(settled) if settled else 0.0


def to_judge(facts: Sequence[Fact]) -> Iterator[dict[str, Any]]:
    """What a judge needs of each: the fact, who said it in which message, and the messages around that."""
    for fact in facts:
        at = fact.item.entries[0] - 1
        near = fact.conversation.messages[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
        yield {
            "key": fact.key,
            "fact": f"{fact.item.subject} {fact.item.name}: {fact.item.value}",
            "speaker": f"{fact.message.speaker} ({'user' if fact.item.speaker == 'person' else 'assistant'})",
            "conversation": fact.conversation.name,
            "message": f"{fact.message.label}: {fact.message.text}",
            "around": [f"{one.label} {one.speaker}: {one.text}" for one in near],
        }


def _conversation(run: Mapping[str, Any]) -> Conversation:
    spoken: dict[str, Any] = run["conversation"]
    messages: list[Message] = []
    turns: list[Turn] = []
    for number in range(1, len(spoken)):
        if f"session_{number}" in spoken:
            at = _moment(spoken[f"session_{number}_date_time"])
            turns += _turns(spoken[f"session_{number}"], spoken["speaker_a"], at, messages, len(turns))
    return Conversation(run["sample_id"], messages, turns, list(_observations(run["observation"])))


def _turns(
    session: Sequence[Mapping[str, str]], user: str, at: int, messages: list[Message], before: int
) -> Iterator[Turn]:
    """The turns of one session, whose messages are put to the others: what one says, and what the other answers."""
    said: list[Said] = []
    number = before
    for message in session:
        speaker: Speaker = "person" if message["speaker"] == user else "model"
        if said and speaker == "person" and said[-1].speaker == "model":
            number += 1
            yield Turn(number, number, at, said=tuple(said))
            said = []
        messages.append(Message(message["dia_id"], message["speaker"], message["text"]))
        said.append(Said(len(messages), len(messages), at, speaker, message["text"]))
    if said:
        yield Turn(number + 1, number + 1, at, said=tuple(said))


def _moment(text: str) -> int:
    """ms UTC of ``1:56 pm on 8 May, 2023``."""
    return int(datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp() * 1_000)


def _observations(sessions: Mapping[str, Mapping[str, Sequence[Any]]]) -> Iterator[tuple[str, str, str]]:
    """Whom each is about, what it says, and of which message it is."""
    for speakers in sessions.values():
        for speaker, observed in speakers.items():
            for text, labels in observed:
                for label in labels if isinstance(labels, list) else [labels]:
                    yield speaker, text, label


def _found(talk: Conversation, observation: tuple[str, str, str], facts: Sequence[Fact]) -> bool:
    speaker, text, label = observation
    wanted = _stems(text) - _stems(speaker)
    return any(
        len(wanted & _stems(fact.item.value)) >= FOUND_SHARE * len(wanted)
        for fact in facts
        if fact.conversation is talk and fact.message.label == label
    )


def _stems(text: str) -> set[str]:
    words = (word for word in re.findall(r"[a-z0-9']{3,}", text.casefold()) if word not in LITTLE)
    return {word[:STEM] for word in words}
