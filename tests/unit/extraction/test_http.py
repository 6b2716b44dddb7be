"""Services of the machine that answered a request; nothing of the web."""

from __future__ import annotations

from typing import Any

import pytest
from extracting import facts_of
from turns import call


def services(tool: str, arguments: dict[str, Any], text: str, **more: Any) -> list[tuple[str, str]]:
    return [
        (name, value) for subject, name, value in facts_of(call(tool, arguments, text, **more)) if subject == "service"
    ]


@pytest.mark.parametrize(
    ("url", "text", "expected"),
    [
        (
            "http://localhost:8000/health?token=abc",
            '{"status": 200, "body": "ok"}',
            "HTTP 200 from localhost:8000/health",
        ),
        ("http://127.0.0.1:8000", "HTTP/1.1 503 Service Unavailable\n\nno", "HTTP 503 from 127.0.0.1:8000"),
        ("http://me:secret@localhost:8000/", "Status: 204", "HTTP 204 from localhost:8000/"),
        ("localhost:8000/x", '{"statusCode": 404}', "HTTP 404 from localhost:8000/x"),
        ("http://[::1]:8000/", "hello", "answers at [::1]:8000/"),
        ("https://example.org:8000/", '{"status": 200}', None),
        ("http://192.168.1.5:8000/", '{"status": 200}', None),
        ("http://localhost.example.org:8000/", '{"status": 200}', None),
        ("file:///etc/hosts", "127.0.0.1 localhost", None),
        ("http://localhost:99999/", '{"status": 200}', None),
        ("http://localhost:8000/", "Error: connect ECONNREFUSED 127.0.0.1:8000", None),
        ("", '{"status": 200}', None),
    ],
)
def test_a_tool_that_asks_an_address(url: str, text: str, expected: str | None) -> None:
    """The status where the result says it; no login and no query; what refused is no fact."""
    assert services("http_request", {"method": "GET", "url": url}, text) == (
        [("port 8000 http", expected)] if expected else []
    )


def test_the_port_of_a_scheme() -> None:
    """Where the address names none."""
    assert services("fetch", {"url": "http://localhost/"}, "x") == [("port 80 http", "answers at localhost/")]
    assert services("fetch", {"url": "https://localhost/"}, "x") == [("port 443 http", "answers at localhost/")]


def test_a_failed_request_is_no_fact() -> None:
    assert services("fetch", {"url": "http://localhost:8000/"}, "HTTP/1.1 200 OK", failed=True) == []


@pytest.mark.parametrize(
    ("command", "text", "status", "expected"),
    [
        (
            "curl -i http://localhost:8000/health",
            "HTTP/1.1 200 OK\nServer: x\n\nok",
            None,
            "HTTP 200 from localhost:8000/health",
        ),
        (
            "curl -iL localhost:8000",
            "HTTP/1.1 301 Moved\n\nHTTP/1.1 200 OK\n",
            None,
            "HTTP 200 from localhost:8000",
        ),
        ("curl -s -o /dev/null -w '%{http_code}' localhost:8000/a", "500", 0, "HTTP 500 from localhost:8000/a"),
        ("curl -s -o /dev/null -w '%{http_code}' localhost:8000/a", "000", None, None),
        ("curl -s http://localhost:8000/a", '{"ok": true}', 0, "answers at localhost:8000/a"),
        ("curl -s http://localhost:8000/a", '{"ok": true}', None, None),
        ("curl -s http://localhost:8000/a", "", 7, None),
        ("curl http://localhost:8000/a", "curl: (7) Failed to connect to localhost port 8000", None, None),
        ("curl -s http://localhost:8000/a | jq .", "{}", 0, None),
        ("curl -s http://localhost:8000/a || echo down", "down", 0, None),
        ("cd /w && curl -s http://localhost:8000/a", "x", 0, "answers at localhost:8000/a"),
        (
            "wget -S -O- http://localhost:8000/",
            "HTTP request sent, awaiting response... 200 OK",
            None,
            "HTTP 200 from localhost:8000/",
        ),
        ("http :8000/health", "HTTP/1.1 200 OK\n\nok", None, "HTTP 200 from localhost:8000/health"),
        ("curl -i https://example.org:8000/", "HTTP/2 200", 0, None),
        ("curl -i localhost:8000 && curl -i localhost:8000/b", "HTTP/1.1 200 OK", 0, None),
        ("cat log; curl -s localhost:8000", "HTTP/1.1 200 OK", 0, None),
    ],
)
def test_a_command_that_asks_an_address(command: str, text: str, status: int | None, expected: str | None) -> None:
    """The status line, the code that was asked for, or the client's own exit status; nothing is guessed."""
    found = services("bash", {"command": command}, text, exit_status=status, failed=bool(status))
    assert found == ([("port 8000 http", expected)] if expected else [])
