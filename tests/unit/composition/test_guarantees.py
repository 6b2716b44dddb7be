"""What holds of every context, whatever its thread holds and however it is asked for.

Threads are generated, and composed as a service does: each request with the recipe that was stored before it. What is
asserted is measured on the serialised bytes. Every guarantee is asserted of each of 2,000 threads: 1,700 that are
counted in bytes, and, but for the share of the window that is kept free, 300 whose counter is of another kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import api_rules
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stories import Story, Told, contents, stories

from eunoe.composition import blocks, marks, outline, stability, summary, telling
from eunoe.composition.budget import anchored, outline_bytes
from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.fold import Fold
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.making import Made, make
from eunoe.composition.plan import enough
from eunoe.composition.profiles import Composed as StoredRecipe
from eunoe.composition.render import render
from eunoe.composition.rounds import tool_rounds
from eunoe.composition.shelf import Facts
from eunoe.composition.showing import Manner
from eunoe.composition.summary import Summary
from eunoe.schemas.context import Recipe
from eunoe.schemas.distil_requests import SummaryDocument, SummaryVersion
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import ContextComposed, Entry, Event, Prompt, Response, TurnAborted, TurnCommitted

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of an example that fails

RULES = {
    "openai": lambda messages: api_rules.chat({"messages": messages}),
    "responses": lambda messages: api_rules.responses({"input": messages}),
    "anthropic": lambda messages: api_rules.anthropic({"messages": messages}),
}
CALLED = re.compile(r'^<eunoe-call id="([^"]+)"', re.MULTILINE)
GAVE = re.compile(r'^<eunoe-output id="([^"]+)"', re.MULTILINE)
LINE = re.compile(r'turn (\d+)(?: \(entr(?:y|ies) [\d–]+\))?: (?:".*"|\[entry \d+ was erased\]|\(.*\))\Z')  # noqa: RUF001


def many(examples: int) -> settings:
    """So many examples, whatever they take; what has more of them has them in parts, so that none takes too long."""
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )


@dataclass
class Teller:
    """Appends a story to a thread, and composes every request of it."""

    kit: Any
    story: Story

    def __post_init__(self) -> None:
        self.thread = self.kit.thread()
        if self.story.instructions:
            self.thread.instruct(self.story.instructions)
        for turn in self.story.past:
            self.thread.turn(*contents(turn.parts), aborted=turn.aborted)
        self.fold: Fold = self.thread.fold()
        story = self.story
        facts = [self.kit.fact(value, name=f"{at}.py", turn=turn) for at, (turn, value) in enumerate(story.facts)]
        self.facts = Facts.of(facts)
        self.summarised = story.summarised
        manner = Manner(story.format, story.memory_tool)
        self.settings = Settings(
            window=story.window,
            manner=manner,
            target=story.target,
            headroom=story.headroom,
            keep=story.keep,
            relevant=story.relevant,
            outline=story.outline,
        )

    def requests(self) -> Iterator[tuple[Inputs, Made | DoesNotFit]]:
        """Every request of the turns that are asked, with what it was composed from."""
        for at, turn in enumerate(self.story.turns):
            if at == len(self.story.turns) - 1:
                self._erase()
            yield from self._asked(turn)

    def _asked(self, turn: Told) -> Iterator[tuple[Inputs, Made | DoesNotFit]]:
        key = self._append(self.thread.open)
        for part in turn.parts[: max(len(turn.parts) - 1, 1)]:
            self._append(lambda part=part: self.thread.append(*part, key=key))
            inputs = self.inputs(self.fold, key, self.last)
            try:
                made = make(inputs, self.settings)
            except DoesNotFit as refused:
                yield inputs, refused
                continue
            yield inputs, made
            self.fold.recipes[self.settings.profile] = StoredRecipe(made.recipe, self.fold.position)
        for part in turn.parts[max(len(turn.parts) - 1, 1) :]:
            self._append(lambda part=part: self.thread.append(*part, key=key))
        done = TurnAborted(reason="test") if turn.aborted else TurnCommitted()
        self._append(lambda: self.thread.append(done, key=key))

    @property
    def last(self) -> Recipe | None:
        """The last recipe of this profile."""
        found = self.fold.recipes.get(self.settings.profile)
        return found.recipe if found else None

    def inputs(self, fold: Fold, key: str, recipe: Recipe | None) -> Inputs:
        """What a request is composed from, as that fold has it."""
        opened = fold.opened(key)
        turn = opened.number if opened else fold.last + 1
        turns = [self.fold.turns[one.turn] for one in recipe.outline] if recipe else []
        committed = fold.header.committed if fold.header else 0
        return Inputs(
            thread="t",
            fold=fold,
            turn=turn,
            open=opened,
            request="" if opened and opened.asked else "what next?",
            instructions=fold.in_force(turn, "builder"),
            earlier=self.facts,
            before=recipe,
            named={one.number: said for one in turns if (said := outline.asked_in(one))},
            anchor=self.story.anchor,
            ready=max(committed - 2, 0),
            summary=self.summary(int(committed * self.summarised)),
        )

    def summary(self, last: int) -> Summary | None:
        """The summary of the turns up to the one that was committed as the ``last``."""
        covered = sorted(turn.number for turn in self.fold.turns.values() if 0 < turn.ordinal <= last)
        turns = tuple(blocks.spans(covered))
        version = SummaryVersion(version=1, position=7, index=0, last=last, turns=turns, entries=(), at=0, by="rules")
        return summary.of(SummaryDocument(v=1, thread="t", text=self.story.summary, versions=(version,)))

    def _append(self, append: Any) -> Any:
        count = len(self.thread.records)
        found = append()
        for record in self.thread.records[count:]:
            self.fold.add(record)
        return found

    def _erase(self) -> None:
        """Everything in some turns is erased; the thread is folded anew, as after any erasure."""
        if not self.story.erase:
            return

        def left(event: Event) -> Event:
            gone = isinstance(event, Entry) and event.turn in self.story.erase
            return msgspec.structs.replace(event, content="", erased=True) if gone else event

        for at, record in enumerate(self.thread.records):
            self.thread.records[at] = msgspec.structs.replace(record, events=tuple(map(left, record.events)))
        recipes, self.fold = self.fold.recipes, self.thread.fold()
        self.fold.recipes = recipes
        self.summarised /= 2  # what it covered is erased, so that an older one is in force


@pytest.mark.parametrize("batch", range(4))
@given(story=stories())
@many(300)
def test_every_context_holds_what_is_promised(kit: Any, batch: int, story: Story) -> None:
    """Whatever was said: it ends, fits, is valid, names what left, is told truly, and is composed again."""
    teller = Teller(kit, story)
    last: Made | None = None
    for inputs, found in teller.requests():
        entries = sum(len(turn.items) for turn in teller.fold.turns.values())
        if isinstance(found, DoesNotFit):
            check_refusal(found, story)
            continue
        check_size(found, story)
        check_content(inputs, found, story, last)
        assert sum(len(turn.items) for turn in teller.fold.turns.values()) == entries
        last = found
    if last is not None and (not story.erase or last.recipe.turn == teller.fold.last):
        check_replay(kit, teller, last)


@pytest.mark.parametrize("batch", range(2))
@given(story=stories())
@many(250)
def test_how_much_is_folded_makes_no_difference(kit: Any, batch: int, story: Story) -> None:
    """Folding backwards may stop where `enough` says so: what is older cannot matter. Of these threads too every
    context holds what is promised."""
    teller, inputs, found, last = Teller(kit, story), None, None, None
    for inputs, found in teller.requests():
        if isinstance(found, Made):
            check_size(found, story)
            check_content(inputs, found, story, last)
            last = found
    if inputs is None or not isinstance(found, Made) or inputs.open is None:
        return
    if story.erase and inputs.turn != teller.fold.last:  # what it was composed from is erased by now
        return
    part, less = Fold(teller.thread.chain), inputs
    for record in reversed([one for one in teller.thread.records if one.position <= found.recipe.position]):
        part.add(record)
        less = replace(teller.inputs(part, inputs.open.key, inputs.before), instructions=inputs.instructions)
        if less.open is not None and enough(less, teller.settings):
            break

    again = make(less, teller.settings)

    assert again.recipe == found.recipe
    assert again.rendered.data == found.rendered.data


class Convex:
    """Counts a whole for more than its parts, and by more the longer it is."""

    name = "convex"

    def count(self, data: bytes) -> int:
        return len(data) // 4 + len(data) ** 2 // 400_000 + 1


@pytest.mark.parametrize("batch", range(2))
@given(story=stories(largest=2_048), window=st.sampled_from([1_024, 4_096]))
@many(150)
def test_what_is_handed_out_fits_by_its_own_count(kit: Any, batch: int, story: Story, window: int) -> None:
    """A tokenizer may count the whole for more than its parts: what is counted at last is within the window, and all
    else holds as it does of any counter."""
    narrow = replace(story, window=window)
    teller, last = Teller(kit, narrow), None
    teller.settings = replace(teller.settings, counter=Convex())
    for inputs, found in teller.requests():
        if isinstance(found, Made):
            counted = anchored(Convex().count(found.rendered.data), story.anchor)
            assert found.recipe.tokens == counted <= window
            check_content(inputs, found, narrow, last)
            last = found


@pytest.mark.parametrize("counter", [ByteCounter(), Convex()])
@given(story=stories(largest=2_048), window=st.sampled_from([256, 1_024]))
@many(60)
def test_the_window_that_is_named_is_enough_and_if_it_is_the_least_one_token_less_is_not(
    kit: Any, counter: Counter, story: Story, window: int
) -> None:
    """Whoever asks again in the window that a refusal names gets a context, also where turns are kept: nothing that is
    needed is said only then. In another window nothing is known of what the counts of this one are to be less by. It is
    the least where the whole counts for what its parts do."""
    teller = Teller(kit, replace(story, window=window))
    teller.settings = replace(teller.settings, counter=counter)
    for inputs, found in teller.requests():
        if isinstance(found, Made):
            continue
        assert found.detail["least"] or isinstance(counter, Convex)
        asked, least = replace(inputs, anchor=max(inputs.anchor, 0)), int(found.detail["floor"])
        assert make(asked, replace(teller.settings, window=least)).recipe.tokens <= least
        if found.detail["least"]:
            with pytest.raises(DoesNotFit):
                make(asked, replace(teller.settings, window=least - 1))


@given(
    window=st.sampled_from([1_024, 4_096, 16_384]),
    target=st.sampled_from([0.1, 0.4, 0.6]),
    size=st.integers(20, 4_000),
    rounds=st.integers(0, 3),
    memory_tool=st.booleans(),
)
@many(80)
def test_average_turns_do_not_condense_one_after_the_other(
    kit: Any, window: int, target: float, size: int, rounds: int, memory_tool: bool
) -> None:
    """Where two of them and the request are less than what lies between 85 % and the goal, and one is less than the
    goal: of a larger one, the last that is shown is shortened, each time another."""
    thread, recipe, last = kit.thread(), None, -2
    compose = kit.compose(window=window, target=target, memory_tool=memory_tool)
    thread.turn(*kit.asks("what next?", answer="x" * size))
    fold = thread.fold()
    turn = (size * (rounds + 1) + 300 * rounds + 120) // 4  # tokens of one, with its outputs whole and what frames them
    roomy = 2 * turn + 20 < (0.85 - target) * window and turn < target * window
    for number in range(20):
        prompts = {turn.number: said for turn in fold.turns.values() if (said := outline.asked_in(turn))}
        recipe = compose(fold, request="what next?", before=recipe, named=prompts).recipe
        if recipe.steps:
            assert last < number - 1 or not roomy or recipe.floor
            last = number
        reads = [event for at in range(rounds) for event in kit.reads("y" * size, call=f"c{at}")]
        thread.turn(*kit.asks("what next?", *reads, answer="x" * size))
        for record in thread.records[-2:]:
            fold.add(record)


def check_refusal(refused: DoesNotFit, story: Story) -> None:
    """What does not fit is larger than the window, by figures that are said."""
    assert refused.detail["floor"] > story.window == refused.detail["window"]
    assert f"{refused.detail['floor']:,}" in str(refused)


def check_size(made: Made, story: Story) -> None:
    """Within the window; below 85 % of it with an average turn, or at the floor, which says so."""
    recipe = made.recipe
    measured = anchored(-(-len(made.rendered.data) // 4), story.anchor)
    assert recipe.tokens == measured <= story.window
    assert sum(recipe.layers.values()) == recipe.tokens
    assert min(recipe.layers.values()) >= 0
    assert recipe.bytes == len(made.rendered.data)
    assert bool(recipe.note) == recipe.floor
    assert recipe.floor or measured + recipe.settings["headroom_tokens"] <= 0.85 * story.window
    left = [step for step in recipe.steps if step.startswith(("left", "squeezed"))]
    if left and not recipe.floor:
        assert recipe.settings["fill_after"] <= recipe.settings["goal"]
    smaller = recipe.settings["fill_after"] < recipe.settings["fill_before"]
    assert smaller or not recipe.steps or recipe.settings["turns_left"]


def check_content(inputs: Inputs, made: Made, story: Story, last: Made | None) -> None:
    """What a context says, beside how large it is: every guarantee that does not depend on the counter."""
    check_messages(made, story)
    check_turns(inputs, made, story)
    check_outline(made, inputs, story)
    check_stability(made, last)
    check_events(made, inputs.before)


def check_messages(made: Made, story: Story) -> None:
    """Valid for the API: every call with its result, roles as demanded, nothing empty, no record the system's."""
    messages = json.loads(made.rendered.messages)
    if story.format in RULES:
        RULES[story.format](messages)
    if story.format == "text":
        assert CALLED.findall(messages) == GAVE.findall(messages)
    said = [one["content"] for one in messages if one["role"] == "system"] if story.format == "openai" else []
    assert "eunoe-record" not in "".join([made.rendered.system, *said]) or "eunoe-record" in story.instructions


