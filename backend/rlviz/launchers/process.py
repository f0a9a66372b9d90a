"""ProcessLauncher: one process for each run, so that runs use all cores, are reproducible, and cannot crash each other.

Two more processes are kept prewarmed, one for a run and one for a session that watches it, since importing torch takes
seconds.
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
from rlviz.launchers.job import Job, MakeClips, Workplace, worker_arguments
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.launchers.process_worker import AdoptedWorker, ChildWorker

RESPAWN_SECONDS = 1.5
"""Seconds before the next worker is prewarmed after a launch, so that its imports do not slow the run's first steps."""

CLIPS_RESPAWN_SECONDS = 5.0
"""The same after the worker of a run's clips: the imports take longer than a clip, and would slow down those that are
asked for next. That worker makes them too, so that nothing waits for a prewarmed one."""

PREWARMED = 2
IMPORT_SECONDS = 5.0
"""Seconds between two prewarmings, so that their imports do not compete."""


class ProcessLauncher(Launcher):
    """Starts worker processes, from a prewarmed worker if there is one.

    Workers have sessions of their own, so that Ctrl-C on the service does not reach them: training outlives a restart.
    A prewarmed worker without a job ends with the service.
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
        pause = CLIPS_RESPAWN_SECONDS if isinstance(job, MakeClips) else RESPAWN_SECONDS
        self._respawn_at = self._monotonic() + pause
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
        """End the prewarmed workers; workers with a job go on."""
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
    """Send ``prewarmed`` its job, which it may receive while still importing. Returns False if it has died."""
    pipe = prewarmed.stdin
    if prewarmed.poll() is not None or pipe is None:
        return False
    try:
        pipe.write(json.dumps(arguments).encode() + b"\n")
        pipe.close()
    except OSError:
        return False
    return True
