"""Forks whose parent is deleted, comparisons with the parent, and rollbacks to the start."""

from __future__ import annotations

import numpy as np

from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.snapshots import newest_usable_snapshot, usable_snapshots
from rlviz.server.application import Application
from rlviz.server.metrics.comparison import ComparedRuns, ComparisonRequest
from rlviz.server.metrics.service import ComparedAxis
from rlviz.server.runs.family import shared_until
from rlviz.server.snapshots.forking import ForkRequest
from tests.real.test_forks import S, app, learned, parent
from tests.support.service import create, ended, folder_of, start

__all__ = ["app", "parent"]


def test_a_fork_rolls_back_to_its_start(app: Application, parent: str) -> None:
    changes = {"learning_rate": 1e-4, "n_envs": 4}
    wish = ForkRequest(snapshot="640", total_timesteps=1_280, hyperparameters=changes, start=True)
    child = app.forks.fork(parent, wish)
    assert ended(app, child.id).state is S.COMPLETED
    folder = folder_of(app, child.id)
    first = learned(folder)
    app.resuming.roll_back(child.id, "640")
    row = ended(app, child.id)
    assert (row.state, row.attempt, row.warnings) == (S.COMPLETED, 2, 0)
    assert len(superseded_rows(folder).stretches) == 1
    assert learned(folder) == first + first, "it computes the same again"
    newest = newest_usable_snapshot(folder)
    assert newest is not None
    assert (newest.manifest.step, newest.manifest.attempt) == (row.step, 2)
    assert next(one.name for one in usable_snapshots(folder)) == "640", "it stays"


def test_a_fork_outlives_its_parent(app: Application) -> None:
    run_id = start(app, steps=640)
    ended(app, run_id)
    child = app.forks.fork(run_id, ForkRequest(snapshot="640", total_timesteps=1_280))
    assert child.state is S.CREATED
    app.runs.delete(run_id)
    app.runs.start(child.id)
    assert ended(app, child.id).state is S.COMPLETED
    assert app.runs.get(child.id).parent == child.parent


def test_relatives_are_compared_from_their_fork_point(app: Application, parent: str) -> None:
    def compared(*runs: str, axis: ComparedAxis = "step") -> ComparedRuns:
        return app.comparison.compare(ComparisonRequest(runs, 5.0, 20, [], 100, axis))

    first, second = (
        app.forks.fork(
            parent, ForkRequest(step=step, total_timesteps=1_280, start=True, hyperparameters={"gamma": 0.9})
        ).id
        for step in (640, 512)
    )
    assert [ended(app, run_id).state for run_id in (first, second)] == [S.COMPLETED] * 2
    found = compared(parent, first)
    assert {one.path for one in found.differences} == {"/hyperparameters/gamma", "/total_timesteps"}
    assert found.verdict is not None
    assert "640 they were one run" in found.verdict.cautions[0]
    by_episode = compared(parent, first, axis="episode").curves
    of_child = by_episode.step[np.isfinite(by_episode.values[first])]
    assert of_child[0] == app.runs.get(parent).episodes + 1, "it counts on"
    get = app.runs.get
    assert shared_until([get(first), get(second)], get) == 512
    assert shared_until([get(first), get(create(app))], get) == 0
