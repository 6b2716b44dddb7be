"""A turn's facts: what is kept, what is dropped, what never gets in."""

from __future__ import annotations

import msgspec
import pytest
from extracting import derived
from hypothesis import given, settings
from hypothesis import strategies as st
from turns import used

from eunoe.composition import marks
from eunoe.extraction.calls import Call
from eunoe.extraction.found import Around, Extractor, Found, Profile
from eunoe.extraction.registry import Registry
from eunoe.extraction.secrets import REDACTED, body, redact
from eunoe.schemas import blobs
from eunoe.schemas.events import ToolCall, ToolResult
from eunoe.schemas.labels import record_id, without_records


def test_calls_that_share_an_id_are_answered_in_their_order() -> None:
    """Two parallel calls with one id: the first result is the first call's, and none takes both."""
    (first, one), (second, two) = used(1, "Read", {"file_path": "a"}, "x"), used(1, "Read", {"file_path": "b"}, "y\nz")
    _, facts = derived(first, second, one, two)
    assert [(fact.identity.name, fact.value) for fact in facts] == [
        ("a", "read lines 1-1, to the end, 1 bytes"),
        ("b", "read lines 1-2, to the end, 3 bytes"),
    ]


def test_a_fact_says_where_it_comes_from() -> None:
    """Tool and agent, turn, the result's entry and position, and its own time, never later than acceptance."""
    call, result = used(1, "Bash", {"command": "pytest -q"}, "ok", exit_status=0)
    extracted, (fact,) = derived(call, msgspec.structs.replace(result, at=9_000))
    assert (extracted.turn, extracted.ordinal, extracted.facts, extracted.dropped, extracted.failed) == (1, 7, 1, 0, ())
    assert (fact.identity.scope, fact.identity.owner, fact.identity.subject, fact.identity.name) == (
        "thread",
        "t",
        "tests",
        "pytest -q",
    )
    assert (fact.value, fact.at, fact.source.kind, fact.source.principal) == ("passed", 5_000, "tool", "Bash")
    assert (fact.provenance.turn, fact.provenance.entries, fact.provenance.positions) == (1, (3,), (30,))


def test_an_imports_own_time_orders_its_facts() -> None:
    """What happened at 1,000 and was accepted at 5,000 is of 1,000."""
    call, result = used(1, "Bash", {"command": "pytest"}, "", exit_status=0)
    _, (fact,) = derived(call, msgspec.structs.replace(result, at=1_000))
    assert fact.at == 1_000


def test_ephemeral_facts_are_of_the_session() -> None:
    """And of the thread where the turn has no session."""
    events = used(1, "bash", {"command": "nproc"}, "8\n")
    assert [(f.identity.scope, f.identity.owner) for f in derived(*events, session="s1")[1]] == [("session", "s1")]
    assert [(f.identity.scope, f.identity.owner) for f in derived(*events)[1]] == [("thread", "t")]


def test_at_most_twelve_facts_the_superseded_ones_first() -> None:
    """Two runs of pytest and 13 reads are 15 facts: the first run and the two oldest reads are dropped."""
    events = [
        *used(0, "Bash", {"command": "pytest"}, "", exit_status=1),
        *used(1, "Bash", {"command": "pytest"}, "", exit_status=0),
    ]
    for index in range(13):
        events.extend(used(2 + index, "Read", {"file_path": f"/f{index}"}, "x"))
    extracted, facts = derived(*events)
    assert (extracted.facts, extracted.dropped) == (12, 3)
    assert [fact.identity.name for fact in facts][-1] == "/f12"
    assert [fact.value for fact in facts if fact.identity.subject == "tests"] == []


def test_a_run_that_passes_after_it_failed_is_two_facts() -> None:
    """Failed, passed, passed: the repetition adds nothing."""
    runs = [used(i, "Bash", {"command": "pytest"}, "", exit_status=status) for i, status in enumerate((1, 0, 0))]
    _, facts = derived(*(event for run in runs for event in run))
    assert [fact.value for fact in facts] == ["failed, exit status 1", "passed"]


def test_mapped_facts_are_not_capped() -> None:
    """Forty elements of one result are forty facts."""
    rule = {"tools": ["list"], "each": "*", "subject": "note", "name": "{n}", "value": "{n}"}
    text = msgspec.json.encode([{"n": index} for index in range(40)]).decode()
    extracted, facts = derived(*used(1, "list", {}, text), registry=Registry([rule]))
    assert (len(facts), extracted.dropped) == (40, 0)


