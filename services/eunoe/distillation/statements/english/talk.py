"""How people say in English what they did, do, have, are, like and plan, in talk. Pure data."""

from __future__ import annotations

from eunoe.distillation.door import Speaker
from eunoe.distillation.statements.english.words import DO, DOING, KIN, LIKE, MODEST, NAMED, PAST, THEY_DO
from eunoe.distillation.statements.language import Pattern

_BOTH: tuple[Speaker, ...] = ("person", "model")
_TIME = (
    r"(?:just )?(?:(?:last|next|this|this past|the other) (?:night|day|week|weekend|month|year|summer|winter|spring|"
    r"fall|mon\w*|"
    r"tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*|january|february|march|april|may|june|july|august|september|october|"
    r"november|december)|yesterday|recently|lately|today|(?:a few|two|three|a couple of|\d+) (?:days|weeks|months|"
    r"years) ago|a (?:day|"
    r"week|month|year) ago)"
)
LEAD = (
    rf"(?:{_TIME}|(?:on|in|since|after|during|at|over|when|while|growing up|these days|every|each|back)\b(?! i\b)"
    r"[^,]{0,48})"
)
_WHEN = rf"(?:{_TIME},? |{LEAD}, )?"
_SOFT = rf"(?:{MODEST} ){{0,3}}"
_MY = r"(?:my|our|one of my|one of our|some of my|a friend of mine|both my|all my)"
_SOME = rf"{_MY} (?:[\w'&-]+ ){{0,4}}?"
_THEIRS = (
    rf"(?:{_MY} (?:[\w'-]+ ){{0,2}}?{KIN}(?:,? (?-i:[A-Z]\w+),?)?|{_MY} {KIN} and (?:{_MY} )?\w+|"
    rf"an? (?:[\w-]+ )?{KIN} of mine)"
)
_ROLE = (
    r"(?:an?|the|from|in|at|on|born|based|married|single|divorced|engaged|pregnant|retired|allergic|vegan|vegetarian|"
    r"originally|responsible|in charge|left-handed|part of|member|{age})".replace("{age}", r"\d{1,2} years old")
)
_INTO = (
    r"(?:into|keen on|a (?:big |huge )?fan of|passionate about|interested in|fond of|addicted to|obsessed with|"
    r"allergic to|afraid of|scared of|terrified of|committed to|dedicated to|known for|good at|inspired by|"
    r"driven by|big on|focused on|set on|on the hunt for|after)"
)

_INNER = (
    r"(?:think|hope|wish|guess|feel|felt|know|mean|meant|agree|understand|see|believe|suppose|was|were|are|am|can|"
    r"can't|could|"
    r"couldn't|will|won't|would|wouldn't|should|shouldn't|might|may|must|don't|didn't|did|do|need|needed|gotta|get|"
    r"look|imagine|"
    r"promise|bet|swear|admit|remember|forget|forgot|appreciate|thank|apologize|ask|asked|say|said|wonder|doubt|"
    r"notice|noticed|"
    r"realize|realized|thought|knew|find|thought|really|just|honestly|also|still|even|haven't|hadn't|wasn't|weren't|"
    r"had|has|"
    r"want|wanted|never|always|totally|definitely|recommend|suggest|confirm|proceed|request|require|assume|expect|"
    r"all|both|"
    r"not|noticed|figured|made|mentioned|tell|told|like|love|hate|enjoy)"
)

