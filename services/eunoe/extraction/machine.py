"""What listens on the machine, and how it is: true now, and for this session. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import SETTING_UP, Step, command_of, program_of, quotes, steps
from eunoe.extraction.found import Around, Found
from eunoe.extraction.results import output_of, succeeded
from eunoe.extraction.runners import tests

_LISTENERS = frozenset({"ss", "netstat", "lsof"})
_SERVERS = re.compile(  # programs that serve, and those that run a project's own server
    r"python[\d.]*|node|npm|pnpm|yarn|bun|deno|ruby|rails|php|java|go|cargo|dotnet|uvicorn|gunicorn|hypercorn|flask|vite"
    r"|next|hugo|jekyll|serve|http-server|jupyter(?:-\w+)?|streamlit|caddy|nginx|redis-server|postgres|pg_ctl|mongod"
    r"|nats-server|make"
)
_SOCKET = re.compile(
    r"^(?:tcp\S*\s+)?LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+(?:\s+users:\(\(\"([^\"]+)\")?", re.MULTILINE
)
_NETSTAT = re.compile(r"^tcp\S*\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+\s+LISTEN(?:\s+\d+/(\S+))?", re.MULTILINE)
_LSOF = re.compile(r"^(\S+)\s+\d+\s+.*\sTCP\s+(\S+):(\d+)\s+\(LISTEN\)", re.MULTILINE)
_SERVING = re.compile(
    r"(?i)\b(?:listening|running|serving|started|available|ready|local:)[^\n]{0,80}?"
    r"(?:https?://)?(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?: port |:)(\d{2,5})\b"
)
_TOPICS = (  # a program, what of its output says which topic, in which words, and whether it has to be the only program
    (
        "free",
        "memory",
        re.compile(r"^Mem:\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE),
        "{0} in all, {1} used, {2} free",
        False,
    ),
    ("uptime", "load", re.compile(r"load averages?:\s*([\d.]+)"), "{0} in the last minute", False),
    ("uname", "system", re.compile(r"\A\s*(\S[^\n]*)"), "{0}", True),
    ("nproc", "processors", re.compile(r"\A\s*(\d+)\s*\Z"), "{0}", True),
)
_DISK = re.compile(r"^\S+\s+\S+\s+\S+\s+(\S+)\s+(\d+%)\s+(/\S*)$", re.MULTILINE)
_MOST = 8  # listening ports of one result


def read(call: Call, around: Around) -> Iterator[Found]:
    """Listening services and machine topics of a successful command."""
    if not succeeded(call):
        return
    text = output_of(call)
    line = steps(command_of(call))
    programs = {program_of(step) for step in line}
    listed = bool(programs & _LISTENERS)
    if _serves(line) or (listed and not quotes(line)):
        yield from _services(text, listed)
    alone = len([step for step in line if step.words and step.words[0] not in SETTING_UP]) == 1
    for program, topic, pattern, wording, only in () if quotes(line) else _TOPICS:
        found = pattern.search(text) if program in programs and (alone or not only) else None
        if found:
            yield Found("machine", topic, wording.format(*found.groups()))
    if "df" in programs and not quotes(line):
        for free, used, mount in _DISK.findall(text)[:_MOST]:
            yield Found("machine", f"disk {mount}", f"{used} used, {free} free")


def _serves(line: list[Step]) -> bool:
    """Whether a line runs a program that may serve, and nothing that prints what others wrote."""
    reads = any(program_of(step) == "git" or tests(step) for step in line)
    return not reads and not quotes(line) and any(_SERVERS.fullmatch(program_of(step)) for step in line)


def _services(text: str, listed: bool) -> Iterator[Found]:
    ports: dict[int, str] = {}
    if listed:
        for host, port, program in [*_SOCKET.findall(text), *_NETSTAT.findall(text)]:
            ports.setdefault(int(port), _listening(host, program))
        for program, host, port in _LSOF.findall(text):
            ports.setdefault(int(port), _listening(host, program))
    else:
        for host, port in _SERVING.findall(text):
            ports.setdefault(int(port), _listening(host, ""))
    for number, what in sorted(ports.items())[:_MOST]:
        if 0 < number < 65536:
            yield Found("service", f"port {number}", what)


def _listening(host: str, program: str) -> str:
    return f"{program} listening on {host}" if program else f"listening on {host}"
