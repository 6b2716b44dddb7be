"""The shapes of the APIs that a context is composed for."""

from __future__ import annotations

from eunoe.composition.formats.anthropic import Anthropic
from eunoe.composition.formats.openai import OpenAI
from eunoe.composition.formats.shape import Piece, Shape, ShownCall
from eunoe.composition.formats.text import Text
from eunoe.schemas.context import Format

SHAPES: dict[Format, Shape] = {"openai": OpenAI(), "anthropic": Anthropic(), "text": Text()}

__all__ = ["SHAPES", "Piece", "Shape", "ShownCall"]
