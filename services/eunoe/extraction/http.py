"""Services of the machine that answered: what a local address said to a request. Nothing of the web. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import SplitResult, urlsplit

import msgspec

from eunoe.extraction.arguments import URLS
from eunoe.extraction.calls import Call
from eunoe.extraction.commands import Step, command_of, passes_when_zero, program_of, quotes, steps
from eunoe.extraction.found import Around, Found
from eunoe.extraction.results import exit_of, output_of, succeeded

_CLIENTS = frozenset({"curl", "wget", "http", "https", "xh", "xhs"})
_LOCAL = re.compile(r"localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|::1?|[\w-]+\.localhost", re.IGNORECASE)
_PORTS: Mapping[str, int] = {"http": 80, "https": 443}
_STATUS_LINE = re.compile(
    r"^(?:< )?HTTP/[\d.]+ (\d{3})\b|^HTTP request sent, awaiting response\.\.\. (\d{3})\b", re.MULTILINE
)
_SAID = re.compile(r"\A\s*(?:\w+ )?status(?: code)?:? (\d{3})\b", re.IGNORECASE)
_ASKS_CODE = re.compile(r"%\{(?:http_code|response_code)\}")
_CODE = re.compile(r"(?<!\d)(\d{3})\s*\Z")
_FIELDS = ("status", "status_code", "statusCode", "code")
_REFUSED = re.compile(
    r"\s*(?:<\w+>\s*)?(?:(?i:error|failed)\b|curl: \(\d+\)|ECONNREFUSED|[^\n]{0,200}(?i:connection refused))"
)


def read_tool(call: Call, around: Around) -> Iterator[Found]:
    """What a tool that asks an address was told, where the address is of this machine."""
    url = _local(call.argument(*URLS))
    if url and not _REFUSED.match(call.text):
        yield _found(url, _field(call.text) or _last(_STATUS_LINE, call.text) or _last(_SAID, call.text))


def read_command(call: Call, around: Around) -> Iterator[Found]:
    """The same of a command line that asks one local address, and nothing else."""
    command = command_of(call)
    line = steps(command)
    asking = [step for step in line if program_of(step) in _CLIENTS]
    if len(asking) != 1 or not succeeded(call) or quotes(line):
        return
    urls = [url for word in asking[0].words[1:] if (url := _local(word))]
    text = output_of(call)
    if len(urls) != 1 or _REFUSED.match(text):
        return
    status = _last(_STATUS_LINE, text) or (_last(_CODE, text) if _ASKS_CODE.search(asking[0].text) else 0)
    if status or _answered(call, command, asking[0]):
        yield _found(urls[0], status)


def _answered(call: Call, command: str, step: Step) -> bool:
    """Whether the client says, by its exit status alone, that it had an answer."""
    return exit_of(call) == 0 and passes_when_zero(command, step) and not _ASKS_CODE.search(step.text)


def _found(url: SplitResult, status: int) -> Found:
    port = url.port or _PORTS.get(url.scheme, 80)
    place = url.netloc.rpartition("@")[2] + url.path
    return Found("service", f"port {port} http", f"HTTP {status} from {place}" if status else f"answers at {place}")


def _local(text: str) -> SplitResult | None:
    """The address in a word, when it is one of this machine: ``localhost:8000/health``, with or without a scheme."""
    if text.startswith("-"):
        return None
    if "://" not in text:
        text = f"http://{'localhost' if text.startswith(':') else ''}{text}"
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return None
    if url.scheme not in _PORTS or port == 0 or not url.hostname or not _LOCAL.fullmatch(url.hostname):
        return None
    return url


def _last(pattern: re.Pattern[str], text: str) -> int:
    """The last status that a pattern finds, 0 for none; 000 is what a client writes that had no answer."""
    found = [int(next(filter(None, match.groups()))) for match in pattern.finditer(text)]
    return found[-1] if found and 100 <= found[-1] < 600 else 0


def _field(text: str) -> int:
    """The status in a JSON result that names it."""
    if not text.lstrip().startswith("{"):
        return 0
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return 0
    given = (found.get(name) for name in _FIELDS)
    return next((value for value in given if type(value) is int and 100 <= value < 600), 0)
