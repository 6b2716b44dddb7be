"""Two agents of one fleet on one memory, with scripted replies in the place of a model.

The builder runs the tests and finds out what is wrong; the reviewer, in a thread of its own, sees what the
person decided. Run it with `python examples/fleet.py`: it needs no key, and no server that is running.
"""

from __future__ import annotations

import anyio

from eunoe.client import Memory, Thread

SPACE = "example"


async def work(thread: Thread, prompt: str, command: str, output: str, status: int, reply: str) -> None:
    """One turn: the context as a model would get it, a tool call with its result, and the reply."""
    async with thread.turn(prompt) as turn:
        context = await turn.context(window=4096, format="openai")
        print(f"{thread.agent} is asked {prompt!r}; its context has {context.tokens} tokens")
        await turn.call("bash", {"command": command})
        await turn.result(output, exit_status=status)
        await turn.reply(reply)


async def build(thread: Thread) -> None:
    """The builder: a branch, tests that fail, and tests that pass."""
    await work(
        thread,
        "Start a branch for the --dry-run flag.",
        "cd /home/dana/squirrel && git switch -c dry-run",
        "Switched to a new branch 'dry-run'\n",
        0,
        "The branch is dry-run.",
    )
    await work(
        thread,
        "Run the tests.",
        "cd /home/dana/squirrel && python -m pytest -q",
        "FAILED tests/test_backup.py::test_dry_run_does_not_prune\n1 failed, 154 passed in 6.41s\n",
        1,
        "One test fails: a dry run still prunes.",
    )
    await work(
        thread,
        "Mend it and run them again.",
        "cd /home/dana/squirrel && python -m pytest -q",
        "155 passed in 6.58s\n",
        0,
        "All tests pass.",
    )


async def main() -> None:
    """Let both agents work, and show what the memory knows and what the reviewer's model would read."""
    async with Memory.connect(embedded=True, space=SPACE, principal="dana") as memory:
        await build(memory.thread("fleet-builder", agent="builder", session="release"))
        await memory.state_fact("decision", "dry-run exit status", "3 when a backup would change something, else 0")

        print("\nWhat is known of the builder's thread:")
        for fact in (await memory.facts(thread="fleet-builder")).facts:
            print(f"  {fact.identity.subject} {fact.identity.name}: {fact.value}")

        reviewer = memory.thread("fleet-reviewer", agent="reviewer", session="release")
        context = await reviewer.context(window=4096, format="text", prompt="What was decided about the exit status?")
        print("\nWhat the reviewer's model would read:")
        print(context.messages)


if __name__ == "__main__":
    anyio.run(main)
