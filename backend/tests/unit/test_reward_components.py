"""Reward components: what environments report, validation, and sums by episode."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.reward_components import KNOWN, component_of, find_component
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.conforming import Conforming, Fault, listen
from rlviz.learning.environments.make import make, make_trained
from rlviz.learning.environments.reward_components import COMPONENTS, EpisodeSums, add_bonus, differs
from rlviz.learning.environments.state import layer_names
from rlviz.learning.environments.wrappers import FrameSkip

SPLIT = [entry for entry in ENVIRONMENTS if entry.reward_splitter is not None]


def test_components_of_split_rewards_sum_to_the_reward() -> None:
    for entry in SPLIT:
        steps = {"CarRacing-v3": 20, "BipedalWalker-v3": 200}.get(entry.id, 600)
        cases = [entry.resolve({"continuous": on}) for on in (False, True)] if _has(entry, "continuous") else [entry]
        for case in cases:
            faults: list[Fault] = []
            with closing(make(case)) as env:
                listen(env, faults.append)
                env.action_space.seed(0)
                observation, _ = env.reset(seed=0)
                seen: set[str] = set()
                for _ in range(steps):
                    action = env.action_space.sample()
                    if entry.id == "MountainCarContinuous-v0":
                        action = np.sign(observation[1:])  # reaches the goal
                    observation, reward, terminated, truncated, info = env.step(action)
                    assert not differs(info[COMPONENTS], float(reward)), (entry.id, info[COMPONENTS], reward)
                    assert all(type(value) is float for value in info[COMPONENTS].values()), entry.id
                    seen |= {name for name, value in info[COMPONENTS].items() if value}
                    if terminated or truncated:
                        observation, _ = env.reset()
                assert not faults, entry.id
                assert len(seen) > 1, entry.id
                assert tuple(info[COMPONENTS]) == entry.reward_components, entry.id
                assert all(find_component(name).help for name in info[COMPONENTS]), entry.id


def _has(entry: Any, option: str) -> bool:
    return option in type(entry.options).model_fields


def test_splitting_adds_no_layer_to_snapshots() -> None:
    entry = ENVIRONMENTS.get("LunarLander-v3")
    with closing(make_trained(entry)) as env:
        assert not any("Split" in name or "Reward" in name for name in layer_names(env))


class Ledger(gymnasium.Env[Any, Any]):
    """Reports the components that a test sets."""

    observation_space = spaces.Box(-1, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)
    reward = 3.0
    components: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(1, np.float32), self.reward, False, False, {COMPONENTS: self.components}


def _step(components: Any) -> tuple[dict[str, Any], list[Fault]]:
    ledger, faults = Ledger(), list[Fault]()
    ledger.components = components
    env = Conforming(ledger)
    listen(env, faults.append)
    env.reset(seed=0)
    return env.step(0)[4], faults


def test_a_wrong_sum_is_reported_with_environment_step_sum_and_reward() -> None:
    info, faults = _step({"a": 1, "b": np.float32(1)})
    assert info[COMPONENTS] == {"a": 1.0, "b": 1.0}
    assert [fault.sentence("at step 9") for fault in faults] == [
        "At step 9, in step 1 of its episode, after action 0, the environment (Ledger) returned reward_components "
        "whose sum is 2, and a reward of 3. Return one number for each component, whose sum is the reward."
    ]


@pytest.mark.parametrize("odd", [5, {"a": "x"}, {str(n): 0.0 for n in range(33)}])
def test_non_finite_components_are_left_out_and_reported(odd: Any) -> None:
    info, faults = _step(odd)
    assert COMPONENTS not in info
    assert len(faults) == 1


def test_a_frame_skip_sums_components() -> None:
    ledger = Ledger()
    ledger.components = {"a": 1.0, "b": 2.0}
    env = FrameSkip(ledger, 3)
    env.reset()
    _, reward, *_, info = env.step(0)
    assert (reward, info[COMPONENTS]) == (9.0, {"a": 3.0, "b": 6.0})


def test_an_episode_has_a_metric_for_each_component() -> None:
    sums = EpisodeSums()
    for step in range(3):
        sums.add(0, {"goal": 1.0, "force": -0.5})
        sums.add(1, {"goal": float(step)})
    assert sums.finish(0, 1.5, 3) == {"reward/goal": 3.0, "reward/force": -1.5}
    assert sums.finish(1, 3.0, 3) == {}, "one component is the reward"
    assert sums.finish(0, 0.0, 5) == {}, "nothing was summed"


def test_a_bonus_has_a_metric_beside_the_environments_own_return() -> None:
    info: dict[str, Any] = {}
    add_bonus(info, "coverage", 0.5)
    sums = EpisodeSums()
    sums.add(0, info[COMPONENTS])
    assert sums.finish(0, 7.0, 1) == {"reward/reward": 7.0, "reward/coverage": 0.5}


def test_sums_continue_from_a_snapshot_and_not_from_one_without_them() -> None:
    before, after = EpisodeSums(), EpisodeSums()
    before.add(0, {"goal": 1.0, "force": -1.0})
    after.restore(before.state())
    after.add(0, {"goal": 1.0, "force": -1.0})
    assert after.finish(0, 0.0, 2) == {"reward/goal": 2.0, "reward/force": -2.0}
    after.restore(None)
    after.add(0, {"goal": 1.0, "force": -1.0})
    assert after.finish(0, 0.0, 2) == {}


def test_bonuses_are_marked_and_other_names_get_a_label() -> None:
    assert not find_component("coverage").of_environment
    assert not find_component("novelty").of_environment
    known = component_of("reward/main_engine")
    assert known is not None
    assert known in KNOWN
    assert component_of("episode/reward") is None
    assert find_component("shiny_new_thing")[:4] == ("shiny_new_thing", "Shiny new thing", "", True)


def test_environments_say_which_components_their_reward_has() -> None:
    for env_id in ("FrozenLake-v1", "CartPole-v1", "GameBoy/Lamplighter-v0"):
        entry = ENVIRONMENTS.get(env_id)
        with closing(make(entry)) as env:
            env.reset(seed=0)
            assert tuple(env.step(0)[4].get(COMPONENTS, ())) == entry.reward_components, env_id
    assert all(entry.reward_components for entry in SPLIT)
