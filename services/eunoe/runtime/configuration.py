"""Where settings come from: options, then ``EUNOE_*``, then a TOML file, then defaults."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource, SettingsError

from eunoe.runtime import addresses
from eunoe.runtime.settings import PREFIX, Settings, home
from eunoe.schemas.errors import Misconfigured

QUOTED = 200  # characters of a wrong value in a message
NEAR = 0.7  # how like a known name a wrong one is that may have been meant: 1 is the same
MUST_BE = {  # by pydantic's type of an error: what the value has to be, with the figures of the error
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "string_type": "a text",
    "string_too_long": "{max_length} characters or less",
    "path_type": "a path",
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "a list",
}
FORMS = {"sync": "always, or a time like 500ms or 2s", "server_memory": "a size like 512MiB or 1GiB"}
EXAMPLES = {"review": '{"every": "turn"}'}  # of what is given as JSON in a variable
# Not quoted when wrong; a URL may hold a login.
SECRET = ("password", "url", "model_url", "model_key", "redis_url", "redis_secret")
OTHER_VARIABLES = ("EUNOE_CONFIG", "EUNOE_DEBUG")  # variables that are no field of the settings


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One field, its value as it may be shown, and its origin: an option, a variable, a file, or ``default``."""

    field: str
    value: str
    origin: str
    description: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings, with the origin of each field that is not a default."""

    settings: Settings
    origins: Mapping[str, str]

    def sources(self) -> list[SourceLine]:
        """Every field with its value and origin; a password is never shown."""
        return [
            SourceLine(name, _shown(self.settings, name), self.origins.get(name, "default"), field.description or "")
            for name, field in Settings.model_fields.items()
        ]


def load(options: Mapping[str, Any] | None = None) -> Configuration:
    """What is in force in this process; ``options`` (of the command line) win. Raises `Misconfigured`."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    file, table = _file()
    _refuse_unknown_variables()
    variables = _variables()
    origins = (
        dict.fromkeys(table, str(file))
        | {name: PREFIX + name.upper() for name in variables}
        | {name: "--" + name.replace("_", "-") for name in given}
    )
    values = _merged(_merged(table, variables), given)
    if "@" in str(values.get("url", "")):
        origins |= dict.fromkeys(("user", "password"), origins["url"])
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise _misconfigured(error, origins) from None
    return Configuration(settings, origins)


def config_file() -> Path:
    """The file that is read: ``EUNOE_CONFIG``, else ``eunoe/config.toml`` in the XDG config home."""
    named = os.environ.get("EUNOE_CONFIG")
    return Path(named).expanduser() if named else home("XDG_CONFIG_HOME", ".config") / "eunoe" / "config.toml"


def nearest(name: str, known: Iterable[str]) -> str:
    """A clause that names the known name nearest to a wrong one, or lists the known ones."""
    choices = {one.removeprefix(PREFIX): one for one in sorted(known)}  # what all begin with makes none of them near
    close = difflib.get_close_matches(name.removeprefix(PREFIX), choices, n=1, cutoff=NEAR)
    return f"did you mean {choices[close[0]]}?" if close else f"known are {', '.join(choices.values())}"


def must_be(error: ErrorDetails) -> str:
    """What a value has to be that pydantic refused, in our words; empty where there are none for it."""
    return MUST_BE.get(error["type"], "").format(**error.get("ctx", {}))


def _file() -> tuple[Path, dict[str, Any]]:
    path = config_file()
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if "EUNOE_CONFIG" not in os.environ:
            return path, {}
        raise Misconfigured(
            f"there is no file {path}, which EUNOE_CONFIG names; write it or unset EUNOE_CONFIG"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misconfigured(f"the configuration file {path} cannot be read: {reason}") from None


def _variables() -> dict[str, Any]:
    try:
        return dict(EnvSettingsSource(Settings)())
    except SettingsError as error:
        named = re.search(r'field "(\w+)"', str(error))
        variable = PREFIX + named[1].upper() if named else "a variable"
        example = f", such as {EXAMPLES[named[1]]}" if named and named[1] in EXAMPLES else ""
        raise Misconfigured(f"{variable} cannot be read; a table or a list is given as JSON{example}") from None


def _refuse_unknown_variables() -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | set(OTHER_VARIABLES)
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name.partition("__")[0] not in known:
            raise Misconfigured(f"there is no setting {name} (environment); {nearest(name, known)}")


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for name, value in over.items():
        below = merged.get(name)
        merged[name] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _misconfigured(error: ValidationError, origins: Mapping[str, str]) -> Misconfigured:
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]] or ["url"]  # the one setting that bears on others
    origin = origins.get(path[0], "default")
    if first["type"] == "extra_forbidden":
        known = _known(path)
        hint = f"; {nearest(path[-1], known)}" if known else "; remove it"
        return Misconfigured(f"there is no setting {'.'.join(path)} ({origin}){hint}")
    hidden = path[0] in SECRET or isinstance(first["input"], dict)  # a table says itself which of its entries is wrong
    value = "" if hidden else f" {_quoted(first['input'])}"
    return Misconfigured(f"the setting {'.'.join(path)}{value} ({origin}) is not valid: {_reason(first, path[0])}")


def _known(path: Sequence[str]) -> list[str]:
    """The fields where one was named that there is not; none where any may be named."""
    if len(path) == 1:
        return list(Settings.model_fields)
    kind = Settings.model_fields[path[0]].annotation
    return list(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) and len(path) == 2 else []


def _quoted(value: object) -> str:
    said = repr(value)
    return said if len(said) <= QUOTED else f"{said[: QUOTED - 1]}…"


def _reason(error: ErrorDetails, name: str) -> str:
    if error["type"] == "value_error":
        return error["msg"].removeprefix("Value error, ")
    return "it must be " + (
        must_be(error) or FORMS.get(name, Settings.model_fields[name].description or "something else")
    )


def _shown(settings: Settings, name: str) -> str:
    value = settings.anchors_path if name == "anchors" else getattr(settings, name)
    if name == "model_url":
        return addresses.shown(settings.model_url)
    if isinstance(value, SecretStr):
        return "(set)" if value.get_secret_value() else ""
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_defaults=True)
    if isinstance(value, dict | tuple):
        return json.dumps(value) if value else ""
    if isinstance(value, bool):
        return json.dumps(value)  # as it is written in the file
    return str(value)
