"""Probes custom environments in processes of their own, since they may hang, print, or crash."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import IO

from rlviz.child_environment import child_environment
from rlviz.domain.environment import ProbedEnvironment
from rlviz.importing import module_command

TIME_LIMIT_SECONDS = 60.0
"""Seconds, not counting what the process waits for a processor; enough to import a large library."""

LOOK_SECONDS = 0.2
"""How often it is looked whether a process has taken too long."""

TAIL_BYTES = 20_000
"""Of what a class writes to standard error, so much is kept, in case its process ends without an answer."""

_DRAIN_SECONDS = 1.0


@dataclass(frozen=True)
class ProbeFailure:
    """Why an environment cannot be used, and what to do, written for the author of its class."""

    message: str


class Prober:
    """Runs ``python -m rlviz.environments.probe``, from as many threads as call it. ``close`` ends it for good."""

    def __init__(self, time_limit: float = TIME_LIMIT_SECONDS, *, hang_seconds: float | None = None) -> None:
        """``time_limit``: seconds for each environment. ``hang_seconds``: of them, for its random steps."""
        self._time_limit = time_limit
        self._options = [] if hang_seconds is None else ["--hang-seconds", str(hang_seconds)]
        self._running: set[_Probe] = set()
        self._closed = False
        self._lock = Lock()

    def probe(self, entry_point: str) -> ProbedEnvironment | ProbeFailure:
        """Try the class, and describe it. What it had shown when it hung or crashed counts."""
        with tempfile.TemporaryDirectory(prefix="rlviz-probe-") as folder:
            answers = Path(folder) / "answers"
            with self._lock:
                if self._closed:
                    return ProbeFailure("The service was closed before it was probed.")
                probe = _Probe(entry_point, answers, self._options)
                self._running.add(probe)
            try:
                status = probe.wait(self._time_limit)
            finally:
                with self._lock:
                    self._running.discard(probe)
            answer = _last_answer(answers)
        if answer is not None:
            return answer
        if status is None:
            return ProbeFailure(f"It was not ready within {self._time_limit:g} seconds. Do nothing long in its module.")
        return ProbeFailure(f"Its process ended with status {status}: {probe.last_line()}")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for probe in self._running:
                probe.kill()


class _Probe:
    """One process that probes."""

    def __init__(self, entry_point: str, answers: Path, options: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [*module_command("rlviz.environments.probe"), entry_point, "--answer", str(answers), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=child_environment(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYTHONIOENCODING="utf-8:replace"),
            start_new_session=True,
        )
        self._tail = b""
        assert self._process.stderr is not None
        self._drain = Thread(target=self._keep_tail, args=(self._process.stderr,), name="probe-output", daemon=True)
        self._drain.start()

    def wait(self, seconds: float) -> int | None:
        """Its exit status, or None if it took longer and was killed; with what it has started, either way."""
        began = time.monotonic()
        try:
            while time.monotonic() - began - queued_seconds(self._process.pid) < seconds:
                with suppress(subprocess.TimeoutExpired):
                    return self._process.wait(min(LOOK_SECONDS, seconds))
            return None
        finally:
            self.kill()
            self._process.wait()
            self._drain.join(_DRAIN_SECONDS)

    def kill(self) -> None:
        """Kill it with all processes that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def last_line(self) -> str:
        """Of what it wrote to standard error."""
        lines = self._tail.decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "it said nothing."

    def _keep_tail(self, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := pipe.read1(TAIL_BYTES):  # type: ignore[attr-defined]
                self._tail = (self._tail + piece)[-TAIL_BYTES:]


def queued_seconds(pid: int) -> float:
    """How long a process has waited for a processor: of its threads, the one that waited longest.

    Linux counts it, in the second field of ``schedstat``: see its Documentation/scheduler/sched-stats.rst. Elsewhere 0.
    """
    longest = 0
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, IndexError, ValueError):  # it has ended meanwhile
                longest = max(longest, int((task / "schedstat").read_text().split()[1]))
    return longest / 1e9


def _last_answer(path: Path) -> ProbedEnvironment | ProbeFailure | None:
    """What the last whole line says."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        with suppress(ValueError):  # one that was cut off
            said = json.loads(line)
            reason = said.get("unavailable_reason")
            return ProbeFailure(reason) if reason is not None else ProbedEnvironment.model_validate(said)
    return None
