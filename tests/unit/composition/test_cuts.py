"""Cuts: a reply that only shows what a tool of the same turn gave."""

from __future__ import annotations

from typing import Any

from eunoe.composition import cuts
from eunoe.composition.contents import Item
from eunoe.schemas.events import ToolResult

LINES = [f"alpha{n} = beta{n} + gamma{n}" for n in range(8)]  # 40 words
NUMBERED = "\n".join(f"{n + 1}\t{line}" for n, line in enumerate(LINES))


def sources(*outputs: str) -> list[cuts.Source]:
    items = [Item(ToolResult(entry=7 + at, call="c", content=output), 1, 1) for at, output in enumerate(outputs)]
    return [cuts.source(item) for item in items]


def after(reply: str, *outputs: str) -> str:
    found = cuts.cuts(reply, sources(*outputs))
    return cuts.apply(reply, found, {7: "read_file", 8: "bash"})


def test_a_copy_in_a_fence_becomes_a_marker() -> None:
    """What the model says around the copy stays; line numbers, indents and fences are formatting."""
    copy = "```python\n" + "\n".join("    " + line for line in LINES) + "\n```"

    found = after(f"Here it is:\n\n{copy}\n\nThat is all.", NUMBERED)

    assert found == "Here it is:\n\n(showed the person the read_file output, entry 7)\n\nThat is all."


def test_an_edited_copy_stays() -> None:
    """One changed word is a proposal, not a copy."""
    edited = "```\n" + "\n".join(LINES).replace("beta3", "beta4") + "\n```"

    assert after(edited, NUMBERED) == edited


def test_a_changed_operator_is_an_edit() -> None:
    """Punctuation of code is no formatting."""
    source = "\n".join(line.replace("+", "|") for line in LINES)
    edited = "\n".join(line.replace("+", "*") for line in LINES)

    assert after(edited, source) == edited


def test_fewer_than_24_words_stay() -> None:
    """A quotation is not a copy: 23 words stay, 24 go."""
    words = [f"word{n}" for n in range(40)]

    assert after(" ".join(words[:23]), " ".join(words)) == " ".join(words[:23])
    assert after(" ".join(words[:24]), " ".join(words)) == "(showed the person the read_file output, entry 7)"


def test_paragraphs_that_follow_each_other_in_the_output_are_one_cut() -> None:
    """A copied file with blank lines is taken out in one piece, though each of its parts is short."""
    text = "\n\n".join("\n".join(LINES[at : at + 2]) for at in range(0, 8, 2))

    assert after(text, "header\n" + text) == "(showed the person the read_file output, entry 7)"


def test_a_table_that_restates_columns_is_a_copy() -> None:
    """Pipes and rules of a table are formatting."""
    rows = [(f"file{n}", f"{n}00", "rwx", "root") for n in range(7)]
    output = "\n".join("   ".join(row) for row in rows)
    table = (
        "| " + " | ".join(rows[0]) + " |\n|---|---|---|---|\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows[1:])
    )

    assert after(table, "nothing", output) == "(showed the person the bash output, entry 8)"


def test_only_outputs_of_the_same_turn_are_compared(kit: Any) -> None:
    """A reply that retells an earlier turn's output is the model's own."""
    thread = kit.thread()
    thread.turn(*kit.asks("read", *kit.reads(NUMBERED), answer="Read it."))
    thread.turn(*kit.asks("show", answer="\n".join(LINES)))
    thread.turn(*kit.asks("read and show", *kit.reads(NUMBERED), answer="\n".join(LINES)))

    composed = kit.compose()(thread.fold(), request="thanks")

    answers = [
        message["content"] for message in composed.messages if message["role"] == "assistant" and "content" in message
    ]
    assert answers == ["Read it.", "\n".join(LINES), "(showed the person the read_file output, entry 9)"]
    cut = next(one for one in composed.recipe.renderings if one.how == "cut")
    assert cut.spans == ((0, len("\n".join(LINES)), 9),)
