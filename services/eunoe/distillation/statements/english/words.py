"""Words of English by what they are good for when statements are drawn from its sentences. Pure data."""

from __future__ import annotations


def any_of(words: str) -> str:
    """A form that matches one of the words (alternatives without their own groups), the longer ones first."""
    return "(?:" + "|".join(sorted(words.split(), key=len, reverse=True)) + ")"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ASIDE = (  # said beside something, and no part of it
    r"(?:by the way|btw|fyi|afaik|iirc|as far as i know|if i remember (?:right|rightly|correctly)|"
    r"(?<!what )(?<!how )(?<!as )i (?:think|believe|guess|suppose))"
)

DAY_OR_MONTH = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?|may|"
    r"january|february|march|april|june|july|august|september|october|november|december)"
)

# What people did: past forms and participles, of verbs that say something concrete.
_NO_DEED = (
    r"(?:need|want|agre|seem|hop|wish|believ|figur|mention|notic|realiz|realis|amaz|impress|excit|thrill|feel|ask|"
    r"wonder|"
    r"assum|suppos|ne|ag|bles|pleas|relat|concern|scar|surpris|confus|tir|bor|inde|hundr|overwhelm|inspir|motivat|"
    r"determin|look|liv|touch)"
)
PAST = (
    rf"(?:(?!{_NO_DEED}ed\b)[a-z]{{2,}}ed|"
    + any_of("""
    adopted applied ate attended auditioned baked became been began bought broke brought built called came camped
    caught celebrated chose chosen climbed collaborated competed completed cooked created danced designed donated
    drawn drew driven drove earned ended enrolled entered expanded explored finished fixed flew flown founded gave
    given gone got gotten graduated grew grown had hiked hired hosted injured invested joined launched learned
    learnt left lost made married met moved named opened organised organized painted participated passed performed
    planted played practiced presented promoted published purchased quit raised ran read received recovered
    rehearsed renovated rented retired rode sang saved saw secured seen sewed signed skated sold spent spoke spoken
    spotted started studied swam switched taken talked taught teamed took tore trained transitioned traveled
    travelled tried turned visited volunteered walked watched went won worked wrote written grabbed stumbled
    reconnected set put hurt cut held hung lent did bet lit shot shut slept stood swept threw woke""")
    + ")"
)

# What people are doing or about to do.
DOING = (
    r"(?:(?!(?:feel|be|lov|go|say|wonder|ask|call|hop|stay|keep|enjoy|hav|try|tell|send|gett|see|look|"
    r"remember)ing\b)[a-z-]{2,}ing|"
    + any_of("""
    applying attending baking becoming building campaigning carving caring collaborating collecting considering
    cooking creating dancing designing developing doing donating dreaming expanding exploring getting giving going
    growing helping hoping hosting interviewing investing job-hunting joining launching leading learning leaving
    living looking making mentoring moving offering opening organising organizing painting performing planning
    playing practicing preparing pursuing quitting raising reading rehearsing renovating renting researching running
    saving searching seeing selling sewing singing starting studying swimming taking talking teaching thinking
    training transitioning traveling travelling trying using visiting volunteering waiting working writing keeping""")
    + ")"
)

# What people do in general, and own.
DO = any_of("""
    attend belong bake bring camp care coach collect come cook create dance design do donate drive eat exercise feed
    fly garden go grow have hike host keep know lead live make manage meditate meet mentor own paint plan play
    practice read rent ride run save sell serve sing speak spend study support swim take teach train travel use
    visit volunteer walk watch wear work write hope aim intend""")
THEY_DO = any_of("""
    attends belongs bakes brings coaches collects comes cooks creates dances designs does donates drives enjoys
    feeds goes grows hates has helps hosts keeps knows leads likes lives loves maintains makes manages means
    meditates mentors motivates motivate needs owns paints plans plays practices prefers prefer reads rents reviews
    rides runs says sells serves sings speaks spends studies supports swims takes teaches trains travels uses visits
    volunteers walks wants watches wears works writes love like live have help keep make enjoy need want play go""")

# What people are told to do always, or never.
DIRECTED = any_of("""
    add answer ask avoid book build call change check choose close commit create delete deploy do document edit end
    fix format give go import include install keep leave let lint log make mention merge mock name open pick pin
    prefer push put quote read rebase remove reply respond return review round run send set show sign skip sort
    speak squash start store take tell test touch update use wait work write""")

LIKE = any_of("like love enjoy prefer hate dislike adore cherish treasure value")

MODEST = any_of("""
    actually already also always even finally first honestly just lately mainly mostly never normally now often once
    only originally particularly probably quickly really recently regularly still sometimes totally truly typically
    usually absolutely especially definitely officially currently kinda both all""")

# Words for people near to somebody, and of a life.
KIN = any_of("""
    aunt buddy baby boy boyfriend boys brother brothers cat child children colleague colleagues cousin coworkers
    crew dad daughter daughters dog dogs family fam father fiance friend friends girl girlfriend girls grandfather
    grandma grandmother grandpa hubby husband kid kids kitty kittens mentor mentors mom mother mum nephew neighbor
    neighbors niece parents partner pet pets pup puppy roommate sister sisters son sons team teammates uncle wife""")