def check_turns(inputs: Inputs, made: Made, story: Story) -> None:
    """Literal turns are the newest, without a gap; those that are kept are there with everything that was said, and
    of one whose rounds leave the last stays."""
    recipe, fold = made.recipe, inputs.fold
    committed = list(fold.committed())[::-1]
    shown = [turn for turn in committed if turn.number >= recipe.first_turn and not gone(turn)]
    assert [turn.number for turn in shown] == list(recipe.turns)
    assert len(recipe.turns) + recipe.left + recipe.erased == len(committed)
    kept = [turn for turn in committed[len(committed) - story.keep :] if not gone(turn)] if story.keep else []
    assert [turn.number for turn in kept] == list(recipe.turns[len(recipe.turns) - len(kept) :])
    said = {item.entry for turn in kept for item in turn.items if isinstance(item.event, Prompt | Response)}
    assert not said & {one.entry for one in recipe.renderings}
    if of := int(recipe.settings["rounds_of"]):
        assert 0 < recipe.dropped_rounds < len(tool_rounds(fold.turns[of].steps))
    assert not kept or recipe.settings["rounds_of"] not in [turn.number for turn in kept]


def check_outline(made: Made, inputs: Inputs, story: Story) -> None:
    """Turns that left, each once, within their share; and nothing that was said makes a line of its own."""
    recipe = made.recipe
    turns = [one.turn for one in recipe.outline]
    assert turns == sorted(set(turns))
    assert all(turn < recipe.first_turn and not gone(inputs.fold.turns[turn]) for turn in turns)
    assert recipe.outline_hidden == (recipe.left - len(turns) if turns else 0)
    told = check_summary(made, inputs)
    lines = outline.lines(recipe.outline, made.stored.prompts, outline_bytes(recipe.window))
    assert [int(found[1]) for line in lines if (found := LINE.fullmatch(line))] == turns
    assert size_of(lines) <= max(0.05 * story.window * 4, 512)
    assert size_of(told) <= max(0.05 * story.window * 4, 512)
    assert len(turns) <= 64
    assert story.outline or not turns
    block = next((pieces for name, pieces in made.rendered.layers if name == "earlier" and pieces), ())
    if block and story.format == "openai":
        text = json.loads(block[0].data)["content"]
        expected = 3 + story.memory_tool + sum(map(bool, (recipe.left, recipe.erased, recipe.pending)))
        expected += len(recipe.earlier) + bool(recipe.earlier_hidden)
        expected += len(told) + len(turns) + bool(recipe.outline_hidden)
        assert len(re.split("[\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]", text)) == expected
        assert text.count("<eunoe-record") == 1
        assert marks.escape("\n".join([*told, *lines])) in text


