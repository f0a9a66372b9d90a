"""How log lines are written: as text, or as JSON objects for programs that collect them (``RLVIZ_LOG_FORMAT``)."""

from __future__ import annotations

import logging

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonLines(logging.Formatter):
    """One object a line: ``time`` (RFC 3339, UTC), ``level``, ``logger``, ``message``, and ``exception`` with its
    traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        import json
        from datetime import UTC, datetime

        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as(log_format: str) -> None:
    """Have every handler of the root logger write ``text`` or ``json``."""
    formatter = JsonLines() if log_format == "json" else logging.Formatter(TEXT)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(formatter)
