"""Compute and cache the results of experiments.

``ExperimentResultsService`` answers requests by experiment id. ``ResultsService`` computes results from an
``ExperimentSource`` and computes them again only when a trial has changed; ``ResultsCache`` stores those of ended
experiments in their folders. ``ResultsPreparer`` computes in the background while experiments train, so that the first
request is fast. ``preset_of`` turns a variant into a preset with its measured figures.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Condition, Lock, Thread
from time import monotonic

import numpy as np
from cachetools import LRUCache

from rlviz import __version__
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, RunFolderError, SearchNotFound, UnknownName
from rlviz.domain.evaluation import BestPolicy, PolicyChoice
from rlviz.domain.experiments import Sweep
from rlviz.domain.export_formats import ResultsFormat
from rlviz.domain.ids import utc
from rlviz.domain.presets import MeasuredCurve, MeasuredPreset, OwnPreset, own_preset_id
from rlviz.domain.status import RunStatus
from rlviz.learning.search.results import SearchResults, search_results
from rlviz.learning.search.study import SearchRecord, SearchTrial
from rlviz.rundir.files import read_small, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import find_requested_results
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import drop_discarded_evaluations
from rlviz.server.catalog.runs import find_runs, run_stamps
from rlviz.server.events import TrialsChanged
from rlviz.server.experiments.results.digests import RunDigestStore
from rlviz.server.experiments.results.exports import export
from rlviz.server.metrics.service import MetricsService
from rlviz.server.runs.presets import OwnPresets
from rlviz.settings import Settings
from rlviz.stats.experiments import ExperimentResults, Scale, ScoreKind, Setting, Trial, experiment_results
from rlviz.stats.experiments.curves import Curves
from rlviz.stats.experiments.report import ReportHead, report
from rlviz.stats.experiments.results import DEFINITIONS, DIGEST_DEFINITION, RunDigest, for_threshold
from rlviz.stats.experiments.trials import Paid, SeedArrival, evaluated_alike
from rlviz.stats.seeds import kaplan_meier
from rlviz.stats.solved import Evaluated

log = logging.getLogger(__name__)


MOST_KEPT = 8
"""Number of cached results of one experiment: one for each kind of score and a few thresholds."""

MOST_BYTES = 1 << 26

_PREFIX, _SUFFIX = "made-", ".json"


class ResultsCache:
    """Result files in an experiment's ``results`` folder, each named by a key of all its inputs.

    The files are a cache: you can delete them at any time. Unreadable or malformed files are ignored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> ExperimentResults | None:
        try:
            return ExperimentResults.model_validate_json(read_small(self._path(key), limit=MOST_BYTES))
        except (OSError, ValueError, RunFolderError):
            return None

    def keep(self, key: str, results: ExperimentResults) -> None:
        """Save results, unless trials still train. A failure is only logged."""
        if not results.complete:
            return
        try:
            self._folder.mkdir(exist_ok=True)  # without parents, so that a deleted experiment stays deleted
            write_atomically(self._path(key), results.model_dump_json().encode())
            self._forget_oldest()
        except OSError as error:
            log.warning("Cannot cache results in %s: %s", self._folder, error)

    def _path(self, key: str) -> Path:
        return self._folder / f"{_PREFIX}{key}{_SUFFIX}"

    def _forget_oldest(self) -> None:
        found = sorted(self._folder.glob(f"{_PREFIX}*{_SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in found[:-MOST_KEPT]:
            path.unlink(missing_ok=True)


BETWEEN_SECONDS = 10.0
"""Seconds between two preparations while experiments train."""


class ResultsPreparer:
    """A thread that prepares results, started when first needed. ``handle_trials`` is thread-safe."""

    def __init__(self, prepare: Callable[[str], None], *, between: float = BETWEEN_SECONDS) -> None:
        """``prepare`` is called with an experiment's id; its exceptions are logged."""
        self._prepare, self._between = prepare, between
        self._changed = Condition()
        self._over: list[str] = []
        self._training: set[str] = set()
        self._next_look = 0.0
        self._closing = False
        self._thread: Thread | None = None

    def handle_trials(self, event: TrialsChanged) -> None:
        """Queue an experiment and return at once. Ended experiments are prepared first."""
        experiment_id, is_over = event.experiment_id, event.is_over
        with self._changed:
            if self._closing:
                return
            self._training.discard(experiment_id)
            if is_over:
                self._over.append(experiment_id)
            else:
                self._training.add(experiment_id)
            if self._thread is None:
                self._thread = Thread(target=self._loop, name="results", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Finish the current preparation and start no more."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        while (wanted := self._next()) is not None:
            for experiment_id in wanted:
                try:
                    self._prepare(experiment_id)
                except Exception as error:  # deleted or damaged: a request for the results reports it
                    log.info("Cannot prepare results of experiment %s: %s", experiment_id, error)

    def _next(self) -> list[str] | None:
        """Wait for and return the next experiments to prepare; None when closing."""
        with self._changed:
            while not self._closing:
                if self._over:
                    found, self._over = self._over, []
                    return found
                if self._training and monotonic() >= self._next_look:
                    self._next_look = monotonic() + self._between
                    going, self._training = sorted(self._training), set()
                    return going
                self._changed.wait(max(0.0, self._next_look - monotonic()) if self._training else None)
            return None


@dataclass(frozen=True)
class Cell:
    """One trial: a variant with a seed.

    Attributes:
        run_id: Its newest run; None before it has one.
        score: Mean return of its policy on new episodes; None if it has no score.
        policy: The policy that was scored; None if unknown.
        ended: Whether it is settled.
        skipped: Whether the experiment ended before the trial did.
        pruned: Whether the search pruned it.
        earlier_run_ids: Runs of attempts that failed or were lost.
    """

    variant: str
    seed: int
    run_id: str | None
    score: float | None
    ended: bool
    earlier_run_ids: Sequence[str] = ()
    skipped: bool = False
    pruned: bool = False
    policy: PolicyChoice | None = None

    @property
    def run_ids(self) -> list[str]:
        """Return the ids of the runs of all attempts."""
        return [*self.earlier_run_ids, *([self.run_id] if self.run_id is not None else [])]


@dataclass(frozen=True)
class ExperimentSource:
    """What results are computed from, independent of how the experiment is stored.

    Attributes:
        folder: The experiment's folder; results are cached in its ``results``.
        specification: Returns the specification as JSON text.
        variants: Labels by variant id, in the order of the specification.
        environments: The environment of each variant, with its options.
        thresholds: The return to reach, by environment that has one.
        methods: The name of each variant's method, without its environment.
        scales: Return scales of the environments whose returns can be normalised.
        sweep: The search; None if the experiment has none.
        tests_hint: Whether it tests a hint.
        sampled_scores: Whether policies sample their actions when they are scored.
        first_step: Environment steps that its runs have done when they start: that of the snapshot which they fork.
    """

    id: str
    title: str
    folder: Path
    specification: Callable[[], str]
    variants: dict[str, str]
    environments: dict[str, str]
    cells: Sequence[Cell]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    sweep: Sweep | None = None
    tests_hint: bool = False
    sampled_scores: bool = False
    first_step: int = 0

    @property
    def threshold(self) -> float | None:
        """The return to reach that all environments share; None if they differ or have none."""
        found = {self.thresholds.get(environment) for environment in self.environments.values()}
        return found.pop() if len(found) == 1 else None


RESULTS = "results"
CACHED_RESULTS = 32
CACHED_STORES = 16


@dataclass(frozen=True)
class ResultsRequest:
    """Which results to compute. ``threshold``: None uses that of each environment."""

    score: ScoreKind = ScoreKind.TRIAL
    threshold: float | None = None


class _State:
    """The current state of an experiment."""

    def __init__(self, source: ExperimentSource, database: Database) -> None:
        self.source, self._database = source, database
        self._run_ids = [one for cell in source.cells for one in cell.run_ids]
        with database.read() as session:
            stamps = run_stamps(session, self._run_ids)
            self.asked = find_requested_results(session, self._run_ids)
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
        """Return the rows of existing runs by id. A deleted run leaves its score in the experiment."""
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, self._run_ids)}

    def key(self, request: ResultsRequest) -> str:
        """Return a key of all inputs of the results, except the training time of active runs."""
        asked = f"{self._digest}/{request.score.value}/{_threshold(self.source, request)!r}"
        return hashlib.sha256(asked.encode()).hexdigest()


class ResultsService:
    """Computes results. ``clock`` returns Unix seconds, for the cost of active runs."""

    def __init__(
        self, settings: Settings, database: Database, metrics: MetricsService, *, clock: Callable[[], float]
    ) -> None:
        self._runs_dir, self._database, self._metrics, self._clock = settings.runs_dir, database, metrics, clock
        self._stores: LRUCache[str, RunDigestStore] = LRUCache(CACHED_STORES)
        self._results: LRUCache[str, ExperimentResults] = LRUCache(CACHED_RESULTS)
        self._lock = Lock()

    def results(self, source: ExperimentSource, request: ResultsRequest) -> ExperimentResults:
        state = _State(source, self._database)
        known = self._known(state, request)
        return self._compute(state, request, *self._trials(state, request)) if known is None else known

    def prepare(self, source: ExperimentSource) -> None:
        """Digest ended runs and, when all trials have ended, compute the default results."""
        if all(cell.ended for cell in source.cells):
            self.results(source, ResultsRequest())
        else:
            rows = _State(source, self._database).rows
            self._store(source).read_digests([row for row in rows.values() if row.state.has_ended])

    def trials_and_results(
        self, source: ExperimentSource, request: ResultsRequest
    ) -> tuple[list[Trial], ExperimentResults]:
        """Return the trials that count, and their results."""
        state = _State(source, self._database)
        trials, setting = self._trials(state, request)
        known = self._known(state, request)
        return trials, self._compute(state, request, trials, setting) if known is None else known

    def without_deleted(self, source: ExperimentSource) -> ExperimentSource:
        """Return ``source`` without the trials whose runs were deleted."""
        rows = _State(source, self._database).rows
        return replace(source, cells=[one for one in source.cells if one.run_id is None or one.run_id in rows])

    def _compute(
        self, state: _State, request: ResultsRequest, trials: list[Trial], setting: Setting
    ) -> ExperimentResults:
        """Compute results. For a custom threshold, recompute only what depends on it."""
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
        digests = self._store(source).read_digests(list(rows.values()))
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
            tests_hint=source.tests_hint,
            sampled_scores=source.sampled_scores,
        )
        return [self._trial(cell, state, digests, setting) for cell in source.cells], setting

    def _known(self, state: _State, request: ResultsRequest) -> ExperimentResults | None:
        """Return cached results, from memory or from the experiment's folder."""
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
                store = RunDigestStore(source.folder / RESULTS, self._runs_dir, self._metrics)
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
            paid=Paid(
                sum(one.core_seconds(now) for one in attempts),
                sum(max(0, one.step - state.source.first_step) for one in attempts),
            ),
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
        """Return the requested evaluations that count, including the one that gave the score."""
        asked = state.asked.get(row.id, [])
        return drop_discarded_evaluations(asked, RunFolder(self._runs_dir, row.id)) if row.superseded else asked


