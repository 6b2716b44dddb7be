"""Documents as a reader asks to see them: by their kind, as they hold at a moment and were known at one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eunoe.facts import document as documents
from eunoe.facts.fold import View, fold
from eunoe.facts.kinds import Kinds
from eunoe.facts.labels import Labels
from eunoe.facts.lookup import Lookup
from eunoe.facts.previews import Preview
from eunoe.facts.visibility import Viewer
from eunoe.facts.wording import UNDECLARED
from eunoe.runtime.doors import Clock
from eunoe.schemas.facts import Document


@dataclass(frozen=True, slots=True)
class Moment:
    """What held at ``valid`` as it was known at ``recorded`` (ms UTC); None is now."""

    valid: int | None = None
    recorded: int | None = None


NOW = Moment()


class Viewing:
    """Folds documents. Where a stored one does not tell what its whole set would, that is read from the log.

    ``labels`` are those by whose names they are shown."""

    def __init__(self, lookup: Lookup, kinds: Kinds, clock: Clock, labels: Labels = UNDECLARED) -> None:
        self.labels = labels
        self._lookup = lookup
        self._kinds = kinds
        self._clock = clock

    def view(self, document: Document, moment: Moment = NOW) -> View:
        """What a document says, as far as it keeps it."""
        valid = self._clock.now() if moment.valid is None else moment.valid
        single = self._kinds[document.identity.subject].single
        return fold(document, single=single, valid=valid, recorded=moment.recorded)

    async def views(self, found: Sequence[Document], moment: Moment = NOW) -> list[View]:
        """What documents say, in their order, with what left them where the moment asks for it: in one pass."""
        lacking = [one.identity for one in found if not documents.sufficient(one, recorded=moment.recorded)]
        whole = await self._lookup.from_log(lacking) if lacking else {}
        return [self.view(whole.get(one.identity, one), moment) for one in found]

    async def preview(self, preview: str, viewer: Viewer, moment: Moment = NOW) -> Preview | None:
        """What a preview has, as far as the viewer sees it; None for none."""
        if not preview:
            return None
        found = await self._lookup.seen(await self._lookup.preview(preview), viewer)
        return Preview(await self.views(found, moment))