def test_a_permanent_kind_is_a_proposal_of_the_thread() -> None:
    """A mapping to ``entity`` proposes; it does not write what everyone sees."""
    rule = {"tools": ["get"], "subject": "entity", "name": "Name", "value": "{n}"}
    _, (fact,) = derived(*used(1, "get", {}, '{"n": "x"}'), registry=Registry([rule]))
    assert (fact.proposal, fact.identity.scope, fact.fact_class, fact.identity.name) == (
        True,
        "thread",
        "permanent",
        "name",
    )


def test_an_extractor_that_raises_does_not_take_the_others_along() -> None:
    """The failing one is named with its reason; the others' facts are kept (F43, F100)."""

    def broken(call: Call, around: Around) -> list[Found]:
        raise ValueError("cannot\nread this")

    registry = Registry(profiles=[Profile("own", extractors=(Extractor("broken", broken, tools=frozenset({"bash"})),))])
    extracted, facts = derived(*used(1, "Bash", {"command": "pytest"}, "", exit_status=0), registry=registry)
    assert extracted.failed == ("broken: ValueError: cannot read this",)
    assert [fact.value for fact in facts] == ["passed"]


@pytest.mark.parametrize("text", ["", "   ", "\u2003\n\t", "🎉", "\x00"])
def test_blank_turns_give_nothing(text: str) -> None:
    """Blank prompts and results of unknown tools: no fact (F45)."""
    assert derived(*used(1, "think", {}, text), prompt=text)[1] == []
    assert derived(prompt=text)[1] == []


def test_control_characters_never_reach_a_value() -> None:
    """NUL, ESC, U+2028 in a name and a result: one line without them (F47, F91)."""
    _, facts = derived(*used(1, "bash", {"command": "pytest 'a\x00b\u2028c'"}, "", exit_status=2**31))
    assert [(f.identity.name, f.value) for f in facts] == [("pytest 'ab c'", "failed, exit status 2147483648")]


def test_numbers_beyond_32_bits_in_arguments_do_no_harm() -> None:
    """An offset of 2^63 reads as it is written; no crash."""
    extracted, facts = derived(*used(1, "Read", {"file_path": "/a", "offset": 2**62, "limit": -(2**31)}, "x"))
    assert extracted.failed == ()
    assert len(facts) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("密码为sk_test_4eC39HqLyjWDarjtT1zdp7dc", "密码为"),
        ("键sk_live_abcdefgh12345678后", "键"),
        ("AKIAIOSFODNN7EXAMPLE", ""),
        ("export TOKEN=abc123 && run", "export TOKEN="),
        ("mysql --password hunter2", "mysql --password "),
        ("https://bob:hunter2@example.org/x", "https://bob:"),
        ('{"api_key": "xyz-123"}', '{"api_key": '),
        ("Authorization: Bearer abcdefgh12345", "Authorization: Bearer "),
        ("ghp_0123456789abcdefghijABCDEFGHIJ", ""),
        ("パスワードは秘密です", "パスワードは"),
        ("密码\uff1dhunter2", "密码\uff1d"),
        ("令牌\uff1ahunter2", "令牌\uff1a"),
        ('curl -d "{\\"password\\": \\"hunter2\\"}"', 'curl -d "{\\"password\\": '),
        ("PASSCODE: hunter2", "PASSCODE: "),
    ],
)
def test_secrets_are_redacted(text: str, kept: str) -> None:
    """Also beside letters of other scripts, where a word has no edge for a regular expression (F90)."""
    found = redact(text)
    assert found.startswith(kept + REDACTED)
    for secret in ("4eC39H", "abcdefgh1", "AKIAIO", "abc123", "hunter2", "xyz-123", "0123456789", "秘密"):
        assert secret not in found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"user":"ann", "password":"hunter2"}', '{"user":"ann","password":"[redacted]"}'),
        ('{ "price": 1.50 }', '{ "price": 1.50 }'),
        ("token: hunter2, then", "token: [redacted], then"),
        ("{password=hunter2", "{password=[redacted]"),
    ],
)
def test_a_body_is_without_secrets_and_stays_what_it_is(text: str, kept: str) -> None:
    """JSON stays JSON, and is not written anew where there is nothing to hide; once is enough."""
    assert body(text) == kept
    assert body(kept) == kept


