"""Weights and caps of reward components."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.experiments import ExperimentSpec, ForkPoint, RunSpec, Variant, VariantChanges
from rlviz.domain.reward_plan import RewardPlan
from rlviz.learning.environments.custom import learned_rewards
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.learning.exploration.bonuses import Exploring
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.weighting import Weighting, add_weighting, weighting_of
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.training import make_run

PLAN = RewardPlan(weights={"torque": 0.0, "angle": 2.0}, caps={"speed": 5.0, "angle": 100.0})
PENDULUM = {"algo": "ppo", "env_id": "Pendulum-v1"}


def _weighted(root: Path, plan: RewardPlan = PLAN, **changes: Any) -> Weighting:
    model = build_model(make_run(root, reward=plan, **PENDULUM, **changes).read_config())
    found = weighting_of(model)
    assert found is not None
    return found


def _play(environments: Any, steps: int, seed: int = 0) -> tuple[NDArray[Any], list[list[dict[str, Any]]]]:
    """Take random actions, and return the rewards, of shape (steps, environments), and the infos of each step."""
    generator = np.random.default_rng(seed)
    rewards, infos = [], []
    for _ in range(steps):
        _, reward, _, info = environments.step(generator.uniform(-2, 2, (2, 1)).astype(np.float32))
        rewards.append(reward.copy())
        infos.append(info)
    return np.array(rewards), infos


def test_an_episode_is_learned_from_as_the_weighted_sum_of_its_capped_components(tmp_path: Path) -> None:
    environments = _weighted(tmp_path)
    environments.reset()
    rewards, infos = _play(environments, 400)
    environments.close()
    for first in (0, 200):
        own = {
            name: sum(info[0][COMPONENTS][name] for info in infos[first : first + 200])
            for name in ("angle", "speed", "torque", "weighting")
        }
        assert own["speed"] < -5, "the cap matters in this episode"
        wanted = 2 * max(own["angle"], -100.0) - 5.0
        assert rewards[first : first + 200, 0].sum() == pytest.approx(wanted, rel=1e-4)
        assert sum(own.values()) == pytest.approx(wanted, rel=1e-4), "the components sum to what is learned from"
        episode = infos[first + 199][0]["episode"]
        assert episode["r"] == pytest.approx(own["angle"] + own["speed"] + own["torque"], rel=1e-4)


def test_a_component_that_comes_back_below_its_cap_counts_again(tmp_path: Path) -> None:
    environments = _weighted(tmp_path, RewardPlan(caps={"speed": 5.0}))
    sums = {"speed": 0.0}
    found = [environments._difference(sums, {"speed": value}) + value for value in (4.0, 4.0, -2.0, -3.0, -20.0)]
    environments.close()
    assert found == [4.0, 1.0, 0.0, -2.0, -8.0], "the sums are 4, 8, 6, 3 and −17"


def test_the_sums_continue_from_a_snapshot_only_within_the_same_episode(tmp_path: Path) -> None:
    one, other = _weighted(tmp_path / "one"), _weighted(tmp_path / "other")
    for environments in (one, other):
        environments.reset()
        _play(environments, 40)
    state = pickle.loads(pickle.dumps(one.state()))
    other.begin_episodes()
    other.restore(state)
    assert other.state() == state
    assert _play(other, 20, seed=1)[0].tolist() == _play(one, 20, seed=1)[0].tolist()
    other.reset()
    other.restore(state)
    assert other.state()["sums"] == [{"speed": 0.0, "angle": 0.0}] * 2, "both environments begin an episode"
    single = _weighted(tmp_path / "single", hyperparameters={"n_envs": 1})
    single.restore(state)
    assert single.state()["sums"] == [{"speed": 0.0, "angle": 0.0}]
    for environments in (one, other, single):
        environments.close()


def test_bonuses_for_exploration_are_added_to_the_weighted_reward(tmp_path: Path) -> None:
    folder = make_run(tmp_path, reward=PLAN, exploration=ExplorationPlan(novelty=0.5), **PENDULUM)
    model = build_model(folder.read_config())
    exploring = model.get_env()
    assert isinstance(exploring, Exploring)
    assert weighting_of(model) is exploring.venv
    exploring.reset()
    rewards, infos = _play(exploring, 3)
    for row, info in zip(rewards, infos, strict=True):
        assert set(info[0][COMPONENTS]) == {"angle", "speed", "torque", "weighting", "novelty"}
        assert sum(info[0][COMPONENTS].values()) == pytest.approx(row[0], rel=1e-4)
    exploring.close()


def test_cells_are_counted_from_the_start_of_an_episode_whose_reward_is_weighted(tmp_path: Path) -> None:
    plan, reward = ExplorationPlan(map=True), RewardPlan(weights={"force": 0.0})
    folder = make_run(tmp_path, env_id="MountainCarContinuous-v0", exploration=plan, reward=reward)
    exploring = build_model(folder.read_config()).get_env()
    assert isinstance(exploring, Exploring)
    assert exploring.visits is not None
    exploring.reset()
    assert exploring.visits.steps.sum() == 2, "the first cell of each environment"
    exploring.close()


def test_a_run_without_a_plan_is_built_and_written_as_before(tmp_path: Path) -> None:
    plain = make_run(tmp_path, **PENDULUM)
    config = plain.read_config()
    assert '"reward"' not in plain.config_path.read_text()
    environments: Any = object()
    assert add_weighting(environments, config) is environments
    ones = RewardPlan(weights={"angle": 1.0})
    assert (ones, ones.is_on) == (RewardPlan(), False)
    assert resolve_config(NewRun("ppo", "Pendulum-v1", reward=ones), 0.0).reward is None
    assert resolve_config(NewRun("ppo", "Pendulum-v1", reward=PLAN), 0.0).reward == PLAN
    assert '"reward"' not in RunSpec().model_dump_json()


@pytest.mark.parametrize(
    ("algo", "env_id", "plan", "pointer", "says"),
    [
        ("ppo", "Pendulum-v1", {"weights": {"sped": 0.0}}, "/reward/weights/sped", "Did you mean 'speed'?"),
        ("ppo", "Pendulum-v1", {"caps": {"sped": 1.0}}, "/reward/caps/sped", "Known: angle, speed, torque."),
        ("ppo", "Pendulum-v1", {"caps": {"novelty": 1.0}}, "/reward/caps/novelty", "is added by training"),
        ("ppo", "CartPole-v1", {"weights": {"angle": 0.0}}, "/reward", "has no components that could be weighted"),
        ("random", "Pendulum-v1", {"weights": {"speed": 0.0}}, "/reward", "Random actions learn nothing"),
    ],
)
def test_an_unworkable_plan_is_refused(algo: str, env_id: str, plan: Any, pointer: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says.replace("?", r"\?")) as refused:
        resolve_config(NewRun(algo, env_id, reward=RewardPlan(**plan)), 0.0)
    assert [field.pointer for field in refused.value.fields] == [pointer]


def test_weights_and_caps_have_bounds() -> None:
    for wrong in ({"weights": {"a": -1.0}}, {"caps": {"a": 0.0}}, {"caps": {"a": float("inf")}}, {"weight": {}}):
        with pytest.raises(ValidationError):
            RewardPlan(**wrong)


def test_a_variant_of_an_experiment_may_weight_the_reward() -> None:
    base = RunSpec(env_id="Pendulum-v1", reward=PLAN)
    without = Variant(name="without", changes=VariantChanges(reward=RewardPlan())).run_spec(base)
    assert (without.reward, Variant(name="as is").run_spec(base).reward) == (RewardPlan(), PLAN)
    with pytest.raises(ValidationError, match="weights the reward as its parent"):
        ExperimentSpec(base=base, fork=ForkPoint(run_id="r", snapshot="1", step=1), grid={"gamma": [0.9, 0.99]})


def test_values_of_a_weighted_reward_are_not_compared_with_the_return(tmp_path: Path) -> None:
    rewards = learned_rewards(make_run(tmp_path, reward=PLAN, **PENDULUM).read_config())
    assert not rewards.comparable
    assert "had weights or caps" in (rewards.note or "")
