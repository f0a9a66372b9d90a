"""A launcher that trains in a thread of the service, one run at a time, for debugging and embedding."""

from __future__ import annotations

import logging
from threading import Event, Thread

from rlviz.child_environment import forget_secrets
from rlviz.domain.errors import LauncherError
from rlviz.domain.registry import load
from rlviz.launchers.base import Exit, Job, Launcher, Train, Worker, WorkFolder
from rlviz.launchers.process import ProcessLauncher
from rlviz.machine import DEFAULT_NICENESS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process_identity import ProcessIdentity

log = logging.getLogger(__name__)

_CLOSE_SECONDS = 10.0
_THREAD_OF = "thread of "


class ThreadWorker(Worker):
    def __init__(self, folder: RunFolder) -> None:
        self._folder, self._stop = folder, Event()
        self._identity = f"{_THREAD_OF}{ProcessIdentity.current()}"
        self._code: int | None = None
        self._thread = Thread(target=self._work, name=f"worker-{folder.run_id}", daemon=True)
        self._thread.start()

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        return None if self._thread.is_alive() else Exit(self._code)

    def terminate(self) -> None:
        self._stop.set()

    def kill(self) -> None:
        """Request a stop, because a thread cannot be killed."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _work(self) -> None:
        train_run = load(
            "rlviz.learning.training.watched:train_run"
        )  # imported here, since the service starts without torch
        try:
            self._code = 0 if train_run(self._folder, self._stop, worker=self._identity) else 1
        except Exception:
            self._code = 1
            log.exception("Run %s could not be trained", self._folder.run_id)


class ThreadLauncher(Launcher):
    """Trains in a thread; all other jobs, which may render, run in processes.

    Only one run trains at a time: Stable-Baselines3 seeds global generators, so two would not be reproducible.
    """

    capacity = 1

    def __init__(self, *, warm: bool = True, niceness: int = DEFAULT_NICENESS) -> None:
        forget_secrets()  # runs train in this process
        self._processes = ProcessLauncher(warm=warm, niceness=niceness)
        self._worker: ThreadWorker | None = None

    def maintain(self) -> None:
        self._processes.maintain()

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        if not isinstance(job, Train):
            return self._processes.launch(folder, job)
        if self._worker is not None and self._worker.poll() is None:
            raise LauncherError("The thread launcher trains one run at a time, and one is training.")
        self._worker = ThreadWorker(RunFolder.at(folder.path))
        return self._worker

    def adopt(self, identity: str) -> Worker | None:
        """Adopt a process of another launcher. A thread never outlives its service."""
        return self._processes.adopt(identity)

    def cause_of_loss(self, identity: str) -> str:
        return self._processes.cause_of_loss(identity.removeprefix(_THREAD_OF))

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.join(_CLOSE_SECONDS)
        self._processes.close()
