"""Probes a custom environment in a process of its own, since it may hang, print, or crash."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from rlviz.child_environment import child_environment
from rlviz.domain.environment import ProbedEnvironment
from rlviz.importing import module_command

TIME_LIMIT_SECONDS = 60.0
"""Seconds; enough to import a large library on a busy machine."""


@dataclass(frozen=True)
class ProbeFailure:
    """Why an environment cannot be used, and what to do, written for the author of its class."""

    message: str


class Prober:
    """Runs ``python -m rlviz.environments.probe``, one at a time. ``close`` ends it for good, from any thread."""

    def __init__(self, time_limit: float = TIME_LIMIT_SECONDS) -> None:
        self._time_limit = time_limit
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._lock = Lock()

    def probe(self, entry_point: str) -> ProbedEnvironment | ProbeFailure:
        with self._lock:
            if self._closed:
                return ProbeFailure("The service was closed before it was probed.")
            self._process = _start(entry_point)
        process = self._process
        try:
            output, errors = process.communicate(timeout=self._time_limit)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            return ProbeFailure(f"It was not ready within {self._time_limit:g} seconds. Do nothing long in its module.")
        return _answer(output) or ProbeFailure(
            f"Its process ended with status {process.returncode}: {_last_line(errors)}"
        )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._process is not None and self._process.poll() is None:
                _kill(self._process)
                self._process.wait()


def _start(entry_point: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*module_command("rlviz.environments.probe"), entry_point],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=child_environment(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYTHONIOENCODING="utf-8:replace"),
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill it with all processes that it started, since whoever holds its pipes keeps us waiting."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _answer(output: str) -> ProbedEnvironment | ProbeFailure | None:
    """Parse the last line; earlier output is of the user's module."""
    try:
        said = json.loads(output.strip().splitlines()[-1])
        return (
            ProbeFailure(said["unavailable_reason"])
            if "unavailable_reason" in said
            else ProbedEnvironment.model_validate(said)
        )
    except (ValueError, IndexError, TypeError):
        return None


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing."
