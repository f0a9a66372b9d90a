"""ProcessLauncher: one process for each run, so that runs use all cores, are reproducible, and cannot crash each other.

Importing torch takes seconds, so that what has imported it is kept: a template that is forked, or prewarmed workers.
"""

from __future__ import annotations

import subprocess

from rlviz.domain.errors import ArtifactNotFound, LauncherError
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import Job, WorkFolder, worker_arguments
from rlviz.launchers.prewarmed import PrewarmedWorkers
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.launchers.process_worker import AdoptedWorker, ChildWorker, spawn
from rlviz.launchers.template import FORKS, ForkedWorkers
from rlviz.launchers.warm import WarmWorkers
from rlviz.machine import DEFAULT_NICENESS


class ProcessLauncher(Launcher):
    """Starts worker processes, warm ones where it can.

    Workers have sessions of their own, so that Ctrl-C on the service does not reach them: training outlives a restart.
    """

    def __init__(
        self, *, warm: bool = True, niceness: int = DEFAULT_NICENESS, source: WarmWorkers | None = None
    ) -> None:
        """``niceness``: from 0 to 19, added to that of this process for its workers. ``source``: of warm workers, where
        it shall not be the one that suits the system."""
        if source is None and warm:
            source = ForkedWorkers() if FORKS else PrewarmedWorkers()
        self.source = source
        self._niceness = niceness

    def tick(self) -> None:
        if self.source is not None:
            self.source.tick()

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        try:
            folder.check()
        except ArtifactNotFound as error:
            raise LauncherError(str(error)) from error
        arguments = ["--niceness", str(self._niceness), *worker_arguments(folder, job)]
        warm = None if self.source is None else self.source.start(arguments)
        return warm or ChildWorker(_start_cold(folder, arguments))

    def adopt(self, identity: str) -> Worker | None:
        process = ProcessIdentity.parse(identity)
        return AdoptedWorker(process) if process is not None and process.is_alive() else None

    def cause_of_loss(self, identity: str) -> str:
        process = ProcessIdentity.parse(identity)
        if process is not None and not process.is_of_this_boot:
            return "The host was restarted."
        return super().cause_of_loss(identity)

    def close(self) -> None:
        """End the warm workers that have no job; workers with a job go on."""
        if self.source is not None:
            self.source.close()


def _start_cold(folder: WorkFolder, arguments: list[str]) -> subprocess.Popen[bytes]:
    try:
        with folder.open_log() as log:
            return spawn(arguments, stdin=subprocess.DEVNULL, output=log.fileno())
    except OSError as error:
        raise LauncherError(f"The worker's log could not be opened: {error}.") from error
