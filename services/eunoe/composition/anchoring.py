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


def refused(counted: int, tokens: int, window: int, goal: int) -> int:
    """Tokens to add to counts like ``counted``, since the provider refused that context at ``tokens``; ``goal`` are
    those that what is composed in its place may take.

    Nobody knows whether the counter is wrong by a factor or what it does not see always takes as much. By a factor,
    what is short enough is a part of the context as large as the goal is of ``tokens``. It is made shorter than that
    where it would not fit the window if all of the difference stayed, unless that left less than half of it.
    """
    seen = at_most(counted, tokens, window) + counted
    part, rest = goal * counted // seen, window - (seen - counted)
    return goal - (rest if part // 2 <= rest < part else part)


def at_most(counted: int, tokens: int, window: int) -> int:
    """The most tokens that are added for such a refusal: the whole difference.

    Whatever the provider says, it has no room for that context, so that it counts for more than a window: what is
    composed in its place by this is smaller, or does not fit.
    """
    return max(tokens, window + 1) - counted
