"""How English states tasks, the state of things, decisions and preferences. Pure data."""

from __future__ import annotations

from eunoe.distillation.door import Speaker
from eunoe.distillation.statements.english.attributes import ATTRIBUTES, NAMES
from eunoe.distillation.statements.english.words import DAY_OR_MONTH, DIRECTED, KIN, NAMED, NO_NAME
from eunoe.distillation.statements.language import NEVER, Pattern

_STATE = (
    r"(?:all )?(?:green|red|failing|broken|passing|down|offline|online|flaky|fixed|blocked|unblocked|frozen|unfrozen|"
    r"merged|deployed|deprecated|archived|released|disabled|enabled|read-only|up and running|back up|back online|"
    r"unavailable|out of date|up to date|paused|live|stuck|unstable|stable|up(?= again))"
)
_STATE_OF = (
    r"(?:(?:has |have )(?:been )?|is |are |'s |isn't |aren't |was |were |went |turned |got |keeps (?:on )?|keep )"
)
_HOW = r"(?:(?:still|now|currently|again|already|no longer|not|finally|back to|back|being|completely|all) ){0,2}"
_CHECKS = (
    r"(?P<about>(?:the |our |all |all the |all of the )?(?:[\w.-]+ ){0,2}?(?:ci|builds?|tests|test suite|pipeline|"
    r"test run|checks|nightly))"
)
_WHERE = r"(?: (?:on|in|for|of) (?:the )?[\w./-]+(?: [\w./-]+)?)?"
_WORD = r"(?!(?:is|are|was|were|and)\b)[\w./-]+"
_PARTS = (
    rf"(?P<about>(?:the|our) (?:{_WORD} ){{0,3}}?{_WORD}|"
    rf"(?-i:(?!{NO_NAME}\b|Every|Any|Some)[A-Z][\w.-]+(?: [A-Z][\w.-]+)?))"
)

_AGAIN = r"(?:works? again|(?:is|are|'s) (?:now |finally )?(?:working again|back(?: again| to normal)?(?=$| since\b)))"

STATES = (
    Pattern("tests", rf"{_CHECKS}{_WHERE} {_STATE_OF}{_HOW}{_STATE}\b", "{about}", open=True, change=True),
    Pattern(
        "tests",
        rf"{_CHECKS}{_WHERE} (?:fails?|pass(?:es)?|failed|passed|broke|do(?:es)? not pass|don't pass|"
        r"doesn't pass)(?: again| now| for| on| with| since|$)",
        "{about}",
        open=True,
        change=True,
    ),
    Pattern("tests", rf"{_CHECKS}{_WHERE} {_AGAIN}", "{about}", open=True, change=True),
    Pattern("note", rf"(?!(?:the|our) {KIN}\b){_PARTS}{_WHERE} {_AGAIN}", "{about}", open=True, change=True),
    Pattern(
        "note",
        rf"{_PARTS}{_WHERE} {_STATE_OF}{_HOW}{_STATE}(?: again| now| for now| since| until| at the moment|"
        r" by| on|$)",
        "{about}",
        open=True,
        change=True,
    ),
)

TASKS = (
    Pattern(
        "task",
        r"(?:so )?(?:your (?:new |next |main |current |first )?(?:task|job|assignment|goal|mission)|"
        r"the (?:new |next |main |current |first )?(?:task|assignment))"
        r"(?: (?:here|now|today|for (?:you|now|today)))?(?: is|'s|:)(?: now)?(?: to| that you)?:? (?P<value>.{8,})",
        "current",
        open=True,
        whole=True,
    ),
    Pattern(
        "task",
        r"(?:now |next )?(?:what )?(?:i|we) (?:now )?(?:want|need|would like|'d like) you to (?:please )?"
        r"(?P<value>(?!(?:know|be|understand|remember|note|wait|stop|tell|explain|help|check|see|look|read|say|answer|"
        r"confirm|go|proceed|do|try)\b).{8,})",
        "current",
        open=True,
        whole=True,
    ),
)

_NAMED_ONE = r"(?:the )?[\w.+#-]+(?: [\w.+#-]+)?"
_FOR = r"(?:for|as) (?:the|our) (?P<about>[\w-]+(?: [\w-]+){0,2}?)"
BARE = (  # a date, a number or a pronoun alone, which does not say what it is of
    rf"(?:(?:{DAY_OR_MONTH}|\d[\w.:/%-]*|it|that|this|those|these|them|one|ones|first|second|third|last|former|latter|"
    r"other|same|previous|both|option \w+|mine|yours|his|hers|the|of|on|at|by|next|week|month|tomorrow|today|"
    r"tonight|noon|instead|then|now|again|for|too|please)(?:,? |$))+$"
)
_INSTEAD = r"(?: (?:instead of|rather than|and not) (?P<was>[\w .-]{1,40}))?"


