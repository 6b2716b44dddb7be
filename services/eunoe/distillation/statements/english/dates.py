"""English words that name a time by how far it is from now. Pure data."""

from __future__ import annotations

from eunoe.distillation.statements.language import Dates

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NAMED = "|".join((*_DAYS, *_SHORT, *_MONTHS))

DATES = Dates(
    days={
        r"(?:the )?day before yesterday": -2,
        "yesterday": -1,
        "last night": -1,
        "today": 0,
        "tonight": 0,
        "this (?:morning|afternoon|evening)": 0,
        r"(?<!after )tomorrow": 1,
        r"(?:the )?day after tomorrow": 2,
    },
    numbers={
        "a": 1,
        "an": 1,
        "one": 1,
        "two": 2,
        "three": 3,
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
        "fifteen": 15,
        "twenty": 20,
    },
    weekdays={**{day: number for number, day in enumerate(_DAYS)}, **_SHORT},
    months={month: number for number, month in enumerate(_MONTHS, 1)},
    units={
        "day": "day",
        "days": "day",
        "week": "week",
        "weeks": "week",
        "weekend": "weekend",
        "weekends": "weekend",
        "month": "month",
        "months": "month",
        "year": "year",
        "years": "year",
    },
    near=rf"\b(?:(?P<last>last)|(?P<this>this)|(?P<next>next)) "
    rf"(?P<what>week|weekend|month|year|{_NAMED})\b(?!['-]| of\b)",
    ago=r"(?<!-)\b(?P<number>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|"
    r"twenty) "
    r"(?P<unit>days?|weeks?|weekends?|months?|years?) ago\b",
    week="week of {}",
    weekend="weekend of {}",
)