def _evaluated_unlike(source: ExperimentSource, digests: dict[str, RunDigest]) -> frozenset[str]:
    """Return the environments whose started runs were not all evaluated in the same way."""
    every: dict[str, list[float | None]] = {}
    for cell in source.cells:
        found = digests.get(cell.run_id or "")
        if found is not None and found.training is not None:
            every.setdefault(source.environments[cell.variant], []).append(found.every)
    return frozenset(environment for environment, ours in every.items() if not evaluated_alike(ours))


def _score(cell: Cell, row: RunRow, kind: ScoreKind) -> float | None:
    """Return the score of a trial; None if its training was not completed."""
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
    """Return the threshold for all environments; None if each uses its own."""
    return source.threshold if request.threshold is None else request.threshold


CURVE_POINTS = 60


def run_of(source: ExperimentSource, variant: str) -> str:
    """Return the id of a run of ``variant`` with a score. Raises UnknownName, or InvalidRequest if there is none."""
    if variant not in source.variants:
        raise UnknownName("variant", variant, source.variants, "/variant")
    for cell in source.cells:
        if cell.variant == variant and cell.run_id is not None and cell.score is not None:
            return cell.run_id
    raise InvalidRequest.field(
        "/variant",
        f"{source.variants[variant]} has no run with a score. Keep it after one of its trials has ended and before its "
        "runs are deleted.",
    )


