"""Choose how much of a run is recorded, and read its stored frames."""

from __future__ import annotations

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import EvaluationNotFound, PicturesNotFound, RunFolderError
from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.events import RecordedData, RecordingChangedData, StartedData
from rlviz.domain.recording import Detail
from rlviz.domain.storage_profile import RecordingChoice
from rlviz.learning.environments.custom import find_family
from rlviz.rundir.folder import KeptFrame, RunFolder
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.models import RecordingLevel, RunRecording
from rlviz.server.runs.events import read_events
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.settings import Settings


class RecordingService(RunUseCases):
    def get_choice(self, run_id: str) -> RunRecording:
        """Return how the run is recorded. Raises RunNotFound, ArtifactNotFound or RunFolderError."""
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        config = folder.read_config()
        choice = recording_choice(self._settings, folder, config)
        lowered, lowered_at, cost = None, None, None
        for event in read_events(folder).events:
            match event.data:
                case RecordedData(cost=measured):
                    cost = cost if measured is None else measured
                case RecordingChangedData(lowered=found):
                    lowered, lowered_at = found, event.step if found is not None else None
                case StartedData():
                    lowered, lowered_at = None, None
        profile, learns = choice.profile, config.actor is RunActor.POLICY
        most_cost = profile.most_cost_in_training if learns else profile.most_cost
        return RunRecording(
            run_id=run_id,
            detail=(choice.detail or profile.detail) if lowered is None else lowered.after,
            chosen=choice.detail,
            of_family=profile.detail,
            levels=[RecordingLevel(detail=detail, keeps=profile.keeps(detail)) for detail in Detail],
            cost=cost,
            most_cost=most_cost,
            lowered=lowered,
            lowered_at=lowered_at,
        )

    def choose(self, run_id: str, detail: Detail | None) -> RunRecording:
        """Record the run at level ``detail`` from now on, also during training; None: as its family.

        Raises NotControlled, NewerVersion and the errors of ``get_choice``.
        """
        with self._database.write() as session:
            check_controlled(get_run(session, run_id))
            folder = self._folder(run_id)
            folder.check()
            choice = recording_choice(self._settings, folder, folder.config_to_go_on())
            folder.write_recording(choice.model_copy(update={"detail": detail}))
        return self.get_choice(run_id)

    def frames(self, run_id: str, evaluation_id: str) -> list[KeptFrame]:
        """Return the stored frames of an evaluation. Raises RunNotFound, EvaluationNotFound or RunFolderError."""
        try:
            return self._folder_of(run_id, evaluation_id).evaluations.frames(evaluation_id)
        except FileNotFoundError:
            return []

    def frame(self, run_id: str, evaluation_id: str, episode: int, index: int) -> bytes:
        """Return a frame as JPEG. Raises PicturesNotFound and the errors of ``frames``."""
        try:
            return self._folder_of(run_id, evaluation_id).evaluations.read_frame(evaluation_id, episode, index)
        except FileNotFoundError as error:
            raise PicturesNotFound(
                f"The frame of step {index} of episode {episode + 1} is not stored. GET the list of stored frames."
            ) from error

    def _folder_of(self, run_id: str, evaluation_id: str) -> RunFolder:
        with self._database.read() as session:
            get_run(session, run_id)
            if session.get(EvaluationRow, (run_id, evaluation_id)) is None:
                raise EvaluationNotFound(f"Run {run_id[:80]!r} has no evaluation {evaluation_id[:80]!r}.")
        return self._folder(run_id)


def recording_choice(settings: Settings, folder: RunFolder, config: RunConfig) -> RecordingChoice:
    """Return the level chosen for a run, with the current profile of its family."""
    detail = None
    try:
        known = folder.read_recording()
    except RunFolderError:
        known = None
    if known is not None:
        detail = known.detail
    return RecordingChoice(detail=detail, profile=settings.storage_profile(find_family(config)))


def steps_wanted(settings: Settings, folder: RunFolder, asked: bool | None) -> StepsWanted | None:
    """Return how to record an evaluation of a run; None: not at all.

    ``asked``: whether to record steps; None: as chosen for the run.
    """
    choice = recording_choice(settings, folder, folder.read_config())
    if asked is False:
        return None
    if asked and choice.effective is Detail.OFF:
        return choice.profile.wanted(Detail.STANDARD)
    return choice.profile.wanted(choice.effective)
