"""Normalized observations and rewards in training, figures and saved policies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecNormalize

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.learning.algorithms.policy import Scale
from rlviz.learning.playing.evaluate import load_policy
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.checkpoint import save_policy
from rlviz.learning.training.watched import train_run
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.training import checkpoints, column, make_run

BOTH = {"normalize_observations": True, "normalize_rewards": True}


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_saved_policy_gets_the_same_inputs_as_in_training(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, env_id="Pendulum-v1", hyperparameters=BOTH)
    model = build_model(folder.read_config())
    model.learn(256)
    save_policy(model, folder.model_path)
    played, wrapper = load_policy(folder, algo, "model.zip"), model.get_env()
    assert isinstance(wrapper, VecNormalize)
    shown = np.array([[0.6, 0.8, 4.0], [-1.0, 0.0, -8.0], [0.0, 1e6, 0.0]], np.float32)
    seen = wrapper.normalize_obs(shown)
    assert played.scale is not None
    assert np.array_equal(played.scale(shown), seen)
    assert np.abs(seen).max() == 10, "what is far out is cut"
    actions, _ = played.predict(shown, deterministic=True)
    assert np.array_equal(actions, model.predict(seen, deterministic=True)[0])
    assert not np.array_equal(actions, model.predict(shown, deterministic=True)[0])
    wrapper.close()


def test_returns_are_unnormalised_and_each_policy_has_the_normalisation_of_its_own_step(tmp_path: Path) -> None:
    """MountainCar gives -1 per step; training sees another number."""
    folder = make_run(
        tmp_path,
        env_id="MountainCar-v0",
        hyperparameters={**BOTH, "n_envs": 2},
        checkpoints=checkpoints(every_steps=128),
        evaluation=EvaluationPlan(every_steps=200, episodes=1),
    )
    assert train_run(folder)
    assert column(folder, "episode/reward") == [-200.0] * 2
    assert column(folder, "eval/mean_reward") == [-200.0] * 3
    for path, step in [*((path, step) for step, path in folder.checkpoint_files()), (folder.best_model_path, 200)]:
        with path.open("rb") as file:
            scale = Scale.read(file)
        assert scale is not None
        assert scale.count == pytest.approx(step + 2, abs=0.01), "two observations are the first resets'"


def test_a_policy_without_normalisation_is_the_librarys_own(tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"normalize_rewards": True})
    model = build_model(folder.read_config())
    save_policy(model, folder.model_path)
    policy = load_policy(folder, "ppo", "model.zip")
    assert type(policy.model) is type(model)
    assert policy.scale is None


@pytest.mark.parametrize(
    ("algo", "env_id", "kind"), [("ppo", "CarRacing-v3", "Box, uint8"), ("dqn", "FrozenLake-v1", "Discrete, int64")]
)
def test_pictures_and_discrete_states_are_not_normalised(algo: str, env_id: str, kind: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolve_config(NewRun(algo, env_id=env_id, hyperparameters={"normalize_observations": True}), 0.0)
    [problem] = caught.value.fields
    assert problem.pointer == "/hyperparameters/normalize_observations"
    assert f"these are {kind}. Switch normalisation off" in problem.detail
    assert resolve_config(NewRun(algo, env_id=env_id, hyperparameters={"normalize_rewards": True}), 0.0)
