"""Where settings come from, and what is said when one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from eunoe.runtime.configuration import load
from eunoe.runtime.review_settings import Messages
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, and no setting of the shell that runs it."""
    import os

    for name in list(os.environ):
        if name.startswith("EUNOE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _origin(field: str, options: dict[str, object] | None = None) -> tuple[str, str]:
    lines = {line.field: line for line in load(options).sources()}
    return lines[field].value, lines[field].origin


def test_data_lies_in_the_xdg_data_home_by_default(home: Path) -> None:
    """Nothing is kept inside the package."""
    assert load().settings.data == home / "data" / "eunoe"
    assert load().settings.anchors_path == home / "data" / "eunoe" / "anchors.jsonl"


def test_an_option_wins_over_a_variable_and_that_over_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each field says where its value is from."""
    file = _write(home / "config" / "eunoe" / "config.toml", 'space = "filed"\nwindow = 4096\nport = 4333\n')
    monkeypatch.setenv("EUNOE_SPACE", "varied")
    monkeypatch.setenv("EUNOE_WINDOW", "2048")

    assert _origin("space", {"space": "chosen"}) == ("chosen", "--space")
    assert _origin("window") == ("2048", "EUNOE_WINDOW")
    assert _origin("port") == ("4333", str(file))
    assert _origin("replicas") == ("1", "default")


def test_a_bad_value_is_named_with_its_field_and_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line is enough to mend it."""
    monkeypatch.setenv("EUNOE_PORT", "many")

    with pytest.raises(Misconfigured, match=r"port 'many' \(EUNOE_PORT\) is not valid: it must be a whole number$"):
        load()


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("PORT", "70000", "65535 or less"),
        ("TARGET", "half", "a number"),
        ("RELEVANT", "maybe", "true or false"),
        ("WINDOW", "1", "256 or more"),
        ("ROLE", "boss", "'person', 'caller', 'tool', 'agent', 'worker' or 'viewer'"),
        ("MODEL_URL", "foo", "http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]"),
        ("MODEL_URL", "http://", "http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]"),
        ("MODEL_URL", "https://me:hunter2@h:port/v1", "http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]"),
        ("SYNC", "never", "always, or a time like 500ms or 2s"),
        ("KINDS", "3", "a table"),
        ("MAPPINGS", "{}", "a list"),
    ],
)
def test_what_a_value_must_be_is_said_in_our_words(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, must: str
) -> None:
    """Whatever checks the values does not speak to people."""
    monkeypatch.setenv(f"EUNOE_{name}", value)

    with pytest.raises(Misconfigured) as refused:
        load()

    assert str(refused.value).endswith(f" is not valid: it must be {must}")
    assert "hunter2" not in str(refused.value)


def test_a_table_that_is_no_json_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """And by nothing that only the program knows."""
    monkeypatch.setenv("EUNOE_COUNTERS", "qwen3")

    with pytest.raises(Misconfigured, match=r"^EUNOE_COUNTERS cannot be read; a table or a list is given as JSON$"):
        load()


def test_whether_is_shown_as_the_file_has_it() -> None:
    """True is no word of TOML."""
    assert next(line.value for line in load().sources() if line.field == "relevant") == "true"


def test_a_name_that_is_like_none_gets_no_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all names begin with does not make them near: the known ones are listed."""
    monkeypatch.setenv("EUNOE_COLOR", "1")

    with pytest.raises(
        Misconfigured, match=r"there is no setting EUNOE_COLOR \(environment\); known are EUNOE_ANCHORS"
    ):
        load()


def test_an_unknown_variable_is_refused_with_the_nearest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing error never passes silently."""
    monkeypatch.setenv("EUNOE_SPCE", "lab")

    with pytest.raises(
        Misconfigured, match=r"there is no setting EUNOE_SPCE \(environment\); did you mean EUNOE_SPACE\?"
    ):
        load()


def test_an_unknown_key_of_the_file_is_refused_with_the_nearest_name(home: Path) -> None:
    """The same holds for the file."""
    _write(home / "config" / "eunoe" / "config.toml", 'spce = "lab"\n')

    with pytest.raises(Misconfigured, match=r"there is no setting spce \(.*config\.toml\); did you mean space\?"):
        load()


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only that there is one."""
    monkeypatch.setenv("EUNOE_PASSWORD", "hunter2")

    configuration = load()

    assert "hunter2" not in repr(configuration) + repr(configuration.sources())
    assert configuration.settings.password.get_secret_value() == "hunter2"


def test_an_address_of_a_model_is_shown_without_its_login(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own may stand behind one."""
    monkeypatch.setenv("EUNOE_MODEL_URL", "https://me:hunter2@models.example/v1")

    assert next(line.value for line in load().sources() if line.field == "model_url") == "https://***@models.example/v1"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """As compose files pass on what nobody set."""
    monkeypatch.setenv("EUNOE_PORT", "")

    assert _origin("port") == ("0", "default")


