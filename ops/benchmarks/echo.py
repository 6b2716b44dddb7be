"""A bare service over nats-py, in a process of its own: the request and reply that appends are compared with."""

from __future__ import annotations

import asyncio
import sys

from nats.aio.msg import Msg

import nats

ANSWER = b"x" * 300  # as long as the answer to an append


async def main(url: str) -> None:
    client = await nats.connect(url)

    async def answer(message: Msg) -> None:
        await message.respond(ANSWER)

    await client.subscribe("bare.echo", queue="bare", cb=answer)
    await client.flush()
    sys.stderr.write("ready\n")
    sys.stderr.flush()
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1]))
