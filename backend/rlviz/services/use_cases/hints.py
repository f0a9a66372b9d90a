"""Hints for a run, from its journal so far."""

from __future__ import annotations

from threading import Lock

from cachetools import LRUCache

from rlviz.analysis.hints import Case, Hint, Review, SuggestedChange, review
from rlviz.catalog.models import RunRow
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import UnknownName
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.run_actor import RunActor
from rlviz.domain.superseded import Superseded
from rlviz.environments.base import Environment
from rlviz.environments.custom import environment_of
from rlviz.services.use_cases.forking import ForkService
from rlviz.services.use_cases.knobs_in_force import knobs_in_force_now
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.run_series import Snapshot
from rlviz.services.use_cases.runs import RunService

CACHED_RUNS = 200


class HintService:
    """Computes hints again only when the journal has grown, or the run has ended."""

    def __init__(self, runs: RunService, metrics: MetricsService, forks: ForkService) -> None:
        self._runs, self._metrics, self._forks = runs, metrics, forks
        self._cache: LRUCache[str, tuple[tuple[int, str, int | None, Superseded], Review]] = LRUCache(CACHED_RUNS)
        self._lock = Lock()

    def of(self, run_id: str) -> Review:
        """None of a run in which nothing learns. Raises RunNotFound, or ArtifactNotFound if the run's folder is
        gone."""
        row = self._runs.get(run_id)
        if row.actor is not RunActor.POLICY:
            return Review([], [])
        found = self._metrics.read(self._runs.folder(run_id))
        version = (found.offset, row.status, row.solved_step, found.superseded)
        with self._lock:
            known = self._cache.get(run_id)
        if known is not None and known[0] == version:
            return known[1]
        seen = review(self._case(row, found))
        with self._lock:
            self._cache[run_id] = version, seen
        return seen

    def changes(self, run_id: str, hint: Hint) -> list[SuggestedChange]:
        """Those of the hint's that a fork of the run accepts. Raises ArtifactNotFound if its folder is gone."""
        config = self._runs.config(run_id)
        return [change for change in hint.changes if self._forks.accepts(config, change.name, change.value)]

    def _case(self, row: RunRow, found: Snapshot) -> Case:
        config = self._runs.config(row.id)
        environment = _environment(config)
        return Case(
            algo=row.algo,
            hyperparameters={**config.hyperparameters, **knobs_in_force_now(self._runs.folder(row.id), config)},
            total_timesteps=row.total_timesteps,
            series=found.series,
            ended=row.state.has_ended,
            actions=environment.action_space.n if environment else None,
            threshold=row.reward_threshold,
            best=None if row.best_policy is None else BestPolicy.model_validate(row.best_policy),
            solved=row.solved,
        )


def _environment(config: RunConfig) -> Environment | None:
    """None for an algorithm that is not installed."""
    try:
        return environment_of(config)
    except UnknownName:
        return None