def test_plain_text_is_not_redacted() -> None:
    """Words that merely look like the beginning of a secret stay."""
    for text in (
        "sk_test",
        "pytest tests/test_token.py",
        "task-force",
        "risk_analysis_of_everything",
        "npm run test",
        "pytest -k 'password or token'",
        "pass: 12",
    ):
        assert redact(text) == text


def test_secrets_do_not_become_facts() -> None:
    """Neither in the name (the command) nor in the value."""
    command = "API_KEY=sk-abcdefghijklmnop pytest"
    _, (fact,) = derived(*used(1, "Bash", {"command": command}, "", exit_status=0))
    assert "abcdefgh" not in fact.identity.name


def test_composed_blocks_in_a_result_are_not_read() -> None:
    """A shell that prints our own block: what is between its labels is skipped, what is around it is read (F44)."""
    block = marks.label("earlier", "On branch memory-of-old\n- branch current: x — from tool bash, turn 1")
    inside = derived(*used(1, "bash", {"command": "git status"}, block))[1]
    around = derived(*used(1, "bash", {"command": "git status"}, f"{block}\nOn branch real\n"))[1]
    assert inside == []
    assert [fact.value for fact in around] == ["real"]


def test_the_recogniser_knows_what_composition_writes() -> None:
    """One id for both; a body that was changed is no record of ours; one that was cut is left out to its end."""
    block = marks.label("now", "a <eunoe-record> b\nc")
    assert without_records(f"x{block}y") == "xy"
    assert without_records(f"x{block}y".replace("\n", "\r\n")) == "xy"
    assert without_records(block.replace("c\n", "d\n")) == block.replace("c\n", "d\n")
    assert without_records("x" + block[:-5]) == "x"
    assert f'id="{record_id("now", marks.escape("a <eunoe-record> b" + chr(10) + "c"))}"' in block


def test_a_record_whose_middle_was_held_back_is_taken_out() -> None:
    """As a context shows it that shortens what a record was said back in: up to its end, or that of the one whose
    beginning was held back too; where no end is left, as far as it was held back. One that was changed is left."""
    block, mark = marks.label("facts", "- note a: b\n- note c: d"), "\n[… 3,308 bytes of entry 11 held back …]\n"
    head, tail = block[:60], block[-30:]
    assert without_records(f"x {head}{mark}{tail} y") == "x  y"
    assert without_records(f"x {head}{mark}{tail} y".replace("\n", "\r\n")) == "x  y"
    assert without_records(f"x {head}{mark}{tail} y {block} z") == "x  y  z"
    assert without_records(f"x {head}{mark}y {block} z") == "x \ny  z"
    assert without_records(f"x {head}{mark}y") == "x \ny"
    changed = block.replace("b", "e")
    assert without_records(f"{changed}{mark}y") == f"{changed}{mark}y"


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_only_our_records_are_taken_out(before: str, body: str, after: str) -> None:
    """Whatever stands around a record is left as it is, for texts without labels of their own."""
    if "<eunoe-record " in before + after:
        return
    assert without_records(before + marks.label("k", body) + after) == before + after


def test_large_content_is_read_by_its_head_and_tail() -> None:
    """The prompt line at the end of 300 KiB, and the header at its beginning, are found."""
    content = "[File: /r/big.txt (9000 lines total)]\n" + "x" * 300_000 + "\n(Current directory: /r)"
    blob, _ = blobs.split(content)
    call = ToolCall(call="c", tool="open", content='{"path": "big.txt"}')
    _, facts = derived(call, ToolResult(call="c", blob=blob))
    assert [(fact.identity.subject, fact.identity.name) for fact in facts] == [("file", "big.txt")]
    assert facts[0].value.endswith(f"{len(content):,} bytes")


@settings(deadline=None)
@given(
    st.text(max_size=300),
    st.sampled_from(["Bash", "Read", "edit", "apply_patch", "str_replace_editor"]),
    st.text(max_size=60),
)
def test_no_result_breaks_an_extractor(text: str, tool: str, command: str) -> None:
    """Any text, as result and as argument: no extractor fails, and the same turn gives the same facts."""
    events = used(1, tool, {"command": command, "path": command, "file_path": text[:20]}, text)
    extracted, facts = derived(*events)
    assert extracted.failed == ()
    assert derived(*events) == (extracted, facts)
    assert all(fact.value and "\n" not in fact.value and len(fact.value) <= 200 for fact in facts)
