"""Addresses of NATS servers: a list of them in one setting, and never a password in what is printed (pure)."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

from eunoe.schemas.errors import Misconfigured

SCHEMES = ("nats", "tls", "ws", "wss")
_LOGIN = re.compile(r"(^|,)\s*((?:[a-z]+://)?)(?:(?!,\s*[a-z]+://).)*@", re.IGNORECASE)


def servers(url: str) -> list[str]:
    """The addresses of ``nats://HOST:PORT[,…]``, each with its scheme; raises `Misconfigured` for what is none."""
    found = [_checked(one.strip(), url) for one in url.split(",")]
    if len({one.startswith("ws") for one in found}) > 1:
        raise Misconfigured(f"{shown(url)} has addresses with and without websockets; use one kind")
    return found


def shown(url: str) -> str:
    """The URL as it may be printed: without user and password."""
    return _LOGIN.sub(r"\1\2***@", url)


def login(url: str) -> tuple[str, str, str]:
    """(the URL without a login, user, password); both empty when it names none.

    Raises `Misconfigured` for several logins, and for one that is not ``USER:PASSWORD``.
    """
    logins, plain = set(), []
    for one in servers(url):
        parts = urlsplit(one)
        plain.append(one.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1))
        if "@" in parts.netloc:
            logins.add((unquote(parts.username or ""), unquote(parts.password or "")))
    if not logins:
        return url, "", ""
    user, password = logins.pop()
    if logins or not user or not password:
        raise Misconfigured(f"{shown(url)} needs one USER:PASSWORD for all servers; set EUNOE_USER and EUNOE_PASSWORD")
    return ",".join(plain), user, password


def of_http(url: str) -> bool:
    """Whether this is the address of a server that speaks HTTP: scheme, host, and perhaps a port and a path."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _checked(address: str, url: str) -> str:
    whole = address if "://" in address else f"nats://{address}"
    try:
        parts = urlsplit(whole)
        right = _right(parts)
    except ValueError:
        right = False
    if not right:
        raise Misconfigured(
            f"{shown(url)!r} is not the address of a server; write nats://HOST:PORT, several with commas between"
        )
    return whole


def _right(parts: SplitResult) -> bool:
    """Whether it is a scheme, a host and perhaps a port; raises ValueError for a port that is none."""
    rest = parts.path.strip("/") or parts.query or parts.fragment
    return parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0 and not rest