def preset_of(
    source: ExperimentSource,
    variant: str,
    title: str,
    config: RunConfig,
    results: ExperimentResults,
    now: float,
) -> OwnPreset:
    """Return a preset from a variant.

    ``config``: configuration of the run that ``run_of`` returns; ``results``: results with the trials' own scores.
    Raises InvalidRequest if its episodes begin in one cell, which presets do not do.
    """
    if config.exploration is not None and config.exploration.start_cell is not None:
        raise InvalidRequest.field(
            "/variant",
            f"{source.variants[variant]} begins episodes in one cell (start_cell), which a preset cannot do. Keep a "
            "variant without it.",
        )
    label = source.variants[variant]
    found = measured_of(variant, results, sampled_scores=source.sampled_scores)
    seeds = f"{found.seeds} seed{'' if found.seeds == 1 else 's'}"
    return OwnPreset(
        id=own_preset_id(title),
        title=title,
        algorithm=config.algo,
        environment=config.env_id,
        summary=f"{label}, saved from the experiment “{source.title}” with {seeds}.",
        tradeoff="Measured on these seeds only; other seeds can give different results.",
        source=f"experiment {source.id}, variant {variant}",
        total_timesteps=config.total_timesteps,
        when=config.env_options,
        hyperparameters=config.hyperparameters,
        evaluation=config.evaluation,
        exploration=config.exploration,
        measured=found,
        curve=curve_of(results.curves, variant),
        experiment_id=source.id,
        created_at=utc(now),
    )


