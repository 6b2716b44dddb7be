"""Cuts: a reply that only shows what a tool of the same turn gave."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


MARKER = "(showed the person the read_file output, entry 7)"
COPY = "\n".join(LINES)


@pytest.mark.parametrize(
    "reply",
    [
        f"```\n{COPY}\n```",
        f"~~~~ text\n{COPY}\n~~~~",
        f"```\n{COPY}\n`````",  # a fence may close with more than it opened with
        f"    ```\n    {COPY}\n    ```",
        "\n".join(f"> {line}" for line in LINES),
        "> ```\n" + "\n".join(f"> {line}" for line in LINES) + "\n> ```",
        "\n".join(f"{n + 40}: {line}" for n, line in enumerate(LINES)),
        COPY.replace("\n", "\r\n"),
        COPY.replace(" ", "\u00a0").replace("\n", "\u2028"),
        f"```\n{COPY}",
    ],
    ids=["fence", "tildes", "longer", "indented", "quoted", "quoted fence", "numbered", "crlf", "unicode", "unclosed"],
)
def test_formatting_makes_no_other_copy(reply: str) -> None:
    """Fences, quote marks, line numbers and white space of any script are taken away before comparing."""
    assert after(reply, COPY) == MARKER


def test_a_copy_of_a_file_that_holds_fences_is_one_cut() -> None:
    """A shorter fence inside a longer one does not end it."""
    text = f"# Title\n\n```python\n{COPY}\n```\n\nthe end"

    assert after(f"Here:\n````markdown\n{text}\n````\nDone.", text) == f"Here:\n{MARKER}\nDone."


def test_what_was_typed_at_a_prompt_stays_with_its_fence() -> None:
    """The command is not in the output, so only what it printed is a copy, whatever stands around the fence."""
    before, after_it = "\n".join(LINES[:4]), "\n".join(LINES[4:])

    assert after(f"```\n$ cat a.py\n{COPY}\n```", COPY) == f"```\n$ cat a.py\n{MARKER}\n```"
    assert after(f"{COPY}\n\n```\n$ tail a.py\n{COPY}", f"{COPY}\n{COPY}") == f"{MARKER}\n\n```\n$ tail a.py\n{MARKER}"
    assert after(f"{before}\n```\n$ x\n{after_it}\n```", COPY) == f"{before}\n```\n$ x\n{after_it}\n```"
    assert after("```\n$ cat a.py\n```", COPY) == "```\n$ cat a.py\n```"


def test_code_between_backticks_on_one_line_opens_no_fence() -> None:
    """So the paragraph after it is one of its own."""
    assert after(f"```x = 1```\n\n{COPY}", COPY) == f"```x = 1```\n\n{MARKER}"


def test_numbers_that_both_have_must_be_the_same() -> None:
    """Of a list by years, one with other years is an edited copy."""
    years = "\n".join(f"{2000 + n}: {line}" for n, line in enumerate(LINES))
    others = "\n".join(f"{2001 + n}: {line}" for n, line in enumerate(LINES))

    assert after(others, years) == others
    assert after(years, years) == MARKER


def test_numbers_that_do_not_count_are_no_line_numbers() -> None:
    """What a reply put before each line, and is not one more each time, is its own."""
    rated = "\n".join(f"{n * 10}: {line}" for n, line in enumerate(LINES))

    assert after(rated, COPY) == rated


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


def longest_by_hand(reply: str, output: str) -> list[tuple[int, int]]:
    """The runs of paragraphs of a reply without any formatting that stand in the output, looked for one by one."""
    blocks = [(found.start(), found.end()) for found in re.finditer(r"[^\n]+(?:\n[^\n]+)*", reply)]
    inside, at, runs = f" {' '.join(output.split())} ", 0, []
    while at < len(blocks):
        stops = range(at + 1, len(blocks) + 1)
        words = {stop: reply[blocks[at][0] : blocks[stop - 1][1]].split() for stop in stops}
        copied = [stop for stop in stops if len(words[stop]) >= 24 and f" {' '.join(words[stop])} " in inside]
        runs += [(blocks[at][0], blocks[copied[-1] - 1][1])] if copied else []
        at = copied[-1] if copied else at + 1
    return runs


@given(
    st.lists(st.text("ab ", min_size=1, max_size=60), max_size=8).map("\n\n".join),
    st.text("ab ", max_size=400),
    st.integers(0, 40),
)
@settings(max_examples=200)
def test_runs_are_found_as_looking_at_each_one_would(reply: str, output: str, at: int) -> None:
    """Whatever of two words the texts are made of, and also where the reply copies a part of the output."""
    for text in (reply, f"{reply}\n\n{output[at:]}\n\n{reply}"):
        found = cuts.cuts(text, [cuts.Source(7, [output])])
        assert [span[:2] for span in found if text[span[0] : span[1]].strip()] == longest_by_hand(text, output)


def test_a_reply_that_nearly_copies_everywhere_does_not_hold_anybody_up() -> None:
    """A megabyte of paragraphs, each of which nearly stands in each of ten large outputs: looked at, and left alone."""
    outputs = [cuts.Source(entry, ["a b " * 50_000 + f"c{entry}"]) for entry in range(10)]
    reply = "\n\n".join("a b " * 12 + "b a" for _ in range(20_000))

    assert cuts.cuts(reply, outputs) == ()


def test_no_more_outputs_are_made_ready_than_a_reply_is_worth() -> None:
    """Each begins as the reply does, and has a word that it lacks. The copy is in the last of them: it is found after
    256 KiB of others, and not after 1,280 KiB, where looking further would hold others up."""
    same = "a b c d e\n" * 6
    text = same + "the end\n"
    other, copied = (same + "word\n" * 50_000)[: 256 * 1024], f"{text}{'word ' * 1000}"

    assert after(text, other, copied) == "(showed the person the bash output, entry 8)\n"
    assert after(text, *[other] * 5, copied) == text


def test_an_output_that_a_reply_copies_whole_is_the_only_one_that_is_made_ready() -> None:
    """No other can copy more."""
    text = "one two three four five six seven\n" * 200
    held = sources(text, text)

    assert [entry for _, _, entry in cuts.cuts(text, held)] == [7]
    assert "_known" in held[0].__dict__
    assert "_known" not in held[1].__dict__
