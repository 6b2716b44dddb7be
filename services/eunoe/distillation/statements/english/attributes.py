"""How English says what something is called, its numbers and dates, and that they changed. Pure data."""

from __future__ import annotations

from eunoe.distillation.statements.english.words import ASIDE, NAMED, NO_NAME, NO_SELF, TITLE
from eunoe.distillation.statements.language import Pattern

_THING = r"(?:[\w.+#/'-]+ ){0,3}?[\w.+#/'-]+"
_NAME = r"(?-i:[A-Z][\w.'-]*(?: (?:of|the|de|van|von|[A-Z][\w.'-]*)){0,3})"
_QUOTED = r"[\"\u201c'][^\"\u201d']{1,60}[\"\u201d']"
_PROPER = rf"(?:{_QUOTED}|{_NAME}|https?://[^\s,;]+|[a-z]\w*(?:[-_.]\w+)+(?::\d{{2,5}})?)"
_IP = r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{2,5})?(?![\w.]*\w)"
_ADDRESS = rf"(?:{_IP}|https?://[^\s,;]+|(?:localhost|[a-z][\w-]*(?:\.[\w-]+)+):\d{{2,5}})"
_PLACE = rf"(?:{_ADDRESS}|[~.]{{0,2}}/?[\w.-]+(?:/[\w.+-]+)+|[\w-]+\.[a-z]{{1,5}}|(?-i:[A-Z]{{3,4}})(?:[+-]\d{{1,2}})?)"
_MONTH = r"(?-i:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)\.?"
_DATE_GOES_ON = (  # after a comma that is inside a date
    rf"(?:\d{{4}}\b|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}|{_MONTH} \d|\d{{1,2}}:\d\d\b)"
)
_SOME = rf"(?:[^,;]|,(?=\d| {_DATE_GOES_ON}))"  # a character of a value, whatever that is
_OF = r"(?: (?:of|for|on|behind|to) (?:all (?:of )?)?(?:this|that|it|these)(?: work| task)?)?"
_OWNED = r"(?:the|our|my|this|(?-i:[A-Z]\w*)'s|the [\w-]+'s)"
_IS = (
    r"(?:(?:is|are|'s|was|will be|should be|becomes|has become|would be)"
    r"(?: (?:set|planned|scheduled) (?:for|to|on|at))?)"
)
_NOW = (
    r"(?:is now|are now|'s now|is no longer (?:[^,;]|,(?=\d)){1,40}? but|has been (?:changed|moved|updated|"
    r"bumped|postponed|pushed)(?: back| forward| up)? to|(?:was|were|got) (?:changed|moved|updated|bumped|postponed|"
    r"pushed)(?: back| forward| up)? to"
    r"|(?:has |have )?(?:moved|changed|moves|changes|slipped) to)"
)
_FROM_TO = (
    r"(?:has |have |was |were |got |is )?(?:been )?(?:moved|changed|went|bumped|updated|renamed|switched) from"
    rf" (?P<was>{_SOME}{{1,60}}?) to"
)

_PART = r"(?-i:[A-Z][a-z]+(?:['-]?[A-Z][a-z]+)*)"
_CALLED = (  # of one word only where that is no adjective; of more where none is a title
    rf"(?:(?!(?:[\w'-]+ ){{0,2}}{TITLE}\b)(?!{NO_NAME}\b){_PART}(?: {_PART}){{1,2}}|"
    rf"(?!(?:{NO_NAME}|{NO_SELF}|{TITLE})\b){_PART}(?! (?-i:[A-Z])))"
)

_NUMBERED = (
    r"(?:(?:jira|github|support) )?(?:ticket|issue|bug|pull request|pr|merge request|case|port|version|build|order|"
    r"invoice|extension|room|account|reservation|confirmation|user|customer|tracking|id|timeout|budget|limit|quota|"
    r"phone|threshold)(?: (?:number|id|code|key|no\.?))?"
)
_NUMBER = (
    r"(?:number |no\.? |#)?(?=[^\s]*\d)[#$\u20ac\u00a3\w](?:[\w.:/#-]|,(?=\d))*(?: ?(?:%|percent|ms|seconds?|minutes?|"
    r"hours?|days?|[kmg]i?b|euros?|dollars?|usd|eur|gbp|chf|kr|nok|sek|dkk|\u20ac|[a-z]{3,}s))?"
    r"(?: (?:an?|per) (?:second|minute|hour|day|night|week|month|quarter|year|person|head|user|seat))?"
)
_DATED = (
    r"(?:(?:release|due|launch|ship|start|end|freeze|demo|cut-?off) date|deadline|code freeze|launch|due day|go-live|"
    r"birthday|anniversary)"
)
_DAY = (
    r"(?:on |by )?(?:the )?(?:next |this |end of )?(?=[^,;]*(?:\d|day\b|tomorrow|week|month|(?-i:January|February|"
    r"March|April|May|June|July|August|September|October|November|December)))[\w.:/-]+"
    rf"(?:(?: |, (?={_DATE_GOES_ON}))[\w.:/-]+){{0,5}}?"
)
_MOMENT = (
    r"(?:the )?(?=[^,;]*(?:\d{1,2}:\d\d|\d{4}-\d\d-\d\d|day\b|tomorrow|(?-i:January|February|March|April|May|June|July|"
    rf"August|September|October|November|December)))[\w:/-]+(?:(?: |, (?={_DATE_GOES_ON}))[\w:/-]+){{0,6}}?"
)
_TEXTUAL = (
    r"(?:code ?name|working title|name|owner|reviewer|maintainer|author|lead|tech lead|manager|contact|point of "
    r"contact|main branch|default branch|branch|repository|repo|database|framework|region|staging (?:host|server|url)|"
    r"host|hostname|address|email|e-mail|native language|hometown)"
)
_PLACED = (
    r"(?:script|(?:config|configuration|settings|log|lock|env) file|entry ?point|url|link|endpoint|time ?zone|"
    r"directory|folder|path)"
)
_ONE_OF = r"(?:or\b|\d+ (?:or|and)\b|[\w.#'-]+,? (?:or|and) [\w.#'-]+(?=$|[,;]))"  # after a comma in a list
_UNTIL = (  # a comma or colon between digits, and a comma inside a date or a list, ends no value
    rf"(?=$|,(?!\w| {_DATE_GOES_ON}| {_ONE_OF})|;|:(?!\d)"
    rf"| (?:and|but|so|for now|now|from now on|at the moment|not|instead|again|{ASIDE})\b)"
)


