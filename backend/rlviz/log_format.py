"""Format log lines as text, or as JSON objects for log collectors (``RLVIZ_LOG_FORMAT``)."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from rlviz.domain.plain_text import json_text, one_line, visible

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonLines(logging.Formatter):
    """One object a line: ``time`` (RFC 3339, UTC), ``level``, ``logger``, ``message``, and ``exception`` with its
    traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        from datetime import UTC, datetime

        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json_text(line)


class TextLines(logging.Formatter):
    """One line of text per message, with control characters and line breaks escaped."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the library's name)
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return visible(super().formatException(ei))


_LIBRARIES = ("alembic", "httpx", "httpcore")
"""Libraries whose INFO messages matter only for debugging."""


def start_log(level: int, file: Path | None = None) -> None:
    """Log messages at ``level`` or above to standard error, and at INFO or above also to the end of ``file``, which is
    created if missing. Raises OSError if it cannot be written."""
    root = logging.getLogger()
    if not root.handlers:
        logging.basicConfig(level=level, format=TEXT)
        root.handlers[0].setLevel(level)
        root.handlers[0].setFormatter(TextLines())
    if file is not None:
        handler = logging.FileHandler(file, encoding="utf-8")
        handler.setFormatter(TextLines())
        handler.setLevel(min(level, logging.INFO))
        root.addHandler(handler)
        root.setLevel(handler.level)
    if level > logging.DEBUG:
        for name in _LIBRARIES:
            logging.getLogger(name).setLevel(logging.WARNING)


def log_at_least(level: int) -> None:
    """Lower the level of standard error to ``level`` if it is higher."""
    root = logging.getLogger()
    for handler in root.handlers:
        handler.setLevel(min(handler.level, level))
    root.setLevel(min(root.level, level))


def log_as(log_format: str) -> None:
    """Make every handler of the root logger write ``text`` or ``json``."""
    formatter = JsonLines() if log_format == "json" else TextLines()
    for handler in logging.getLogger().handlers:
        handler.setFormatter(formatter)
