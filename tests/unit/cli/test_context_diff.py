"""What changed from one context to another: the rules, and how people read it."""

from __future__ import annotations

from typing import Any

import msgspec
from recipes import recipe
from views import plain

from eunoe.cli import context_diff_view
from eunoe.cli.context_basis import Basis
from eunoe.cli.context_diff import LINES, compare
from eunoe.schemas.context import Context, Format, Layer, LayerName, ShownSummary, Watermark

EARLIER = '<eunoe-record kind="earlier" id="{}">\n{}\n</eunoe-record>'


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def result(call: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"call_{call}", "content": text}


def composed(sha: str, turn: int = 3, form: Format = "openai", **layers: list[dict[str, Any]]) -> Context:
    """A context of such messages in each layer, of 10 tokens a message."""
    names: tuple[LayerName, ...] = ("instructions", "earlier", "literal", "now", "request")
    held = tuple(
        Layer(
            name=name,
            tokens=10 * len(layers[name]),
            text="\n".join(msgspec.json.encode(one).decode() for one in layers[name]),
        )
        for name in names
        if layers.get(name)
    )
    made = recipe(id=f"c{sha}", turn=turn, format=form, turns=(), first_turn=1, sha256=sha)
    tokens = sum(layer.tokens for layer in held)
    return Context(
        id=made.id, thread="t", turn=turn, window=1000, format=form, messages=[], layers=held, recipe=made,
        watermark=Watermark(), tokens=tokens,
    )  # fmt: skip


def test_the_same_bytes_are_identical() -> None:
    """The digest decides, and nothing is compared."""
    found = compare(composed("a", request=[said("user", "Go.")]), composed("a", request=[said("user", "Go.")]))

    assert (found.identical, found.layers) == (True, ())
    assert plain(context_diff_view.difference(found, 80)) == [
        "thread t: turn 3 → turn 3",
        "tokens   10",
        "window   1,000",
        "format   openai",
        "counter  bytes/4",
        "identical: the same bytes",
    ]


def test_another_version_of_the_summary_is_said_by_its_number() -> None:
    """Beside the figures of both; of contexts without one nothing is said."""
    one, other, same = (composed(sha) for sha in "abc")
    shown = ShownSummary(version=2, position=9, index=0, last=4)
    with_two = msgspec.structs.replace(other, recipe=msgspec.structs.replace(other.recipe, summary=shown))
    with_three = msgspec.structs.replace(
        same, recipe=msgspec.structs.replace(same.recipe, summary=msgspec.structs.replace(shown, version=3))
    )

    assert "summary  none → version 2" in plain(context_diff_view.difference(compare(one, with_two), 80))
    assert "summary  version 2 → version 3" in plain(context_diff_view.difference(compare(with_two, with_three), 80))
    assert not any("summary" in line for line in plain(context_diff_view.difference(compare(one, other), 80)))


def test_counts_that_the_provider_corrected_are_told_from_others() -> None:
    """Across a refusal the same counter says other numbers of the same bytes."""
    one, other = (composed(sha) for sha in "ab")
    corrected = msgspec.structs.replace(other, recipe=msgspec.structs.replace(other.recipe, settings={"anchor": 702.0}))

    assert "counter  bytes/4 → bytes/4, +702 by what the provider counted" in plain(
        context_diff_view.difference(compare(one, corrected), 80)
    )


def test_the_next_request_is_named_with_what_it_follows() -> None:
    """On whichever side it stands."""
    one, other = composed("a", 3), composed("b", 4)
    basis = Basis(turn=3, options=("--window",), memory_tool=True)

    shown = plain(context_diff_view.difference(compare(one, other), 80, (None, basis)))
    turned = plain(context_diff_view.difference(compare(other, one), 80, (basis, None)))

    assert (shown[0], turned[0]) == ("thread t: turn 3 → next (turn 4)", "thread t: next (turn 4) → turn 3")
    assert "composed as the last context of turn 3, but for --window; with the memory tool" in shown
    assert "composed as the last context of turn 3, but for --window; with the memory tool" in turned


def test_a_turn_that_was_asked_has_moved_to_the_literal_ones() -> None:
    """What left is gone, the request of before stands in its layer now, and only the new request is new."""
    before = composed("a", 2, literal=[said("user", "One."), said("assistant", "1")], request=[said("user", "Two.")])
    after = composed("b", 3, literal=[said("user", "Two."), said("assistant", "2")], request=[said("user", "Three.")])

    literal, request = compare(before, after).layers

    assert [(part.who, part.text, part.moved) for part in literal.gone] == [
        ("user", "One.", None), ("assistant", "1", None)
    ]  # fmt: skip
    assert [(part.text, part.moved) for part in literal.added] == [("Two.", "request"), ("2", None)]
    assert [(part.text, part.moved) for part in request.gone] == [("Two.", "literal")]
    assert [(part.text, part.moved) for part in request.added] == [("Three.", None)]


