"""Use case on what is played by hand: a run to keep it in."""

from __future__ import annotations

from rlviz.domain.status import RunStatus
from rlviz.environments.custom import family_of
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.use_cases.base import RunUseCases
from rlviz.services.use_cases.configuration import played_config
from rlviz.sessions.folder import SessionPlan
from rlviz.sessions.packets import Recording


class PlayedRuns(RunUseCases):
    def begin(self, session_id: str, plan: SessionPlan) -> Recording:
        """Create the run that the worker of a session keeps its episodes in; folder and row, or neither.

        The worker is there already, so that the run is starting from the first. Nothing is wanted of it in
        ``control.json``: should the catalogue be made again before the worker has begun, nobody trains it.
        Raises NotEnoughDisk, RunFolderError or OSError.
        """
        self._disk.check()
        env_options, custom = plan.env_options, plan.custom_environment
        if plan.run_folder is not None:
            played = RunFolder.at(plan.run_folder).read_config()
            env_options, custom = played.env_options, played.custom_environment
        config = played_config(plan.env_id, env_options, custom, seed=plan.seed, now=self._clock())
        row = row_of_config(config)
        row.status = RunStatus.STARTING.value
        with new_folder(self._settings.runs_dir, config) as appear, self._database.write() as session:
            session.add(row)
            session.flush()
            appear()
        self._broadcast.run_changed(row)
        self._supervisor.follow_played(row, session_id)
        return Recording(
            run_folder=self._folder(row.id).path.absolute(),
            steps=self._settings.storage_profile(family_of(config)).wanted(),
            keep_videos=self._settings.keep_eval_videos,
        )
