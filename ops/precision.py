"""``python ops/precision.py``: what rules draw from conversations between two people, and how much of it is right.

``--sample FILE`` writes the facts that are to be judged, a JSON object a line, with the messages around each. FILE has
to be outside the repository, since the words of the data stay out of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from evaluation import precision, recorded

ROOT = Path(__file__).resolve().parents[1]
VERDICTS = ROOT / "tests" / "unit" / "ops" / "verdicts.json"
TALKS = Path("locomo") / "locomo_first3.json"


def main() -> int:
    parser = argparse.ArgumentParser(description="What rules draw from conversations between two people.")
    parser.add_argument("--sample", type=Path, metavar="FILE", help="write the facts that are to be judged there")
    asked = parser.parse_args()
    data = recorded.folder()
    if data is None or not (data / TALKS).is_file():
        print("There are no conversations beside the repository (../shared/data/locomo).", file=sys.stderr)
        return 1
    if asked.sample is not None and asked.sample.resolve().is_relative_to(ROOT):
        print(f"{asked.sample} is in the repository; name a file outside it.", file=sys.stderr)
        return 2
    measured = precision.measured(precision.conversations(data / TALKS))
    judged = precision.sample(measured.facts)
    verdicts = json.loads(VERDICTS.read_text(encoding="utf-8"))
    known = [fact for fact in judged if fact.key in verdicts]
    print(f"distiller rules, {measured.turns} turns, {measured.ms:.2f} ms a turn")
    print(f"facts     {len(measured.facts)}")
    print(f"recall    {measured.found} of {measured.observations} observations")
    print(f"precision {precision.precision(judged, verdicts):.2f} of {len(known)} judged, {len(judged)} in the sample")
    if asked.sample is not None:
        lines = (json.dumps(one, ensure_ascii=False) for one in precision.to_judge(judged))
        asked.sample.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
