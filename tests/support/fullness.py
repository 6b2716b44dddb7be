"""A store that is full, and then is not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from eunoe.runtime.connection import Connection
from eunoe.runtime.jetstream import Full, JetStream
from eunoe.runtime.requester import Requester
from eunoe.testing import NatsServer


def limited(directory: Path) -> NatsServer:
    """A server whose files may hold 4 MB."""
    return NatsServer(directory, extra=f"jetstream {{ store_dir: {json.dumps(str(directory))}, max_file_store: 4MB }}")


@asynccontextmanager
async def filled(connection: Connection) -> AsyncIterator[None]:
    """The store full of something else, which is removed in the end."""
    jetstream = JetStream(await Requester.open(connection))
    await jetstream.api("STREAM.CREATE.ballast", {"name": "ballast", "subjects": ["ballast"], "storage": "file"})
    with pytest.raises(Full):
        await _fill(jetstream)
    try:
        yield
    finally:
        await jetstream.api("STREAM.DELETE.ballast")


async def _fill(jetstream: JetStream) -> None:
    while True:
        await jetstream.publish("ballast", bytes(200_000), ())
