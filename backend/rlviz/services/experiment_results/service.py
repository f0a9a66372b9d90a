"""ResultsService: the results of experiments, made again only when a trial has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

from cachetools import LRUCache

from rlviz import __version__
from rlviz.analysis.experiments import ExperimentResults, ScoreKind, Setting, Trial, experiment_results
from rlviz.analysis.experiments.digest import DIGEST_DEFINITION, RunDigest
from rlviz.analysis.experiments.results import DEFINITIONS, for_threshold
from rlviz.analysis.experiments.trials import Paid, evaluated_alike
from rlviz.analysis.solved import Evaluated
from rlviz.catalog.database import Database
from rlviz.catalog.evaluations import results_asked_for
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import find_runs, run_stamps
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from rlviz.services.experiment_results.digests import RunDigestStore
from rlviz.services.experiment_results.results_cache import ResultsCache
from rlviz.services.experiment_results.source import Cell, ExperimentSource
from rlviz.services.projection.folder_projection import counted
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.run_curves import RunCurvesCache
from rlviz.settings import Settings

RESULTS = "results"
CACHED_RESULTS = 32
CACHED_STORES = 16


@dataclass(frozen=True)
class ResultsRequest:
    """``threshold`` is None for that of each environment."""

    score: ScoreKind = ScoreKind.TRIAL
    threshold: float | None = None


class _State:
    """An experiment as it is now."""

    def __init__(self, source: ExperimentSource, database: Database) -> None:
        self.source, self._database = source, database
        self._run_ids = [one for cell in source.cells for one in cell.run_ids]
        with database.read() as session:
            stamps = run_stamps(session, self._run_ids)
            self.asked = results_asked_for(session, self._run_ids)
        parts = [
            __version__,
            str(DEFINITIONS),
            str(DIGEST_DEFINITION),
            source.id,
            repr(source.variants),
            repr(source.environments),
        ]
        parts += [repr(source.methods), repr(source.scales), repr(source.thresholds)]
        parts += [repr(cell) for cell in source.cells]
        parts += [f"{run_id} {stamp} {self.asked.get(run_id)!r}" for run_id, stamp in stamps.items()]
        self._digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def rows(self) -> dict[str, RunRow]:
        """By id, of the runs that exist: one that was deleted leaves its score behind."""
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, self._run_ids)}

    def key(self, request: ResultsRequest) -> str:
        """Of everything that results are made from, but for the seconds of what still trains."""
        asked = f"{self._digest}/{request.score.value}/{_threshold(self.source, request)!r}"
        return hashlib.sha256(asked.encode()).hexdigest()


class ResultsService:
    """``clock``: Unix seconds, for the cost of what still trains."""

    def __init__(
        self, settings: Settings, database: Database, metrics: MetricsService, *, clock: Callable[[], float]
    ) -> None:
        self._runs_dir, self._database, self._metrics, self._clock = settings.runs_dir, database, metrics, clock
        self._curves = RunCurvesCache(metrics)
        self._stores: LRUCache[str, RunDigestStore] = LRUCache(CACHED_STORES)
        self._results: LRUCache[str, ExperimentResults] = LRUCache(CACHED_RESULTS)
        self._lock = Lock()

    def results(self, source: ExperimentSource, request: ResultsRequest) -> ExperimentResults:
        state = _State(source, self._database)
        known = self._known(state, request)
        return self._compute(state, request, *self._trials(state, request)) if known is None else known

    def prepare(self, source: ExperimentSource) -> None:
        """Digest what has ended, and make the results that are asked for first once every trial has."""
        if all(cell.ended for cell in source.cells):
            self.results(source, ResultsRequest())
        else:
            rows = _State(source, self._database).rows
            self._store(source).of([row for row in rows.values() if row.state.has_ended])

    def trials_and_results(
        self, source: ExperimentSource, request: ResultsRequest
    ) -> tuple[list[Trial], ExperimentResults]:
        """The trials as they are counted, and what they amount to."""
        state = _State(source, self._database)
        trials, setting = self._trials(state, request)
        known = self._known(state, request)
        return trials, self._compute(state, request, trials, setting) if known is None else known

    def without_deleted(self, source: ExperimentSource) -> ExperimentSource:
        """The same without trials whose runs were deleted."""
        rows = _State(source, self._database).rows
        return replace(source, cells=[one for one in source.cells if one.run_id is None or one.run_id in rows])

    def _compute(
        self, state: _State, request: ResultsRequest, trials: list[Trial], setting: Setting
    ) -> ExperimentResults:
        """Of another threshold than that of the environments only what depends on it."""
        if setting.threshold == state.source.threshold:
            results = experiment_results(trials, setting)
        else:
            usual = ResultsRequest(request.score)
            before = self._known(state, usual) or self._compute(state, usual, *self._trials(state, usual))
            results = for_threshold(before, trials, setting)
        key = state.key(request)
        ResultsCache(state.source.folder / RESULTS).keep(key, results)
        with self._lock:
            self._results[key] = results
        return results

    def _trials(self, state: _State, request: ResultsRequest) -> tuple[list[Trial], Setting]:
        source, rows = state.source, state.rows
        digests = self._store(source).of(list(rows.values()))
        greedy = bool(digests) and all(one.greedy is not None or one.training is None for one in digests.values())
        setting = Setting(
            source.variants,
            source.environments,
            request.score,
            _threshold(source, request),
            greedy,
            methods=source.methods,
            scales=source.scales,
            thresholds=source.thresholds,
            evaluated_unlike=_evaluated_unlike(source, digests),
        )
        return [self._trial(cell, state, digests, setting) for cell in source.cells], setting

    def _known(self, state: _State, request: ResultsRequest) -> ExperimentResults | None:
        """Those in memory, or that an earlier service has kept."""
        key = state.key(request)
        with self._lock:
            known = self._results.get(key)
        if known is None:
            known = ResultsCache(state.source.folder / RESULTS).read(key)
            if known is not None:
                with self._lock:
                    self._results[key] = known
        return known

    def _store(self, source: ExperimentSource) -> RunDigestStore:
        with self._lock:
            store = self._stores.get(source.id)
            if store is None:
                store = RunDigestStore(source.folder / RESULTS, self._runs_dir, self._metrics, self._curves)
                self._stores[source.id] = store
            return store

    def _trial(self, cell: Cell, state: _State, digests: dict[str, RunDigest], setting: Setting) -> Trial:
        rows = state.rows
        now, row = self._clock(), rows.get(cell.run_id or "")
        is_own = setting.score is ScoreKind.TRIAL
        attempts = [rows[run_id] for run_id in cell.run_ids if run_id in rows]
        trial = Trial(
            variant=cell.variant,
            seed=cell.seed,
            run_id=cell.run_id or "",
            score=cell.score if is_own else None,
            ended=cell.ended,
            paid=Paid(sum(one.core_seconds(now) for one in attempts), sum(one.step for one in attempts)),
            skipped=cell.skipped,
            pruned=cell.pruned,
            policy=cell.policy if is_own else None,
            has_own_score=cell.score is not None,
            deleted=cell.ended and cell.run_id is not None and row is None,
        )
        if row is None:
            return trial
        found = digests[row.id]
        threshold = setting.threshold_of(cell.variant)
        return replace(
            trial,
            score=_score(cell, row, setting.score),
            steps=row.step,
            reached=None
            if threshold is None
            else found.reached(
                threshold,
                self._asked(row, state),
                by_own_evaluations=setting.environments[cell.variant] not in setting.evaluated_unlike,
            ),
            core_seconds=row.core_seconds(now),
            curve=found.greedy if setting.greedy_curves else found.training,
            evaluated_every=found.every,
        )

    def _asked(self, row: RunRow, state: _State) -> list[Evaluated]:
        """The evaluations on request that count, that of its own score among them."""
        asked = state.asked.get(row.id, [])
        return counted(asked, RunFolder(self._runs_dir, row.id)) if row.superseded else asked


def _evaluated_unlike(source: ExperimentSource, digests: dict[str, RunDigest]) -> frozenset[str]:
    """The environments on which not all runs that have begun were evaluated alike."""
    every: dict[str, list[float | None]] = {}
    for cell in source.cells:
        found = digests.get(cell.run_id or "")
        if found is not None and found.training is not None:
            every.setdefault(source.environments[cell.variant], []).append(found.every)
    return frozenset(environment for environment, ours in every.items() if not evaluated_alike(ours))


def _score(cell: Cell, row: RunRow, kind: ScoreKind) -> float | None:
    """What a training that was not completed has reached is no score."""
    if kind is ScoreKind.TRIAL:
        return cell.score
    if not cell.ended or row.state is not RunStatus.COMPLETED:
        return None
    match kind:
        case ScoreKind.TRAINING:
            return row.ep_rew_mean
        case _:
            return None if row.best_policy is None else BestPolicy.model_validate(row.best_policy).mean_return


def _threshold(source: ExperimentSource, request: ResultsRequest) -> float | None:
    """For all environments; None: in each its own."""
    return source.threshold if request.threshold is None else request.threshold