def measured_of(variant: str, results: ExperimentResults, *, sampled_scores: bool = False) -> MeasuredPreset:
    """Return a preset's measured figures from the trials of ``variant``. At least one trial must have a score."""
    assert results.score is ScoreKind.TRIAL
    scores = next(one for one in results.variants if one.variant == variant)
    assert scores.iqm is not None
    seconds, trained = (sum(getattr(one, name) for one in scores.scores) for name in ("core_seconds", "steps"))
    arrivals = _arrivals(variant, results, {one.seed for one in scores.scores})
    solved = sorted(round(one.steps) for one in arrivals if not one.censored)
    steps = _median_steps(arrivals)
    return MeasuredPreset(
        seeds=scores.n,
        solved=len(solved),
        held=None if scores.threshold is None else sum(one.score >= scores.threshold for one in scores.scores),
        return_iqm=round(scores.iqm, 3),
        return_low=scores.low and round(scores.low, 3),
        return_high=scores.high and round(scores.high, 3),
        steps_to_threshold=None if steps is None else round(steps),
        seconds_to_threshold=None if steps is None or not trained else round(seconds * steps / trained, 1),
        solved_steps=solved,
        seconds=round(seconds / scores.n, 1),
        sampled=sampled_scores,
    )


def _arrivals(variant: str, results: ExperimentResults, seeds: set[int]) -> list[SeedArrival]:
    """Return the arrivals of the scored ``seeds``, so that all figures of a preset cover the same seeds."""
    known = [] if results.thresholds is None else results.thresholds.variants
    found = next((one.seeds for one in known if one.variant == variant), [])
    return [one for one in found if one.seed in seeds]


