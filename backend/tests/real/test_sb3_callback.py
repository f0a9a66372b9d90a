"""``rlviz.sb3.RunCallback``: what it records, and how its run ends."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.wrappers import RecordVideo
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.sb3 import RunCallback
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import rows

STEPS = 16


class Interrupted(gymnasium.Wrapper[Any, Any, Any, Any]):
    """CartPole that calls ``at_step`` with the number of each step."""

    def __init__(self, at_step: Callable[[int], None]) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        self._at_step, self._steps = at_step, 0

    def step(self, action: Any) -> Any:
        self._steps += 1
        self._at_step(self._steps)
        return super().step(action)


def model(kind: str, at_step: Callable[[int], None] = lambda _step: None) -> BaseAlgorithm:
    env, small = Interrupted(at_step), {"policy_kwargs": {"net_arch": [4]}, "device": "cpu", "seed": 1}
    if kind == "ppo":
        return PPO("MlpPolicy", env, n_steps=STEPS, batch_size=STEPS, n_epochs=1, **small)
    return DQN("MlpPolicy", env, learning_starts=1, batch_size=4, buffer_size=100, **small)


def raising(error: BaseException) -> Callable[[int], None]:
    def at_step(step: int) -> None:
        if step == 5:
            raise error

    return at_step


def only_run(runs_dir: Path) -> RunFolder:
    [folder] = run_folders(runs_dir)
    return folder


class Split(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Reports reward components, which are invalid in the first episode."""

    episodes = 0

    def reset(self, **arguments: Any) -> Any:
        self.episodes += 1
        return super().reset(**arguments)

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        parts = {"upright": 2.0, "effort": -1.0}
        info["reward_components"] = "odd" if self.episodes == 1 else parts
        return observation, reward, terminated, truncated, info


def test_components_of_the_reward_are_recorded(tmp_path: Path) -> None:
    env = Split(gymnasium.make("CartPole-v1"))
    PPO("MlpPolicy", env, n_steps=128, batch_size=128, n_epochs=1, seed=1, device="cpu").learn(
        128, callback=RunCallback(runs_dir=tmp_path)
    )
    folder = only_run(tmp_path)
    first, *others = [row["values"] for row in rows(folder) if "episode/reward" in row["values"]]
    assert "reward/upright" not in first
    assert others
    for values in others:
        assert values["reward/upright"] + values["reward/effort"] == values["episode/reward"]


@pytest.mark.parametrize("kind", ["ppo", "dqn"])
@pytest.mark.parametrize(
    ("error", "status"), [(ValueError("the simulator fell over"), "failed"), (KeyboardInterrupt(), "stopped")]
)
def test_an_exception_in_learn_ends_the_run_immediately_with_the_cause(
    tmp_path: Path, kind: str, error: BaseException, status: str
) -> None:
    learner = model(kind, raising(error))
    with pytest.raises(type(error)):
        learner.learn(4 * STEPS, callback=RunCallback(runs_dir=tmp_path))
    row = row_of_folder(only_run(tmp_path))
    assert (row.status, row.algo, row.env_id) == (status, kind, "CartPole-v1")
    if status == "failed":
        assert row.cause == "ValueError: the simulator fell over"
        assert "at_step" in (row.traceback or "")
    assert type(learner) in (PPO, DQN)


def test_an_error_of_training_itself_fails_the_run_and_the_next_learn_is_a_separate_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, callback = model("ppo"), RunCallback(runs_dir=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(PPO, "train", lambda _self: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            learner.learn(STEPS, callback=callback)
    failed = only_run(tmp_path)
    learner.learn(STEPS, callback=callback)
    found = {folder.run_id: row_of_folder(folder).status for folder in run_folders(tmp_path)}
    assert found.pop(failed.run_id) == "failed"
    assert list(found.values()) == ["completed"]


def test_the_model_can_be_saved_while_it_learns_and_is_unchanged_afterwards(tmp_path: Path) -> None:
    saved = io.BytesIO()
    learner = model("ppo", lambda step: learner.save(saved) if step == 5 else None)
    learner.learn(STEPS, callback=[RunCallback(runs_dir=tmp_path / "a"), RunCallback(runs_dir=tmp_path / "b")])
    assert type(learner) is PPO
    assert type(PPO.load(io.BytesIO(saved.getvalue()))) is PPO
    for name in ("a", "b"):
        folder = only_run(tmp_path / name)
        assert row_of_folder(folder).status == "completed"
        assert any("train/loss" in row["values"] for row in rows(folder))


def test_videos_recorded_during_training_are_added_and_older_ones_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    film = gymnasium.make("CartPole-v1", render_mode="rgb_array", max_episode_steps=6)
    env = RecordVideo(film, str(folder), episode_trigger=lambda number: number in (0, 1), disable_logger=True)
    (folder / "older.mp4").write_bytes(b"of another run")
    learner = PPO("MlpPolicy", env, n_steps=STEPS, batch_size=STEPS, n_epochs=1, policy_kwargs={"net_arch": [4]})
    learner.learn(2 * STEPS, callback=RunCallback(videos=folder, runs_dir=tmp_path / "runs"))
    evaluations = only_run(tmp_path / "runs").evaluations
    summaries = [evaluations.read(evaluation_id).summary for evaluation_id in evaluations.ids()]
    assert [summary.video.frames for summary in summaries if summary and summary.video] == [7, 7]
