"""What is added to every count of tokens, from what a provider counted of the last context. Pure.

The difference holds what a context cannot know (tool schemas, what the provider adds) and what the counter gets wrong.
"""

from __future__ import annotations


def reported(counted: int, tokens: int, window: int, before: int = 0) -> int:
    """Tokens to add to counts like ``counted``, since the provider reported ``tokens`` of that context.

    It is kept within half of the count below, and above within half of the window, or within what was added
    ``before`` where a refusal taught more than that, so that one odd report cannot do harm.
    """
    if counted <= 0 or tokens <= 0:
        return 0
    return max(-counted // 2, min(tokens - counted, max(window // 2, before)))


def refused(counted: int, tokens: int, window: int) -> int:
    """Tokens to add to counts like ``counted``, since the provider refused that context at ``tokens``.

    Whatever it says, it has no room for it, so that the context counts for more than a window: what is composed in its
    place is smaller, or does not fit.
    """
    return max(tokens, window + 1) - counted
