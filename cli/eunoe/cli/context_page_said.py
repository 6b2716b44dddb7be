"""What was said, as the log has it, on a page of contexts; what some context leaves out of a reply is marked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from xml.etree.ElementTree import Element

from eunoe.cli import words
from eunoe.cli.context_fetch import Paged, Turned
from eunoe.cli.html_tree import node
from eunoe.cli.threads_view import outcome
from eunoe.schemas.requests import Shown

OPEN = frozenset({"prompt", "response"})  # kinds of entries whose text is not folded away
Spans = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What a page has of a thread's entries: which of them, and of replies the spans ``(start, end, entry)`` that the
    last context on the page which cuts them leaves out, since they copy an output."""

    thread: str
    entries: frozenset[int]
    cuts: Mapping[int, Spans]

    @classmethod
    def on(cls, page: Paged) -> Said:
        entries = frozenset(entry.entry for one in page.turns for entry in one.said)
        shown = [one for turn in page.turns if turn.context for one in turn.context.recipe.renderings]
        return cls(page.thread, entries, {one.entry: one.spans for one in shown if one.how == "cut"})

    def of(self, turned: Turned, number: int) -> Element:
        """What was said in turn ``number``; with others that stand beside its context, each under its name."""
        several = any(entry.turn != number for entry in turned.said)
        made = node("div", node("h3", "What was said"), id=f"said-{number}")
        for turn, held in groupby(turned.said, key=lambda entry: entry.turn):
            made.extend([*([node("h3", f"turn {turn}")] if several else []), *map(self._entry, held)])
        return made

    def link(self, entry: int) -> Element | str:
        """The entry by its name, which leads to it where it is on the page."""
        return node("a", f"entry {entry}", href=f"#entry-{entry}") if entry in self.entries else f"entry {entry}"

    def _entry(self, entry: Shown) -> Element:
        """An entry; calls and outputs are folded away."""
        head = " · ".join(_named(entry))
        attached = [node("p", f"attached: {one}", class_="note") for one in entry.attachments]
        left = entry.size - len(entry.content.encode())
        more = f"{left:,} more bytes: eunoe show {self.thread} {entry.entry}" if left > 0 and not entry.erased else ""
        content = written(*_marked(entry.content, self.cuts.get(entry.entry, ())))
        text = [*attached, content, *([node("p", more, class_="note")] if more else [])]
        if entry.kind in OPEN:
            return node("div", node("h4", head), *text, class_="entry", id=f"entry-{entry.entry}")
        folded = node("details", node("summary", head), *text, class_="more")
        return node("div", folded, class_="entry", id=f"entry-{entry.entry}")


def written(*inside: Element | str) -> Element:
    """Content as it is, in the direction of its own script."""
    return node("pre", *inside, dir="auto", tabindex="0")


def _marked(content: str, cuts: Spans) -> Iterator[Element | str]:
    """The content, with what a context leaves out of it marked, as far as it is here."""
    at = 0
    for start, end, output in cuts:
        yield content[at:start]
        if content[start:end]:
            yield node("mark", content[start:end], title=f"cut from contexts: it copies entry {output}")
        at = end
    yield content[at:]


def _named(entry: Shown) -> Iterator[str]:
    yield f"entry {entry.entry}"
    yield entry.kind
    if entry.tool:
        yield entry.tool
    if entry.kind == "tool.result":
        yield outcome(entry)
    yield words.size(entry.size)
