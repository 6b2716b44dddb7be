"""How English says what something is called, its numbers and dates, and that they changed. Pure data."""

from __future__ import annotations

from eunoe.distillation.statements.language import Pattern

_THING = r"(?:[\w.+#/'-]+ ){0,3}?[\w.+#/'-]+"
_NAME = r"(?-i:[A-Z][\w.'-]*(?: (?:of|the|de|van|von|[A-Z][\w.'-]*)){0,3})"
_QUOTED = r"[\"\u201c'][^\"\u201d']{1,60}[\"\u201d']"
_PROPER = rf"(?:{_QUOTED}|{_NAME}|https?://[^\s,;]+|[a-z]\w*(?:[-_.]\w+)+)"
_OF = r"(?: (?:of|for|on|behind|to) (?:all (?:of )?)?(?:this|that|it|these)(?: work| task)?)?"
_OWNED = r"(?:the|our|my|this|(?-i:[A-Z]\w*)'s|the [\w-]+'s)"
_IS = r"(?:is|are|'s|was|will be|should be|becomes|has become|would be)"
_NOW = (
    r"(?:is now|are now|'s now|is no longer [^,;]{1,40}? but|has been (?:changed|moved|updated|bumped|postponed|pushed)"
    r"(?: back| forward| up)? to|(?:was|were|got) (?:changed|moved|updated|bumped|postponed|pushed)(?: back|"
    r" forward| up)? to"
    r"|(?:has |have )?(?:moved|changed|moves|changes|slipped) to)"
)
_FROM_TO = (
    r"(?:has |have |was |were |got |is )?(?:been )?(?:moved|changed|went|bumped|updated|renamed|switched) from"
    r" (?P<was>[^,;]{1,60}?) to"
)

_NUMBERED = (
    r"(?:(?:jira|github|support) )?(?:ticket|issue|bug|pull request|pr|merge request|case|port|version|build|order|"
    r"invoice|extension|room|account|reservation|confirmation|user|customer|tracking|id|timeout|budget|limit|quota|"
    r"phone|threshold)(?: (?:number|id|code|key|no\.?))?"
)
_NUMBER = (
    r"(?:number |no\.? |#)?(?=[^\s]*\d)[#\w][\w.:/#-]*(?: ?(?:%|percent|ms|seconds?|minutes?|hours?|days?|[kmg]i?b|"
    r"euros?|dollars?|usd|eur|[a-z]{3,}s))?"
)
_DATED = (
    r"(?:(?:release|due|launch|ship|start|end|freeze|demo|cut-?off) date|deadline|code freeze|launch|due day|go-live|"
    r"birthday|anniversary)"
)
_DAY = (
    r"(?:on |by )?(?:the )?(?:next |this |end of )?(?=[^,;]*(?:\d|day\b|tomorrow|week|month|(?-i:January|February|"
    r"March|April|May|June|July|August|September|October|November|December)))[\w.:/-]+(?: [\w.:/-]+){0,4}?"
)
_MOMENT = (
    r"(?:the )?(?=[^,;]*(?:\d{1,2}:\d\d|\d{4}-\d\d-\d\d|day\b|tomorrow|(?-i:January|February|March|April|May|June|July|"
    r"August|September|October|November|December)))[\w:/-]+(?: [\w:/-]+){0,5}?"
)
_TEXTUAL = (
    r"(?:code ?name|working title|name|owner|reviewer|maintainer|author|lead|tech lead|manager|contact|point of "
    r"contact|main branch|default branch|branch|repository|repo|database|framework|region|staging (?:host|server|url)|"
    r"host|hostname|address|email|e-mail|native language|hometown)"
)
_UNTIL = r"(?=$|,|;|:| (?:and|but|so|for now|now|from now on|at the moment|not|instead|again)\b)"


def _attribute(kind: str, value: str) -> tuple[Pattern, ...]:
    """One attribute of a thing, as it is, as it is now, and from what it changed."""
    about = rf"(?P<about>{_OWNED} (?:[\w-]+ ){{0,2}}?{kind}(?: (?:of|for|on) {_THING}?)??){_OF}"
    instead = r"(?:(?:,| and) not (?P<was>[^,;]{1,40}?)(?=$|,|;))?"
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
    *_attribute(_TEXTUAL, _PROPER),
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
        r"(?:at|on|upgraded to|bumped to|pinned to|moved to) (?:version )?(?P<value>v?\d+\.[\w.-]+)" + _UNTIL,
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
