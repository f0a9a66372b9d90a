"""One process a run: full speed on every core, reproducible seeds, and a crash that harms nobody else."""

from __future__ import annotations

from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.processes import WorkerProcesses
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process import ProcessIdentity


class ProcessLauncher(Launcher):
    def __init__(self, processes: WorkerProcesses) -> None:
        self._processes = processes

    def launch(self, folder: RunFolder) -> Worker:
        return self._processes.start(folder)

    def adopt(self, identity: ProcessIdentity) -> Worker | None:
        return self._processes.adopt(identity)

    def close(self) -> None:
        """Nothing to do: workers outlive the service, and the prewarmed worker belongs to the processes."""
