"""The languages that statements are drawn from. Pure.

Another one is one more entry; each is tried on every text, since nobody says which language that is in.
"""

from __future__ import annotations

from eunoe.distillation.statements.english.language import ENGLISH
from eunoe.distillation.statements.language import Language

LANGUAGES: tuple[Language, ...] = (ENGLISH,)
