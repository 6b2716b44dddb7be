"""The shapes of the APIs that a context is composed for."""

from __future__ import annotations

from eunoe.composition.formats.anthropic import Anthropic
from eunoe.composition.formats.markdown import Markdown
from eunoe.composition.formats.openai import OpenAI
from eunoe.composition.formats.responses import Responses
from eunoe.composition.formats.shape import Piece, Shape, ShownCall
from eunoe.composition.formats.text import Text
from eunoe.schemas.context import Format

SHAPES: dict[Format, Shape] = {
    "openai": OpenAI(),
    "responses": Responses(),
    "anthropic": Anthropic(),
    "text": Text(),
    "markdown": Markdown(),
}

__all__ = ["SHAPES", "Piece", "Shape", "ShownCall"]
