"""Figures exclude rows discarded by a rollback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import rlviz
from rlviz.domain.events import RollbackData, Stretch, event_line
from rlviz.learning.playing.clips import progress_of
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import CountedRows, all_rows, counted_rows, newest_lines
from rlviz.server.analytics.warehouse import MetricTables
from rlviz.server.evaluations.episodes import last_episodes
from rlviz.server.experiments.scoring import EvaluatedReturns
from rlviz.server.metrics.service import MetricsService
from tests.support.run_folders import journal, make_run

SHORT = {"n_steps": 50, "batch_size": 50}
"""A rollout of 50 steps: at step 100 the policy has learned."""

BACK = RollbackData(snapshot="200", superseded=Stretch(first=3, last=3, attempt=2, beyond=200))


def log(folder: RunFolder, step: int, value: float) -> None:
    with journal(folder.metrics_path) as rows:
        rows.append(
            {"step": step, "values": {"episode/reward": value, "episode/length": 10, "eval/mean_reward": value}}
        )


def go_back(folder: RunFolder) -> None:
    with journal(folder.events_path) as events:
        events.append(event_line(200, BACK))


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run whose third row, with a return of 999, was discarded by a rollback."""
    folder = make_run(tmp_path, "a", hyperparameters=SHORT)
    for step, value in ((100, 10.0), (200, 20.0), (300, 999.0)):
        log(folder, step, value)
    go_back(folder)
    log(folder, 300, 30.0)
    return folder


def _of_rows(folder: RunFolder) -> Sequence[float]:
    return [row["values"]["episode/reward"] for row in counted_rows(folder)]


def _of_curve(folder: RunFolder) -> Sequence[float]:
    [series] = MetricsService().series(folder, "episode/reward")
    return list(series.value)


def _of_analytics(folder: RunFolder) -> Sequence[float]:
    table = MetricTables(folder.path.parent).read([folder.run_id]).unsealed.to_pydict()
    pairs = zip(table["name"], table["value"], strict=True)
    return [value for name, value in pairs if name == "episode/reward"]


def _of_tail(folder: RunFolder) -> Sequence[float]:
    records = [line.record for line in newest_lines(folder)][::-1]
    return [record["values"]["episode/reward"] for record in records if record is not None]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(_of_rows, id="rows"),
        pytest.param(_of_curve, id="curve"),
        pytest.param(_of_analytics, id="analytics"),
        pytest.param(_of_tail, id="newest rows"),
        pytest.param(lambda run: EvaluatedReturns(run.path.parent).read_returns(run.run_id), id="pruner"),
        pytest.param(lambda run: rlviz.Run(run.run_id, run.path.parent).metrics()["episode/reward"], id="library"),
        pytest.param(
            lambda run: [one.episode_return for one in last_episodes(run, run.read_config(), None, 300)], id="fork"
        ),
    ],
)
def test_every_figure_uses_only_rows_that_count(run: RunFolder, read: Callable[[RunFolder], Sequence[float]]) -> None:
    assert list(read(run)) == [10, 20, 30]


def test_the_growth_video_draws_the_mean_of_rows_that_count(run: RunFolder) -> None:
    assert list(progress_of(run).returns) == [10, 15, 20]


def test_the_raw_journal_has_all_rows(run: RunFolder) -> None:
    assert [row["seq"] for row in all_rows(run)] == [1, 2, 3, 4]
    assert [row["seq"] for row in counted_rows(run, after=2)] == [4]


def test_a_pruner_forgets_rows_discarded_by_a_rollback(tmp_path: Path) -> None:
    folder, returns = make_run(tmp_path, "a", hyperparameters=SHORT), EvaluatedReturns(tmp_path)
    for step, value in ((100, 10.0), (200, 20.0), (300, 999.0)):
        log(folder, step, value)
    assert returns.read_returns("a") == [10, 20, 999]
    go_back(folder)
    assert returns.read_returns("a") == [10, 20]
    log(folder, 300, 30.0)
    assert returns.read_returns("a") == [10, 20, 30]


def test_a_pruner_ignores_evaluations_before_the_policy_has_learned(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", hyperparameters={"n_steps": 200, "batch_size": 50})
    for step, value in ((100, 90.0), (200, 80.0), (300, 30.0)):
        log(folder, step, value)
    assert [value for value in EvaluatedReturns(tmp_path).read_returns("a") if value == value] == [30]
    assert len(EvaluatedReturns(tmp_path).read_returns("a")) == 3, "evaluations keep their places"


def test_an_invalid_line_does_not_count(run: RunFolder) -> None:
    rows = CountedRows(run)
    assert len(rows.read().rows) == 3
    with run.metrics_path.open("a") as file:
        file.write('{"seq": 5, "step": 400, "time": 1}\n["no row"]\n')
    log(run, 500, 40.0)
    assert [row["step"] for row in rows.read().rows] == [500]
    assert EvaluatedReturns(run.path.parent).read_returns(run.run_id)[-1] == 40
