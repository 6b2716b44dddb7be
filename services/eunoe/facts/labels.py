"""Labels as data: the names that a configuration declares, each with a number that is its own for good. Pure.

Facts carry numbers, so that a label can be renamed; people write and read names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eunoe.facts.values import blank, cut, folded, one_line
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid, Misconfigured

_MARK = "#"  # before the number of a label that nobody declared
_HOW = (
    "declare it under `labels` in the workers' configuration, with a number of its own from 1 to "
    f"{limits.LABEL_NUMBER}, and start them again"
)
_LISTED = 20  # declared names in a message
_QUOTED = 80  # characters of a wrong name in a message


class Labels:
    """The labels of one fleet. Raises `Misconfigured`, naming the label, for one that cannot be declared so."""

    def __init__(self, declared: Mapping[str, int] | None = None) -> None:
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        for given, number in (declared or {}).items():
            self._declare(given, _written(given), number)

    def items(self) -> dict[str, int]:
        """The number of each name, in order of numbers."""
        return {self._names[number]: number for number in sorted(self._names)}

    def number(self, name: str) -> int:
        """The number of a declared name; raises `Invalid` with those there are."""
        found = self._numbers.get(_written(name))
        if found is not None:
            return found
        known = list(self.items())
        more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = f" (there are {', '.join(known[:_LISTED])}{more})" if known else ""
        raise Invalid(f"there is no label {cut(repr(name), _QUOTED)}{listed}; {_HOW}")

    def undeclared(self, name: str) -> int:
        """As `number`, and ``#7`` too: for taking off what is no longer, or not yet, declared."""
        digits = name.strip().removeprefix(_MARK)
        numeric = name.strip().startswith(_MARK) and digits.isascii() and digits.isdigit()
        return int(digits) if numeric and _possible(digits) else self.number(name)

    def name(self, number: int) -> str:
        """The name of a number, ``#7`` for one that is not declared."""
        return self._names.get(number, f"{_MARK}{number}")

    def names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.name(number) for number in numbers)

    def _declare(self, given: str, name: str, number: int) -> None:
        if wrong := _wrong(given, name, number):
            raise Misconfigured(f"labels.{given}: {wrong}" if given.isprintable() else f"labels.{given!r}: {wrong}")
        if name in self._numbers:
            raise Misconfigured(f"labels.{given}: {name!r} is declared twice; leave out one of them")
        if number in self._names:
            raise Misconfigured(f"labels.{given}: {number} is the number of {self._names[number]!r}; give it another")
        self._numbers[name] = number
        self._names[number] = name


def _written(name: str) -> str:
    return folded(name.strip())


def _wrong(given: str, name: str, number: int) -> str:
    if blank(name) or one_line(name) != name:
        return "a label's name is one line that shows something, single spaces between its words"
    if len(name) > limits.LABEL_LENGTH:
        return f"the name is {len(name)} characters long; the limit is {limits.LABEL_LENGTH}"
    if name.startswith(_MARK):
        return f"a name does not begin with {_MARK}, which stands before the number of an undeclared label"
    if not 1 <= number <= limits.LABEL_NUMBER:
        return f"{number} is no label's number; take one of 1 to {limits.LABEL_NUMBER} that never named another label"
    return ""


def _possible(digits: str) -> bool:
    return len(digits) <= len(str(limits.LABEL_NUMBER)) and 1 <= int(digits) <= limits.LABEL_NUMBER
