"""Every number of the system, with its unit. A limit that is not here is not a limit."""

from __future__ import annotations

KIB = 1024  # bytes
MIB = 1024 * KIB  # bytes

SCHEMA_VERSION = 1  # version of events, records and requests that this code writes
RENDERER_VERSION = 3  # version of the rules that turn a recipe into messages

# Names
ID_BYTES = 128  # bytes of UTF-8 in a thread, session, agent, principal or producer id
NAME_BYTES = 512  # bytes of UTF-8 in a fact's name
SPACE_LENGTH = 32  # characters in a space's name, [a-z0-9-]
KEY_LENGTH = 160  # characters of one encoded token of a document key; a longer one is hashed

# NATS
SERVER_VERSION = (2, 12)  # of nats-server: the oldest that does what Eunoe needs
FOUND_AT_ONCE = 1_024  # subjects whose last messages one direct get answers
NANOSECONDS = 1_000_000_000  # nanoseconds in a second, for JetStream's API counts in them

# Messages
MAX_PAYLOAD = 8 * MIB  # bytes, the server's limit for headers and payload of one message
RECORD_BYTES = 1 * MIB  # bytes of one record, as stored
PART_BYTES = 512 * KIB  # bytes of one part of a reply that is longer than this
EVENTS_PER_RECORD = 1_000  # events in one append

# Large content
INLINE_BYTES = 256 * KIB  # bytes of content kept in its record; more goes to pieces
PIECE_BYTES = 256 * KIB  # bytes of one piece of large content
CONTENT_BYTES = 64 * MIB  # bytes of one entry's content
EXCERPT_BYTES = 32 * KIB  # bytes of a large content's head, and of its tail, kept in its record
UNNAMED_PIECE_SECONDS = 24 * 3600  # seconds after which a piece that no record names goes
IMPORT_BYTES = 256 * MIB  # bytes of one JSON value (a line, or a whole file) that an import reads

# The chain of a thread
PRODUCERS_IN_HEAD = 64  # producers whose last number a record carries
PRODUCERS_IN_HEAD_MAX = 256  # the same while the thread's state is behind; more is refused
PRODUCERS_IN_STATE = 1_024  # newest producers that a chain remembers, some 70 bytes each in a document written often
BACK_RECORDS = 64  # previous records whose sequences a record carries
MARK_EVERY = 1024  # records between two marks
OPEN_TURNS = 64  # turns open at once in one thread
CLOSED_TURNS_IN_HEAD = 64  # closed turns whose state a record carries
IDLE_TURN_SECONDS = 30 * 60  # seconds an open turn may stay untouched before it is aborted
ANCHOR_EVERY = 1_000  # records of the log between two anchors