def check_summary(made: Made, inputs: Inputs) -> Sequence[str]:
    """The lines of the summary, which is there only where turns left, and goes only after the outline."""
    recipe, found = made.recipe, made.stored.summary
    assert recipe.summary == (found.shown if found else None)
    if found is None:
        whole = inputs.summary and summary.within(inputs.summary, outline_bytes(recipe.window))
        assert not (recipe.left and recipe.outline and whole)
        return ()
    assert (recipe.left > 0, found.shown.last > 0) == (True, True)
    return found.lines


def size_of(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def check_stability(made: Made, last: Made | None) -> None:
    """As many leading bytes as the last context has, less at most the piece, of one of the two, in which they part."""
    if last is None:
        assert made.recipe.stable == 0
        return
    pairs = enumerate(zip(made.rendered.data, last.rendered.data, strict=False))
    true = next((at for at, (one, other) in pairs if one != other), min(made.recipe.bytes, last.recipe.bytes))
    ladders = [[rung.end for rung in stability.ladder(one.rendered)] for one in (made, last)]
    stable = made.recipe.stable
    assert stable <= true
    assert all(stable in (0, *ends) for ends in ladders)
    assert stable == true or any(true < next(end for end in ends if end > stable) for ends in ladders)
    assert len(made.recipe.ladder) <= len(ladders[0]) * 6 + 4


def check_events(made: Made, before: Recipe | None) -> None:
    """The recipe and what was used are always told; what was condensed, only when it is new."""
    events = telling.events(made.recipe, made.stored, before)
    assert isinstance(events[0], ContextComposed)
    again = telling.events(made.recipe, made.stored, made.recipe)
    assert [type(event).__name__ for event in again] == ["ContextComposed", "MemoryUsed"]
    msgspec.json.encode(events)


def check_replay(kit: Any, teller: Teller, made: Made) -> None:
    """From the recipe as it is stored, and the log alone."""
    recipe = msgspec.json.decode(msgspec.json.encode(made.recipe), type=Recipe)
    fold = Fold(teller.thread.chain)
    for record in teller.thread.records:
        if record.position <= recipe.position:
            fold.add(record)
    said = teller.summary(recipe.summary.last) if recipe.summary else None
    shown = replace(said, shown=recipe.summary) if said and recipe.summary else None
    stored = kit.stored_of(recipe, fold, made.stored.instructions, list(teller.facts), shown)
    assert render(recipe, stored).data == made.rendered.data


def gone(turn: Any) -> bool:
    return bool(turn.items) and all(item.event.erased for item in turn.items)
