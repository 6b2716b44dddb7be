"""Facts out of JSON results by rules of the configuration: paths, texts, conditions and bodies."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import msgspec
import pytest
from extracting import derived, facts_of
from hypothesis import given
from hypothesis import strategies as st
from turns import call, used

from eunoe.extraction.registry import Registry
from eunoe.extraction.secrets import REDACTED
from eunoe.extraction.templates import Spot, Template, decoded, written
from eunoe.facts.kinds import Kinds
from eunoe.schemas import limits
from eunoe.schemas.errors import Misconfigured

RULE: dict[str, Any] = {"tools": ["get"], "subject": "thing", "name": "{id}", "value": "{id}"}
ORDER = """{"id": 7, "price": 1.50, "big": 1e5, "paid": false, "note": null, "a.b": "dotted", "empty": "",
 "tags": ["x", "y"],
 "lines": [{"sku": "p1", "n": 2, "sizes": [[1, 2], [3]]}, {"sku": "p2", "n": 1}], "by": {"name": {"last": "Li"}},
 "raw": "{\\"inner\\": [{\\"k\\": \\"v\\"}]}"}"""


def mapped(text: str, arguments: dict[str, Any] | None = None, tool: str = "get", **rule: Any) -> list[tuple[str, str]]:
    """(name, value) of each fact that one rule finds."""
    found = facts_of(call(tool, arguments, text), Registry([RULE | rule]))
    return [(name, value) for _, name, value in found]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{id}", "7"),
        ("{price} and {big}", "1.50 and 1e5"),
        ("{paid}", "false"),
        ("{by.name.last}", "Li"),
        ("{by.name}", '{"last":"Li"}'),
        ("{tags}", "x, y"),
        ("{tags.*} / {tags.1} / {tags.#}", "x, y / y / 2"),
        ("{lines.*.sku}: {lines.*.n}", "p1, p2: 2, 1"),
        ("{lines.0.sizes}", "1, 2, 3"),
        ("{lines.#} lines, {by.#} by", "2 lines, 1 by"),
        (r"{a\.b}", "dotted"),
        ("{raw.inner.0.k}", "v"),
        ("{state|open}, {note|no note}, {empty|-}", "open, no note, -"),
        ("{state|}{id}", "7"),
        ("{{{id}}}", "{7}"),
        ("{ id } of {$arguments.user.id} by {$tool}", "7 of u1 by get"),
        ("{$result.lines.1.sku}", "p2"),
        ("{state}", None),
        ("{note}", None),
        ("{empty}", None),
        ("{lines.9.sku}", None),
        ("{id.deeper}", None),
        ("{$key}", None),
    ],
)
def test_a_text_with_paths(template: str, expected: str | None) -> None:
    """Lists are joined, numbers stay as written, and a path that leads to nothing gives no fact."""
    found = mapped(ORDER, {"user": {"id": "u1"}}, value=template)
    assert found == ([("7", expected)] if expected else [])


def test_each_element_is_a_fact() -> None:
    """Of a list or an object, with its key, the whole result and the arguments at hand."""
    name = "{$result.id} {$key}"

    assert mapped(ORDER, each="lines.*", name=name, value="{n} of {sku}") == [("7 1", "2 of p1"), ("7 2", "1 of p2")]
    assert mapped('{"id": 7, "m": {"a": {"n": 1}, "b": {"n": 2}}}', each="m.*", name=name, value="{n}") == [
        ("7 a", "1"),
        ("7 b", "2"),
    ]
    assert mapped('[{"xs": ["p"]}, {"xs": ["q", "r"]}]', each="*.xs.*", name="{}", value="{$key}") == [
        ("p", "1"),
        ("q", "1"),
        ("r", "2"),
    ]
    assert mapped(ORDER, each="missing.*") == []


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"kind": "a"}, ["1"]),
        ({"kind": ["a", "b"]}, ["1", "2"]),
        ({"n": 2}, ["2"]),
        ({"kind": True}, ["1", "2", "4"]),
        ({"kind": False}, ["3"]),
        ({"done": True}, ["2"]),
        ({"done": False}, ["1", "3", "4"]),
        ({"kind": "b", "n": 1}, []),
        ({"tags.*": "t"}, ["4"]),
        ({"$arguments.all": True}, ["1", "2", "3", "4"]),
    ],
)
def test_a_condition_chooses_elements(where: dict[str, Any], expected: list[str]) -> None:
    """By text, by several, by being there, by a truth value; all conditions have to hold."""
    rows = [
        {"id": 1, "kind": "a", "n": 1, "done": False},
        {"id": 2, "kind": "b", "n": 2, "done": True},
        {"id": 3, "kind": None, "n": 3},
        {"id": 4, "kind": "c", "n": 1, "tags": ["s", "t"]},
    ]
    found = mapped(json.dumps(rows), {"all": True}, each="*", where=where)
    assert [name for name, _ in found] == expected


@pytest.mark.parametrize(
    ("tools", "tool", "reads"),
    [
        (["get"], "get", True),
        (["GET"], "mcp__shop__get", True),
        (["shop.get"], "shop.get", True),
        (["update_*"], "update_order", True),
        (["update_*"], "updates", False),
        (["a+"], "aa", False),
        (["*"], "anything", True),
    ],
)
def test_tools_by_name(tools: list[str], tool: str, reads: bool) -> None:
    """With or without their server's name, in any case, with a star for anything."""
    assert mapped('{"id": 1}', tool=tool, tools=tools) == ([("1", "1")] if reads else [])


