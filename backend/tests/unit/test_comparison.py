"""Comparison of run folders: when each run was solved, and when it reached the threshold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.rebuild import index_new
from rlviz.server.catalog.runs import find_runs, get_run
from rlviz.server.metrics.comparison import ComparedRuns, ComparisonRequest, ComparisonService
from rlviz.server.metrics.service import MetricsService
from rlviz.server.runs.service import RunService
from rlviz.stats.criterion import Source
from tests.support.episodes import write_episodes
from tests.support.evaluations import write_evaluation
from tests.support.run_folders import make_run


class Runs:
    """The part of the runs service that a comparison uses."""

    def __init__(self, runs_dir: Path, database: Database) -> None:
        self._runs_dir, self._database = runs_dir, database

    def get_many(self, run_ids: Sequence[str]) -> list[RunRow]:
        with self._database.read() as session:
            return find_runs(session, run_ids)

    def get(self, run_id: str) -> RunRow:
        with self._database.read() as session:
            return get_run(session, run_id)

    def folder(self, run_id: str) -> RunFolder:
        return RunFolder(self._runs_dir, run_id)


def compare(runs_dir: Path, database: Database, *run_ids: str, threshold: float | None = None) -> ComparedRuns:
    index_new(database, runs_dir)
    service = ComparisonService(cast(RunService, Runs(runs_dir, database)), MetricsService(), database)
    return service.compare(ComparisonRequest(run_ids, threshold, 20, [], 100, "step"))


def write_run(runs_dir: Path, name: str, returns: list[float], best: tuple[int, float] | None, **config: Any) -> None:
    """Write a run. ``best`` has the step and mean return of the best policy."""
    folder = make_run(runs_dir, name, **config)
    write_episodes(folder, returns)
    events = [json.loads(folder.events_path.read_text())]
    if best is not None:
        step, mean = best
        data = {"path": "best_model.zip", "mean_return": mean, "std_return": 1.0, "episodes": 10}
        events.append({"seq": 2, "time": 1_000.0 + step / 5, "event": "best", "step": step, "data": data})
    end = {"seq": 3, "time": 1_000.0 + 2 * len(returns), "event": "finished", "step": 10 * len(returns)}
    events.append({**end, "data": {"path": None}})
    folder.events_path.write_text("".join(json.dumps(one) + "\n" for one in events))


RISING = [100.0] * 100 + [500.0] * 300
"""Their mean over 100 episodes reaches 475 with the 194th, at step 1,940."""

EVALUATED = {"evaluation": EvaluationPlan(every_steps=500, episodes=10)}


def arrivals(found: ComparedRuns) -> dict[str, int | None]:
    return {one.row.id: one.figures.steps_to_threshold for one in found.runs}


def test_a_run_does_not_count_as_faster_because_it_is_evaluated(tmp_path: Path, database: Database) -> None:
    write_run(tmp_path, "evaluated", RISING, (500, 500.0), **EVALUATED)
    write_run(tmp_path, "not-evaluated", RISING[1:], None)
    found = compare(tmp_path, database, "evaluated", "not-evaluated")
    assert found.criterion is not None
    assert found.criterion.source is Source.TRAINING
    assert arrivals(found) == {"evaluated": 1_940, "not-evaluated": 1_930}
    assert [one.solved and one.solved.step for one in found.runs] == [500, 1_930], "as each of their pages says"
    assert found.verdict is not None
    assert found.verdict.headline == "Not enough seeds to compare: one seed each."
    assert not any("faster" in text or "first" in text for text in found.verdict.why)
    steps = next(one for one in found.figures if one.id == "steps_to_threshold")
    assert steps.best is None
    assert "over 100 episodes of training" in steps.note


def test_runs_evaluated_alike_are_compared_by_their_evaluations(tmp_path: Path, database: Database) -> None:
    write_run(tmp_path, "one", RISING, (500, 500.0), **EVALUATED)
    write_run(tmp_path, "two", RISING, (3_000, 500.0), seed=2, **EVALUATED)
    found = compare(tmp_path, database, "one", "two")
    assert found.criterion is not None
    assert found.criterion.source is Source.EVALUATION
    assert arrivals(found) == {"one": 500, "two": 3_000}
    assert found.verdict is not None
    assert "was first to a mean return of 475.0 in greedy evaluations" in found.verdict.headline


def test_evaluations_are_alike_only_if_they_choose_actions_in_the_same_way(tmp_path: Path, database: Database) -> None:
    sampled = {"evaluation": EVALUATED["evaluation"].model_copy(update={"deterministic": False})}
    write_run(tmp_path, "one", RISING, (500, 500.0), **sampled)
    write_run(tmp_path, "two", RISING, (3_000, 500.0), seed=2, **sampled)
    write_run(tmp_path, "greedy", RISING, (3_000, 500.0), seed=3, **EVALUATED)
    alike = compare(tmp_path, database, "one", "two").verdict
    assert alike is not None
    assert "was first to a mean return of 475.0 in evaluations with sampled actions" in alike.headline
    mixed = compare(tmp_path, database, "one", "greedy").criterion
    assert mixed is not None
    assert mixed.source is Source.TRAINING


@pytest.mark.parametrize(
    ("threshold", "solved"), [(None, [4_000, None]), (490.0, [4_000, None]), (501.0, [None, None])]
)
def test_an_evaluation_on_request_counts_for_solved_and_is_not_compared(
    tmp_path: Path, database: Database, threshold: float | None, solved: list[int | None]
) -> None:
    write_run(tmp_path, "asked", [100.0] * 400, None)
    write_run(tmp_path, "not-asked", [100.0] * 400, None)
    write_evaluation(RunFolder(tmp_path, "asked"), [500.0] * 100, checkpoint_step=4_000)
    found = compare(tmp_path, database, "asked", "not-asked", threshold=threshold)
    assert [one.solved and one.solved.step for one in found.runs] == solved
    assert arrivals(found) == {"asked": None, "not-asked": None}


def test_a_metric_over_seeds_stops_at_the_last_step_that_all_of_them_reached(
    tmp_path: Path, database: Database
) -> None:
    seeds = {"one": [1.0] * 20, "two": [3.0] * 20, "long": [5.0] * 30}
    for seed, (name, returns) in enumerate(seeds.items()):
        write_run(tmp_path, name, returns, best=None, seed=seed, group_id="one")
    index_new(database, tmp_path)
    service = ComparisonService(cast(RunService, Runs(tmp_path, database)), MetricsService(), database)
    asked = ComparisonRequest(list(seeds), None, 20, [], 100, "step", ["episode/reward", "train/never"])
    (group,) = service.compare(asked).seeds
    assert list(group.metrics) == ["episode/reward"], "what none of them logged has no curve"
    steps, curve = group.metrics["episode/reward"]
    assert steps[-1] == 200, "the long one has episodes up to step 300"
    assert (curve.iqm == 3.0).all()
    assert (curve.count == 3).all()
