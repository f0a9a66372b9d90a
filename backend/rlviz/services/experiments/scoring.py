"""Scorer: the score of a trained run, by an evaluation on fresh episodes without a video."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.domain.disk_full import is_for_want_of_room
from rlviz.domain.errors import EvaluationInProgress, NothingToEvaluate, RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, PolicyChoice
from rlviz.domain.experiments import ScorePlan
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.rundir.files import is_file
from rlviz.services.use_cases.evaluations import EvaluationService
from rlviz.services.use_cases.runs import RunService

MOST_TRIES = 3


@dataclass(frozen=True)
class TrialScore:
    """The mean return, and which policy played."""

    mean: float
    policy: PolicyChoice


class Scorer:
    """Finds the evaluation that was asked for before, so that none is played twice."""

    def __init__(self, runs: RunService, evaluations: EvaluationService) -> None:
        self._runs, self._evaluations = runs, evaluations

    def score(self, run_id: str, plan: ScorePlan) -> TrialScore | str | None:
        """The score; why there is none, in a sentence; or None while it is being played.

        Raises NotEnoughDisk, RunNotFound, or OSError.
        """
        policy = self._policy(run_id, plan)
        ended_at = self._runs.get(run_id).ended_at or 0.0
        asked = [
            record
            for row in self._evaluations.list(run_id)
            if _is_asked(record := row.parsed(), plan, policy) and _comes_after(record, ended_at)
        ]
        for record in asked:
            if record.summary is not None and record.summary.episode_return is not None:
                return TrialScore(record.summary.episode_return.mean, policy)
            if not record.status.is_final:
                return None
        failed = [record.cause for record in asked if not is_for_want_of_room(record.cause)]
        if len(failed) >= MOST_TRIES:
            return f"Its policy could not be scored: {failed[0]}"
        try:
            self._evaluations.create(
                run_id,
                episodes=plan.episodes,
                seed=DEFAULT_EVALUATION_SEED,
                deterministic=True,
                policy=policy,
                video=False,
                steps=False,
            )
        except EvaluationInProgress:  # one that somebody asked for
            return None
        except (NothingToEvaluate, RunFolderError) as error:
            return f"Its policy could not be scored: {error}"
        return None

    def _policy(self, run_id: str, plan: ScorePlan) -> PolicyChoice:
        """The best, where it is wanted and was kept."""
        folder = self._runs.folder(run_id)
        kept = plan.policy is PolicyChoice.BEST and is_file(folder.best_model_path, folder.path)
        return PolicyChoice.BEST if kept else PolicyChoice.LATEST


def _comes_after(record: EvaluationRecord, ended_at: float) -> bool:
    """Whether it played what training came to, and not a policy on the way. An id's time has milliseconds."""
    return record.created_at.timestamp() >= ended_at - 0.001


def _is_asked(record: EvaluationRecord, plan: ScorePlan, policy: PolicyChoice) -> bool:
    return (record.episodes, record.seed, record.policy, record.video, record.deterministic) == (
        plan.episodes,
        DEFAULT_EVALUATION_SEED,
        policy,
        False,
        True,
    )
