"""The page of a thread's contexts: what it shows, and that nothing in it can do anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from recipes import recipe

from eunoe.cli import context_page
from eunoe.cli.context_basis import Basis
from eunoe.cli.context_fetch import Paged, Turned
from eunoe.cli.context_page_turn import PART, PARTS
from eunoe.schemas.context import Context, Layer, Rendering, ShownFact, Watermark
from eunoe.schemas.requests import Shown, TurnLine

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC
VOID = frozenset({"meta"})
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</pre></details></style><a href='javascript:alert(1)'>",
    '" onmouseover="alert(1)',
    "&lt;b&gt; &amp;",
    "<!-- ]]> <?php",
)


class Read(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text. None is left open."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.declared = ""
        self.feed(data.decode())
        self.close()
        assert self.open == []

    def handle_decl(self, decl: str) -> None:
        self.declared = decl

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def of(self, tag: str) -> Iterator[dict[str, str]]:
        return (attributes for name, attributes in self.elements if name == tag)

    def said(self, tag: str) -> str:
        return "\n".join(text for name, text in self.texts if name == tag)


def entry(number: int, kind: Any, content: str, **rest: Any) -> Shown:
    given: dict[str, Any] = {
        "entry": number, "turn": 1, "kind": kind, "time": NINE, "content": content, "size": len(content.encode()),
        "state": "committed", "position": number,
    }  # fmt: skip
    return Shown(**{**given, **rest})


def composed(*, literal: str = "", facts: tuple[ShownFact, ...] = (), **said: Any) -> Context:
    made = recipe(**{"turn": 2, "turns": (1,), "first_turn": 1, "bytes": 2000, "stable": 1000, **said})
    text = msgspec.json.encode({"role": "user", "content": literal}).decode()
    asked = Layer(name="request", tokens=100, text='{"role":"user","content":"Go."}')
    return Context(
        id="c1", thread="t", turn=2, window=1000, format="openai", messages=[], tokens=500, facts=facts,
        layers=(Layer(name="literal", tokens=400, text=text), asked), recipe=made,
        watermark=Watermark(log=45),
    )  # fmt: skip


def line(turn: int = 2, **rest: Any) -> TurnLine:
    given: dict[str, Any] = {
        "turn": turn, "state": "committed", "time": NINE, "prompt": "Go on.", "entries": (3, 4), "composed": True,
        "tokens": 500, "window": 1000, "contexts": 2,
    }  # fmt: skip
    return TurnLine(**{**given, **rest})


def read(*turns: Turned, total: int = 2, thread: str = "t") -> Read:
    return Read(context_page.page(Paged(thread, total, turns)))


@pytest.mark.parametrize(("before", "figures"), [("", ["500", "1,000", "2"]), ("c0", ["500", "1,000", "0%", "2"])])
def test_how_much_leads_as_before_is_said_where_something_was_before(before: str, figures: list[str]) -> None:
    """Of a context with none before it that column says nothing, and no remark does."""
    found = read(Turned(line(), composed(stable=0, before=before)))

    assert [text for tag, text in found.texts if tag == "td" and text] == figures
    assert ("stable" in found.said("dt")) == bool(before)


def test_a_page_shows_each_context_as_a_bar_and_beside_what_was_said() -> None:
    """The bar's shares are those of the window; what is shown otherwise is linked to as it was said."""
    said = (entry(3, "prompt", "Go on."), entry(4, "tool.result", "row 1\nrow 2", tool="bash", status="ok"))
    fact = ShownFact(id="fabcde", layer="earlier", line="- tests make test: passed — from tool bash")
    cut = Rendering(entry=5, how="cut", spans=((0, 100, 4), (200, 230, 4)))
    found = read(
        Turned(
            line(changes=("referenced entry 4",)),
            composed(literal="One.", facts=(fact,), renderings=(Rendering(entry=4, how="reference"), cut)),
            said=said,
        )
    )

    assert found.declared == "DOCTYPE html"
    assert found.said("h1") == "Contexts of thread "
    assert ("p", "turn 2 of 2") in found.texts
    bar = [one for one in found.of("rect") if one["class"] in ("literal", "request")][:2]
    assert [(one["class"], one.get("x"), one["width"]) for one in bar] == [
        ("literal", "0.000%", "40.000%"), ("request", "40.000%", "10.000%")
    ]  # fmt: skip
    assert next(found.of("svg"))["aria-label"] == "literal 400, request 100, free 500 of 1,000 tokens"
    assert [text for tag, text in found.texts if tag == "td"][:4] == ["500", "1,000", "50%", "2"]
    assert ("dd", "referenced entry 4") in found.texts
    assert "entry 3 · prompt · 6 B" in found.said("h4")
    assert "entry 4 · tool.result · bash · ok · 11 B" in found.said("summary")
    assert {one["href"] for one in found.of("a")} == {"#turn-2", "#entry-4"}
    assert ("li", "entry 5: without 130 characters that it copies from entry 4") in found.texts
    assert "tests make test: passed — from tool bash" in found.said("td")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_was_said_is_anything_but_text(text: str) -> None:
    """Wherever it stands: in names, prompts, contents, facts and changes."""
    fact = ShownFact(id=text, layer="now", line=text)
    said = (entry(3, "prompt", text, attachments=(text,)), entry(4, "tool.call", text, tool=text))
    turned = Turned(
        line(prompt=text, agent=text, changes=(text,)), composed(literal=text, facts=(fact,), note=text), said=said
    )

    found = read(turned, thread=text)

    assert {tag for tag, _ in found.elements} <= {
        "html", "head", "meta", "title", "style", "body", "header", "main", "h1", "h2", "h3", "h4", "p", "bdi", "ul",
        "li", "span", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "text", "details", "summary", "dl",
        "dt", "dd", "div", "pre", "code", "a",
    }  # fmt: skip
    assert found.said("pre").count(text) == 3
    assert all(one["href"].startswith("#") for one in found.of("a"))


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    """No script, no handler, no address; its policy lets through its own style and nothing else."""
    found = read(Turned(line(), composed(literal=HOSTILE[0]), said=(entry(3, "prompt", HOSTILE[1]),)))

    names = {name for _, attributes in found.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"src", "srcset", "style", "action", "data"}
    style = found.said("style")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(one["content"] for one in found.of("meta") if "http-equiv" in one)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_to_what_is_there_and_no_id_is_there_twice() -> None:
    """Of two turns, either is reached from the list."""
    one = Turned(line(1, entries=(1, 2)), composed(), said=(entry(1, "prompt", "One."), entry(2, "response", "1")))
    other = Turned(line(2), composed(renderings=(Rendering(entry=2, how="cut", spans=((0, 1, 9),)),)))

    found = read(one, other)

    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert {attributes["href"][1:] for attributes in found.of("a")} <= set(ids)
    assert [attributes.get("open") for attributes in found.of("details") if attributes["class"] == "turn"] == [
        None,
        "open",
    ]


