"""The verb ``distil``: have a thread distilled now, and wait for it."""

from __future__ import annotations

from eunoe.distillation.asking import Asking, Failed
from eunoe.distillation.progress import Standing
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.requests import DistilRequest, ThreadState

OFF = "nobody distils here: EUNOE_DISTILLER is off; set it to rules or model, or unset it, and restart the worker"


class Asked(Asking):
    """See `Asking`."""

    kind = "distil"
    done = "distilled"
    off = OFF

    async def _last(self, standing: Standing, up_to: int) -> int:
        return await self._reader.ordinal(standing.head, up_to)

    def _reached(self, state: ThreadState) -> int:
        return state.distilled

    def _failed(self, state: ThreadState) -> Failed:
        return state.undistilled

    def _job(self, thread: str, request: DistilRequest, standing: Standing) -> DistilJob:
        up_to = request.up_to or standing.head.header.turns
        return DistilJob(thread=thread, up_to=up_to, position=standing.head.position, window=request.window)
