"""Analyst: sends queries to the process that runs them, and ends it when it does not answer in time."""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

import orjson

from rlviz.child_environment import child_environment
from rlviz.domain.errors import AnalyticsBusy, AnalyticsUnusable, QueryRefused
from rlviz.importing import module_command

log = logging.getLogger(__name__)

LOADING_SECONDS = 120.0
"""Seconds that reading the tables may take, the first time and after many changes."""

ANSWER_SECONDS = 12.0
"""Seconds that an answer may take. The process normally stops a statement earlier by itself."""

WAITING_SECONDS = 25.0
"""Seconds that a query waits for other queries."""

_GONE = "The process that ran the query ended, most likely because the query needs too much memory. Ask for less."
_STUCK = f"The query was stopped after {ANSWER_SECONDS:g} seconds. Ask for less: fewer runs, a WHERE, or fewer joins."


class Analyst:
    """Runs one query at a time, from any thread. The process starts with the first query and ends with ``close``."""

    def __init__(self, catalogue: Path) -> None:
        self._catalogue = catalogue
        self._turn, self._process_lock = Lock(), Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._closed = False

    def ask(self, sql: str, parameters: Sequence[Any] = (), *, most_rows: int) -> dict[str, Any]:
        """Return the answer to a statement, with ``notes``. Raises QueryRefused, AnalyticsBusy or AnalyticsUnusable."""
        said = self._exchange({"sql": sql, "parameters": list(parameters), "most_rows": most_rows})
        return {**said["answer"], "notes": said["notes"]}

    def schema(self) -> dict[str, list[dict[str, str]]]:
        """Return the columns of each table. Raises AnalyticsBusy or AnalyticsUnusable."""
        schema: dict[str, list[dict[str, str]]] = self._exchange({"schema": True})["schema"]
        return schema

    def close(self) -> None:
        self._closed = True
        self._end()

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any]:
        if not self._turn.acquire(timeout=WAITING_SECONDS):
            raise AnalyticsBusy("Other queries are running. Try again in a few seconds.")
        try:
            try:
                line = orjson.dumps(question) + b"\n"
            except TypeError as error:  # a lone surrogate, which has no UTF-8 encoding
                raise QueryRefused("The query must be valid UTF-8.") from error
            self._send(line)
            said = self._receive(LOADING_SECONDS)
            if "ready" in said:
                said = self._receive(ANSWER_SECONDS)
            if said.get("exhausted"):  # its memory may be too fragmented for the next query
                self._end()
        finally:
            self._turn.release()
        if "unusable" in said:
            raise AnalyticsUnusable(f"The runs cannot be read for a query ({said['unusable']}).")
        if "error" in said:
            raise QueryRefused(said["error"], said["position"])
        return said

    def _send(self, line: bytes) -> None:
        """Send a line to the process. Starts a new one if there is none or it has exited."""
        for _ in range(2):
            process = self._process
            if process is None or process.poll() is not None:
                process = self._start()
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.write(line)
                process.stdin.flush()
                return
            self._end()
        raise AnalyticsUnusable("The process that answers queries does not start. The service's log says why.")

    def _start(self) -> subprocess.Popen[bytes]:
        self._end()
        with self._process_lock:
            if self._closed:
                raise AnalyticsUnusable("The service is ending.")
            process = subprocess.Popen(
                [*module_command("rlviz.analyst"), str(self._catalogue)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=child_environment(OMP_NUM_THREADS="1"),
            )
            self._process, self._answers = process, SimpleQueue()
        Thread(target=_listen, args=(process, self._answers), name="analyst", daemon=True).start()
        return process

    def _receive(self, seconds: float) -> dict[str, Any]:
        begin = time.monotonic()
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            log.warning("The analyst did not answer within %.0f s and is ended", time.monotonic() - begin)
            self._end()
            raise QueryRefused(_STUCK) from None
        if not line:
            self._end()
            raise QueryRefused(_GONE)
        said: dict[str, Any] = orjson.loads(line)
        return said

    def _end(self) -> None:
        with self._process_lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()


def _listen(process: subprocess.Popen[bytes], answers: SimpleQueue[bytes]) -> None:
    """Put each output line of the process into ``answers``, and an empty one when it has exited."""
    assert process.stdout is not None
    with suppress(OSError, ValueError):  # it was ended, and its pipe closed
        while line := process.stdout.readline():
            answers.put(line)
    answers.put(b"")