# Facts
VALUE_LENGTH = 200  # characters of a fact's value
TASK_LENGTH = 300  # characters of a task's value
DESCRIPTION_LENGTH = 500  # characters of a notebook entry's description
ENTRIES_NAMED = 64  # entries that an assertion names as what it came from
FACT_CONTENT_BYTES = 64 * KIB  # bytes of a fact's body
DISTILLED_TURNS = 12  # turns that one distillation draws from
DISTILLED_FACTS = 12  # facts of one distillation by a model, and of one turn by rules
DISTILLED_TEXT_BYTES = 12_000  # bytes of one prompt or reply that a distilling model is shown at most
DISTILLED_SHARE = 1 / 3  # of the distilling model's window: prompts and replies together
DISTILLED_KNOWN = 40  # known identities that it is shown
DISTILLED_OUTPUT_TOKENS = 900  # tokens of its answer
DISTILLED_SECONDS = 120.0  # seconds that its call may take, which writes as much on a machine without much power
DISTILLED_AFTER = 8  # turns after those, whose prompts it is shown for the newest values
SET_ASIDE = 16  # things that one distillation set aside and that are kept
SET_ASIDE_LENGTH = 400  # characters of one of them
REVIEW_RECORDS = 8  # records that a candidate is compared with
REVIEW_CANDIDATES = 8  # candidates of one review
REVIEW_SHOWN = 40  # records that a reviewing model is shown, those most like what was said
REVIEW_SHOWN_BYTES = 400  # bytes of the body of one of them that it is shown
REVIEW_OUTPUT_TOKENS = 2_000  # tokens of its answer
REVIEW_PROMPT_LENGTH = 8_000  # characters of a fleet's own prompt for reviews
REVIEW_MESSAGES_MAX = 1_000  # prompts and replies that a review may wait for
FACTS_PER_TURN = 12  # facts extracted from one turn by the shipped extractors
MAPPED_FACTS_PER_TURN = 200  # facts of one turn by the mappings of a configuration
BODIES_PER_TURN = 512 * KIB  # bytes of the bodies of those, as JSON texts, so that they fit into one record
AGENTS_IN_STATE = 32  # newest agents, and sessions, that a thread's state names
FAILED_IN_STATE = 16  # newest failed extractions, and ranges that could not be distilled, that a state has reasons of
UNDISTILLED_IN_STATE = 1_024  # older ranges that could not be distilled, some 14 bytes each; neighbours are one
TITLE_LENGTH = 80  # characters of a thread's title
PAGE_FACTS = 1_000  # facts, or threads, in one page of a list
INLINE_ASSERTIONS = 16  # newest assertions of each lineage kept in a document
INLINE_DATED = 256  # the same of a lineage in which some say from when or until when they hold
INLINE_ACTS = 64  # newest acts of each lineage kept in a document
SUPPORTERS = 64  # authors of one value in force that a lineage tells apart: the first, and those who said it last
LABELS = 64  # labels on one fact
LABEL_NUMBER = 1_023  # the highest number that a label may have
LABEL_LENGTH = 64  # characters of a label's name
PINNED_TOKENS = 1_024  # tokens of the pinned facts of one owner, by default
SESSION_SECONDS = 24 * 3600  # seconds after its last write at which a session expires
NAMES_IN_SESSION = 1_024  # agents, and threads, that a session's record names
SESSION_STATE_BYTES = 16 * KIB  # bytes of the JSON text that a session carries
ZONE_MINUTES = 24 * 60 - 1  # minutes that a moment's offset is from UTC at most, either way
LAST_NUMBER = (1 << 53) - 1  # the highest number of a turn, an entry or a position: every reader of JSON holds it
LAST_MOMENT = 253_402_300_799_999  # ms UTC: the end of the year 9999, after which no fact holds
REASON_LENGTH = 500  # characters of the reason for an act
USES_SHOWN = 100  # requests that a fact reached, named when it is asked why it is known
DIFFERENCES_SHOWN = 100  # keys named that are not what the log says, when the facts are compared with it
TRAIL_SECONDS = 6.0  # seconds that the log is looked through for where facts went
EVIDENCE_BYTES = 400  # bytes of an entry shown as what a fact came from

# Erasure
ERASED_RECORDS_TOGETHER = 2_000  # records that one event of an erasure names
ERASED_FACTS_SHOWN = 200  # ids of facts that an erasure names
ERASURES_WATCHED = 32  # newest erasures that are looked at again after a restart
UNSYNCED_SECONDS = 600  # seconds in which a server surely syncs what it removed; by default it does every two minutes

