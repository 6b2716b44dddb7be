"""HTML as a tree, written by the standard library, which escapes all text and every attribute. Pure."""

from __future__ import annotations

from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

from eunoe.cli.output import clean

Inside: TypeAlias = "Element | str | None"
"""What stands in an element: another one, text, or nothing."""


def node(tag: str, *inside: Inside, **attributes: str) -> Element:
    """An element with what stands in it; ``class_`` is the attribute ``class``, ``aria_label`` is ``aria-label``."""
    made = Element(tag, {name.strip("_").replace("_", "-"): clean(value) for name, value in attributes.items()})
    for item in inside:
        if isinstance(item, str):
            _say(made, clean(item))
        elif item is not None:
            made.append(item)
    return made


def document(head: Element, body: Element) -> bytes:
    """A whole page, in UTF-8; what that cannot hold is replaced."""
    tree = node("html", head, body, lang="en")
    written = tostring(tree, encoding="unicode", method="html")
    return f"<!DOCTYPE html>\n{written}\n".encode(errors="replace")


def _say(made: Element, text: str) -> None:
    """Add text after what is there already."""
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text
