"""Prevent workers from starting in runs that were made elsewhere and that the user does not trust."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import EnvironmentFaulty, EnvironmentMissing, GameChanged, NotTrusted, RunFolderError
from rlviz.domain.games import Game
from rlviz.launchers.base import Job, Launcher, Worker, WorkFolder
from rlviz.learning.environments.base import missing_source
from rlviz.learning.environments.gameboy.game_file import check_files
from rlviz.learning.sessions.folder import SessionFolder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.standing import Standing, check_trusted, mark_own, standing_of
from rlviz.settings import Settings


class TrustGuard:
    """Decides which runs and experiments may be used, and marks those that the user starts to use."""

    def __init__(self, settings: Settings) -> None:
        self._runs_dir, self._trusts_runs_dir = settings.runs_dir, settings.trust_runs_dir

    def check(self, folder: RunFolder) -> None:
        """Raise NotTrusted if no worker may start in the run without the user's request."""
        if not self.standing_of(folder.path).may_run:
            raise NotTrusted(folder.run_id)

    def admit(self, folder: RunFolder) -> None:
        """Allow a use that the user requests. A run that was found in the runs folder becomes the user's own.

        Raises NotTrusted if the run was made elsewhere and is not trusted, EnvironmentMissing, or OSError.
        """
        check_trusted(folder, trusts_runs_dir=self._trusts_runs_dir)
        self.adopt(folder.path)
        _check_environment(folder)

    def adopt(self, folder: Path) -> bool:
        """Make a run or experiment that was found in the runs folder the user's own.

        Returns whether it may be used. Raises OSError.
        """
        standing = self.standing_of(folder)
        if standing is Standing.FOUND:
            mark_own(folder, self._runs_dir)
        return standing.is_usable

    def standing_of(self, folder: Path) -> Standing:
        """Return the standing of the run or experiment in ``folder``."""
        return standing_of(folder, self._runs_dir, trusts_runs_dir=self._trusts_runs_dir)


def _check_environment(folder: RunFolder) -> None:
    """Raise EnvironmentMissing if the class or the game of the run's environment is not on this machine."""
    with suppress(RunFolderError, OSError):
        config = folder.read_config()
        custom = config.custom_environment
        if custom is None:
            return
        if custom.game is not None:
            _check_game(custom.game)
        elif (missing := missing_source(custom.entry_point)) is not None:
            raise EnvironmentMissing(config.env_id, custom.entry_point, missing)


def _check_game(game: Game) -> None:
    """Raise GameChanged if the ROM or the start state is missing, or is not the one of the run."""
    try:
        check_files(game)
    except EnvironmentFaulty as error:
        raise GameChanged(str(error)) from error


class GuardedLauncher(Launcher):
    """Wraps ``launcher`` and refuses untrusted runs. All workers are launched through it."""

    def __init__(self, launcher: Launcher, guard: TrustGuard) -> None:
        self._launcher, self._guard = launcher, guard

    @property
    def capacity(self) -> int | None:  # type: ignore[override]
        return self._launcher.capacity

    def maintain(self) -> None:
        self._launcher.maintain()

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        """Start a worker. Raises NotTrusted and the errors of the launcher."""
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
    """Return the run whose folder, policies or environment a job uses; None for a session without a run."""
    if not isinstance(folder, SessionFolder):
        return RunFolder.at(folder.path)
    run_folder = folder.read_plan().run_folder
    return RunFolder.at(run_folder) if run_folder is not None else None
