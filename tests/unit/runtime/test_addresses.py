"""Addresses of servers: lists of them, what is none, and what is printed of one that has a password."""

from __future__ import annotations

import pytest

from eunoe.runtime import addresses
from eunoe.runtime.configuration import load
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("nats://a:1", ["nats://a:1"]),
        ("nats://a:1,nats://b:2, tls://c", ["nats://a:1", "nats://b:2", "tls://c"]),
        ("a,b:2", ["nats://a", "nats://b:2"]),
        ("nats://[::1]:4222", ["nats://[::1]:4222"]),
    ],
)
def test_a_url_names_one_server_or_several(url: str, servers: list[str]) -> None:
    """Commas part them; without a scheme it is nats."""
    assert addresses.servers(url) == servers


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nats://",
        "nats://h:x",
        "nats://h:70000",
        "nats://h:0",
        "http://h",
        "nats://h/path",
        "nats://a,",
        "nats://a,ws://b",
    ],
)
def test_what_is_no_address_is_refused_in_one_line(url: str) -> None:
    """No host, no port, another protocol, a path, an empty one in a list, and a mixture."""
    with pytest.raises(Misconfigured) as refused:
        addresses.servers(url)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("nats://u:secret@h", "nats://***@h"),
        ("nats://secret@h:1,nats://b", "nats://***@h:1,nats://b"),
        ("nats://a,nats://u:secret@b", "nats://a,nats://***@b"),
        ("u:secret@h", "***@h"),
        ("nats://u:sec@secret@h", "nats://***@h"),
        ("nats://u:sec,secret@h", "nats://***@h"),
        ("nats://u:sec/secret@h", "nats://***@h"),
        ("nats://u:secret@h:x", "nats://***@h:x"),
    ],
)
def test_no_password_is_printed(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    """Neither as what is shown, nor in the errors about it, whatever is wrong with it."""
    monkeypatch.setenv("EUNOE_CONFIG", "/dev/null")
    said = []
    for attempt in (addresses.servers, addresses.login, lambda url: load({"url": url})):
        try:
            attempt(url)
        except Misconfigured as error:
            said.append(str(error))

    assert addresses.shown(url) == shown
    assert [line for line in said if "sec" in line.replace("***", "")] == []


def test_the_login_of_a_url_becomes_user_and_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every setting is shown without the password, and where it came from."""
    monkeypatch.setenv("EUNOE_CONFIG", "/dev/null")
    found = load({"url": "nats://u:s%20cret@h:1,nats://u:s%20cret@i"})
    shown = {line.field: (line.value, line.origin) for line in found.sources()}

    assert (found.settings.user, found.settings.password.get_secret_value()) == ("u", "s cret")
    assert shown["url"] == ("nats://h:1,nats://i", "--url")
    assert shown["user"] == ("u", "--url")
    assert shown["password"] == ("(set)", "--url")


def test_two_users_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in the URL and another in the settings, or one for each server: said so, in one line."""
    monkeypatch.setenv("EUNOE_CONFIG", "/dev/null")
    with pytest.raises(Misconfigured, match=r"^the setting url \(--url\) is not valid: the URL names another user"):
        load({"url": "nats://u:secret@h", "user": "w"})
    with pytest.raises(Misconfigured, match=r"^the setting url \(--url\) is not valid: .* needs one USER:PASSWORD"):
        load({"url": "nats://u:secret@h,nats://w:secret@i"})
    assert Settings(url="nats://u:secret@h", user="u").url == "nats://h"