@pytest.mark.parametrize("text", ["", "Error: no such order", "null", '"a text"', "7"])
def test_a_result_that_is_no_object_gives_nothing(text: str) -> None:
    """Errors in words, and empty results."""
    extracted, facts = derived(*used(1, "get", {}, text), registry=Registry([RULE]))
    assert (facts, extracted.failed) == ([], ())


def test_a_result_that_is_broken_json_is_said() -> None:
    """It was cut off by somebody: no fact, and the turn's record names the mapping."""
    extracted, facts = derived(*used(1, "get", {}, '{"id": 1, "na'), registry=Registry([RULE]))
    assert facts == []
    assert extracted.failed[0].startswith("mapping of thing: ValueError: the result is not JSON: ")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (False, ""),
        (True, '{"id":7,"n":1.50,"by":{"name":"Li"},"log":"two\\nlines"}'),
        ("by", '{"name":"Li"}'),
        ("log", "two\nlines"),
        ("missing", ""),
    ],
)
def test_a_body(content: bool | str, expected: str) -> None:
    """The element as JSON, in its order and with its numbers as written, or what a path leads to."""
    text = '{"id": 7, "n": 1.50, "by": {"name": "Li"}, "log": "two\\nlines"}'
    _, (fact,) = derived(*used(1, "get", {}, text), registry=Registry([RULE | {"content": content}]))
    assert fact.content == expected


def test_a_body_that_changes_is_kept_though_the_value_says_the_same() -> None:
    """Both results of the turn are facts; a third that changes nothing is none."""
    results = ['{"id": 1, "n": 1}', '{"id": 1, "n": 2}', '{"id": 1, "n": 2}']
    events = [event for number, text in enumerate(results) for event in used(number, "get", {}, text)]
    _, facts = derived(*events, registry=Registry([RULE | {"content": True}]))
    assert [fact.content for fact in facts] == ['{"id":1,"n":1}', '{"id":1,"n":2}']


def test_a_body_that_is_too_long_is_left_out_and_that_is_said() -> None:
    """65,537 bytes are one too many: the fact stays."""
    rule = RULE | {"content": "text"}
    for size, kept in ((limits.FACT_CONTENT_BYTES, True), (limits.FACT_CONTENT_BYTES + 1, False)):
        text = json.dumps({"id": 1, "text": "x" * size})
        extracted, (fact,) = derived(*used(1, "get", {}, text), registry=Registry([rule]))
        assert bool(fact.content) is kept
        said = "mapping of thing: a body of 65,537 bytes was left out, over 65,536"
        assert extracted.failed == (() if kept else (said,))


