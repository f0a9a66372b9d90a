"""One process a run: full speed on every core, reproducible seeds, and a crash that harms nobody else.

Two more processes are kept prewarmed, for a run and for whoever watches it from its first second: torch's import is
paid for before it is needed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

from rlviz.domain.errors import ArtifactNotFound, LauncherError
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import Job, Workplace, worker_arguments
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.launchers.process_worker import AdoptedWorker, ChildWorker

RESPAWN_SECONDS = 1.5
"""The next prewarmed worker waits so long, lest its imports compete with the first steps of the run just started."""

PREWARMED = 2
IMPORT_SECONDS = 5.0
"""So long after one, another is prewarmed: they shall not compete with each other either."""


class ProcessLauncher(Launcher):
    """Starts worker processes, from a prewarmed worker if there is one.

    They run in sessions of their own, so that Ctrl-C on the service does not reach them: training
    outlives a restart. A prewarmed worker that got no job ends with the service.
    """

    def __init__(self, *, warm: bool = True, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warm, self._monotonic = warm, monotonic
        self._prewarmed: list[subprocess.Popen[bytes]] = []
        self._respawn_at = monotonic()

    def tick(self) -> None:
        """Start a prewarmed worker if there are too few and nothing was started just now."""
        for prewarmed in [one for one in self._prewarmed if one.poll() is not None]:
            self._discard(prewarmed)
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        now = self._monotonic()
        if self._warm and len(self._prewarmed) < PREWARMED and now >= self._respawn_at:
            self._respawn_at = now + IMPORT_SECONDS
            self._prewarmed.append(_spawn(["--prewarm"], stdin=subprocess.PIPE, output=subprocess.DEVNULL))

    def launch(self, folder: Workplace, job: Job) -> Worker:
        try:
            folder.check()
        except ArtifactNotFound as error:
            raise LauncherError(str(error)) from error
        self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        arguments = worker_arguments(folder, job)
        while self._prewarmed:
            if _hand_over(self._prewarmed[0], arguments):
                return ChildWorker(self._prewarmed.pop(0))
            self._discard(self._prewarmed[0])
        return ChildWorker(_start_cold(folder, arguments))

    def adopt(self, identity: str) -> Worker | None:
        process = ProcessIdentity.parse(identity)
        return AdoptedWorker(process) if process is not None and process.is_alive() else None

    def cause_of_loss(self, identity: str) -> str:
        process = ProcessIdentity.parse(identity)
        if process is not None and not process.is_of_this_boot:
            return "The host was restarted."
        return super().cause_of_loss(identity)

    def close(self) -> None:
        """Let the prewarmed workers go; workers that have a job go on."""
        for prewarmed in list(self._prewarmed):
            self._discard(prewarmed)
        self._warm = False

    def _discard(self, prewarmed: subprocess.Popen[bytes]) -> None:
        self._prewarmed.remove(prewarmed)
        with prewarmed:  # closes its pipe and waits for its end
            prewarmed.kill()


def _start_cold(folder: Workplace, arguments: list[str]) -> subprocess.Popen[bytes]:
    try:
        with folder.open_log() as log:
            return _spawn(arguments, stdin=subprocess.DEVNULL, output=log.fileno())
    except OSError as error:
        raise LauncherError(f"The worker's log could not be opened: {error}.") from error


def _spawn(arguments: list[str], *, stdin: int, output: int) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
        "PYTHONUNBUFFERED": "1",
    }
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "rlviz.worker", *arguments],
            stdin=stdin,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise LauncherError(f"The worker process could not be started: {error}.") from error


def _hand_over(prewarmed: subprocess.Popen[bytes], arguments: list[str]) -> bool:
    """Give ``prewarmed`` its job; it may still be importing. Returns False if it has died."""
    pipe = prewarmed.stdin
    if prewarmed.poll() is not None or pipe is None:
        return False
    try:
        pipe.write(json.dumps(arguments).encode() + b"\n")
        pipe.close()
    except OSError:
        return False
    return True
