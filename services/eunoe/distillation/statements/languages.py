"""The languages that statements are drawn from. Another one is one more entry; each is tried on every text, since nobody
says which language that is in. Pure."""

from __future__ import annotations

from eunoe.distillation.statements.english import ENGLISH
from eunoe.distillation.statements.language import Language

LANGUAGES: tuple[Language, ...] = (ENGLISH,)