def _decisions(we: str, lets: str, whose: Speaker) -> tuple[Pattern, ...]:
    """How who speaks says what is decided: ``we`` did, or ``lets`` do."""
    decided = rf"{we}(?:'ve| have)? (?:finally |now |just |both |all )?(?:decided|agreed|settled|resolved|opted|chose)"
    forms = (
        (rf"{decided} (?P<what>to (?:switch|move|change) from (?P<was>[\w .-]{{1,40}}?) to .{{2,}})", "{topic}", True),
        (
            rf"{decided} (?P<what>(?:not to (?:use|go with|switch to|move to)|against(?: using| going with)?) "
            rf"(?P<was>{_NAMED_ONE}))(?: after all)?$",
            "{topic}",
            True,
        ),
        (
            rf"{we}(?: won't| will not| are not going to|'re not going to|'m not going to|'re not|"
            rf" are not|'m not) (?P<what>(?:use|using|go with|going with|switch to|move to) "
            rf"(?P<was>{_NAMED_ONE})(?: for .{{2,}}?)?) after all$",
            "{topic}",
            True,
        ),
        (rf"{decided} (?P<what>(?:to|on|that|against|for|not to) .{{3,}}? {_FOR})$", "{about}", False),
        (
            rf"{decided} (?P<what>(?:to|on|that|against|for|not to) (?!(?:go with |use |take )?{BARE}).{{3,}})",
            "{topic}",
            False,
        ),
        (
            rf"{lets} (?:now |just )?(?:go with|stick with|stick to|settle on|use|switch to|move to) "
            rf"(?P<what>.{{2,}}?) {_FOR}(?: instead| now)?(?: of (?P<was>[\w .-]{{1,40}}))?$",
            "{about}",
            True,
        ),
        (
            rf"{lets} (?:now |just )?(?P<what>(?:go with|stick with|stick to|settle on|switch to) (?!{BARE}).{{2,}}?)"
            rf"(?: then)?{_INSTEAD}$",
            "{topic}",
            False,
        ),
        (rf"{we} (?:now |just )?(?P<what>went with (?!{BARE}).{{2,}}?){_INSTEAD}$", "{topic}", False),
        (
            rf"{we} (?:now )?(?P<what>(?:go|stick) with (?!my |our |them|him|her|(?:the )?{KIN}\b|{BARE}).{{2,}}?) "
            r"(?:then|instead)$",
            "{topic}",
            False,
        ),
        (rf"(?:the |our |my )?(?:final )?decision: (?!{BARE})(?P<value>.{{4,}})", "{topic}", False),
        (r"(?:the |our |my )?(?:final )?decision(?: is| was)(?: that| to)? (?P<what>.{4,})", "{topic}", False),
        (r"(?:it (?:is|was|has been) |it's )(?:decided|settled|agreed)(?: that|:) (?P<what>.{4,})", "{topic}", False),
    )
    return tuple(Pattern("decision", form, name, (whose,), change=change) for form, name, change in forms)


# A model settles things with somebody; what it does by itself is no decision.
DECISIONS = (
    *_decisions("(?:we|i)", "(?:let's|let us|we'll|we will|we are going to|we're going to|i'll|i will)", "person"),
    *_decisions("we", NEVER, "model"),
)

_NO_WISH = (  # what somebody would rather do just now
    r"(?:go (?!over\b|above\b|below\b|beyond\b|under\b|with\b)|(?:wait|speak|tell|ask|answer|work|start|close|read)\b)"
)

PREFERENCES = (
    Pattern(
        "preference",
        r"(?:please )?(?P<value>keep (?:your |the |all |all the )?(?:answers?|replies|responses|messages|commits?|"
        r"functions|"
        r"changes|lines|names|tests|comments|explanations|summaries|sentences|docs|output) .{4,})",
        "{topic}",
    ),
    Pattern("preference", r"(?:from now on|in future|going forward),? (?P<what>.{4,})", "{topic}"),
    Pattern(
        "preference",
        rf"(?P<about>{NAMED}|he|she) (?:now |really |always |usually |much )?"
        r"(?:prefers?|insists on|wants|likes|dislikes|hates|can't stand|loves) (?!to know\b|you\b|me\b|"
        r"us\b)(?P<what>.{3,})",
        "{about} {topic}",
    ),
    Pattern(
        "preference",
        r"(?:i|we)(?:'d| would)? (?:now |really |always |usually |much |generally )?prefer .{3,}",
        "{who} {topic}",
        plain=1,
    ),
    Pattern(
        "preference",
        rf"(?:i|we)(?:'d| would) (?:much )?rather (?:not )?(?P<what>(?!{_NO_WISH})(?:{DIRECTED}|spend|pay|exceed|fly|"
        r"edit)\b .{3,})",
        "{who} {topic}",
    ),
    Pattern(
        "preference",
        r"(?:i|we) (?:really )?(?:don't|do not) (?:really |much )?(?:like|enjoy) .{3,}",
        "{who} {topic}",
        plain=1,
    ),
    Pattern("preference", rf"(?:please )?(?P<value>(?:always|never) (?:{DIRECTED})\b .{{3,}})", "{topic}"),
    Pattern(
        "preference", r"(?:please )?(?P<value>(?:keep to|stick to|stay with|make sure to always) .{3,})", "{topic}"
    ),
    Pattern(
        "preference",
        r"(?:please )?(?P<value>(?:use|write|prefer) .{2,60}?(?:, not|,? and not| instead of| rather than|"
        r" over) .{2,60})",
        "{topic}",
    ),
    Pattern(
        "preference",
        r"(?:please )?(?P<value>(?:don't|do not) (?:ever )?(?:use|commit|push|touch|add|write|mock|merge|"
        r"change|edit|deploy|delete|rename|format|force-push) .{3,})",
        "{topic}",
    ),
)

FACTS = (*TASKS, *NAMES, *ATTRIBUTES, *STATES, *DECISIONS, *PREFERENCES)
