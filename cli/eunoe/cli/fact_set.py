"""`eunoe fact set`: a person, or a person's program, says what holds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from eunoe.cli import fact_changes_view
from eunoe.cli.app import App
from eunoe.cli.asking import expected_given, given
from eunoe.cli.fact_changes import Changed, change, stated, version, where
from eunoe.cli.fact_place import NewOption, check_named, check_new, place, require_begun
from eunoe.client.files import unreadable
from eunoe.client.memory import Memory
from eunoe.facts import times
from eunoe.facts.stating_rules import check_kind
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import KindsReply, KindView

STDIN = Path("-")

OwnerOption = Annotated[
    str | None, typer.Option(metavar="OWNER", help="It holds for good: for shared (everyone), or one agent.")
]
ContentOption = Annotated[str | None, typer.Option(metavar="TEXT", help="More than the one line of the value.")]
FileOption = Annotated[Path | None, typer.Option(metavar="FILE", help="The content from a file; - is standard input.")]
ExpectedOption = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Only if this fact is in force now; none: only if there is no fact."),
]
KeyOption = Annotated[
    str | None, typer.Option(metavar="KEY", help="A name for this change: the same one again adds nothing.")
]
ReplacesOption = Annotated[str | None, typer.Option(metavar="ID", help="With --preview: in the place of this fact.")]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A fact as it was given on the command line; ``name`` is empty where the kind has one name."""

    subject: str
    name: str
    value: str
    thread: str | None
    new: bool
    session: str | None
    owner: str | None
    content: str
    valid_from: datetime | None
    valid_to: datetime | None
    expected: str | None
    key: str
    preview: str | None
    replaces: str


def register(fact: App) -> None:
    fact.command("set", epilog="Example: eunoe fact set decision 'exit status' '3 when a run would change anything'")(
        set_fact
    )


def set_fact(
    ctx: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="A kind (`eunoe kinds`).")],
    words: Annotated[
        list[str],
        typer.Argument(metavar="[NAME] VALUE", help="What it is about, and what holds.", show_default=False),
    ],
    thread: Annotated[str | None, typer.Option(metavar="THREAD", help="It holds in this thread.")] = None,
    new: NewOption = False,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="It holds in this session.")] = None,
    owner: OwnerOption = None,
    content: ContentOption = None,
    content_file: FileOption = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="From when it holds.")] = None,
    valid_to: Annotated[str | None, typer.Option(metavar="TIME", help="When it holds no more.")] = None,
    expected: ExpectedOption = None,
    key: KeyOption = None,
    preview: Annotated[str | None, typer.Option(metavar="PREVIEW", help="Only in this preview.")] = None,
    replaces: ReplacesOption = None,
) -> None:
    """State a fact in your own name.

    Facts of a permanent kind (a decision) hold for everyone, unless an option says where they hold; those of other
    kinds need a thread or a session. A thread has to be there, or is begun with --new. A kind with one name, as
    task, needs no NAME. What begins with a dash goes after --.

    A TIME is a date (its midnight in UTC), or a time with its offset, as 2026-05-12T09:00:00Z.
    """
    name, value = _words(words)
    check_new(new, thread)
    if replaces is not None and preview is None:
        raise Invalid("--replaces names what a fact of a preview stands for; name the preview with --preview")
    wanted = Wanted(
        subject=ids.check(subject, "subject"),
        name=name,
        value=value,
        thread=place(thread, "thread"),
        new=new,
        session=place(session, "session"),
        owner=place(owner, "owner"),
        content=_content(content, content_file),
        valid_from=times.read(valid_from) if valid_from is not None else None,
        valid_to=times.read(valid_to) if valid_to is not None else None,
        expected=expected_given(expected),
        key=given(key, "key"),
        preview=place(preview, "preview"),
        replaces=given(replaces, "fact"),
    )
    change(ctx, lambda client: _state(client, wanted), fact_changes_view.stated)


async def _state(client: Memory, wanted: Wanted) -> Changed:
    kind = declared(await client.kinds(), wanted.subject)
    check_named(kind, wanted.thread, wanted.session, wanted.owner)
    await require_begun(client, wanted.thread, wanted.new)
    made = await client.state_fact(
        wanted.subject,
        named(kind, wanted.name),
        wanted.value,
        content=wanted.content,
        thread=wanted.thread,
        session=wanted.session,
        owner=wanted.owner,
        valid_from=wanted.valid_from,
        valid_to=wanted.valid_to,
        expected=await _whole(client, wanted.expected, wanted) if wanted.expected else wanted.expected,
        key=wanted.key,
        preview=wanted.preview,
        replaces=await _whole(client, wanted.replaces, wanted) if wanted.replaces else "",
    )
    return stated(made, await where(client, made, wanted.preview))


async def _whole(client: Memory, beginning: str, wanted: Wanted) -> str:
    """The whole id of the version that somebody named by the beginning of an id, seen from where it is to hold."""
    seen = await client.fact(beginning, thread=wanted.thread, session=wanted.session, preview=wanted.preview)
    return version(seen).id


def declared(kinds: KindsReply, subject: str) -> KindView:
    """The kind of that name; raises `Invalid` with the kinds that there are."""
    found = {kind.name: kind for kind in kinds.kinds}
    check_kind(subject, found)
    return found[subject]


def named(kind: KindView, name: str) -> str:
    """The name, or the only one that the kind has."""
    if kind.normaliser == "single":
        return name or "current"
    if not name:
        raise Invalid(f"facts of the kind {kind.name} have a name; give it between the kind and the value")
    return name


def _words(words: list[str]) -> tuple[str, str]:
    match words:
        case [value]:
            return "", value
        case [name, value]:
            return ids.check(name, "name", limits.NAME_BYTES), value
    raise Invalid(f"give [NAME] VALUE, not {len(words)} words; put what holds spaces in quotes")


def _content(text: str | None, file: Path | None) -> str:
    if text is not None and file is not None:
        raise Invalid("--content and --content-file both give the content; use one of them")
    if file is None:
        return text or ""
    most = limits.FACT_CONTENT_BYTES
    try:
        if file == STDIN:
            raw = sys.stdin.buffer.read(most + 1)
        else:
            with file.open("rb") as opened:
                raw = opened.read(most + 1)
        found = raw.decode() if len(raw) <= most else ""
    except OSError as error:
        raise unreadable(file, error) from None
    except UnicodeDecodeError as error:
        raise Invalid(f"the content of {file} is not UTF-8 text (byte {error.start})") from None
    if len(raw) > most:
        raise Invalid(f"{file} is over {most // limits.KIB} KiB, the limit of a fact's content; keep a reference to it")
    return found