def test_the_bodies_of_a_turn_fit_into_one_record() -> None:
    """Nine of 60,000 bytes are more than 512 KiB: the oldest loses its body, and that is said."""
    events = [
        event
        for number in range(9)
        for event in used(number, "get", {}, json.dumps({"id": number, "text": "x" * 60_000}))
    ]
    extracted, facts = derived(*events, registry=Registry([RULE | {"content": "text"}]))
    assert [bool(fact.content) for fact in facts] == [False] + [True] * 8
    assert extracted.failed == ("bodies: 1 were left out, over 524,288 bytes in one turn",)


def test_secrets_stay_out_of_bodies_names_and_values() -> None:
    """By their look, and by the key that they stand under; the body stays JSON."""
    pin = {"passcode": 1234}
    text = json.dumps({"id": 1, "api_key": "abc", "pin": pin, "tokens": 12, "log": "AKIAIOSFODNN7EXAMPLE"})
    rule = RULE | {"content": True, "value": "key {api_key} token=abcdef"}
    _, (fact,) = derived(*used(1, "get", {}, text), registry=Registry([rule]))
    assert json.loads(fact.content) == {
        "id": 1,
        "api_key": REDACTED,
        "pin": {"passcode": REDACTED},
        "tokens": 12,
        "log": REDACTED,
    }
    assert fact.value == f"key {REDACTED} token={REDACTED}"


def test_over_two_hundred_facts_the_newest_stay() -> None:
    """Each thing is said twice in one turn; what was superseded goes first, and is counted."""
    rule = RULE | {"each": "*", "value": "{v}"}
    rows = [json.dumps([{"id": number, "v": v} for number in range(150)]) for v in ("old", "new")]
    events = [event for number, text in enumerate(rows) for event in used(number, "get", {}, text)]
    extracted, facts = derived(*events, registry=Registry([rule]))
    assert (extracted.facts, extracted.dropped) == (200, 100)
    assert [fact.value for fact in facts] == ["old"] * 50 + ["new"] * 150


def test_a_permanent_kind_is_proposed_and_a_path_is_named_from_the_root() -> None:
    """A mapped fact obeys its kind: who may say it, and how names are written."""
    kinds = Kinds({"thing": {"fact_class": "permanent", "normaliser": "path", "description": "A thing."}})
    _, (fact,) = derived(*used(1, "get", {}, '{"id": "/r/a"}'), registry=Registry([RULE]), kinds=kinds, root="/r")
    assert (fact.proposal, fact.identity.scope, fact.identity.name) == (True, "thread", "a")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"tools": []}, "mappings.1.tools: "),
        ({"tools": [""]}, "mappings.1.tools.0: "),
        ({"value": ""}, "mappings.1.value: "),
        ({"value": "{id"}, "mappings.1.value: the brace at character 1 has no other; double it to mean a brace"),
        ({"name": "{a..b}"}, "mappings.1.name: the path 'a..b' has an empty step"),
        (
            {"name": "{$args.x}"},
            "mappings.1.name: the path '$args.x' begins with $args; known are $result,",
        ),
        ({"each": ".a"}, "mappings.1.each: the path '.a' has an empty step"),
        ({"where": {"a": {"b": 1}}}, "mappings.1.where.a."),
        ({"content": "$x"}, "mappings.1.content."),
        ({"contents": True}, "mappings.1.contents: Extra inputs are not permitted"),
        ({"subject": "x" * 65}, "mappings.1.subject: "),
    ],
)
def test_a_bad_rule_is_refused_with_its_number_and_field(rule: dict[str, Any], message: str) -> None:
    """The first of several is number 0."""
    with pytest.raises(Misconfigured) as caught:
        Registry([RULE, RULE | rule])
    assert str(caught.value).startswith(message)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_is_written_as_it_was_read(value: Any) -> None:
    """Any value that is no number with a fraction comes back as it was."""
    assert json.loads(written(decoded(msgspec.json.encode(value).decode()))) == value


@given(st.text(max_size=60))
def test_a_template_is_filled_or_refused(text: str) -> None:
    """What is wrong with a text is said; one without braces is itself."""
    filled = None
    with contextlib.suppress(ValueError):
        filled = Template.parse(text).filled(Spot({"a": 1}))
    assert filled == text or set(text) & set("{}")
