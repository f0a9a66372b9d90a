"""The analyst: a process that answers questions over all runs, as lines of JSON.

    python -m rlviz.analyst CATALOGUE

A user's SQL runs here and not in the service, since this process can be ended whatever the statement does. It prints
``{"ready": true}`` after reading the tables, then answers. It exits when standard input closes or after a time
without questions.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import orjson

from rlviz.server.analytics.statement import BadStatement
from rlviz.server.analytics.warehouse import TOO_MUCH_MEMORY, Library

IDLE_SECONDS = 600.0
MOST_ADDRESSES = 4 << 30
"""Limit of the address space in bytes, for functions that allocate memory outside DuckDB's own limit."""


def main(catalogue: str) -> int:
    _limit_memory()
    library = Library(Path(catalogue))
    while line := _next_question():
        _say(_answered(library, orjson.loads(line)))
    return 0


def _next_question() -> bytes:
    """Return the next question; empty at the end of standard input. Exits after a long time without one."""
    idle_timer = Timer(IDLE_SECONDS, os._exit, (0,))
    idle_timer.daemon = True
    idle_timer.start()
    try:
        return sys.stdin.buffer.readline()
    finally:
        idle_timer.cancel()


def _answered(library: Library, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        library.refresh()
        if asked.get("schema"):
            _say({"ready": True})
            return {"schema": library.schema()}
        statement = library.check(asked["sql"])
        _say({"ready": True})
        answer, notes = library.answer(statement, asked["parameters"], asked["most_rows"])
    except BadStatement as error:
        return {"error": str(error), "position": error.position, "exhausted": str(error) == TOO_MUCH_MEMORY}
    except (sqlite3.Error, duckdb.Error, OSError) as error:  # errors of the tables; a statement reports its own
        return {"unusable": f"{type(error).__name__}: {error}"}
    return {"answer": asdict(answer), "notes": notes}


def _say(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message) + b"\n")
    sys.stdout.buffer.flush()


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