# Composition
DUE_SHARE = 0.85  # of the window: fill at which turns leave
TARGET_SHARE = 0.6  # of the window: fill that leaving turns aim for
TARGET_SHARE_MAX = 0.65  # of the window: highest goal
FACTS_SHARE = 0.1  # of the window
FACTS_BYTES_MIN = 1 * KIB  # bytes
PINNED_SHARE = 0.25  # of the window: pinned facts, beside the others
FACTS_BYTES_MAX = 64 * KIB  # bytes, so that a recipe stays small in any window
SUMMARY_SHARE = 0.05  # of the window: the running summary, and as much again the outline of the turns that left
SUMMARY_BYTES_MIN = 512  # bytes
SUMMARY_BYTES_MAX = 16 * KIB  # bytes of a summary as it is stored, in any window
SUMMARY_BATCH = 3  # turns that are not in the summary yet, from which on it is updated
SUMMARY_BATCH_MAX = 24  # turns of one update
SUMMARY_RANGES = 256  # ranges of turns, and of entries, by which it names what it covers
SUMMARY_VERSIONS = 20  # newest versions of a summary that are kept at hand
SUMMARY_ARGUMENTS = 160  # characters of a call's arguments that whoever summarises is shown
SUMMARY_SENTENCE_SHARE = 1 / 8  # of a summary's bytes: the most that one line of it takes that rules write
SUMMARY_SENTENCE_BYTES = 240  # bytes of such a line in any summary
OUTLINE_TURNS = 64  # turns that left, named in an outline at most
OUTLINE_LINE_BYTES = 120  # bytes of a turn's prompt in its outline
OUTLINE_LINE_BYTES_MIN = 24  # bytes of it to which lines are shortened before a turn is not named
AHEAD_SHARE = 0.7  # of what a context may fill: from there on the facts of the turns that leave next are asked for
SUBMIT_SECONDS = 1.0  # seconds that asking for them may hold a context up
SUBMITTED_THREADS = 10_000  # threads of which a composition worker knows what it asked for
KEEP_TURNS_MAX = 64  # turns that a caller may have kept, whatever else leaves
RELEVANT_FACTS = 4  # facts that bear on a request, shown beside it
TOOLS_MAX = 256  # tools that a request may name
TOOL_WORDS = 64  # words of one of them whose use in a request asks for it
TOOL_DESCRIPTION = 32_768  # characters of what one of them is for
TOOLS_CHOSEN = 6  # tools that a model's assessment may choose
FACTS_CHOSEN = 5  # facts that it may choose as bearing on the request
ASSESS_SECONDS = 6.0  # seconds that the call of a model before a context may take, within those a request waits
HEADROOM_TURNS = 8  # turns whose mean size is kept free
HEADROOM_SHARE = DUE_SHARE - TARGET_SHARE  # of the window: the most of it that headroom counts
REFERENCE_BYTES = 640  # bytes of a reference
OUTPUT_SHARE = 1 / 8  # of the window: one tool output
OUTPUT_BYTES_MIN = 4 * KIB  # bytes
OUTPUT_BYTES_MAX = 64 * KIB  # bytes
WHOLE_ROUNDS = 3  # newest tool rounds of an open turn that stay whole
CUT_WORDS = 24  # words of a tool output that a reply must copy before the copy is cut
MODEL_CHARACTERS = 256  # characters of the name of a model that reads contexts
WINDOW = 8_192  # tokens, where none are given
WINDOW_MIN = 256  # tokens
WINDOW_MAX = 100_000_000  # tokens
BYTES_PER_TOKEN = 4  # bytes, where no exact counter is at hand
CACHE_SECONDS = 24 * 3600  # seconds that a folded thread stays in Redis
CACHED_THREAD_BYTES = 1 * MIB  # bytes of content of one that is kept there
MODEL_SECONDS = 30.0  # seconds that one call of a model may take
MODEL_OUTPUT_TOKENS = 1_024  # tokens of a model's answer, where the question names no other number
MODEL_RETRIES = 2  # attempts after the first one, when what failed may pass
MODEL_CALLS = 4  # calls of a model at once
FOLDED_THREADS = 512  # threads that a composition worker keeps folded
FOLDED_BYTES = 256 * MIB  # bytes of content in them together
HELD_FACTS_BYTES = 128 * MIB  # bytes of memory for the facts of threads, sessions and agents that a worker holds
FOLDED_THREAD_BYTES = 4 * MIB  # bytes of one of them before turns that left are forgotten

# Work
ATTEMPTS = 5  # deliveries of one message before it is a dead letter
WAIT_SECONDS = 30.0  # seconds that a request may ask to wait, until an answer reflects something
REQUEST_SECONDS = 10.0  # seconds a request waits for its reply
RESEND_SECONDS = 2.0  # seconds without an answer after which an append is sent again; doubles, up to REQUEST_SECONDS
PUBLISH_SECONDS = 5.0  # seconds a publish waits for its acknowledgement
DRAIN_SECONDS = 20.0  # seconds a stopping worker may finish what it has in hand
HANDLERS = 64  # requests that one worker handles at once
WAITING_ASIDE = 256  # requests that wait beside those until something is known; one more is answered as it is
OUTBOX_EVENTS = 10_000  # events a client keeps while no worker answers
OUTBOX_BYTES = 256 * MIB  # bytes of events and large content that it keeps then
JOB_WAIT_SECONDS = 120.0  # seconds without a sign of life after which a job that is in hand is given to another worker
JOBS_FETCHED = 8  # jobs that a worker takes at once, so that others have some too; twice that are in hand at most
MODEL_AGAIN_SECONDS = 2.0  # seconds after a bad answer of a model until it is asked again, doubled each time
MODEL_AGAIN_SECONDS_MAX = 16.0  # seconds that this wait does not exceed
REFUSALS = 20  # times that a piece of work is refused for want of room before that counts as its own fault: 15 minutes
PROBE_SECONDS = 10.0  # seconds in which a model that works answers one word
LETTERS_SHOWN = 200  # dead letters in one page
DISTILLATIONS_SHOWN = 50  # distillations in one page
DEDUPE_SECONDS = 120  # seconds of JetStream's own duplicate window