def test_a_named_file_must_be_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EUNOE_CONFIG that points nowhere is an error, the default file may be absent."""
    monkeypatch.setenv("EUNOE_CONFIG", str(home / "nowhere.toml"))

    with pytest.raises(Misconfigured, match=r"there is no file .*nowhere\.toml, which EUNOE_CONFIG names"):
        load()


def test_a_file_that_is_no_toml_is_refused(home: Path) -> None:
    """With its path and the line."""
    _write(home / "config" / "eunoe" / "config.toml", "space = \n")

    with pytest.raises(Misconfigured, match=r"config\.toml cannot be read: .*line 1"):
        load()


def test_a_table_of_the_environment_is_merged_into_that_of_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are merged key by key."""
    _write(home / "config" / "eunoe" / "config.toml", '[kinds.build]\nfact_class = "dynamic"\n')
    monkeypatch.setenv("EUNOE_KINDS__BUILD", '{"description": "Outcome of a build."}')

    assert load().settings.kinds == {"build": {"fact_class": "dynamic", "description": "Outcome of a build."}}


@pytest.mark.parametrize("space", ["", "Lab", "a.b", "-a", "x" * 33])
def test_a_space_that_cannot_be_one_is_refused(space: str) -> None:
    """The rule is that of the names of streams."""
    with pytest.raises(Misconfigured, match="the setting space"):
        load({"space": space})


def test_settings_cannot_be_changed() -> None:
    """What is in force stays so."""
    with pytest.raises(ValueError, match="frozen"):
        Settings().port = 1  # type: ignore[misc]  # the very thing that must fail


def test_reviews_are_set_in_the_file_and_by_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table in the file, JSON in one variable, or a variable for each field; the last of them wins field by field."""
    _write(home / "config" / "eunoe" / "config.toml", '[review]\nevery = {messages = 20}\nscope = "agent"\n')
    review = load().settings.review
    assert (review.every, review.scope, review.on) == (Messages(messages=20), "agent", True)
    assert _origin("review")[0] == '{"every": {"messages": 20}, "scope": "agent"}'

    monkeypatch.setenv("EUNOE_REVIEW", '{"every": "turn", "model": "openai:small"}')
    review = load().settings.review
    assert (review.every, review.scope, review.model) == ("turn", "agent", "openai:small")
    assert _origin("review")[1] == "EUNOE_REVIEW"

    monkeypatch.setenv("EUNOE_REVIEW__EVERY", "off")
    assert not load().settings.review.on


def test_reviews_are_off_by_default() -> None:
    """Nothing is shown where nothing is set."""
    assert not load().settings.review.on
    assert _origin("review") == ("", "default")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("3", "the setting review 3 (EUNOE_REVIEW) is not valid: it must be a table"),
        (
            '{"every": "day"}',
            "the setting review.every 'day' (EUNOE_REVIEW) is not valid: "
            "it must be 'off', 'turn' or a table {messages: N} with N from 1 to 1,000",
        ),
        (
            '{"every": {"messages": 0}}',
            "the setting review.every (EUNOE_REVIEW) is not valid: "
            "it must be 'off', 'turn' or a table {messages: N} with N from 1 to 1,000",
        ),
        (
            '{"scope": "all"}',
            "the setting review.scope 'all' (EUNOE_REVIEW) is not valid: it must be 'session' or 'agent'",
        ),
        (
            '{"model": "gpt"}',
            "the setting review.model 'gpt' (EUNOE_REVIEW) is not valid: "
            "it must be PROVIDER:NAME, such as openai:gpt-5-mini",
        ),
        ('{"evry": "turn"}', "there is no setting review.evry (EUNOE_REVIEW); did you mean every?"),
        ("turn", 'EUNOE_REVIEW cannot be read; a table or a list is given as JSON, such as {"every": "turn"}'),
    ],
)
def test_a_wrong_review_is_one_line(monkeypatch: pytest.MonkeyPatch, value: str, says: str) -> None:
    """Each names the field, what it was, and what it must be."""
    monkeypatch.setenv("EUNOE_REVIEW", value)

    with pytest.raises(Misconfigured) as refused:
        load()

    assert str(refused.value) == says


def test_a_prompt_for_reviews_that_is_too_long_is_not_repeated_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message stays a line that can be read."""
    monkeypatch.setenv("EUNOE_REVIEW__PROMPT", "x" * 8_001)

    with pytest.raises(Misconfigured, match=r"…\S* \(EUNOE_REVIEW\) is not valid: it must be 8000 characters or less$"):
        load()
