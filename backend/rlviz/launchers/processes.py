"""Worker processes, one of them warm: torch's import is paid for before it is needed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from rlviz.domain.errors import LauncherError
from rlviz.launchers.base import Exit, Worker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process import UNKNOWN, ProcessIdentity

RESPAWN_SECONDS = 1.5
"""The next prewarmed worker waits so long, lest its imports compete with the first steps of the run just started."""

_VMSTAT = Path("/proc/vmstat")


class LaunchedWorker(Worker):
    """A child process of this service."""

    def __init__(self, process: subprocess.Popen[bytes], identity: ProcessIdentity) -> None:
        self._process, self._identity = process, identity
        self._kills_before = _out_of_memory_kills()
        self._exit: Exit | None = None

    @property
    def identity(self) -> ProcessIdentity:
        return self._identity

    def poll(self) -> Exit | None:
        code = self._process.poll()
        if code is not None and self._exit is None:
            starved = code == -signal.SIGKILL and _out_of_memory_kills() > self._kills_before
            self._exit = Exit(code, out_of_memory=starved)
        return self._exit

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()


class AdoptedWorker(Worker):
    """A process that an earlier service launched: it can be watched, but its exit status is lost."""

    def __init__(self, identity: ProcessIdentity) -> None:
        self._identity = identity

    @property
    def identity(self) -> ProcessIdentity:
        return self._identity

    def poll(self) -> Exit | None:
        return None if self._identity.is_alive() else Exit(None)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._identity.is_alive():
            with suppress(ProcessLookupError):  # it ended just now
                os.kill(self._identity.pid, number)


class WorkerProcesses:
    """Starts worker processes, from a prewarmed worker if there is one.

    They run in sessions of their own, so that Ctrl-C on the service does not reach them: training
    outlives a restart. A prewarmed worker that got no job ends with the service.
    """

    def __init__(self, *, warm: bool = True, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warm, self._monotonic = warm, monotonic
        self._prewarmed: subprocess.Popen[bytes] | None = None
        self._respawn_at = monotonic()

    def prepare(self) -> None:
        """Start a prewarmed worker if there is none and the last launch is not too fresh."""
        if self._prewarmed is not None and self._prewarmed.poll() is not None:
            self._discard_prewarmed()
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        now = self._monotonic()
        if self._warm and self._prewarmed is None and now >= self._respawn_at:
            self._respawn_at = now + RESPAWN_SECONDS
            self._prewarmed = _spawn(["--prewarm"], stdin=subprocess.PIPE, output=subprocess.DEVNULL)

    def start(self, folder: RunFolder, evaluation_id: str | None = None) -> LaunchedWorker:
        """A worker that trains the run in ``folder``, or plays one of its evaluations.

        Raises LauncherError if no process can be started, RunFolderError if the folder is a link or no folder.
        """
        try:
            folder.check()
        except FileNotFoundError as error:
            raise LauncherError(f"The folder of run {folder.run_id!r} is gone.") from error
        self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        if self._prewarmed is not None and _hand_over(self._prewarmed, folder, evaluation_id):
            process, self._prewarmed = self._prewarmed, None
        else:
            self._discard_prewarmed()
            process = _start_cold(folder, evaluation_id)
        return LaunchedWorker(process, _identity_of(process))

    def adopt(self, identity: ProcessIdentity) -> AdoptedWorker | None:
        return AdoptedWorker(identity) if identity.is_alive() else None

    def close(self) -> None:
        """Let the prewarmed worker go; workers that have a job go on."""
        self._discard_prewarmed()
        self._warm = False

    def _discard_prewarmed(self) -> None:
        if self._prewarmed is not None:
            with self._prewarmed as prewarmed:  # closes its pipe and waits for its end
                prewarmed.kill()
            self._prewarmed = None


def _start_cold(folder: RunFolder, evaluation_id: str | None) -> subprocess.Popen[bytes]:
    arguments = [str(folder.path), *(["--evaluate", evaluation_id] if evaluation_id else [])]
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


def _hand_over(prewarmed: subprocess.Popen[bytes], folder: RunFolder, evaluation_id: str | None) -> bool:
    """Give ``prewarmed`` its job; it may still be importing. Returns False if it has died."""
    job = {"folder": str(folder.path), "evaluate": evaluation_id}
    pipe = prewarmed.stdin
    if prewarmed.poll() is not None or pipe is None:
        return False
    try:
        pipe.write(json.dumps(job).encode() + b"\n")
        pipe.close()
    except OSError:
        return False
    return True


def _identity_of(process: subprocess.Popen[bytes]) -> ProcessIdentity:
    try:
        return ProcessIdentity.of(process.pid)
    except psutil.NoSuchProcess:
        return UNKNOWN


def _out_of_memory_kills() -> int:
    """How many processes the kernel has killed for want of memory since it started; 0 if it does not say."""
    try:
        for line in _VMSTAT.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