def test_an_output_that_became_a_reference_is_said_otherwise() -> None:
    """The call tells that it is the same output, though no line of it is left."""
    before = composed("a", literal=[said("user", "Look."), result(3, "row 1\nrow 2")])
    after = composed("b", literal=[said("user", "Look."), result(3, "[output of entry 4 held back]")])

    (literal,) = compare(before, after).layers

    assert (literal.gone, literal.added, literal.same) == ((), (), 1)
    (one,) = literal.otherwise
    assert (one.who, one.before, one.after) == ("result of call_3", "row 1\nrow 2", "[output of entry 4 held back]")
    assert one.lines == ("@@ -1,2 +1 @@", "-row 1", "-row 2", "+[output of entry 4 held back]")


def test_an_output_of_the_request_that_became_a_reference_has_moved_too() -> None:
    """It is gone from no layer: where it was, it is said where it went."""
    before = composed("a", 2, request=[said("user", "Two."), result(3, "row 1\nrow 2")])
    after = composed("b", 3, literal=[said("user", "Two."), result(3, "[held back]")], request=[said("user", "Three.")])

    literal, request = compare(before, after).layers

    assert [(part.text, part.moved) for part in literal.added] == [("Two.", "request")]
    assert [(one.who, one.after, one.moved) for one in literal.otherwise] == [
        ("result of call_3", "[held back]", "request")
    ]
    assert [(part.who, part.moved) for part in request.gone] == [("user", "literal"), ("result of call_3", "literal")]
    assert "~ [result of call_3] moved from request, said otherwise, 11 B → 11 B" in plain(
        context_diff_view.difference(compare(before, after), 80)
    )


def test_a_reply_that_was_cut_is_said_otherwise_and_another_is_not() -> None:
    """A line in common tells that it is the same reply."""
    before = composed("a", literal=[said("assistant", "Here it is:\nrow 1\nrow 2"), said("assistant", "Bye for now.")])
    after = composed("b", literal=[said("assistant", "Here it is:\n(showed it)"), said("assistant", "Quite another.")])

    (literal,) = compare(before, after).layers

    assert [one.after for one in literal.otherwise] == ["Here it is:\n(showed it)"]
    assert [part.text for part in literal.gone] == ["Bye for now."]
    assert [part.text for part in literal.added] == ["Quite another."]


def test_people_read_each_layer_with_what_changed_in_it() -> None:
    """Parts in a line each, a block of memory line by line, and what moved is only counted where it was."""
    before = composed(
        "a", 2,
        earlier=[said("user", EARLIER.format("aa", "- a b: 1\n- c d: 2"))],
        literal=[said("user", "One."), said("assistant", "1")],
        request=[said("user", "Two."), result(3, "")],
    )  # fmt: skip
    after = composed(
        "b", 3,
        earlier=[said("user", EARLIER.format("bb", "- a b: 1\n- c d: 3"))],
        literal=[said("user", "Two."), result(3, "")],
        now=[said("user", "now\nthen")],
        request=[said("user", "Three.")],
    )  # fmt: skip

    assert plain(context_diff_view.difference(compare(before, after), 60), 60) == [
        "thread t: turn 2 → turn 3",
        "tokens   50",
        "window   1,000",
        "format   openai",
        "counter  bytes/4",
        "",
        "── earlier · 10 tokens ─────────────────────────────────────",
        "~ [user] said otherwise, 71 B → 71 B",
        "  @@ -1,4 +1,4 @@",
        '  -<eunoe-record kind="earlier" id="aa">',
        '  +<eunoe-record kind="earlier" id="bb">',
        "   - a b: 1",
        "  -- c d: 2",
        "  +- c d: 3",
        "   </eunoe-record>",
        "",
        "── literal · 20 tokens ─────────────────────────────────────",
        "- [user] One.",
        "- [assistant] 1",
        "+ moved from request: [user] Two.",
        "+ moved from request: [result of call_3]",
        "",
        "── now · 0 → 10 tokens ─────────────────────────────────────",
        "+ [user]",
        "  +now",
        "  +then",
        "",
        "── request · 20 → 10 tokens ────────────────────────────────",
        "  2 parts moved to literal",
        "+ [user] Three.",
    ]


def test_contexts_of_different_kinds_name_both() -> None:
    """Window, format and counter as they are on either side."""
    before = composed("a", request=[said("user", "Go.")])
    after = msgspec.structs.replace(
        before,
        reconstructed=True,
        window=500,
        recipe=msgspec.structs.replace(before.recipe, sha256="b", counter="cl100k"),
    )

    assert plain(context_diff_view.difference(compare(before, after), 80)) == [
        "thread t: turn 3 → turn 3 (reconstructed)",
        "tokens   10",
        "window   1,000 → 500",
        "format   openai",
        "counter  bytes/4 → cl100k",
        "what they say is the same; only its serialised form differs",
    ]


def test_a_part_too_long_for_a_comparison_of_lines_is_named_alone() -> None:
    """Both texts are in the answer, and no lines."""
    long = "\n".join(f"row {number}" for number in range(LINES + 1))
    found = compare(composed("a", literal=[result(3, long)]), composed("b", literal=[result(3, "short")]))

    (one,) = found.layers[0].otherwise
    assert (one.after, one.lines) == ("short", ())


def test_what_would_steer_a_terminal_does_not() -> None:
    """Control characters and turns of direction are written out."""
    found = compare(composed("a"), composed("b", request=[said("user", "\x1b[2Jred \u202etxt")]))

    assert plain(context_diff_view.difference(found, 80))[-1] == "+ [user] \\x1b[2Jred \\u202etxt"
