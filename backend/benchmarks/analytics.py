"""Measures questions over ten thousand runs, through the page's API and in SQL.

python -m benchmarks analytics
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import orjson

from benchmarks.support import Figure, figure, new_folder, scratch, service
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.settings import Settings

RUNS = 10_000
ROWS = 20
"""Rows of metrics in each run."""

ALGORITHMS = ("ppo", "a2c", "dqn", "trpo")
ASKED = 20


def run() -> Iterator[Figure]:
    with scratch() as root:
        write_runs(root)
        with service(root) as client:
            begin = time.perf_counter()
            _query(client, "SELECT count(*) FROM runs")
            yield figure(f"first question over {RUNS:,} runs: the tables are read", time.perf_counter() - begin, "s")
            for what, sql in SIMPLE.items():
                yield figure(f"{what}, SQL", 1e3 * _median(partial(_query, client, sql)), "ms", at_most=100)
            for what, path in PAGE.items():
                yield figure(what, _median(partial(_get, client, path), 3), "s", at_most=10)
            for what, sql in COMPLEX.items():
                yield figure(f"{what}, SQL", _median(partial(_query, client, sql), 2), "s", at_most=10)


SIMPLE = {
    "mean by algorithm": "SELECT algo, count(*), avg(best_moving_average) FROM runs GROUP BY algo",
    "quartiles by learning rate": "SELECT hp_learning_rate, quantile_cont(best_moving_average, [0.25, 0.5, 0.75]) "
    "FROM runs GROUP BY ALL",
    "the best ten": "SELECT id, best_moving_average FROM runs ORDER BY 2 DESC LIMIT 10",
}
PAGE = {
    "interquartile means with intervals and boxes, by algorithm": "/analytics/groups?by=algo",
    "the same by algorithm and learning rate": "/analytics/groups?by=algo&by=hp_learning_rate",
    "scatter of the learning rate against the score": "/analytics/scatter?by=algo&x=hp_learning_rate",
    "curves with bands of the newest 300, by algorithm": "/analytics/curves?by=algo",
}
COMPLEX = {
    "rank of each run among those of its algorithm": "SELECT avg(r) FROM (SELECT rank() OVER "
    "(PARTITION BY algo ORDER BY best_moving_average) AS r FROM runs)",
    "every pair of runs of one algorithm": "SELECT a.algo, avg((a.best_moving_average > b.best_moving_average)::INT) "
    "FROM runs a JOIN runs b ON a.algo = b.algo GROUP BY ALL",
    "mean of each metric of all runs": "SELECT name, count(*), avg(value) FROM metrics GROUP BY name",
}


def write_runs(root: Path) -> None:
    """Write folders of completed runs with different settings, and a catalogue, under ``root``."""
    rng = np.random.default_rng(1)
    first = orjson.loads(new_folder(root, "ppo", 100_000).config_path.read_bytes())
    application = Application(Settings(_env_file=None, runs_dir=root))
    application.rebuild()
    rows = [
        {"seq": n, "time": 1.7e9 + n, "step": n * 5_000, "values": {"episode/reward": float(n), "episode/index": n}}
        for n in range(1, ROWS + 1)
    ]
    lines = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    with application.database.write() as session:
        for number in range(RUNS):
            settings = {**first["hyperparameters"], "learning_rate": float(rng.choice([1e-4, 3e-4, 1e-3]))}
            algo = ALGORITHMS[number % len(ALGORITHMS)]
            folder = RunFolder(root, f"run-{number}")
            folder.path.mkdir()
            config = {**first, "run_id": folder.run_id, "algo": algo, "hyperparameters": settings}
            folder.config_path.write_bytes(orjson.dumps(config))
            folder.metrics_path.write_bytes(lines)
            row = row_of_config(folder.read_config())
            row.status, row.created_at, row.step = "completed", 1.7e9 + number, row.total_timesteps
            row.best_moving_average = float(rng.normal(300, 60))
            session.add(row)
    application.database.close()


def _query(client: httpx.Client, sql: str) -> None:
    client.post("/analytics/query", json={"sql": sql}).raise_for_status()


def _get(client: httpx.Client, path: str) -> None:
    client.get(path).raise_for_status()


def _median(ask: Callable[[], None], times: int = ASKED) -> float:
    return statistics.median(_seconds(ask) for _ in range(times))


def _seconds(ask: Callable[[], None]) -> float:
    begin = time.perf_counter()
    ask()
    return time.perf_counter() - begin
