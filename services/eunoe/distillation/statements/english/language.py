"""English, as far as statements are drawn from it. Pure data."""

from __future__ import annotations

from eunoe.distillation.statements.english.dates import DATES
from eunoe.distillation.statements.english.talk import LEAD, TALK
from eunoe.distillation.statements.english.words import ASIDE, EMPTY, KIN, LITTLE, NAMED, NO_NAME
from eunoe.distillation.statements.english.work import BARE, FACTS
from eunoe.distillation.statements.language import NEVER, Language

_CALLED = rf"(?-i:(?!{NO_NAME}\b)[A-Z][a-z]+)"
_EXCLAIMED = (
    r"(?:wow|woah|whoa|yeah|yes|yep|yup|nope|no|oh|ah|aw|aww|hey|hi|hello|ok|okay|sure|thanks|thank you|thx|cool|great|"
    r"nice|awesome|right|well|hm+|haha|lol|congrats|absolutely|definitely|totally|exactly|sorry|sounds good|no worries|"
    r"good|perfect|understood|alright|all right|true|man|ha|oops|done|no problem|you're right|i see|got it)"
)
_OPENINGS = "|".join(
    (
        rf"{_EXCLAIMED}(?:,? {_CALLED})?(?: so much| a lot| a bunch| again)?(?:[,.!:]| -| \u2013| —)+ ",
        rf"{_EXCLAIMED} {_CALLED}(?:[,.!])? (?=i\b|i'|we\b|my\b)",
        r"(?:yeah|oh|wow|yep|yup|well) (?=i\b|i'|we\b|we'|my\b|they|it)",
        rf"{_CALLED}, (?=i\b|i'|we\b|we'|my\b|our\b|the\b|thanks|it|just\b)",
        r"(?:by the way|btw|fyi|for the record|one more thing|also|actually|so|and|but|or|plus|then|now|oh|anyway|"
        r"honestly|luckily|"
        r"unfortunately|fortunately|basically|besides|hopefully|first of all|to be honest|in fact|as for me|for me|"
        r"as you know|"
        r"just so you know|heads up|correction|update|turns out|it turns out|guess what|last|next|finally|"
        r"since (?:we|our) (?:last )?\w+(?: last)?|"
        r"on another note|in the meantime|meanwhile|on a (?:lighter|different) note|speaking of which|"
        r"as a matter of fact|not too soon|long story short)(?:,|:| -| \u2013| —) (?:that )?",
        r"since (?:we|our) (?:last )?\w+(?: last)?,? (?=i\b|i'|my\b|we\b)",
        r"(?:and|but|so|plus) (?=\S)",
        r"(?:actually|sorry|oh|no|wait) (?=it's|it is|the |our |that's|i meant|make that)",
        r"(?:please )?(?:and )?(?:you should |just so you |please )?(?:know|be aware)(?: that)? (?=\S)",
        r"i (?:think|believe|guess|figured|realized|realised|remember|found out|heard|learned) that ",
        r"(?:the|my) (?:\w+ )?(?:thing|part|news|point|plan)(?: to deal with| for me)? is(?: that)? ",
        r"(?:i should mention|i wanted to (?:say|tell you)|i must say|let me tell you|i can tell you)(?: that)? ",
    )
)
_SUBJECT = r"(?:i|we|it|he|she|they|that|this|you|there|what|here)(?:'\w+)?"
_FINITE = (
    r"(?:is|are|was|were|has|have|had|will|can|went|got|made|did|do|does|fails?|pass|passes|moved|prefers?|"
    r"keeps?|love|loves|\w{3,}ed)"
)
_JOINTS = "|".join(
    (
        r"(?<=\b(?:me|us|it|in|am|is|no|up|so)\.)\s+(?=(?-i:[A-Z]))",
        r"(?<=\S)\s*(?:;|\s[-\u2013—]+\s|(?<=\w)[-\u2013]\s|—|(?<=\w)--+(?=\w)|…|\.\.\.)\s*",
        rf"(?:,)?\s+(?=(?:and|but|so|though|although|yet) (?:{_SUBJECT}\s|(?:my|our|the|CI|"
        rf"(?-i:[A-Z][a-z]+)) (?:[\w'-]+ ){{0,3}}?{_FINITE}\b))",
        r",?\s+(?=(?:so|and|but) (?:maybe|hopefully|let's|if|can't|perhaps)\b)",
        rf"(?:,)?\s+(?=(?:and|but) (?-i:[A-Z][\w]+) {_FINITE}\b)",
        r",?\s+(?=(?:and|but) (?:(?:all|the) )*[\w-]+ (?:is|are|was|were)\b)",
        r",\s+(?=(?:it|it's|that's|that was|that is|this is|which|what a|i|we|you|you're|they|he|she|please|so keep|"
        r"so please|let's)\b)",
        r",?\s+(?=(?:so|cuz|'cause|because) (?:it|that|you|they)\b)",
        r",\s+(?=(?:had|felt|loved) )",
        r",\s+(?=(?:take a look|check (?:it|this)|look|right|huh|man|you know|thanks)\b)",
        r",\s+(?=(?:so|and|but) (?:please|keep|use|do|don't|excited|happy|proud|thankful|grateful|can't)\b)",
        r",?\s+(?=(?:which|(?:and|that)(?= (?:it )?(?:was|is|has|felt|meant))) (?:it )?(?:was|is|has been|felt|"
        r"really|made|makes|meant) (?:so|really|super|such|pretty|quite|very|"
        r"truly|great|awesome|amazing|fun|me|a )\b)",
    )
)
_ASIDES = "|".join(
    (
        r"(?:what|why|who|where|when|how|which|whose|do(?! not)|does|did|is|are|was|were|can|could|would|will|"
        r"should|have|"
        r"has|am|any|"
        r"anything|wanna|got any|if|unless|whether|maybe|perhaps|let me|let's see|imagine|suppose|assuming|"
        r"say)\b(?!ed)",
        r"(?:thanks|thank|congrats|congratulations|sorry|welcome|bye|see you|talk to you|good (?:luck|morning|night|"
        r"to))\b",
        rf"(?:i|we)(?:'ve| have)? (?:finally |now |just )?(?:decided|agreed|settled|opted|chose|went)"
        rf"(?: on| for| with| to use)? {BARE}",
        r"(?:i|we) (?:hope(?! to)|wish|guess|bet|wonder|think|feel|know|mean|agree|understand|see|apologize|believe|"
        r"suppose) ",
        r"(?:i|we)(?:'d(?! \w+ed\b)| would|'ll| will| can| could| should| might| may| must) (?!prefer|now call|name|"
        r"use\b|not (?:use|go with|switch to|move to)\b|(?:much )?rather\b|go with|stick|settle|"
        r"switch|move to|call)",
    )
)
_ABOUT_YOU = r"(?:you|your|yours|yourself|u|ur|ya|y'all|you'\w+)"
_SPEAKERLESS = (  # with which a sentence begins that leaves out who speaks: "Been busy with the garden."
    r"been|got|gotten|had|went|gone|came|started|finished|took|made|moved|bought|found|lost|won|met|saw|signed|joined|"
    r"visited|tried|spent|planning|thinking|working|looking|hoping|trying|taking|going"
)
_UNSAID = "|".join(
    (
        rf"\b{_ABOUT_YOU}\b",
        r"\b(?:if|unless|would|could|should|might|maybe|perhaps|wish|wondering|guess|whatever|somehow|hopefully)\b",
        r"\b(?:i'd|we'd) (?!prefer)",
        r"\b(?:can't wait|looking forward|look forward|feels? like|felt like|seems?|sounds?|looks? (?:like|great|"
        r"good)|kind of thing)\b",
        r"\b(?:agree|appreciate (?:it|the)|mean(?:s|t)? (?:a lot|so much)|grateful|thankful|proud of|excited|"
        r"thrilled|pumped|stoked|"
        r"happy|glad|lucky|blessed|hopeful|gratitude|overwhelmed|feeling|positive|optimistic|motivated|we all|"
        r"remember)\b",
        r"\b(?:gonna|going to) be\b|\bwon't\b|\bour future\b|\bas a team\b|\blast chat\b|\bfe(?:el|els|lt)\b|"
        r"\bwe need\b",
        r"\b(?:this|that|the|these|those|an?|here's my|here's our) (?:\w+ )?(?:pics?|photos?|pictures?|snaps?)\b",
        r"\b(?:great|good|awesome|amazing|fun|nice|cool|wonderful|incredible|fantastic|hard|tough|busy) (?:time|day|"
        r"work|job|idea|luck|"
        r"experience|feeling|blast)\b(?! (?:at|in|with|on|last|this) )",
        r"\b(?:got it|got this|had a blast|no problem|a lot on my|so much|come a long way|make a difference|"
        r"one step|step by step|"
        r"keep going|give up|take care|be back)\b",
        r"\b(?:etc|blah)\b|[?*#<>{}|\[\]]",
        r"\b(?:right now|at the moment|following|below|above|as follows)\b",
    )
)
_LAST = (
    r"(?=\s*(?:[,.;:!)]|$)|\s+(?:and|but|or|with|for|from|in|at|on|to|of|when|while|last|next|yesterday|today|as|is|"
    r"was|are|were|"
    r"so|too|because|since|even|really|all|again|up|out|off|down|over|before|after|into|by|if|will|has|have|had|can|"
    r"made|makes|"
    r"soon|now|more|right|every|through|around|back|together|away)\b)"
)
_POINTING = (
    (
        r"\b(?:it(?! *\Z)|it's|its|itself)\b",
        r"\b(?:an?|the|my|our|this|that|new|local) (?!lot\b|bit\b|time\b|way\b|moment\b)[\w'-]*[^\Ws]\b",
    ),
    (
        r"\b(?:them|they|they're|they've|their|theirs)\b",
        rf"\b(?:some|two|three|four|these|those|many|other|few|all|\d+) [\w'-]+|\b{KIN}\b|\b(?:people|folks|"
        rf"everyone)\b|"
        r"\b(?!this\b|was\b|is\b|has\b)[\w-]{3,}s\b",
    ),
    (r"\b(?:he|she|he's|she's|him|his|hers|her)\b", rf"\b{KIN}\b|(?<=[a-z] )(?-i:[A-Z][a-z]+)"),
    (
        rf"\bit *\Z|\b(?:to|at|from|in|about|with|for|on) (?:that|those) \w|(?<!so )\b(?:this|that|these|those|one|"
        rf"ones){_LAST}|\b(?:that's|there(?! for (?:me|us)\b)|here|the same|the others?|this way|that way|"
        r"it [\w']+$|been one|like (?:this|that)|either|neither|do so|(?:those|these|this|that) (?:things?|moments?|"
        r"journey|one|stuff|kind|part))\b",
        NEVER,
    ),
)
_PERSONAL = "|".join(
    (
        r"\b(?:my|our|us|myself|ourselves|yesterday|tonight|ago|childhood|birthday|weekend|christmas|thanksgiving)\b",
        r"\b(?:last|next|this) (?:night|week|month|year|summer|winter|spring|fall|monday|tuesday|wednesday|thursday|"
        r"friday|saturday|sunday)\b",
        rf"\b{KIN}\b",
        r"\b(?:love|loved|enjoy|enjoyed|hobby|passionate|into|keen|fan|volunteer\w*|paint\w*|danc\w*|pottery|yoga|"
        r"gym|kickboxing|workout|"
        r"adopt\w*|married|hik\w*|camp\w*|swim\w*|church|shelter|school|college|degree|job|career|campaign|politics|"
        r"music|guitar|piano|"
        r"violin|concert|festival|park|beach|trip|travel\w*|vacation|shop|business|studio|store|community|charity|"
        r"marathon|race|cook\w*|"
        r"bak\w*|garden\w*|museum|movie|movies|restaurant|home|house|town|country|military|veteran\w*|dinner|lunch|"
        r"party|mentor\w*|"
        r"counsel\w*|fashion|internship|therapy|health|recipe|outfits?|cobbler|(?:writing|poetry|art|fitness) class|"
        r"support group|conference|parade|art|poetry|novel|book|books|photograph\w*|picnic|competition|team|kids)\b",
    )
)
_WORKING = (
    r"\b(?:code|files?|tests?|functions?|repository|repo|commit|branch|scripts?|commands?|tools?|outputs?|errors?|"
    r"bugs?|servers?|"
    r"databases?|config\w*|settings?|api|builds?|logs?|documentation|reservations?|bookings?|flights?|user id|"
    r"requests?|options|"
    r"payments?|refunds?|changes|fix|patch|modules?|methods?|directory|folder|results?|summary|analysis|answers?|"
    r"approach|"
    r"instructions|policy|tasks?|assist\w*|ticket|traceback|implement\w*|parser|release|pipeline|review\w*|"
    r"removed?|updated?|added?|check(?:ed|ing)?|verif\w+|fixed|search(?:ed|ing)?|cancell?ed|booked|processed|"
    r"transferred|renamed|"
    r"rewrote|refactor\w*|install\w*|deploy\w*|execut\w+|debug\w*|variables?|cache|lines?|classes|cases?|query|queries|"
    r"found|cost|costs|prices?|airlines?|airports?|agent|user|customer service|information|profile|available|cabin|"
    r"passengers?)\b"
)
ENGLISH = Language(
    code="en",
    speakers={"person": "user", "model": "assistant"},
    patterns=(*FACTS, *TALK),
    openings=_OPENINGS,
    closings=rf"(?:, (?-i:[A-Z][a-z]+)|,? (?:too|though|lol|haha|as well|{ASIDE}))+\Z",
    asides=_ASIDES,
    joints=_JOINTS,
    lead=rf"{LEAD}|(?:my|our)(?: [\w'-]+){{1,2}}|{NAMED}",
    unsaid=_UNSAID,
    pointing=_POINTING,
    pronoun=r"he|she|they",
    named=rf"(?P<name>{NAMED}) (?:will|can|\w+s|\w+ed)\b",
    own=r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b"
    rf"|\A(?:(?:just|recently|finally|already|also|still) )*(?:{_SPEAKERLESS})\b",
    reflexive=r"my",
    remember=r"(?:please |also |and )*(?:remember|note|don't forget|do not forget|keep in mind|bear in mind|"
    r"make a note|mind)"
    r"(?: that|:|,) (?=\S{1,}.{5})",
    personal=_PERSONAL,
    working=_WORKING,
    articles=frozenset({"the", "a", "an", "this", "our", "your", "all"}),
    empty=EMPTY,
    little=LITTLE,
    dates=DATES,
)