TALK = (
    Pattern(
        "entity", r"i (?:no longer|don't) live (?:in|near|at) .{2,60}", "where {who} lives", _BOTH, plain=1, change=True
    ),
    Pattern(
        "entity",
        r"i (?:now |currently |still |actually )*live (?:in|near|at) (?P<value>[^,;]{2,60}?)(?=$|,|;| (?:and|but|"
        r"with|now|since|right|in a|in an)\b)",
        "where {who} lives",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "entity",
        r"i (?:now |currently |still )?work (?P<value>(?:as an?|for|at) [^,;]{2,60}?)(?=$|,|;| (?:and i|but|now|"
        r"since)\b)",
        "where {who} works",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "preference",
        rf"{_WHEN}(?:i|we) {_SOFT}(?:{LIKE}|can't stand) (?!to (?:know|think|hear|see|just|take a)\b).+",
        "{who} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "preference",
        rf"{_WHEN}(?:i'm|i am|we're|we are|i've been|i was) {_SOFT}{_INTO} .+",
        "{who} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "preference",
        rf"(?:i|we) {_SOFT}(?:have|had|'ve|'ve always had) {_SOFT}a (?:love|passion|weakness|soft spot) (?:for|of) .+",
        "{who} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "preference",
        r"(?!what|how|when|if|this|that|gives|makes|helps|keeps|brings)[\w'-]+(?: [\w'-]+){0,8}? (?:(?:always |"
        r"really )?(?:matters?|means? (?:a lot|everything)|is (?:so |really |super "
        r"|very )?important) to me|(?:always |really |usually )?(?:helps?|keeps?|makes?|brings?|gives?|motivates?|"
        r"inspires?|relaxes) "
        r"me .+)",
        "{own} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "preference",
        r"my (?:[\w-]+ )?fav(?:ou?rite|e)?\b.+ (?:is|are|was|has been) .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "preference",
        r"(?!what|how|when|if)[\w'&-]+(?: [\w'&-]+){0,7}? (?:is|are|'s) (?:always )?my (?:\w+ )?(?:fav\w*|go-to|"
        r"passions?|hobby|"
        r"hobbies|escape|happy place|top pick|stress reliever)\b.*",
        "{who} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern("note", rf"{_WHEN}(?:i|we)(?: have|'ve| had|'d)? {_SOFT}{PAST}\b.+", "{who} {topic}", _BOTH, plain=2),
    Pattern("note", rf"{_WHEN}(?:i've|i have|we've|we have) {_SOFT}been {_SOFT}\w+.+", "{who} {topic}", _BOTH, plain=2),
    Pattern(
        "note", rf"{_WHEN}(?:i'm|i am|we're|we are|i was|we were) {_SOFT}{DOING} .+", "{who} {topic}", _BOTH, plain=2
    ),
    Pattern(
        "note",
        rf"{_WHEN}(?:i'm|i am|we're|we are|i|we)?\s*(?:gonna|going to|planning to|planning on|hoping to) {_SOFT}\w+ .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"{_WHEN}(?:i|we) {_SOFT}(?:want to|wanna|plan to|hope to|intend to|used to|have to|am about to) .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"{_WHEN}(?:i|we)(?:'ve)? {_SOFT}(?:don't |do not |no longer |didn't |never )?(?:have got|got|have|{DO}|"
        rf"(?!{_INNER}\b)[a-z-]{{3,}}) .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"(?:i'm|i am) {_SOFT}(?:not |no longer |now )?an? (?!big\b|bit\b|huge\b|little\b)[\w-]+(?: [\w-]+){{0,3}}$",
        "{who} {topic}",
        _BOTH,
        plain=1,
    ),
    Pattern(
        "note",
        rf"(?:i'm|i am|we're|we are|i was) {_SOFT}(?:not |no longer |now )?{_ROLE}(?: .+|$)",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"{_WHEN}{_THEIRS} (?:{MODEST} )?(?:is|are|was|were|has|have|had|'s|'ve|{THEY_DO}|{PAST}|used to|"
        rf"wants? to)\b.+",
        "{own} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"{_WHEN}{_SOME}(?:{MODEST} )?[\w'-]+ (?:is|are|was|were|has been|started|opened|begins|starts|ended|"
        rf"includes?)\b.+",
        "{own} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern("note", rf"{NAMED} (?:{MODEST} )?(?:is|was) {_ROLE} .+", "{own} {topic}", _BOTH, plain=2),
    Pattern("note", rf"{NAMED} (?:{MODEST} )?(?:has|{THEY_DO}|{PAST}|will) .+", "{own} {topic}", plain=2),
    Pattern(
        "note",
        rf"(?:i'm|i am|we're|we are) {_SOFT}(?:determined|ready|eager|willing|about) to .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"(?:i'm|i am|we're|we are) {_SOFT}(?:busy|swamped|done|finished|friends) .+",
        "{who} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        rf"(?:(?:just |recently |finally |also )+{PAST}|(?:just |also )*(?:been |still |"
        rf"currently )+(?:busy )?\w+ing) .+",
        "{own} {topic}",
        _BOTH,
        plain=2,
    ),
    Pattern(
        "note",
        r"(?:lost|got back|got the|got an?|took|signed up|started|signed up|joined|bought|moved|went|finished|"
        r"visited|met|made|had) .+",
        "{who} {topic}",
        _BOTH,
        plain=3,
    ),
    Pattern(
        "note",
        r"(?:researching|looking into|planning|starting|working on|training|studying|finishing up|learning|"
        r"volunteering) .+",
        "{who} {topic}",
        _BOTH,
        plain=3,
    ),
)
