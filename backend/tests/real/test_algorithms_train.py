"""Every registered algorithm trains, saves and loads."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import metric_definitions
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import checkpoints, column, curves, events, kinds, leftovers, make_run, rows

STEPS = 512


@pytest.fixture(scope="module", params=ALGORITHMS.names())
def algo(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def trained(algo: str, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with checkpoints and evaluations."""
    folder = make_run(
        tmp_path_factory.mktemp("runs"),
        algo=algo,
        total_timesteps=STEPS,
        checkpoints=checkpoints(every_steps=200),
        evaluation=EvaluationPlan(every_steps=250, episodes=1),
    )
    assert train_run(folder)
    return folder


def test_each_algorithm_trains_to_its_end_and_saves(trained: RunFolder) -> None:
    told = [kind for kind in kinds(trained) if kind in ("started", "checkpoint", "finished", "error")]
    assert told == ["started", "checkpoint", "checkpoint", "finished"]
    assert STEPS <= events(trained)[-1].step < STEPS + 128
    assert leftovers(trained) == []


def test_it_is_evaluated_on_the_way(trained: RunFolder) -> None:
    assert any("train/n_updates" in values for _, values in curves(trained))
    assert len(column(trained, "eval/mean_reward")) == 3
    assert trained.best_policy() is not None


def compare_with_a_run_without_evaluations(algo: str, root: Path) -> None:
    """Check that curves and saved policies equal those of a run of the same seed without evaluations."""
    plain = make_run(root, "plain", algo=algo, total_timesteps=STEPS)
    plan = EvaluationPlan(every_steps=250, episodes=1)
    evaluated = make_run(root, "evaluated", algo=algo, total_timesteps=STEPS, evaluation=plan)
    assert train_run(plain)
    assert train_run(evaluated)
    assert curves(plain) == [(step, values) for step, values in curves(evaluated) if "eval/mean_reward" not in values]
    model_class = load(ALGORITHMS.get(algo).model_class)
    policies = [model_class.load(path, device="cpu") for path in (plain.model_path, evaluated.model_path)]
    observations = [policies[0].observation_space.sample() for _ in range(20)]
    actions = [[policy.predict(one, deterministic=True)[0] for one in observations] for policy in policies]
    np.testing.assert_array_equal(*actions)
    assert [policy.num_timesteps for policy in policies] == [events(plain)[-1].step] * 2


def test_evaluations_do_not_change_training(tmp_path: Path) -> None:
    compare_with_a_run_without_evaluations("ppo", tmp_path)


def test_each_algorithm_logs_the_metrics_it_declares(algo: str, trained: RunFolder) -> None:
    logged = {name for row in rows(trained) for name in row["values"]}
    declared = set(ALGORITHMS.get(algo).metrics)
    late = {"time/iterations", "time/episodes"}  # only every so many rollouts or episodes
    assert declared - logged - late <= {"train/std"}, "only continuous actions have a deviation"
    assert {name for name in logged if name.startswith("train/")} <= declared
    assert logged & {"rollout/exploration_rate"} <= declared


def test_every_logged_metric_is_defined_for_its_algorithm(algo: str, trained: RunFolder) -> None:
    logged = {name for row in rows(trained) for name in row["values"]}
    defined = {definition.name: loggers for definition, loggers in metric_definitions(list(ALGORITHMS))}
    assert {name for name in logged if algo not in defined.get(name, ())} == set()


def test_the_saved_policy_is_that_of_the_last_step_and_acts(algo: str, trained: RunFolder) -> None:
    policy = load(ALGORITHMS.get(algo).model_class).load(trained.model_path, device="cpu")
    action, _ = policy.predict(policy.observation_space.sample(), deterministic=True)
    assert policy.action_space.contains(action)
    assert policy.num_timesteps == events(trained)[-1].step


# Q-learning


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Q-learning on a lake without slipping, where nothing is random and a step size of 1 is optimal."""
    folder = make_run(
        tmp_path_factory.mktemp("lake"),
        algo="q-learning",
        env_options={"map_name": "4x4", "is_slippery": False},
        total_timesteps=4_000,
        hyperparameters={
            "n_envs": 4,
            "learning_rate": 1.0,
            "gamma": 0.9,
            "initial_value": 1.0,
            "exploration_initial_eps": 0.5,
            "exploration_final_eps": 0.5,
        },
        evaluation=EvaluationPlan(every_steps=4_000, episodes=2),
    )
    assert train_run(folder)
    return folder


def optimum(gamma: float) -> tuple[np.ndarray, list[bool]]:  # type: ignore[type-arg]
    """Return action values by value iteration on the environment's own model, and which states are terminal."""
    moves = gymnasium.make("FrozenLake-v1", is_slippery=False).unwrapped.P  # type: ignore[attr-defined]
    values = np.zeros((16, 4))
    for _ in range(50):
        for state in range(16):
            for action in range(4):
                ((_, reached, reward, over),) = moves[state][action]
                values[state, action] = reward + (0 if over else gamma * values[reached].max())
    return values, [all(over for ((_, _, _, over),) in moves[state].values()) for state in range(16)]


def test_q_learning_finds_the_exact_values_of_a_deterministic_environment(lake: RunFolder) -> None:
    table = json.loads(lake.q_table_path.read_bytes())
    values, terminal = optimum(0.9)
    visited = np.array(table["visits"]) > 0
    assert table["terminal"] == terminal
    assert visited.sum() == 4 * (16 - sum(terminal)), "every action in every state that is not the end"
    np.testing.assert_allclose(np.array(table["q"])[visited], values[visited], rtol=0, atol=1e-12)
    assert column(lake, "eval/mean_reward")[-1] == 1.0
    assert column(lake, "eval/mean_ep_length")[-1] == 6


def test_the_q_table_describes_how_to_draw_it(lake: RunFolder) -> None:
    table = json.loads(lake.q_table_path.read_bytes())
    assert (table["env_id"], table["step"], table["states"]) == ("FrozenLake-v1", 4_000, 16)
    assert table["actions"] == ["left", "down", "right", "up"]
    assert (table["shape"], table["map"]) == ([4, 4], ["SFFF", "FHFH", "FFFH", "HFFG"])


@pytest.mark.parametrize(
    ("env_id", "shape", "map_"),
    [
        ("CliffWalking-v1", [4, 12], ["F" * 12] * 3 + ["S" + "C" * 10 + "G"]),
        ("Taxi-v4", None, None),
        ("Blackjack-v1", None, None),
    ],
)
def test_other_environments_are_drawn_as_a_grid_only_if_they_are_one(
    tmp_path: Path, env_id: str, shape: list[int] | None, map_: list[str] | None
) -> None:
    folder = make_run(tmp_path, algo="q-learning", env_id=env_id, total_timesteps=300)
    assert train_run(folder)
    table = json.loads(folder.q_table_path.read_bytes())
    assert (table["shape"], table["map"]) == (shape, map_)
    assert np.array(table["q"]).shape == (table["states"], len(table["actions"]))
