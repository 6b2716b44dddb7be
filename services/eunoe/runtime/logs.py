"""How this process writes its log: lines for people, or JSON for machines, always on standard error."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from eunoe.runtime.settings import Settings


class TextFormatter(logging.Formatter):
    """``time LEVEL logger action=… message``, times in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        action = getattr(record, "action", "-")
        line = f"{_time(record)} {record.levelname} {record.name} action={action} {record.getMessage()}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "action": getattr(record, "action", ""),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure(settings: Settings, level: str = "") -> None:
    """Send the log of this process to standard error, in the form and from the level that the settings say."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logging.basicConfig(handlers=[handler], level=(level or settings.log_level).upper(), force=True)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
