"""`eunoe ops`: what the people who run the servers need."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from eunoe.cli.app import App, choices, group
from eunoe.cli.connect import settings_of
from eunoe.cli.output import emit_json
from eunoe.client.files import unreadable
from eunoe.runtime.permissions import WORKERS, grant
from eunoe.runtime.server_config import User, passwords, render, user_name
from eunoe.schemas import ids
from eunoe.schemas.subjects import Caller, Role


def register(app: App) -> None:
    ops = group(app, "ops", "For those who run the servers.")
    ops.command(
        "permissions",
        without=("embedded", "data", "url"),
        epilog="Example: eunoe ops permissions --agent planner --person ada > nats-server.conf",
    )(permissions)


Names = Annotated[list[str] | None, typer.Option(metavar="NAME", help="A user of that role; may be repeated.")]


def permissions(
    ctx: typer.Context,
    agent: Names = None,
    person: Names = None,
    caller: Names = None,
    tool: Names = None,
    viewer: Names = None,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with lines `role/name PASSWORD`; else passwords are made.")
    ] = None,
) -> None:
    """Print a server configuration with a user for each name.

    Each kind of worker gets one too. With --json: the users, their passwords and permissions.
    """
    named: dict[Role, list[str] | None] = {
        "agent": agent, "person": person, "caller": caller, "tool": tool, "viewer": viewer, "worker": list(WORKERS)
    }  # fmt: skip
    callers = [Caller(role, ids.check(name, role)) for role, names in named.items() for name in names or ()]
    users = _users(settings_of(ctx).space, callers, _read(password_file))
    if choices(ctx).json:
        emit_json([{"user": user.name, "password": user.password, "permissions": user.grant} for user in users])
    else:
        sys.stdout.write(render(users))


def _users(space: str, callers: Iterable[Caller], known: dict[str, str]) -> list[User]:
    return [
        User(caller, known.get(user_name(caller)) or secrets.token_urlsafe(24), grant(space, caller))
        for caller in callers
    ]


def _read(file: Path | None) -> dict[str, str]:
    if file is None:
        return {}
    try:
        return passwords(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, error) from None
