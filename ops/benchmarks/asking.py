"""How the benchmarks ask for contexts: of which threads, with which facts, from which workers."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from benchmarks import threads
from benchmarks.place import Place, serving
from eunoe.client import Memory
from eunoe.client.thread import Thread

WINDOW = 8192  # tokens
OWN = 100  # facts of each thread, and as many of its session
SHARED = 100  # facts that everyone sees
PROMPT = "Please go on with value number 7 of part 3, and say what is left to be done."


async def ask(thread: Thread) -> None:
    context = await thread.context(window=WINDOW, prompt=PROMPT)
    assert len(context.recipe.earlier) > 1, "the facts are in the context"


def composition(here: Place, **settings: str) -> AbstractAsyncContextManager[int]:
    """A composition worker. Nothing is distilled here, and it is not to wait for that: what it looks at beyond the
    turns that it shows are those of which something is still to be drawn."""
    return serving(here, "composition", distiller="off", **settings)


def agent(here: Place) -> AbstractAsyncContextManager[Memory]:
    return Memory.connect(here.url, role="agent", principal=threads.AGENT.principal)


def thread(memory: Memory, name: str) -> Thread:
    return memory.thread(name, session=session(name))


def session(thread: str) -> str:
    return f"of-{thread}"
