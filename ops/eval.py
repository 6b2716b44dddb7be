"""``make eval``: what contexts still hold of a long conversation, by strategy and window, and what they cost.

A scripted conversation is played to four strategies, the whole of them to a real server with every worker, and once
more with what leaves distilled by rules, and, where ``EUNOE_MODEL`` names a model, by that; then the recorded threads
beside the repository, where there are any; then the model is asked the questions. docs/evaluation.md says how it is
scored. ``--quick`` takes fewer sizes and threads, ``--json`` prints JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parent))

from eunoe.models.opening import opened
from eunoe.runtime.configuration import load
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import EunoeError
from evaluation import asking, live, recorded, scripted, tables
from evaluation.strategies import FILLS, WHOLE, Size


def sizes(quick: bool) -> Sequence[Size]:
    """Every window at every fill, or one window."""
    return tuple(Size(8_192, fill) for fill in FILLS) if quick else scripted.SIZES


async def played(chosen: Sequence[Size]) -> list[scripted.Row]:
    """The scripted conversation: the whole as a fleet has it, the others by the same rules without a server."""
    async with live.place() as here:
        whole = {row.size: row for row in await live.rows(here, chosen)}
    return [whole[row.size] if row.strategy == WHOLE else row for row in scripted.rows(chosen)]


async def distilled(
    chosen: Sequence[Size], by: live.By, configured: Settings
) -> tuple[list[scripted.Row], list[live.Work]]:
    """The whole with what leaves distilled, and what that took."""
    name = live.DISTILLED[by]
    async with live.place(by, configured) as here:
        return await live.rows(here, chosen, name), await live.works(here, chosen, name)


async def answered(quick: bool) -> list[asking.Row]:
    """What the configured model answers; nothing where none is configured."""
    model = opened(load().settings)
    if model is None:
        return []
    try:
        return await asking.rows(model, asking.SIZES[1:2] if quick else asking.SIZES)
    finally:
        await model.close()


async def evaluate(quick: bool, as_json: bool) -> None:
    data = recorded.folder()
    configured, chosen = load().settings, sizes(quick)
    answers = await answered(quick)
    script, works = await played(chosen), list[live.Work]()
    ways: Sequence[live.By] = ("rules", "model") if configured.model else ("rules",)
    for by in ways:
        rows, took = await distilled(chosen, by, configured)
        script, works = [*script, *rows], [*works, *took]
    threads = recorded.rows(data, quick=quick) if data else []
    if as_json:
        print(json.dumps(tables.as_json(script, threads, answers, works), indent=2))
        return
    print(f"{tables.scripted_table(script)}\n\n{tables.LEGEND}\n")
    print(f"{tables.work_table(works)}\n\n{tables.WORK_LEGEND}\n")
    print(tables.recorded_table(threads) if data else "There are no recorded threads beside the repository.")
    if answers:
        print(f"\n{tables.asked_table(answers)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one window, and two files of each set of threads")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    try:
        anyio.run(evaluate, given.quick, given.json)
    except EunoeError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
