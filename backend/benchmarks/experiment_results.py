"""Measures the results of 1,000 finished trials, and compares a search with Optuna's own with the same seed.

python -m benchmarks experiment_results
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import optuna

from benchmarks.evaluation import timed
from benchmarks.support import Figure, figure
from rlviz.domain.experiments import FloatRange, Sweep
from rlviz.learning.search.study import Study
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.results.digests import RunDigestStore
from rlviz.server.experiments.results.service import RESULTS, Cell, ExperimentSource, ResultsRequest, ResultsService
from rlviz.server.metrics.service import MetricsService
from rlviz.settings import Settings
from rlviz.stats.experiments.results import RunDigest
from rlviz.stats.experiments.trials import LearningCurve

VARIANTS, SEEDS = 20, 50
TRIALS = 30
SEED = 11


def run() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _results(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _search(Path(folder))


def _results(folder: Path) -> Iterator[Figure]:
    settings = Settings(_env_file=None, runs_dir=folder)
    database = Database(folder / "rlviz.db")
    database.migrate()
    source = _experiment(folder, database)
    metrics = MetricsService()
    store = RunDigestStore(source.folder / RESULTS, folder, metrics)
    with database.read() as session:
        rows = [session.get(RunRow, cell.run_id) for cell in source.cells]
    store.keep([(row, _digest(place)) for place, row in enumerate(rows) if row is not None])
    service = ResultsService(settings, database, metrics, clock=time.time)
    count, request = len(source.cells), ResultsRequest()
    begin = time.process_time()
    yield figure(
        f"results of {count:,} trials, made in the background when the last has ended",
        timed(lambda: service.prepare(source)),
        "s",
    )
    yield figure("the same in processor time", time.process_time() - begin, "s")
    first = timed(lambda: service.results(source, request))
    yield figure(f"results of {count:,} finished trials, the first time", 1_000 * first, "ms", at_most=300)
    other = timed(lambda: service.results(source, ResultsRequest(threshold=400.0)))
    yield figure(f"results of {count:,} finished trials, for another threshold", 1_000 * other, "ms", at_most=300)
    next_service = ResultsService(settings, database, metrics, clock=time.time)
    kept = timed(lambda: next_service.results(source, request))
    yield figure(
        f"results of {count:,} finished trials, by the next service, the first time", 1_000 * kept, "ms", at_most=300
    )
    database.close()


def _experiment(folder: Path, database: Database) -> ExperimentSource:
    rng = np.random.default_rng(SEED)
    cells = []
    with database.write() as session:
        for place in range(VARIANTS * SEEDS):
            variant, seed = f"variant-{place // SEEDS}", place % SEEDS
            row = RunRow(
                id=f"run-{place}",
                name="",
                algo="ppo",
                env_id="CartPole-v1",
                seed=seed,
                total_timesteps=100_000,
                created_at=0.0,
            )
            row.status, row.step, row.attempts = "completed", 100_000, [[0.0, 60.0]]
            session.add(row)
            cells.append(Cell(variant, seed, row.id, float(rng.normal(400, 50)), ended=True))
    variants = dict.fromkeys((cell.variant for cell in cells), "PPO")
    environments = dict.fromkeys(variants, "CartPole-v1")
    return ExperimentSource("bench", "Bench", folder, lambda: "{}", variants, environments, cells)


def _digest(seed: int) -> RunDigest:
    rng = np.random.default_rng(seed)
    curve = LearningCurve(np.linspace(0, 100_000, 200).round(), rng.normal(300, 60, 200).cumsum() / np.arange(1, 201))
    records = LearningCurve(np.sort(rng.integers(1_000, 100_000, 300)).astype(float), np.linspace(10, 450, 300))
    return RunDigest(curve, curve, records, LearningCurve(np.empty(0), np.empty(0)), every=None)


def _search(folder: Path) -> Iterator[Figure]:
    def objective(x: float, y: float) -> float:
        """Return the objective, which is largest at x = 1 and y = -2."""
        return -((x - 1) ** 2) - abs(y + 2)

    space = {"x": FloatRange(low=-5, high=5), "y": FloatRange(low=-5, high=5)}
    ours = Study(folder, "bench", Sweep(space=space, trials=TRIALS, seed=SEED))
    while (asked := ours.ask()) is not None:
        ours.complete(asked.number, objective(**asked.values))  # type: ignore[arg-type]
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    theirs = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=SEED))
    theirs.optimize(
        lambda one: objective(one.suggest_float("x", -5, 5), one.suggest_float("y", -5, 5)), n_trials=TRIALS
    )
    best = max(one.objective for one in ours.trials if one.objective is not None)
    yield figure(f"best of {TRIALS} trials", best, "")
    yield figure(f"best of {TRIALS} trials: ours less Optuna's own", abs(best - theirs.best_value), "", at_most=0)
