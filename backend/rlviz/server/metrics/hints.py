"""Find hints for a run in its curves, and the changes that a fork can try."""

from __future__ import annotations

import math
from collections.abc import Mapping
from threading import Lock

from cachetools import LRUCache
from pydantic import JsonValue

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import UnknownName
from rlviz.domain.evaluation import BestPolicy, EvaluationSummary, Origin
from rlviz.domain.events import Superseded
from rlviz.domain.presets import OwnPreset, Preset
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.presets.catalog import measured, preset_for
from rlviz.server.catalog.models import RunRow
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.metrics.service import MetricsService, Snapshot
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.forking import ForkService, knobs_in_force_now
from rlviz.stats.hints import Case, Hint, RequestedEvaluation, Review, SuggestedChange, review

CACHED_RUNS = 200

_Requested = tuple[tuple[RequestedEvaluation, bool], ...]
_Version = tuple[int, str, int | None, Superseded, _Requested]
"""Everything that the hints of a run depend on."""


class HintService:
    """Finds hints. They are cached until the journal grows, the run ends, or it is evaluated."""

    def __init__(
        self,
        runs: RunService,
        metrics: MetricsService,
        forks: ForkService,
        evaluations: EvaluationService,
        own_presets: OwnPresets,
    ) -> None:
        self._runs, self._metrics, self._forks = runs, metrics, forks
        self._evaluations, self._own_presets = evaluations, own_presets
        self._cache: LRUCache[str, tuple[_Version, Review]] = LRUCache(CACHED_RUNS)
        self._lock = Lock()

    def find_hints(self, run_id: str) -> Review:
        """Return the hints of a run; none if nothing learns.

        Raises RunNotFound, or ArtifactNotFound if its folder is gone.
        """
        row = self._runs.get(run_id)
        if row.actor is not RunActor.POLICY:
            return Review([], [])
        found = self._metrics.read(self._runs.folder(run_id))
        requested = self._requested(run_id)
        version = (found.offset, row.status, row.solved_step, found.superseded, requested)
        with self._lock:
            known = self._cache.get(run_id)
        if known is not None and known[0] == version:
            return known[1]
        seen = review(self._case(row, found, requested))
        with self._lock:
            self._cache[run_id] = version, seen
        return seen

    def changes(self, run_id: str, hint: Hint) -> list[SuggestedChange]:
        """Return the changes of a hint that a fork of the run accepts.

        Raises ArtifactNotFound if its folder is gone.
        """
        config = self._runs.config(run_id)
        return [change for change in hint.changes if self._forks.accepts(config, change.name, change.value)]

    def _requested(self, run_id: str) -> _Requested:
        """Return the evaluations that the user requested, by step, each with whether it was deterministic."""
        records = [row.parsed() for row in self._evaluations.list(run_id)]
        return tuple(
            sorted(
                (requested_evaluation(record.checkpoint_step or 0, record.summary), record.deterministic)
                for record in records
                if record.origin is Origin.ASKED
                and record.summary is not None
                and record.summary.episode_return is not None
            )
        )

    def _case(self, row: RunRow, found: Snapshot, requested: _Requested) -> Case:
        config = self._runs.config(row.id)
        environment = _environment(config)
        hyperparameters = {**config.hyperparameters, **knobs_in_force_now(self._runs.folder(row.id), config)}
        preset = self._preset(config, environment)
        return Case(
            algo=row.algo,
            hyperparameters=hyperparameters,
            total_timesteps=row.total_timesteps,
            series=found.series,
            ended=row.state.has_ended,
            done=row.step,
            actions=environment.action_space.n if environment else None,
            cells=environment.world.cells if environment and environment.world else None,
            threshold=row.reward_threshold,
            best=None if row.best_policy is None else BestPolicy.model_validate(row.best_policy),
            solved=row.solved,
            rollout=rollout_of(row.algo, config.hyperparameters),
            preset_timesteps=None if preset is None else preset.total_timesteps,
            changed_preset=preset is None or is_changed(preset, hyperparameters),
            requested=[one for one, deterministic in requested if deterministic is config.evaluation.is_greedy],
            deterministic=config.evaluation.is_greedy,
            expected=None if preset is None else expected_return(preset, row.env_id),
            reward=config.reward,
            exploration=config.exploration,
        )

    def _preset(self, config: RunConfig, environment: Environment | None) -> Preset | OwnPreset | None:
        """Return the run's preset; None if it has none or the preset no longer exists."""
        if config.preset is None or environment is None:
            return None
        try:
            return preset_for(config.preset, config.algo, environment.id, environment.chosen, self._own_presets.all())
        except UnknownName:
            return None


def requested_evaluation(step: int, summary: EvaluationSummary) -> RequestedEvaluation:
    """Return the mean return of the policy of ``step`` in an evaluation, with its standard error."""
    found = summary.episode_return
    assert found is not None, "it has episodes"
    return RequestedEvaluation(step, found.mean, found.std / math.sqrt(len(summary.episodes)))


def rollout_of(algo: str, hyperparameters: Mapping[str, JsonValue]) -> int:
    """Return the environment steps between two rounds of updates; 1 for an unknown algorithm."""
    return ALGORITHMS.get(algo).training_end(1, hyperparameters) if algo in ALGORITHMS.names() else 1


def is_changed(preset: Preset | OwnPreset, hyperparameters: Mapping[str, JsonValue]) -> bool:
    """Return whether ``hyperparameters`` differ from those of ``preset``."""
    values = ALGORITHMS.get(preset.algorithm).completed(preset.hyperparameters)
    return any(values.get(name) != value for name, value in hyperparameters.items())


def expected_return(preset: Preset | OwnPreset, env_id: str) -> float | None:
    """Return the lower end of the measured interval of the return of ``preset``."""
    figures = preset.measured if isinstance(preset, OwnPreset) else measured(preset, env_id)
    return None if figures is None else figures.return_low


def _environment(config: RunConfig) -> Environment | None:
    """Return None for an unknown algorithm."""
    try:
        return find_environment(config)
    except UnknownName:
        return None
