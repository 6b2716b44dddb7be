"""Replaying a recorded thread: what its answers quote, and what each strategy had of that."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened
from evaluation import recorded, tables
from evaluation.recorded import Row, Tally
from evaluation.strategies import Size
from evaluation.threads import Thread

LONG = "\n".join(f"{number}. a line that nobody needs" for number in range(40)) + "\nbooking QX7781 is open\nthe end\n"


def transcript(path: Path) -> Path:
    """Two turns: the first reads a long output, the second answers with what only stands in its middle."""
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"who": "ann"}'}}
    messages = [
        {"role": "user", "content": "Look up my bookings."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": LONG},
        {"role": "assistant", "content": "There is one."},
        {"role": "user", "content": "Which one?"},
        {"role": "assistant", "content": "It is QX7781."},
    ]
    path.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    return path


def test_what_is_quoted_is_in_a_whole_output_and_one_recall_away_from_a_reference(tmp_path: Path) -> None:
    """Three requests at each size, the last of them with one quote."""
    ((name, turns),) = recorded.threads(transcript(tmp_path / "run.json"))
    tallies: dict[tuple[str, Size], Tally] = defaultdict(Tally)

    recorded.replay(Thread(name), turns, tallies)

    found = {key: (len(one.tokens), one.quotes, one.shown, one.away, one.refused) for key, one in tallies.items()}
    assert found == {
        (strategy, size): (3, 1, *counts, 0)
        for size in recorded.SIZES
        for strategy, counts in {
            "dropping": (1, 0),
            "references": (0, 0),
            "references + facts": (0, 0),
            "the whole": (0, 1),
        }.items()
    }


def test_what_the_model_says_at_once_is_one_part_and_what_it_is_given_another() -> None:
    opened, asked = TurnOpened(), Prompt(content="a")
    said, called = Response(content="b"), ToolCall(call="c", tool="t", content="{}")
    given, ended = ToolResult(call="c", content="d"), TurnCommitted()

    assert list(recorded.parts([opened, asked, said, called, given, said, ended])) == [
        (opened, asked),
        (said, called),
        (given,),
        (said,),
        (ended,),
    ]


def test_the_table_says_shares_of_the_quotes_and_what_fitted_in_no_way() -> None:
    rows = [
        Row("runs", "dropping", Size(4_096), Tally([100, 300, 200], quotes=4, shown=1)),
        Row("runs", "the whole", Size(4_096), Tally([100], quotes=4, shown=1, away=2, refused=3)),
        Row("none", "the whole", Size(4_096), Tally()),
    ]

    lines = tables.recorded_table(rows).splitlines()

    assert [line.split() for line in lines[1:]] == [
        [],
        ["runs", "dropping", "4,096", "4", "25", "%", "25", "%", "200", "300"],
        ["runs", "the", "whole", "4,096", "4", "25", "%", "75", "%", "100", "100"],
        ["3", "requests", "fitted", "in", "no", "way"],
        [],
        ["none", "the", "whole", "4,096", "0", "0", "0"],
    ]
    assert max(map(len, lines)) <= 80
