"""TrustGuard: no worker begins in a run that came from elsewhere before the user trusts it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import EnvironmentMissing, NotTrusted, RunFolderError
from rlviz.launchers.base import Job, Launcher, Worker, WorkFolder
from rlviz.learning.environments.base import missing_source
from rlviz.learning.sessions.folder import SessionFolder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.standing import Standing, check_trusted, mark_own, standing_of
from rlviz.settings import Settings


class TrustGuard:
    def __init__(self, settings: Settings) -> None:
        self._runs_dir, self._trusts_runs_dir = settings.runs_dir, settings.trust_runs_dir

    def check(self, folder: RunFolder) -> None:
        """Raises NotTrusted for a run in which no worker may begin without being asked to."""
        if not self.standing_of(folder.path).may_run:
            raise NotTrusted(folder.run_id)

    def admit(self, folder: RunFolder) -> None:
        """The user asks for a use of the run: one that was found in the runs folder is their own from now on. Raises
        NotTrusted for a run that came from elsewhere and is not trusted, EnvironmentMissing, and OSError."""
        check_trusted(folder, trusts_runs_dir=self._trusts_runs_dir)
        self.adopt(folder.path)
        _check_environment(folder)

    def adopt(self, folder: Path) -> bool:
        """Make the run or experiment in ``folder`` the user's own if it was found in the runs folder; whether it may
        be used now. Raises OSError."""
        standing = self.standing_of(folder)
        if standing is Standing.FOUND:
            mark_own(folder, self._runs_dir)
        return standing.is_usable

    def standing_of(self, folder: Path) -> Standing:
        """That of the run or experiment in ``folder``."""
        return standing_of(folder, self._runs_dir, trusts_runs_dir=self._trusts_runs_dir)


def _check_environment(folder: RunFolder) -> None:
    """Raises EnvironmentMissing if the class of the run's environment is not on this machine."""
    with suppress(RunFolderError, OSError):
        config = folder.read_config()
        custom = config.custom_environment
        if custom is not None and (missing := missing_source(custom.entry_point)) is not None:
            raise EnvironmentMissing(config.env_id, custom.entry_point, missing)


class GuardedLauncher(Launcher):
    """Launches as ``launcher`` does, but nothing in the folder of a run that is not trusted: all workers are launched
    through it."""

    def __init__(self, launcher: Launcher, guard: TrustGuard) -> None:
        self._launcher, self._guard = launcher, guard

    @property
    def capacity(self) -> int | None:  # type: ignore[override]
        return self._launcher.capacity

    def tick(self) -> None:
        self._launcher.tick()

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        """Raises NotTrusted, and what the launcher raises."""
        if (run := _run_of(folder)) is not None:
            self._guard.check(run)
        return self._launcher.launch(folder, job)

    def adopt(self, identity: str) -> Worker | None:
        return self._launcher.adopt(identity)

    def cause_of_loss(self, identity: str) -> str:
        return self._launcher.cause_of_loss(identity)

    def watch(self, folder: RunFolder, identity: str) -> Worker:
        return self._launcher.watch(folder, identity)

    def close(self) -> None:
        self._launcher.close()


def _run_of(folder: WorkFolder) -> RunFolder | None:
    """The run whose folder, policies or environment a job in ``folder`` uses; None: a session without a run."""
    if not isinstance(folder, SessionFolder):
        return RunFolder.at(folder.path)
    run_folder = folder.read_plan().run_folder
    return RunFolder.at(run_folder) if run_folder is not None else None
