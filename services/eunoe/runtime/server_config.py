"""The text of a nats-server configuration with its users. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eunoe.runtime.permissions import OPERATOR, Grant
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.subjects import Caller

_HEAD = f"""\
# A nats-server configuration for Eunoe: start it with `nats-server -c FILE`.
# It holds passwords: keep it readable by the server alone, or replace each with its bcrypt hash
# (`nats server passwd`, or `htpasswd -nbBC 11 "" PASSWORD`), which the server takes in the same place.

max_payload: {limits.MAX_PAYLOAD}
jetstream {{ store_dir: "./nats", sync_interval: always }}

authorization {{
  users: [
"""
_TRUSTED = """\
    # For `eunoe audit tail`, `verify` and `export`, and `eunoe status`. JetStream answers it wherever it asks to be
    # answered, so whoever has this password is trusted like a worker.
"""
_FOOT = """\
  ]
}
"""


@dataclass(frozen=True, slots=True)
class User:
    """A user of the server: who it is to Eunoe, its password, and what it may do."""

    caller: Caller
    password: str
    grant: Grant

    @property
    def name(self) -> str:
        return user_name(self.caller)


def user_name(caller: Caller) -> str:
    """The name under which a caller logs in: ``role/principal``."""
    return f"{caller.role}/{caller.principal}"


def render(users: Iterable[User]) -> str:
    """The whole configuration."""
    return _HEAD + "".join(_user(user) for user in users) + _FOOT


def passwords(text: str) -> dict[str, str]:
    """The passwords of a file with lines ``role/principal PASSWORD``, ``#`` for comments; raises `Invalid`."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, password = line.strip().rpartition(" ")
        if "/" not in name:
            raise Invalid(f"line {number} of the password file is not `role/name PASSWORD`")
        found[name.strip()] = password
    return found


def _user(user: User) -> str:
    grant = user.grant
    deny = f"\n        deny: {_array(grant.deny)}" if grant.deny else ""
    answers = '\n      allow_responses: { max: -1, expires: "1m" }' if grant.answers else ""
    comment = _TRUSTED if user.caller == OPERATOR else ""
    return f"""\
{comment}\
    {{ user: {_quoted(user.name)}, password: {_quoted(user.password)}, permissions: {{
      publish: {{
        allow: {_array(grant.publish)}{deny}
      }}
      subscribe: {{ allow: {_array(grant.subscribe)} }}{answers}
    }} }}
"""


def _array(items: Sequence[str]) -> str:
    return "[" + "".join(f"\n          {_quoted(item)}" for item in items) + "\n        ]"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
