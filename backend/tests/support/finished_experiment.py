"""A synthetic finished experiment: five seeds of two variants."""

from __future__ import annotations

from pathlib import Path

from rlviz.server.application import Application
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.results.service import Cell, ExperimentSource
from tests.support.episodes import write_episodes
from tests.support.service import create, folder_of

SEEDS = 5
RETURNS = {"good": 20.0, "=bad": 5.0}


def finished(app: Application, mean: float, seed: int) -> str:
    """Create a run that appears to have trained 150 episodes of 10 steps in 300 seconds."""
    run_id = create(app, steps=1_500)
    write_episodes(folder_of(app, run_id), [mean + seed] * 150)
    with app.database.write() as session:
        row = session.get(RunRow, run_id)
        assert row is not None
        row.status, row.step, row.episodes, row.last_event = "completed", 1_500, 150, 1
        row.ep_rew_mean, row.attempts = mean + seed, [[1_000.0, 1_300.0]]
        session.add(row)
    return run_id


def finished_experiment(app: Application, folder: Path) -> ExperimentSource:
    """Create the experiment in ``folder``."""
    cells = [
        Cell(variant, seed, finished(app, mean, seed), mean + seed, ended=True)
        for variant, mean in RETURNS.items()
        for seed in range(SEEDS)
    ]
    return ExperimentSource(
        id="good-against-bad",
        title="Good against bad",
        folder=folder,
        specification=lambda: "{}",
        variants={variant: variant for variant in RETURNS},
        environments=dict.fromkeys(RETURNS, "CartPole-v1"),
        cells=cells,
    )
