"""Ten incident reviews of a bakery's ordering service, which has nothing to do with the task of the conversation."""

from __future__ import annotations

from dataclasses import dataclass

BYTES = 3_600  # bytes that a review has about
COUNT = 10


@dataclass(frozen=True)
class Incident:
    """What a review is about; ``minutes`` is how long it lasted, ``lost`` how many orders it cost."""

    slug: str
    title: str
    symptom: str
    cause: str
    mended: str
    part: str
    minutes: int
    lost: int


INCIDENTS = (
    Incident(
        "ovens",
        "Orders for the second oven were baked in the first",
        "loaves came out an hour late in four shops",
        "two ovens shared one queue after a router was replaced",
        "giving each oven a queue of its own name",
        "the oven router",
        94,
        212,
    ),
    Incident(
        "prices",
        "Rye bread was sold for the price of a roll",
        "the tills of nine shops showed yesterday's list",
        "the price list was read before the nightly job had written it",
        "reading the list only when its date is today's",
        "the price loader",
        61,
        1_340,
    ),
    Incident(
        "vans",
        "Three vans drove to a shop that had closed",
        "drivers found locked doors on the northern round",
        "closed shops stayed on the map for a week by design",
        "taking a shop off the map on the day it closes",
        "the round planner",
        187,
        48,
    ),
    Incident(
        "allergens",
        "Labels left out sesame for a morning",
        "a shop manager missed a line on the label of a bun",
        "a new recipe had no allergen sheet and was printed without one",
        "refusing to print a label without its sheet",
        "the label printer service",
        145,
        77,
    ),
    Incident(
        "flour",
        "Flour was ordered twice on a holiday",
        "the mill called to ask where to put nine tonnes",
        "a retry after a timeout was taken for a second order",
        "numbering orders on the side that asks",
        "the supplier gateway",
        33,
        2,
    ),
    Incident(
        "loyalty",
        "Loyalty cards were empty for a weekend",
        "customers saw no points and told the tills so",
        "a table was renamed while half of the readers still used its old name",
        "keeping both names for one release",
        "the card ledger",
        2_410,
        5_120,
    ),
    Incident(
        "alarms",
        "The cold room was warm and nobody was called",
        "the dough of one night had to be thrown away",
        "alarms were muted during a drill and stayed so",
        "letting a mute end by itself after an hour",
        "the alarm desk",
        402,
        890,
    ),
    Incident(
        "cakes",
        "Wedding cakes lost their delivery notes",
        "two couples were called by the wrong shop",
        "notes longer than a line were cut by an export",
        "carrying the note beside the order and not inside it",
        "the order export",
        520,
        6,
    ),
    Incident(
        "stock",
        "Shops showed bread that had been sold",
        "customers came for loaves that were not there",
        "stock counts were cached per city and not per shop",
        "keeping one count for each shop",
        "the stock counter",
        228,
        431,
    ),
    Incident(
        "search",
        "Searching for rolls found nothing",
        "the search page was empty for plurals",
        "the word list was built without its endings",
        "building the list from the names on the shelf",
        "the shop search",
        75,
        0,
    ),
)

_WATCHED = (
    "the dashboard shows {part} at its usual load",
    "a shop writes in the channel: {symptom}",
    "the duty engineer is called and opens the runbook",
    "the runbook's first step (restart {part}) changes nothing",
    "somebody from the kitchens joins and describes what the staff see",
    "the last change to {part} is looked at and found harmless",
    "the engineers of the day before are asked; one remembers a warning",
    "a copy of the traffic is replayed against the test system",
    "the replay shows the same: {symptom}",
    "the cause is found: {cause}",
    "a first attempt to mend it by hand holds for a few minutes only",
    "shops are told to write orders on paper until further notice",
    "a change is written and read by two people: {mended}",
    "the change is rolled out to one shop and watched",
    "it is rolled out everywhere",
    "{part} is back at its usual load",
    "orders on paper are typed in by the office",
    "the incident is closed and this review is begun",
)

_LESSONS = (
    "We looked at {part} first because it had been to blame before, and lost time with it.",
    "Nobody could say who owns {part} at night. The list of owners is now part of the runbook.",
    "The shops noticed before any of our graphs did. A graph of what they notice was missing.",
    "The change that mended it, {mended}, took less than an hour to write. Finding out took the rest.",
    "The drill of last spring had a case like this one, and its notes were of use.",
    "Writing orders on paper worked well, and every shop still had the forms.",
)

_ACTIONS = (
    "Write down in the runbook that {cause}, and how that is seen from outside.",
    "Add a check to the nightly round that fails when {symptom}.",
    "Go through the other services for the same mistake; {part} is hardly the only one.",
    "Tell the shops in plain words what happened, with an apology where money was lost.",
    "Practise the paper forms once a year, on a day that is busy.",
)


def path(number: int) -> str:
    """The name of a review, 1 to `COUNT`."""
    return f"reviews/{number:02}-{INCIDENTS[number - 1].slug}.md"


def review(number: int) -> str:
    """The text of a review: the same bytes each time."""
    incident = INCIDENTS[number - 1]
    words = {"part": incident.part, "symptom": incident.symptom, "cause": incident.cause, "mended": incident.mended}
    step = max(incident.minutes // len(_WATCHED), 1)
    parts = [
        f"# {incident.title}",
        f"Crumb & Crust ordering service, incident review {number} of {COUNT}. It lasted {incident.minutes} minutes "
        f"and cost {incident.lost} orders. In short: {incident.symptom}, because {incident.cause}.",
        "## What happened, minute by minute",
        "\n".join(f"- +{at * step} min: {line.format(**words)}" for at, line in enumerate(_WATCHED)),
        "## What we learned",
        *(line.format(**words) for line in _LESSONS),
        "## What we will do",
        "\n".join(f"{at}. {line.format(**words)}" for at, line in enumerate(_ACTIONS, 1)),
    ]
    text = "\n\n".join(parts)
    return f"{text}\n\n## Signatures\n\n{_signed(number, BYTES - len(text.encode()))}\n"


def reply(number: int) -> str:
    """What the agent says of a review that it has read."""
    incident = INCIDENTS[number - 1]
    return (
        f"Review {number} is about this: {incident.title.lower()}. The staff saw that {incident.symptom}. Behind it "
        f"was that {incident.cause}; it took {incident.minutes} minutes and was mended by {incident.mended}. What I "
        f"would take from it is that {incident.part} needs an owner at night, and a graph of what the shops notice. "
        "The time went into finding out, not into mending; that would make a good slide. I have put the cause and the "
        "mending into your notes in one line each, and left out the signatures."
    )


def _signed(number: int, room: int) -> str:
    """Lines of those who read the review, as many as fill it up."""
    readers = ("kitchens", "rounds", "tills", "office", "purchasing", "night desk", "shops north", "shops south")
    lines: list[str] = []
    while sum(len(line) + 1 for line in lines) < room - 80:
        at = len(lines)
        lines.append(f"- {readers[(at + number) % len(readers)]}: read on day {at + 2}, nothing to add")
    return "\n".join(lines)