# Words that often begin a sentence, and are no names there.
NO_NAME = any_of("""
    I We It He She They That This There What Those These You My The Our So Tons Lots Many Life Things People Nothing
    All Each Nobody Time Family Just Here No Please Then Next Now Nearly Also Only Once Maybe Even Let Make Go Run
    Yes Not If For In On At Your Their His Her Its One Both Most Such When While After Before Since As Or And But
    Never Always Gotta Gonna Wanna Glad Hope Can't Yesterday Today Tomorrow Tonight Recently Lately Earlier Later
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August September
    October November December Kindly Alternatively Instead Currently Otherwise However""")
NAMED = rf"(?-i:(?!{NO_NAME}\b|[A-Z][a-z]+ing\b|Every|Any|Some|[A-Z]+'\w)[A-Z][\w'-]+(?: [A-Z][\w'-]+){{0,2}})"

# Capitalised words that somebody says they are, and are no name of theirs; and words of titles.
NO_SELF = (
    r"(?:[A-Z][a-z]*(?:ish|ese|ian|ican|ist|ing|ed)|"
    + any_of("""
    German French Dutch Greek Swiss Thai Czech Turk Dane Swede Finn Pole Scot Spaniard Slovak Serb Croat Arab Kurd Jew
    Israeli Iraqi Pakistani Saudi Emirati Somali Nepali Bengali Punjabi Bangladeshi Kuwaiti Korean Chilean European
    Filipino Filipina Latino Latina Hispanic Asian African Roman Icelandic Slovene Welshman Catholic Muslim Protestant
    Orthodox Hindu Sikh Black White Deaf Gay Virgo Leo Aries Gemini Taurus Libra Capricorn Sorry Sure Done Ready Back
    Fine Good Great Well Happy Sad Tired Busy New Late Early Free Open Online Offline Out Away Home Sick Ill Ok Okay
    Sort Kind Still About Very Too More Less Quite Really Afraid Glad Stuck Lost Wrong Right Certain Able Alone Alive
    Aware Curious Against Vegan Vegetarian Technical Full Part Root Admin Remote Support Backend Frontend Customer""")
    + ")"
)
TITLE = any_of("""
    Lead Owner Engineer Manager Developer Architect Director Designer Analyst Head Chief Officer Team Product Senior
    Junior Staff Principal President Professor Doctor Captain Member User Admin Administrator Consultant Scientist
    Programmer Tester Maintainer Reviewer Founder Intern Student Teacher Nurse Support Agent Assistant American English
    Party Certified Customer North South East West""")

LITTLE = words("""
    a an the i we you he she it they me us him her them my our your his its their mine ours myself ourselves this
    that these those and or but so if as at by for from in into of off on onto out over to up with about after
    before since until when while where which who whom whose what how am is are was were be been being have has had
    having do does did doing will would can could shall should may might must not no yes n't also just really very
    quite too then than there here now again still already even ever always never only actually finally recently
    lately currently i'm i've i'd i'll we're we've we'd we'll it's that's he's she's they're don't doesn't didn't
    isn't aren't wasn't weren't won't can't cannot longer more anymore got get gotten getting going gonna wanna
    'cause cause because 'm 've 're 'll let's one two's some any each all both another such lot lots bit kind kinda
    sort around through during together back away""")

EMPTY = LITTLE | words("""
    thing things stuff something anything everything someone anyone everyone way ways time times day days moment
    moments fun good great nice awesome amazing cool lovely wonderful incredible special super important better best
    big huge little small new bad hard tough easy happy sad glad proud excited exciting thrilled thankful grateful
    lucky blessed pumped stoked busy tired feel feeling feelings felt feels think thinking thought know knew see
    seeing saw seen look looking make makes making made go goes went gone going come came take taking took taken
    give giving gave given help helping helped keep keeping try trying tried want wanted need needed hope hoping
    love like loved liked enjoy enjoyed blast smile joy happiness positive challenge challenges difference impact
    experience experiences life lives world people others much many few couple always pretty definitely totally
    absolutely truly sure well started start starting doing done work working worked ahead goal goals dream dreams
    journey road step steps process progress able possible chance part true real reality place places really worth
    reason reasons power powerful inspiring inspired inspire motivated motivating determined passionate passion
    support supportive strength courage hey wow yeah thanks thank remember forget believe happen happened happening
    grow growing learn learned lesson lessons point piece vibe vibes question questions news kinds hurdles comfort
    reminded faced struggles similar young events held show shows alone ton tons often usually once twice calm
    assistance asked shared stories story memories means reach several businesses year years month week weeks months
    respond responded situation rely trust skills talents different difficulties underestimate matter option options
    energy surge detail details figuring find found focus enthusiasm affect positively attitude right harder heart
    hearts self project projects works full plan plans idea ideas hand back next top meeting met meet talk talking
    talked spoke speak chat stay staying opportunity opportunities got get bring brings brought move moving moved
    change changes changed""")
