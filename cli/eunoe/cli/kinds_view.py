"""Kinds of facts and labels as people read them. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from eunoe.cli.output import clean
from eunoe.cli.pages import verbatim
from eunoe.schemas.requests import KindsReply, KindView

SAMPLE = """\
Add kinds, or change them field by field, and declare labels in config.toml
(`eunoe config` says where), or in EUNOE_KINDS and EUNOE_LABELS as JSON; the
workers read it when they start:
  [kinds.incident]
  fact_class = "dynamic"  # of a thread; or permanent, or ephemeral: of a session
  description = "What went wrong, and when."
  [labels]
  release = 1             # facts keep the number: never give it to another label"""

NAMES = {  # how a kind's names are compared, by its normaliser
    "trim": "names as written",
    "casefold": "names in any case",
    "single": "one name",
    "command": "names of commands",
    "path": "names of files",
}


def kinds(reply: KindsReply, width: int) -> Iterator[RenderableType]:
    """Two lines a kind, then the labels, and how to add either."""
    for kind in sorted(reply.kinds, key=lambda kind: kind.name):
        yield Text(clean(kind.name), style="bold").append(f"  {traits(kind)}", style="not bold dim")
        yield Padding(Text(clean(kind.description)), (0, 0, 0, 2), expand=False)
    yield Text()
    yield Text(labels(reply.labels))
    yield Text()
    yield from (verbatim(line) for line in SAMPLE.splitlines())


def traits(kind: KindView) -> str:
    """``permanent · one value a name · names in any case``, and what the configuration changed."""
    said = _record() if kind.record else _fact(kind)
    if kind.origin != "shipped":
        said.append(kind.origin + (f" ({', '.join(kind.fields)})" if kind.origin == "changed" else ""))
    return " · ".join(clean(part) for part in said)


def _fact(kind: KindView) -> list[str]:
    said = [kind.fact_class if kind.scope == "permanent" else f"{kind.fact_class}, of a {kind.scope}"]
    said.append("one value a name" if kind.single else "a value of each source")
    said.append(NAMES.get(kind.normaliser, f"names {kind.normaliser}"))
    return said if kind.distil or kind.note else [*said, "not by models"]


def _record() -> list[str]:
    return ["memory record, of a session or an agent", "by reviews"]


def labels(declared: dict[str, int]) -> str:
    if not declared:
        return "no labels are declared"
    numbered = sorted(declared.items(), key=lambda item: item[1])
    return "labels: " + ", ".join(f"{clean(name)} ({number})" for name, number in numbered)
