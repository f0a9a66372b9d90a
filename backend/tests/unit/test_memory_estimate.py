"""The memory estimate for a run that is not created yet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import JsonValue

from rlviz.domain.byte_text import byte_text
from rlviz.domain.config import ExplorationPlan
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.cells import World
from rlviz.learning.exploration.bonuses import exploration_of
from rlviz.learning.exploration.memory import ARCHIVE_BYTES, IMITATION_BYTES, UNFINISHED_BYTES
from rlviz.learning.training.builder import build_model
from rlviz.server.runs.configuration import MemoryEstimate, NewRun, estimate_memory, resolve_config
from tests.support.training import make_run

LAMPLIGHTER = "GameBoy/Lamplighter-v0"
GAME: dict[str, JsonValue] = {"observation": "pixels", "frame_stack": 4}


def _estimate(
    algo: str, free: int = 10**12, env_id: str = LAMPLIGHTER, plan: ExplorationPlan | None = None, **values: int
) -> MemoryEstimate:
    options = GAME if env_id == LAMPLIGHTER else {}
    new = NewRun(algo, env_id, total_timesteps=10_000, env_options=options, hyperparameters=values, exploration=plan)
    config = resolve_config(new, 0.0)
    return estimate_memory(config, ENVIRONMENTS.get(env_id).resolve(config.env_options), free)


def test_a_replay_buffer_of_pictures_needs_their_bytes_twice_unless_they_are_stored_once() -> None:
    twice = _estimate("dqn", buffer_size=50_000, optimize_memory_usage=False)
    once = _estimate("dqn", buffer_size=50_000, optimize_memory_usage=True)
    pixels = 50_000 * 72 * 80 * 3 * 4
    assert twice.need.bytes == pytest.approx(2 * pixels, rel=0.01)
    assert once.need.bytes == pytest.approx(pixels, rel=0.01)
    assert (twice.need.field, twice.warning) == ("buffer_size", None)


def test_more_than_is_free_is_warned_of() -> None:
    found = _estimate("dqn", 2 * 10**9, buffer_size=50_000, optimize_memory_usage=True)
    assert found.warning is not None
    assert found.warning.startswith(
        f"buffer_size 50,000 needs about {byte_text(found.need.bytes)}, and 2 GB of memory are free."
    )


def test_random_actions_need_no_memory() -> None:
    assert _estimate("random").bytes == 0


def test_an_archive_needs_a_state_for_each_cell_up_to_its_limit() -> None:
    lake = _estimate("q-learning", env_id="FrozenLake-v1", plan=ExplorationPlan(archive=0.3))
    assert lake.exploration.archive == 16 * (4_000 + 8 // 3)
    assert lake.bytes == lake.need.bytes + lake.exploration.archive
    island = _estimate("ppo", plan=ExplorationPlan(archive=0.3))
    assert island.exploration.archive == ARCHIVE_BYTES
    assert _estimate("ppo", plan=ExplorationPlan(coverage=0.1)).exploration.bytes == 0


@pytest.mark.parametrize(
    ("env_id", "options", "most"), [("MountainCar-v0", {}, 10), (LAMPLIGHTER, {}, 2), (LAMPLIGHTER, GAME, 3)]
)
def test_states_of_an_archive_are_not_larger_than_estimated(
    tmp_path: Path, env_id: str, options: dict[str, Any], most: float
) -> None:
    folder = make_run(
        tmp_path,
        env_id=env_id,
        env_options=options,
        hyperparameters={"n_envs": 1},
        exploration=ExplorationPlan(archive=0.3),
    )
    config = folder.read_config()
    environment = ENVIRONMENTS.get(env_id).resolve(config.env_options)
    assert environment.world is not None
    one_cell = replace(environment, world=World(environment.world.reader, columns=1, rows=1))
    estimate = estimate_memory(config, one_cell, 0).exploration.archive
    model = build_model(config)
    exploring, environments = exploration_of(model), model.get_env()
    assert exploring is not None
    assert environments is not None
    environments.action_space.seed(1)
    environments.reset()
    for _ in range(60):
        environments.step(np.array([environments.action_space.sample()]))
    states = [blob for _, blob, *_ in exploring.state()["archive"]["states"]]
    environments.close()
    assert len(states) > 2
    size = sum(map(len, states)) / len(states)
    assert size <= estimate <= most * size


def test_imitation_needs_its_longest_episodes_up_to_its_limits() -> None:
    step = 4 * 4 + 8 + 4  # four numbers that the agent sees, an action and a return
    found = _estimate("ppo", env_id="CartPole-v1", plan=ExplorationPlan(imitation=10), n_envs=4)
    assert found.exploration.imitation == (10 + 4) * 500 * step
    assert _estimate("ppo", plan=ExplorationPlan(imitation=10)).exploration.imitation == (
        IMITATION_BYTES + UNFINISHED_BYTES
    )


def test_more_than_is_free_names_the_parts_that_need_it() -> None:
    found = _estimate("ppo", 10**8, plan=ExplorationPlan(archive=0.3, imitation=10), n_envs=8)
    assert found.bytes == found.need.bytes + ARCHIVE_BYTES + IMITATION_BYTES + UNFINISHED_BYTES
    assert found.warning == (
        f"The run needs about {byte_text(found.bytes)}: {byte_text(found.need.bytes)} for {found.text}, 64 MB for "
        "archive and 80 MB for imitation; 100 MB of memory are free. Use a smaller buffer, leave out archive or "
        "imitation, or end other programs: once memory is full, the system ends one of them."
    )
