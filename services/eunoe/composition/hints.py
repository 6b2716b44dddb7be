"""How a model gets back what its context holds only in short. Pure."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_READS = re.compile(
    r"(?:"
    r"browse|cat|check|count|describe|diff|fetch|find|get|glob|goto|grep|head|info|inspect|list|log|"
    r"look|lookup|ls|open|query|read|recall|scroll|search|show|stat|status|tail|tree|view"
    r")\Z"
)
_ACTS = re.compile(
    r"(?:"
    r"add|append|apply|bash|book|build|cancel|change|cmd|command|commit|copy|cp|create|delete|deploy|"
    r"edit|eval|exec|execute|insert|install|kill|make|modify|move|mv|patch|pay|post|push|put|python|"
    r"remove|replace|rm|run|send|set|sh|shell|start|stop|submit|terminal|transfer|update|write"
    r")\Z"
)


def recall(entry: int, tool: str, memory_tool: bool) -> str:
    """The way back to an output: through memory, by calling a tool that reads again, or not at all."""
    if memory_tool:
        return f'memory "recall entry {entry}" shows it'
    return "call it again to see it" if reads(tool) else "do not run it again"


def recall_turn(turn: int, memory_tool: bool) -> str:
    return f'; memory "recall turn {turn}" shows them' if memory_tool else ""


def recall_text(entry: int, memory_tool: bool) -> str:
    """The way back to the rest of something that was said."""
    return f'; memory "recall entry {entry}" shows it' if memory_tool else ""


def reads(tool: str) -> bool:
    """Whether a tool only reads, judged by the words of its name; one that may act counts as acting."""
    words = {word.lower() for word in _WORD.findall(tool)}
    return any(map(_READS.match, words)) and not any(map(_ACTS.match, words))