def _median_steps(arrivals: Sequence[SeedArrival]) -> float | None:
    """Return the Kaplan-Meier median of steps to the threshold; None if fewer than half reached it."""
    if not arrivals:
        return None
    steps = np.array([one.steps for one in arrivals])
    return kaplan_meier(steps, [not one.censored for one in arrivals]).median


def curve_of(curves: Curves, variant: str) -> MeasuredCurve | None:
    """Return the curve of ``variant``, thinned evenly to CURVE_POINTS with both ends; None if it has no curve."""
    found = next((one for one in curves.variants if one.variant == variant), None)
    known = [] if found is None else [place for place, value in enumerate(found.iqm) if value is not None]
    if found is None or not known:
        return None
    chosen = np.unique(np.linspace(0, len(known) - 1, min(len(known), CURVE_POINTS)).round().astype(int))
    places = [known[place] for place in chosen]

    def digits(values: list[float | None]) -> list[float | None]:
        return [None if (value := values[place]) is None else float(f"{value:.4g}") for place in places]

    return MeasuredCurve(
        source="evaluation" if curves.source == "evaluation" else "training",
        shows="iqm",
        step=[curves.step[place] for place in places],
        middle=[value for value in digits(found.iqm) if value is not None],
        low=digits(found.low),
        high=digits(found.high),
    )


FindExperiment = Callable[[str], ExperimentSource]
"""Returns the source of an experiment by id; raises ExperimentNotFound."""


class ExperimentResultsService:
    def __init__(
        self,
        settings: Settings,
        results: ResultsService,
        own_presets: OwnPresets,
        find: FindExperiment,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._runs_dir, self._results, self._own_presets = settings.runs_dir, results, own_presets
        self._find, self._clock = find, clock

    def results(self, experiment_id: str, request: ResultsRequest) -> ExperimentResults:
        """Raises ExperimentNotFound."""
        return self._results.results(self._find(experiment_id), request)

    def prepare(self, experiment_id: str) -> None:
        """Compute in advance what is slow. Raises ExperimentNotFound or RunFolderError."""
        self._results.prepare(self._find(experiment_id))

    def export(self, experiment_id: str, request: ResultsRequest, form: ResultsFormat) -> bytes:
        """Raises ExperimentNotFound."""
        return export(form, *self._results.trials_and_results(self._find(experiment_id), request))

    def report(self, experiment_id: str, request: ResultsRequest) -> str:
        """Return the report as one HTML document. Raises ExperimentNotFound."""
        source = self._find(experiment_id)
        head = ReportHead(
            title=source.title,
            experiment_id=source.id,
            made_at=f"{utc(self._clock()):%Y-%m-%d %H:%M} UTC",
            version=__version__,
            specification=source.specification(),
        )
        return report(head, self._results.results(source, request))

    def search(self, experiment_id: str) -> SearchResults:
        """Return the results of a search. Raises ExperimentNotFound, or SearchNotFound if the experiment is no
        search."""
        source = self._find(experiment_id)
        if source.sweep is None:
            raise SearchNotFound(f"Experiment {source.id!r} compares fixed variants; it searches nothing.")
        try:
            record = SearchRecord(source.folder, source.id)
        except KeyError:  # no proposals yet
            nothing: list[SearchTrial] = []
            return search_results(source.sweep, nothing, {}, sampled_scores=source.sampled_scores)
        importances = record.importances()
        return search_results(source.sweep, record.trials, importances, sampled_scores=source.sampled_scores)

    def keep(self, experiment_id: str, variant: str, title: str) -> OwnPreset:
        """Save a variant as one of the user's presets, with figures from its existing runs.

        Raises ExperimentNotFound, RunFolderError, InvalidRequest or UnknownName.
        """
        source = self._results.without_deleted(self._find(experiment_id))
        config = RunFolder(self._runs_dir, run_of(source, variant)).read_config()
        results = self._results.results(source, ResultsRequest())
        kept = preset_of(source, variant, title, config, results, self._clock())
        self._own_presets.keep(kept)
        return kept
