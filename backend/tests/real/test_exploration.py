"""Training with exploration bonuses and an archive resumes exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import EvaluationPlan, ExplorationPlan
from rlviz.domain.errors import InvalidRequest, NothingToPlay
from rlviz.domain.visits import VisitMap
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.rollout import Episode
from rlviz.learning.sessions.folder import ArchivedStart
from rlviz.learning.sessions.starts import make_start
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from tests.support.forks import fork_of, forked, parent_of
from tests.support.resuming import cut, final_state, logged
from tests.support.training import column, make_run, snapshots

ALL = ExplorationPlan(coverage=0.1, novelty=0.5, archive=0.5)


def test_training_with_rewards_and_archive_resumes_exactly(tmp_path: Path) -> None:
    worlds: dict[str, dict[str, Any]] = {
        "ppo": {
            "env_id": "FrozenLake-v1",
            "total_timesteps": 768,
            "evaluation": EvaluationPlan(every_steps=256, episodes=1),
            "exploration": ALL.model_copy(update={"imitation": 5}),
        },
        "dqn": {"env_id": "MountainCar-v0", "total_timesteps": 640, "exploration": ALL},
    }
    for algo, world in worlds.items():
        plan = snapshots(every_steps=256)
        whole = make_run(tmp_path / "whole", algo=algo, snapshots=plan, **world)
        train_run(whole)
        resumed = cut(whole, snapshots_of(whole)[0], tmp_path / f"cut-{algo}")
        resumed.map_path.unlink()
        train_run(resumed)
        assert final_state(resumed) == final_state(whole)
        assert [row for row in logged(resumed) if row[0] > 256] == [row for row in logged(whole) if row[0] > 256]
        assert resumed.map_path.read_bytes() == whole.map_path.read_bytes()
        if algo == "ppo":
            _check_rows(whole)


def _check_rows(folder: RunFolder) -> None:
    assert set(column(folder, "episode/reward")) <= {0.0, 1.0}, "the return is the environment's own"
    assert all(column(folder, "reward/coverage")[:1])
    assert len(column(folder, "reward/novelty")) == len(column(folder, "episode/reward"))
    written = VisitMap.model_validate_json(folder.map_path.read_bytes())
    assert written.step == 768
    assert sum(written.visits) >= 768, "a visit for each step, and one for each start of an episode"
    assert sum(count > 0 for count in written.visits) == column(folder, "explored/total_cells")[-1]
    assert set(written.archive) <= {cell for cell, count in enumerate(written.visits) if count}
    assert len(written.archive) == column(folder, "explored/archive_cells")[-1]
    assert column(folder, "explored/archive_return")
    assert column(folder, "imitation/episodes") == [5]
    assert len(column(folder, "explored/cells")) == len(column(folder, "episode/reward"))
    assert written.path is not None
    assert written.path.cells[0] == 0, "the path begins at the start of the lake"


def test_a_fork_and_a_session_begin_in_a_cell_of_the_archive(tmp_path: Path) -> None:
    plan = ExplorationPlan(archive=0.5)
    lake: dict[str, Any] = {"env_id": "FrozenLake-v1", "exploration": plan, "env_options": {"is_slippery": False}}
    parent = parent_of(tmp_path, "ppo", **lake)
    assert set(VisitMap.model_validate_json(parent.map_path.read_bytes()).archive) > {0, 4}
    start = make_start(parent, ArchivedStart(snapshot="512", cell=4), lambda: None)
    episode = Episode(make_environment(parent.read_config(), render=True, whole_episodes=True), 0, 1, start=start)
    assert episode.begin().cell == 4
    with pytest.raises(NothingToPlay, match="The archive of snapshot 512 has no state of this cell"):
        make_start(parent, ArchivedStart(snapshot="512", cell=5), lambda: None)

    child = forked(parent, start_cell=4, archive=1.0)
    config = child.read_config()
    assert config.exploration == plan.model_copy(update={"archive": 1.0, "start_cell": 4})
    assert VisitMap.model_validate_json(child.map_path.read_bytes()).archive == [4]
    assert column(child, "explored/archive_return"), "episodes begin in the cell at once"
    assert set(column(child, "explored/archive_cells")) == {1}
    assert len(column(child, "episode/reward")) <= int(str(config.hyperparameters["n_envs"])), (
        "those under way at the fork"
    )
    # The fork's own forks can change the probability alone.
    newest = snapshots_of(child)[-1].name
    again = fork_of(child, snapshot=newest, total_timesteps=2_048, archive=0.25, start=False).read_config()
    assert again.exploration == plan.model_copy(update={"archive": 0.25, "start_cell": 4})


def test_a_session_begins_in_a_cell_of_a_world_with_stages(tmp_path: Path) -> None:
    island: dict[str, Any] = {"env_id": "GameBoy/Lamplighter-v0", "exploration": ExplorationPlan(archive=0.5)}
    folder = make_run(tmp_path, total_timesteps=128, snapshots=snapshots(every_steps=128), **island)
    train_run(folder)
    cell = VisitMap.model_validate_json(folder.map_path.read_bytes()).archive[0]
    start = make_start(folder, ArchivedStart(snapshot="128", cell=cell), lambda: None)
    env = make_environment(folder.read_config(), render=True, whole_episodes=True)
    assert Episode(env, 0, 1, start=start).begin().cell == cell


def test_a_fork_cannot_begin_in_cells_that_its_parent_does_not_know(tmp_path: Path) -> None:
    parent = parent_of(tmp_path, "ppo", env_id="FrozenLake-v1")
    with pytest.raises(InvalidRequest, match="does not count visits"):
        fork_of(parent, start_cell=4)
    with pytest.raises(InvalidRequest, match="Give start_cell too"):
        fork_of(parent, archive=0.5)
