"""ResultsService: the results of experiments, made again only when a trial has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache

from rlviz import __version__
from rlviz.analysis.experiments import ExperimentResults, ScoreKind, Setting, Trial, experiment_results
from rlviz.analysis.experiments.digest import RunDigest
from rlviz.analysis.experiments.results import DEFINITIONS, for_threshold
from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import find_runs
from rlviz.domain.evaluation import BestPolicy, PolicyChoice
from rlviz.domain.status import RunStatus
from rlviz.services.experiment_results.digests import DigestBook
from rlviz.services.experiment_results.kept import KeptResults
from rlviz.services.experiment_results.source import Cell, ExperimentSource
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.run_curves import RunCurvesCache
from rlviz.settings import Settings

RESULTS = "results"
CACHED_RESULTS = 32
CACHED_BOOKS = 16


@dataclass(frozen=True)
class ResultsRequest:
    """``threshold`` is None for that of the environment."""

    score: ScoreKind = ScoreKind.TRIAL
    threshold: float | None = None


class ResultsService:
    """``clock``: Unix seconds, for the cost of what still trains."""

    def __init__(
        self, settings: Settings, database: Database, metrics: MetricsService, *, clock: Callable[[], float]
    ) -> None:
        self._runs_dir, self._database, self._metrics, self._clock = settings.runs_dir, database, metrics, clock
        self._curves = RunCurvesCache(metrics)
        self._books: LRUCache[str, DigestBook] = LRUCache(CACHED_BOOKS)
        self._results: LRUCache[str, ExperimentResults] = LRUCache(CACHED_RESULTS)
        self._lock = Lock()

    def results(self, source: ExperimentSource, request: ResultsRequest) -> ExperimentResults:
        rows = self._rows(source)
        known = self._known(source, _key(source, request, rows.values()))
        return self._made(source, request, rows)[1] if known is None else known

    def prepare(self, source: ExperimentSource) -> None:
        """Digest what has ended, and make the results that are asked for first once every trial has."""
        rows = self._rows(source)
        if all(cell.ended for cell in source.cells):
            self.results(source, ResultsRequest())
        else:
            self._book(source).of([row for row in rows.values() if row.state.has_ended])

    def made(self, source: ExperimentSource, request: ResultsRequest) -> tuple[list[Trial], ExperimentResults]:
        """The trials as they are counted, and what they amount to."""
        return self._made(source, request, self._rows(source))

    def _made(
        self, source: ExperimentSource, request: ResultsRequest, rows: dict[str, RunRow]
    ) -> tuple[list[Trial], ExperimentResults]:
        threshold = _threshold(source, request)
        digests = self._book(source).of(list(rows.values()))
        greedy = bool(digests) and all(one.greedy is not None or one.training is None for one in digests.values())
        trials = [self._trial(cell, rows, digests, request.score, threshold, greedy) for cell in source.cells]
        key = _key(source, request, rows.values())
        known = self._known(source, key)
        if known is None:
            setting = Setting(
                source.variants,
                source.environments,
                request.score,
                threshold,
                greedy,
                methods=source.methods,
                scales=source.scales,
            )
            if threshold == source.threshold:
                known = experiment_results(trials, setting)
            else:
                known = for_threshold(self._made(source, ResultsRequest(request.score), rows)[1], trials, setting)
            KeptResults(source.folder / RESULTS).keep(key, known)
            with self._lock:
                self._results[key] = known
        return trials, known

    def _known(self, source: ExperimentSource, key: str) -> ExperimentResults | None:
        """Those in memory, or that an earlier service has kept."""
        with self._lock:
            known = self._results.get(key)
        if known is None:
            known = KeptResults(source.folder / RESULTS).read(key)
            if known is not None:
                with self._lock:
                    self._results[key] = known
        return known

    def _book(self, source: ExperimentSource) -> DigestBook:
        with self._lock:
            book = self._books.get(source.id)
            if book is None:
                book = DigestBook(source.folder / RESULTS, self._runs_dir, self._metrics, self._curves)
                self._books[source.id] = book
            return book

    def _rows(self, source: ExperimentSource) -> dict[str, RunRow]:
        """Those that exist: a run that was deleted leaves its score behind."""
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, [one for cell in source.cells for one in cell.run_ids])}

    def _trial(
        self,
        cell: Cell,
        rows: dict[str, RunRow],
        digests: dict[str, RunDigest],
        score: ScoreKind,
        threshold: float | None,
        greedy: bool,
    ) -> Trial:
        row = rows.get(cell.run_id or "")
        now = self._clock()
        core_seconds = sum(rows[run_id].core_seconds(now) for run_id in cell.run_ids if run_id in rows)
        if row is None:
            left = cell.score if score is ScoreKind.TRIAL else None
            return Trial(
                cell.variant,
                cell.seed,
                cell.run_id or "",
                left,
                cell.ended,
                core_seconds=core_seconds,
                skipped=cell.skipped,
                policy=cell.policy if score is ScoreKind.TRIAL else None,
            )
        found = digests[row.id]
        return Trial(
            variant=cell.variant,
            seed=cell.seed,
            run_id=row.id,
            score=_score(cell, row, score),
            ended=cell.ended,
            steps=row.step,
            reached=None if threshold is None else _reached(cell, row, found, threshold),
            core_seconds=core_seconds,
            curve=found.greedy if greedy else found.training,
            skipped=cell.skipped,
            policy=cell.policy if score is ScoreKind.TRIAL else None,
        )


def _reached(cell: Cell, row: RunRow, found: RunDigest, threshold: float) -> float | None:
    """The step at which it had first reached ``threshold``. Its own score is a greedy evaluation on fresh episodes too:
    what it shows was so when the policy that played was kept."""
    steps = [found.reached(threshold)]
    if cell.score is not None and cell.score >= threshold:
        best = None if row.best_policy is None else BestPolicy.model_validate(row.best_policy)
        steps.append(float(best.step if best is not None and cell.policy is PolicyChoice.BEST else row.step))
    return min((step for step in steps if step is not None), default=None)


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
    return source.threshold if request.threshold is None else request.threshold


def _key(source: ExperimentSource, request: ResultsRequest, rows: Iterable[RunRow]) -> str:
    """Of everything that results are made from, but for the seconds of what still trains."""
    parts = [__version__, str(DEFINITIONS), source.id, repr(source.variants), repr(source.environments)]
    parts += [repr(source.methods), repr(source.scales), request.score.value, repr(_threshold(source, request))]
    parts += [repr(cell) for cell in source.cells]
    parts += [f"{row.id}/{row.status}/{row.attempt}/{row.last_event}/{row.step}/{row.best_policy}" for row in rows]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
