"""The exploration archive: stored states of visited cells from which training episodes may start."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.reward_plan import RewardPlan
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.learning.exploration.archive import REPLACE_EVERY, Archive, read_archived
from rlviz.learning.exploration.bonuses import EXPLORED, Exploring
from rlviz.learning.training.builder import build_model
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.training import make_run

LEFT, DOWN, RIGHT = 0, 1, 2
LAKE: dict[str, Any] = {"env_id": "FrozenLake-v1", "env_options": {"is_slippery": False}}
VISITS = np.zeros(16, np.int64)


def explore(root: Path, **plan: Any) -> Exploring:
    folder = make_run(root, hyperparameters={"n_envs": 1}, exploration=ExplorationPlan(**plan), **LAKE)
    found = build_model(folder.read_config()).get_env()
    assert isinstance(found, Exploring)
    return found


def walk(environments: Exploring, *actions: int) -> tuple[Any, bool, dict[str, Any]]:
    for action in actions:
        observations, _, dones, infos = environments.step(np.array([action]))
    return observations, bool(dones[0]), infos[0]


def test_an_episode_that_begins_in_the_archive_is_marked_and_counts_for_nothing_else(tmp_path: Path) -> None:
    environments = explore(tmp_path, archive=1.0, coverage=0.1)
    environments.reset()
    observations, done, info = walk(environments, DOWN, RIGHT)
    assert (done, info["episode"]["l"], info["terminal_observation"]) == (True, 2, 5), "the first one begins at start"
    assert info[EXPLORED] == {"explored/total_cells": 3, "explored/archive_cells": 1, "explored/cells": 3}
    assert observations.tolist() == [4], "the next one begins in the only archived cell, below the start"
    observations, done, info = walk(environments, RIGHT)
    assert (done, "episode" in info, observations.tolist()) == (True, False, [4])
    assert info[COMPONENTS]["coverage"] == 0.1, "the first episode from the archive that comes there"
    assert info[EXPLORED] == {
        "explored/total_cells": 3,
        "explored/archive_cells": 1,
        "explored/archive_return": 0.0,
        "explored/archive_length": 1,
    }
    environments.close()


def test_the_time_limit_counts_from_the_cell_in_which_an_episode_begins(tmp_path: Path) -> None:
    environments = explore(tmp_path, archive=1.0)
    environments.reset()
    walk(environments, *[LEFT] * 60, DOWN, RIGHT)
    _, done, info = walk(environments, *[LEFT] * 100)
    assert (done, info["TimeLimit.truncated"], info[EXPLORED]["explored/archive_length"]) == (True, True, 100)
    environments.close()


def test_no_episode_begins_in_the_archive_unless_it_is_switched_on(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    assert walk(environments, DOWN, RIGHT)[0].tolist() == [0]
    assert (environments.archived_cells, "archive" in environments.state()) == ({}, False)
    environments.close()


def offer(archive: Archive, environments: Exploring, cell: int, gained: float = 0.0, steps: int = 1) -> None:
    archive.begin_episode(0)
    archive.gained[0], archive.steps[0] = gained, steps
    archive.offer(0, cell, environments.venv.envs[0], np.array(cell), VISITS)  # type: ignore[attr-defined]


def test_a_higher_return_or_a_shorter_path_replaces_a_state(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    archive = Archive(1, 1.0, seed=1)

    def kept() -> tuple[float, int]:
        _, _, gained, steps = archive.state()["states"][0]
        return gained, steps

    offer(archive, environments, 3, steps=9)
    offer(archive, environments, 3, steps=8)
    assert kept() == (0.0, 8)
    offer(archive, environments, 3, steps=7)
    assert kept() == (0.0, 8), "so soon after the last one, it is not worth the time to save it"
    offer(archive, environments, 3, gained=1.0, steps=20)
    assert kept() == (1.0, 20), "a new highest return always is"
    for _ in range(REPLACE_EVERY):
        archive.add_step(np.zeros(1))
    offer(archive, environments, 3, gained=0.0, steps=2)
    assert kept() == (1.0, 20)
    offer(archive, environments, 3, gained=1.0, steps=19)
    assert kept() == (1.0, 19)
    environments.close()


def test_beyond_its_bytes_the_most_visited_cells_are_dropped(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    archive = Archive(1, 1.0, seed=1)
    offer(archive, environments, 0)
    small = Archive(1, 1.0, seed=1, most_bytes=3 * archive.bytes + 50)
    visits = np.arange(16)
    for cell in (9, 2, 7, 4, 1):
        small.begin_episode(0)
        small.offer(0, cell, environments.venv.envs[0], np.array(cell), visits)  # type: ignore[attr-defined]
    assert small.places == [1, 2, 4]
    assert small.bytes <= 3 * archive.bytes + 50
    environments.close()


def test_seldom_visited_cells_are_chosen_more_often(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    archive = Archive(1, 0.5, seed=1)
    assert archive.choose(VISITS) is None, "it is empty"
    offer(archive, environments, 1)
    offer(archive, environments, 2)
    visits = np.array([0, 0, 15, 0])
    twin = Archive(1, 0.5, seed=7)
    twin.restore(pickle.loads(pickle.dumps(archive.state())))
    chosen = [archive.choose(visits) for _ in range(2_000)]
    assert chosen == [twin.choose(visits) for _ in range(2_000)]
    assert chosen.count(None) == pytest.approx(1_000, abs=100)
    assert chosen.count(1) == pytest.approx(4 * chosen.count(2), rel=0.3)
    environments.close()


def test_a_plan_with_an_archive_needs_cells() -> None:
    with pytest.raises(InvalidRequest) as refused:
        resolve_config(NewRun("ppo", exploration=ExplorationPlan(archive=0.5)), 0.0)
    assert [field.pointer for field in refused.value.fields] == ["/exploration/archive"]
    assert "archive" not in ExplorationPlan(coverage=0.1).model_dump_json(), "older runs keep the digest of their plan"


def test_a_fork_with_other_options_starts_an_archive_of_its_own(tmp_path: Path) -> None:
    environments = explore(tmp_path, archive=1.0)
    environments.reset()
    walk(environments, DOWN, RIGHT)
    state = environments.state()
    assert environments.archived_cells
    environments.restore({**state, "task": '["FrozenLake-v1", {"map_name": "8x8"}]'})
    assert environments.archived_cells, "what it has stays"
    environments.close()
    folder = make_run(
        tmp_path,
        "fork",
        hyperparameters={"n_envs": 1},
        exploration=ExplorationPlan(archive=1.0),
        env_id="FrozenLake-v1",
    )
    fork = build_model(folder.read_config()).get_env()
    assert isinstance(fork, Exploring)
    fork.restore(state)
    assert fork.archived_cells == {}
    fork.close()


def test_a_fork_that_adds_an_archive_counts_its_first_episodes_from_their_start(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path, env_id="MountainCar-v0", hyperparameters={"n_envs": 1}, exploration=ExplorationPlan(archive=1.0)
    )
    environments: Any = build_model(folder.read_config()).get_env()
    environments.reset()
    walk(environments, 2, 2, 2)
    state = environments.state()
    del state["archive"], state["task"]
    environments.restore(state)
    walk(environments, 2)
    archive = environments.state()["archive"]
    assert (archive["gained"].tolist(), archive["steps"].tolist()) == ([-4.0], [4])
    environments.close()


def test_an_archived_episode_stays_marked_where_a_later_version_tells_stages_apart(tmp_path: Path) -> None:
    environments = explore(tmp_path, archive=1.0)
    environments.reset()
    walk(environments, DOWN, RIGHT)
    state = environments.state()
    assert state["archive"]["began_here"].tolist() == [True]
    later = explore(tmp_path / "later", archive=1.0)
    later.reset()
    later.restore({**state, "task": state["task"][:-1] + ", 6]"})
    assert later.archived_cells == {}
    assert later.state()["archive"]["began_here"].tolist() == [True]
    for one in (environments, later):
        one.close()


def test_an_environment_that_was_reset_on_resume_begins_an_episode_of_its_own(tmp_path: Path) -> None:
    environments = explore(tmp_path, archive=1.0)
    environments.reset()
    walk(environments, DOWN, RIGHT)
    walk(environments, LEFT, LEFT)
    state = environments.state()
    assert state["archive"]["began_here"].tolist() == [True]
    environments.venv.reset()
    environments.restore(state)
    _, done, info = walk(environments, DOWN, RIGHT)
    assert (done, info["episode"]["l"]) == (True, 2), "it counts as an episode from the environment's own start"
    environments.close()


def test_the_archive_ranks_ways_by_the_environments_own_return(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        env_id="MountainCarContinuous-v0",
        hyperparameters={"n_envs": 1},
        exploration=ExplorationPlan(archive=0.5),
        reward=RewardPlan(weights={"force": 0.0}),
    )
    environments: Any = build_model(folder.read_config()).get_env()
    environments.reset()
    _, rewards, _, _ = environments.step(np.ones((1, 1), np.float32))
    assert rewards.tolist() == [0.0]
    assert environments.state()["archive"]["gained"].tolist() == pytest.approx([-0.1])
    environments.close()


def test_an_archive_of_one_cell_keeps_and_restores_no_other(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    whole, single = Archive(1, 1.0, seed=1), Archive(1, 1.0, seed=1, only=[8])
    for archive in (whole, single):
        for cell in (0, 4, 8):
            offer(archive, environments, cell)
    assert (whole.places, single.places) == ([0, 4, 8], [8])
    fork = Archive(1, 1.0, seed=1, only=[4])
    fork.restore(whole.state())
    assert fork.places == [4]
    assert 0 < fork.bytes < whole.bytes
    assert fork.choose(VISITS) == 4
    environments.close()


def test_the_best_way_to_a_cell_is_read_from_the_stage_that_has_it(tmp_path: Path) -> None:
    environments = explore(tmp_path, map=True)
    environments.reset()
    archive = Archive(1, 1.0, seed=1)
    visits = np.zeros(48, np.int64)
    for place, gained, observation in ((3, 0.0, 1), (19, 2.0, 2), (35, 2.0, 3)):
        archive.begin_episode(0)
        archive.gained[0], archive.steps[0] = gained, place
        archive.offer(0, place, environments.venv.envs[0], np.array(observation), visits)  # type: ignore[attr-defined]
    found = read_archived(archive.state(), 3, 16)
    assert found is not None
    assert found[1] == 2, "a higher return, then the shorter path"
    assert read_archived(archive.state(), 4, 16) is None
    environments.close()


def test_a_start_cell_needs_a_probability_and_has_to_be_in_the_world() -> None:
    for plan, message in (
        ({"map": True, "start_cell": 3}, "with the probability `archive`"),
        ({"archive": 0.5, "start_cell": 16}, "FrozenLake-v1 has 16 cells, from 0. There is no cell 16"),
        ({"archive": 0.5, "start_cell": 5}, "Episodes end in this cell"),
        ({"archive": 0.5, "start_cell": 15}, "Episodes end in this cell"),
    ):
        with pytest.raises(InvalidRequest, match=message):
            resolve_config(NewRun(algo="ppo", env_id="FrozenLake-v1", exploration=ExplorationPlan(**plan)), now=0.0)
    assert "start_cell" not in ExplorationPlan(archive=0.1).model_dump_json(), "older runs keep their digest"
