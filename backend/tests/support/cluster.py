"""A launcher that hands jobs to a cluster and cannot see their processes."""

from __future__ import annotations

from itertools import count

from rlviz.domain.errors import LauncherError
from rlviz.launchers.base import Exit, Job, Launcher, Worker, worker_arguments
from rlviz.rundir.folder import RunFolder
from tests.support.template import SharedWorkers
from tests.support.waiting import eventually

_NAME = "cluster job "


class Cluster:
    """A job queue that runs jobs of any service in order and outlives these services."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._nodes = SharedWorkers()
        self._jobs: dict[int, Worker] = {}

    def submit(self, folder: RunFolder, job: Job) -> int:
        number = next(self._numbers)
        if not folder.path.is_dir():
            raise FileNotFoundError(folder.path)
        worker = self._nodes.start(worker_arguments(folder, job, f"{_NAME}{number}"))
        assert worker is not None, "the template forks"
        self._jobs[number] = worker
        return number

    def has(self, number: int) -> bool:
        return number in self._jobs

    def ended(self, number: int) -> Exit | None:
        return self._jobs[number].poll()

    def cancel(self, number: int, *, at_once: bool) -> None:
        if at_once:
            self._jobs[number].kill()
        else:
            self._jobs[number].terminate()

    def lose(self, number: int) -> None:
        """End the job and forget it."""
        job = self._jobs.pop(number)
        job.kill()
        eventually(job.poll, "the end of the job")

    def close(self) -> None:
        for number in list(self._jobs):
            self.lose(number)
        self._nodes.close()


class ClusterWorker(Worker):
    def __init__(self, cluster: Cluster, number: int) -> None:
        self._cluster, self.number = cluster, number

    @property
    def identity(self) -> str:
        return f"{_NAME}{self.number}"

    def poll(self) -> Exit | None:
        return self._cluster.ended(self.number)

    def terminate(self) -> None:
        self._cluster.cancel(self.number, at_once=False)

    def kill(self) -> None:
        self._cluster.cancel(self.number, at_once=True)


class ClusterLauncher(Launcher):
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def launch(self, folder: RunFolder, job: Job) -> Worker:
        try:
            return ClusterWorker(self._cluster, self._cluster.submit(folder, job))
        except OSError as error:
            raise LauncherError(f"The cluster took no job for {folder.path}: {error}.") from error

    def adopt(self, identity: str) -> Worker | None:
        if not identity.startswith(_NAME):
            return None
        worker = ClusterWorker(self._cluster, int(identity.removeprefix(_NAME)))
        return worker if self._cluster.has(worker.number) and worker.poll() is None else None

    def cause_of_loss(self, identity: str) -> str:
        return f"The cluster knows nothing of {identity} any more."

    def close(self) -> None:
        """Do nothing: jobs continue without the service."""
