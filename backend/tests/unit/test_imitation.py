"""Self-imitation: storage of the best episodes, and learning from them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import BaseCallback

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.learning.exploration.imitation import BATCH, STEPS_A_BATCH, Imitation, make_imitation
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.snapshot.verify import first_difference
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.training import make_run

ROLLOUT = {"n_envs": 2, "n_steps": 256, "learning_rate": 0.01}


class Follow(BaseCallback):
    """Feeds an Imitation like the training callback."""

    def __init__(self, imitation: Imitation) -> None:
        super().__init__()
        self._imitation, self.totals = imitation, list[float]()

    def _on_step(self) -> bool:
        for place, info in enumerate(self.locals["infos"]):
            if "episode" in info:
                self._imitation.note_end(place, info["episode"]["r"])
                self.totals.append(info["episode"]["r"])
        return True

    def _on_rollout_end(self) -> None:
        self._imitation.read_rollout()


def trained(root: Path, episodes: int, steps: int = 1024) -> tuple[Any, Imitation, list[float]]:
    folder = make_run(root, hyperparameters=ROLLOUT, exploration=ExplorationPlan(imitation=episodes))
    config = folder.read_config()
    model = build_model(config)
    imitation = make_imitation(model, config)
    assert imitation is not None
    follow = Follow(imitation)
    for _ in range(2):  # the second one resets the environments within an episode
        model.learn(steps // 2, callback=follow)
    return model, imitation, follow.totals


def test_the_best_episodes_are_kept_whole(tmp_path: Path) -> None:
    model, imitation, totals = trained(tmp_path, episodes=3)
    best = imitation.state()["best"]
    assert [total for total, *_ in best] == sorted(totals)[-3:]
    for total, observations, actions, returns in best:
        assert len(observations) == len(actions) == len(returns) == total, "CartPole earns 1 a step"
        assert np.abs(observations[0]).max() <= 0.05, "it begins near the middle"
        assert returns[0] == pytest.approx(sum(model.gamma**step for step in range(int(total))), rel=1e-5)
    model.get_env().close()


def test_actions_that_earned_more_than_expected_become_more_probable(tmp_path: Path) -> None:
    model, imitation, _ = trained(tmp_path, episodes=1)
    _, observations, actions, _ = imitation.state()["best"][0]

    def probability() -> float:
        with torch.no_grad():
            _, found, _ = model.policy.evaluate_actions(
                torch.as_tensor(observations), torch.as_tensor(actions).long().flatten()
            )
        return float(found.mean())

    before = probability()
    metrics = imitation.learn()
    assert set(metrics) == {"imitation/loss", "imitation/share", "imitation/episodes"}
    assert metrics["imitation/share"] > 0.5, "the values of so young a policy are too low"
    assert probability() > before
    assert imitation.learn() == {}, f"the next steps are due after {STEPS_A_BATCH} more"
    model.get_env().close()


def test_it_continues_from_its_state_and_leaves_the_generators_alone(tmp_path: Path) -> None:
    model, imitation, _ = trained(tmp_path, episodes=2)
    before = np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # type: ignore[index]
    imitation.learn()
    assert before == (np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())  # type: ignore[index]
    state = pickle.loads(pickle.dumps(imitation.state()))
    twin = Imitation(model, 2, seed=9, task=state["task"])
    twin.restore(state)
    assert first_difference(imitation.state(), twin.state()) is None
    for one, other in zip(imitation._sample(), twin._sample(), strict=True):
        assert len(one) == BATCH
        assert np.array_equal(one, other)
    model.get_env().close()


def test_episodes_of_another_task_are_not_kept(tmp_path: Path) -> None:
    model, imitation, _ = trained(tmp_path, episodes=2)
    other = Imitation(model, 2, seed=9, task="other options")
    other.restore(imitation.state())
    assert imitation.state()["best"] != []
    assert other.state()["best"] == []


def test_only_algorithms_that_can_imitate_accept_it() -> None:
    plan = ExplorationPlan(imitation=10)
    assert resolve_config(NewRun("a2c", total_timesteps=1_000, exploration=plan), 0.0).exploration == plan
    with pytest.raises(InvalidRequest, match="choose PPO or A2C") as refused:
        resolve_config(NewRun("dqn", total_timesteps=1_000, exploration=plan), 0.0)
    assert [field.pointer for field in refused.value.fields] == ["/exploration/imitation"]