def _attribute(kind: str, value: str) -> tuple[Pattern, ...]:
    """One attribute of a thing, as it is, as it is now, and from what it changed."""
    about = rf"(?P<about>{_OWNED} (?:[\w-]+ ){{0,2}}?{kind}(?: (?:of|for|on) {_THING}?)??){_OF}"
    instead = rf"(?:(?:,| and) not (?P<was>{_SOME}{{1,40}}?)(?=$|,|;))?"
    return (
        Pattern(
            "entity", rf"{about} {_FROM_TO} (?P<value>{value}){_UNTIL}", "{about}", ("person", "model"), change=True
        ),
        Pattern("entity", rf"{about} {_NOW} (?P<value>{value}){_UNTIL}", "{about}", ("person", "model"), change=True),
        Pattern(
            "entity",
            rf"{about} (?:is|'s|was) not (?P<was>{value}),? but (?P<value>{value}){_UNTIL}",
            "{about}",
            ("person", "model"),
            change=True,
        ),
        Pattern("entity", rf"{about} {_IS} (?P<value>{value})(?:{instead}){_UNTIL}", "{about}", change=False),
    )


NAMES = (
    Pattern(
        "entity",
        rf"(?:let's|let us|(?:we|i)(?:'ve|'ll| have| had| now| will| shall){{0,2}}) (?:call|name|codename|"
        rf"rename)(?:e?d)? "
        rf"(?P<about>(?:the|our|my|this) (?:[\w-]+ ){{0,2}}?[\w-]+?) (?:to )?(?P<value>{_PROPER})",
        "name of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the|our|my|this) (?:[\w-]+ ){{0,2}}?[\w-]+) (?:is not|isn't|are not|aren't) (?:called|named) "
        rf"(?P<was>{_PROPER}),? but (?P<value>{_PROPER})",
        "name of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the|our|my|this) (?:[\w-]+ ){{0,2}}?[\w-]+) (?:is|was|will be|are|'s) "
        rf"(?:now |code|re)?(?:called|named|codenamed|renamed to|renamed) (?P<value>{_PROPER})",
        "name of {about}",
    ),
    Pattern(
        "entity",
        rf"(?P<about>the (?:[\w-]+ ){{0,2}}?[\w-]+)'s name is (?P<value>{_PROPER})",
        "name of {about}",
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:my|our) (?:[\w-]+ ){{0,2}}?[\w-]+)'s name is (?P<value>{_PROPER})",
        "name of {about}",
        ("person", "model"),
    ),
    Pattern("entity", rf"my (?:full )?name(?: is|'s) (?P<value>{_NAME})", "name of {who}"),
    Pattern(
        "entity",
        rf"(?:i'm|i am) (?P<value>{_CALLED})(?=$|,| (?:from|at|with|of|and|here|the)\b)",
        "name of {who}",
    ),
    Pattern("entity", rf"(?:please )?call me (?P<value>{_NAME})$", "name of {who}"),
    Pattern(
        "entity",
        r"(?P<about>(?:the|our|my) (?:[\w-]+ ){0,2}?[\w-]+) (?:is|was|has been) (?:now called|renamed(?: to)?|"
        r"renamed from (?P<was>[\w.-]+) to) (?P<value>[\w.-]+)$",
        "name of {about}",
        change=True,
    ),
)

_EVENT = r"(?P<about>(?:the|our|my) (?:[\w-]+ ){0,2}?[\w-]+)"
_MOVED = (
    r"(?:has |have |was |were |got |is )?(?:been )?(?:moved|postponed|pushed|brought forward|shifted|rescheduled)"
    r"(?: back)?"
)

