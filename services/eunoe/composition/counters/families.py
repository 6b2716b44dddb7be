"""The models whose vocabulary is known, by patterns of their names in lower case, in which * is anything. Pure.

The vocabularies of OpenAI's models are those that its library tiktoken gives them. A family stands here only where
every model that its pattern names is known to have the vocabulary: a wrong one would count worse than bytes do.
"""

from __future__ import annotations

from collections.abc import Mapping

_MODELS: Mapping[str, tuple[str, ...]] = {
    "o200k_base": (
        *("gpt-4o*", "chatgpt-4o*", "gpt-4.1*", "gpt-4.5*", "gpt-5*", "gpt-oss*"),
        *("o1", "o1-*", "o3", "o3-*", "o4-mini*"),
    ),
    "cl100k_base": (
        *("gpt-4", "gpt-4-*", "gpt-3.5*", "gpt-35*", "text-embedding-3-*", "text-embedding-ada-002"),
        *("davinci-002", "babbage-002"),
    ),
    "llama3": (
        *("llama3", "llama3-*", "llama3.*", "llama-3", "llama-3-*", "llama-3.*", "meta-llama-3-*", "meta-llama-3.*"),
        "*meta.llama3-*",
    ),
    "qwen3": ("qwen2", "qwen2-*", "qwen2.5*", "qwen3", "qwen3-*"),
}

FAMILIES: Mapping[str, str] = {pattern: name for name, patterns in _MODELS.items() for pattern in patterns}