def test_what_a_context_leaves_out_of_a_reply_is_marked_in_it() -> None:
    """Each span that copies an output, with which one it is; a span that is not here is not marked."""
    spans = ((0, 5, 3), (11, 16, 3), (90, 95, 3))
    context = composed(renderings=(Rendering(entry=4, how="cut", spans=spans),))

    found = read(Turned(line(), context, said=(entry(4, "response", "row 1 then row 2."),)))

    assert [text for tag, text in found.texts if tag == "mark"] == ["row 1", "row 2"]
    assert [one["title"] for one in found.of("mark")] == ["cut from contexts: it copies entry 3"] * 2
    assert "".join(text for tag, text in found.texts if tag in ("pre", "mark"))[:17] == "row 1 then row 2."


def test_what_is_long_is_cut_with_where_the_whole_is() -> None:
    """A part of a context, and an entry whose whole the log has."""
    long = "x" * (PART + 1_000_000)
    found = read(Turned(line(), composed(literal=long), said=(entry(3, "prompt", "y" * 100, size=1_000_100),)))

    assert max(len(text) for tag, text in found.texts if tag == "pre") == PART
    assert "1,000,000 more characters: eunoe context t 2" in found.said("p")
    assert "1,000,000 more bytes: eunoe show t 3" in found.said("p")


def test_a_context_has_so_much_room_on_a_page() -> None:
    """Of 20 parts as long as a part may be, 16 fill its room, and the rest is counted."""
    assert PARTS == 16 * PART
    part = msgspec.json.encode({"role": "user", "content": "x" * PART}).decode()
    context = msgspec.structs.replace(
        composed(), layers=(Layer(name="literal", tokens=9, text="\n".join([part] * 20)),)
    )

    found = read(Turned(line(), context))

    assert found.said("pre").count("x" * PART) == 16
    assert "4 more parts, for which this page has no room: eunoe context t 2" in found.said("p")


def test_the_next_request_says_by_what_it_was_composed() -> None:
    """And the command that shows what is too long for the page is the one for it."""
    context = composed(literal="x" * (PART + 10))

    found = read(Turned(None, context, basis=Basis(turn=1, memory_tool=True)), thread="my thread")

    assert ("dt", "composed") in found.texts
    assert ("dd", "as the last context of turn 1; with the memory tool") in found.texts
    assert "thread t, next (turn 2): 500 of 1,000 tokens (openai)" in found.said("p")
    assert "10 more characters: eunoe context 'my thread' next" in found.said("p")


def test_a_context_that_may_not_be_seen_says_why() -> None:
    """Its turn is there, with what was said in it."""
    found = read(
        Turned(line(), None, "what turn 2 saw is for builder and for people to see", (entry(3, "prompt", "Hi"),))
    )

    assert "what turn 2 saw is for builder and for people to see" in found.said("td")
    assert "Hi" in found.said("pre")


def test_text_that_runs_from_right_to_left_stays_in_its_place() -> None:
    """Scripts are shown, in an element that finds their direction; what turns all that follows is written out."""
    found = read(Turned(line(), composed(), said=(entry(3, "prompt", "שלום \u202eabc\x00"),)))

    assert "שלום \\u202eabc\\x00" in found.said("pre")
    assert {one["dir"] for one in found.of("pre")} == {"auto"}


@pytest.mark.parametrize(
    ("turns", "total", "expected"),
    [
        ((), 0, "no turns"),
        ((Turned(line(2), None),), 1, "turn 2"),
        ((Turned(line(2), None), Turned(line(4), None)), 9, "turns 2-4 of 9"),
        ((Turned(None, composed()),), 1, "the next request, after 1 turn"),
    ],
)
def test_a_page_says_which_turns_it_shows(turns: tuple[Turned, ...], total: int, expected: str) -> None:
    """And of how many."""
    assert ("p", expected) in read(*turns, total=total).texts
