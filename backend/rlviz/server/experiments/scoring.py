"""Score trained runs by an evaluation on new episodes, and read evaluations during training for pruners."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from pathlib import Path

from cachetools import LRUCache

from rlviz.domain.disk_full import is_disk_full_cause
from rlviz.domain.errors import ArtifactNotFound, EvaluationInProgress, NothingToEvaluate, RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, PolicyChoice
from rlviz.domain.experiments import ScorePlan
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.domain.metrics import EVAL_REWARD
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import CountedRows
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.runs.service import RunService

MOST_TRIES = 3


@dataclass(frozen=True)
class TrialScore:
    """The mean return and the policy that played."""

    mean: float
    policy: PolicyChoice


class Scorer:
    """Requests evaluations for scores, and finds earlier ones so that none is played twice."""

    def __init__(self, runs: RunService, evaluations: EvaluationService) -> None:
        self._runs, self._evaluations = runs, evaluations

    def score(self, run_id: str, plan: ScorePlan) -> TrialScore | str | None:
        """Return the score, a sentence on why there is none, or None while the evaluation plays.

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
        failed = [record.cause for record in asked if not is_disk_full_cause(record.cause)]
        if len(failed) >= MOST_TRIES:
            return f"Its policy could not be scored: {failed[0]}"
        try:
            self._evaluations.create(
                run_id,
                episodes=plan.episodes,
                seed=DEFAULT_EVALUATION_SEED,
                deterministic=plan.is_greedy,
                policy=policy,
                video=False,
                steps=False,
            )
        except EvaluationInProgress:  # one that the user requested
            return None
        except (NothingToEvaluate, RunFolderError) as error:
            return f"Its policy could not be scored: {error}"
        return None

    def _policy(self, run_id: str, plan: ScorePlan) -> PolicyChoice:
        """Return the policy to score: the best one if the plan says so and it was kept."""
        folder = self._runs.folder(run_id)
        kept = plan.policy is PolicyChoice.BEST and is_file(folder.best_model_path, folder.path)
        return PolicyChoice.BEST if kept else PolicyChoice.LATEST


def _comes_after(record: EvaluationRecord, ended_at: float) -> bool:
    """Return whether the evaluation played the final policy. The time in its id has milliseconds."""
    return record.created_at.timestamp() >= ended_at - 0.001


def _is_asked(record: EvaluationRecord, plan: ScorePlan, policy: PolicyChoice) -> bool:
    return (record.episodes, record.seed, record.policy, record.video, record.deterministic) == (
        plan.episodes,
        DEFAULT_EVALUATION_SEED,
        policy,
        False,
        plan.is_greedy,
    )


MOST_RUNS = 256


class EvaluatedReturns:
    """Reads evaluations from journals. Each row is read once, unless the run is rolled back. For one thread."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: LRUCache[str, _Known] = LRUCache(MOST_RUNS)

    def read_returns(self, run_id: str) -> Sequence[float]:
        """Return the mean returns of the evaluations that count, oldest first.

        NaN for a policy that had not learned yet; empty if the run cannot be read.
        """
        try:
            if run_id not in self._known:
                self._known[run_id] = _Known(RunFolder(self._runs_dir, run_id))
            known = self._known[run_id]
        except (RunFolderError, ArtifactNotFound, OSError, ValueError):
            return []
        with suppress(RunFolderError, OSError):
            known.read()
        return known.returns


class _Known:
    """Raises RunFolderError, ArtifactNotFound, OSError or ValueError for a configuration that cannot be read."""

    def __init__(self, folder: RunFolder) -> None:
        config = folder.read_config()
        hyperparameters = ALGORITHMS.get(config.algo).hyperparameters.model_validate(config.hyperparameters)
        self._rows, self._first_update = CountedRows(folder), hyperparameters.first_update
        self.returns: list[float] = []

    def read(self) -> None:
        found = self._rows.read()
        if found.is_anew:
            self.returns.clear()
        for row in found.rows:
            value = row["values"].get(EVAL_REWARD)
            if isinstance(value, int | float):
                self.returns.append(float(value) if row["step"] > self._first_update else nan)
