"""``make bench``: what Eunoe costs, as ratios to what the same client costs bare, in one run on this machine.

Each figure is printed with what it was measured against; a bound that does not hold makes the exit code 1.
``--quick`` measures a tenth.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parent))

from benchmarks import appends, composing, distilling, facts, importing
from benchmarks.place import Result, place


async def measure(share: float) -> list[Result]:
    """Every benchmark, one after the other, each at a fleet and a store of its own."""
    found: list[Result] = []
    async with place("audit") as here:
        found += await appends.one_at_a_time(here, round(2000 * share))
        found += await appends.many_threads(here, round(6400 * share))
    async with place(composing.WORKERS) as here:
        lengths = (100, round(100_000 * share))
        found += await composing.contexts(here, lengths, round(200 * share), round(1000 * share))
    async with place() as here:
        found += await importing.bulk(here, round(100_000 * share))
    async with place() as here:
        found += await facts.view(here, round(1000 * share))
        found += await facts.deletion(here, 1000)
        found += await facts.listing(here, round(100_000 * share))
    return found + await distilling.beside(round(300 * share))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="measure a tenth")
    share = 0.1 if parser.parse_args().quick else 1.0
    results = anyio.run(measure, share)
    print()
    for result in results:
        print(result)
    sys.exit(any(result.broken for result in results))


if __name__ == "__main__":
    main()