ATTRIBUTES = (
    *_attribute(_NUMBERED, _NUMBER),
    *_attribute(_DATED, _DAY),
    *_attribute(_TEXTUAL, rf"(?:{_IP}|{_PROPER})"),
    *_attribute(_PLACED, _PLACE),
    Pattern(
        "entity",
        rf"(?P<about>(?:the|our|my) {_THING}) (?:is|are|runs?|listens?|(?:is|are) (?:reachable|available|running|"
        rf"hosted|served)) (?:now |still |currently )?(?:at|on|under) (?P<value>{_ADDRESS}){_UNTIL}",
        "address of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<value>{NAMED}) (?:now |currently )?(?:owns|is (?:now )?the owner of) (?P<about>(?:the|our) {_THING}?)"
        r"(?: now| from now on)?(?=$|,|;)",
        "owner of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        r"(?P<about>(?:the|our) (?:[\w-]+ ){0,2}?(?:job|build|tests?|suite|pipeline|deploy|deployment|migration|backup|"
        r"import|export|script|release|sync|ci)) (?:now |usually |currently )?takes? (?P<value>(?:about |around |"
        rf"roughly |up to |only )?\d[\d.,:-]* (?:milliseconds?|seconds?|minutes?|hours?|days?)){_UNTIL}",
        "duration of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        r"(?P<about>(?!(?:room|section|chapter|step|part|item|figure|table|rule|clause|article|page|unit|level)\b)"
        r"(?-i:[A-Z])[\w+#-]*) (?:version )?(?P<value>v?\d+\.\d[\w.]*\+?(?: or (?:newer|later|higher))?)"
        r" (?:is|are) (?:now )?(?:required|needed|mandatory|the minimum)\b",
        "version of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the |our )?{_THING}) (?:now )?(?:listens|runs|is running|is served|is reachable|is|lives) "
        r"(?:now )?(?:on|at) port (?P<value>\d{2,5})",
        "port of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the |our )?{_THING}) (?:has |was |"
        rf"is )?(?:now )?(?:been )?moved (?:from port (?P<was>\d{{2,5}}) )?"
        r"to port (?P<value>\d{2,5})",
        "port of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        r"(?:we|i)(?:'re| are|'ve| have|'m| am)? (?:now |still |currently |just )?(?:use|using|run|running|on|"
        r"upgraded(?: to)?|moved to|switched to|pinned|pin|target|support) (?P<about>(?-i:[A-Z])[\w.+#-]*|"
        r"[a-z]+ (?=version))"
        r"(?: from (?P<was>v?\d[\w.-]*) to)? (?:version )?(?P<value>v?\d+(?:\.[\w-]+)*)" + _UNTIL,
        "version of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        r"(?P<about>(?:the |our )?(?:[\w.+#-]+ )?[\w.+#-]+) (?:is|was|are|has been) (?:now |still |currently )?"
        rf"(?:at|on|upgraded to|bumped to|pinned to|moved to) (?:version )?(?!{_IP})(?P<value>v?\d+\.[\w.-]+){_UNTIL}",
        "version of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the|our|my) {_THING}) (?:is|are) due (?:on |by |at )?(?P<value>{_DAY}){_UNTIL}",
        "deadline of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?P<about>(?:the|our|my) {_THING}) (?:must|has to|have to|needs? to|should) be (?:done|finished|ready|"
        rf"shipped|delivered|released|merged|out) (?:on |by |before )(?P<value>{_DAY}){_UNTIL}",
        "deadline of {about}",
        change=True,
    ),
    Pattern(
        "entity",
        r"(?:this|that|it|all of this|the work|the change|this work)(?: is|'s) (?:for|about|tracked (?:in|as|by|under)|"
        r"filed (?:as|under)) (?P<about>ticket|issue|bug|case|pr) (?P<value>#?[\w-]*\d[\w-]*)",
        "{about}",
        open=True,
    ),
    Pattern(
        "entity",
        rf"(?:it's|it is|that's|that is|it was|it should be) not (?P<was>{_NUMBER}|{_PROPER}),? (?:but|it's|it is) "
        rf"(?P<value>{_NUMBER}|{_PROPER}){_UNTIL}",
        "",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?:it's|it is|that's|that is|it should be|it is now) (?P<value>{_NUMBER}|{_PROPER}),? (?:and )?not "
        rf"(?P<was>{_NUMBER}|{_PROPER}){_UNTIL}",
        "",
        change=True,
    ),
    Pattern(
        "entity",
        rf"(?:i meant|make that) (?P<value>{_NUMBER}|{_PROPER}),? (?:and )?(?:not|instead of) "
        rf"(?P<was>{_NUMBER}|{_PROPER}){_UNTIL}",
        "",
        change=True,
    ),
    Pattern(
        "entity",
        rf"{_EVENT} (?:is|was) (?:now )?(?:(?:planned|scheduled|set|due) )?(?:for|on|at) (?P<value>{_MOMENT}){_UNTIL}",
        "date of {about}",
    ),
    Pattern(
        "entity",
        rf"{_EVENT} {_MOVED} (?:from (?P<was>{_MOMENT}) )?to (?P<value>{_MOMENT}){_UNTIL}",
        "date of {about}",
        change=True,
    ),
)
