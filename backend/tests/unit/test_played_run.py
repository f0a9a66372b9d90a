"""Storing the episodes of a session as a played run, with a fake environment."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.events import FinishedData, WarningData
from rlviz.domain.recording import Actor
from rlviz.domain.spaces import Space
from rlviz.learning.playing.rollout import Episode
from rlviz.learning.playing.video import VideoRecorder
from rlviz.learning.sessions import played as played_run
from rlviz.learning.sessions.camera import Camera
from rlviz.learning.sessions.packets import Recording
from rlviz.learning.sessions.played import PlayedRun
from rlviz.learning.sessions.player import record_of
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.server.runs.configuration import played_config
from tests.support.training import events

FRAME = np.zeros((64, 64, 3), np.uint8)
OWN = CustomEnvironment(
    entry_point="nowhere:Payer",
    summary="Pays.",
    observation_space=Space("Box", shape=(1,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=30,
)


class Payer(gymnasium.Env[Any, Any]):
    """Returns the given rewards step by step; the last one ends the episode."""

    observation_space: spaces.Space[Any] = spaces.Box(-1, 1, (1,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def __init__(self) -> None:
        self.rewards: list[float] = []

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward = self.rewards.pop(0)
        return np.zeros(1, np.float32), reward, not self.rewards, False, {}


class Rig:
    def __init__(self, tmp_path: Path, *, films: bool = False) -> None:
        self.env = Payer()
        self.complaints: list[str] = []
        self.kept = 0
        config = played_config("Payer", {}, OWN, seed=1, now=1_000)
        with new_folder(tmp_path, config) as appear:
            appear()
        self.folder = RunFolder(tmp_path, config.run_id)
        camera = Camera(tmp_path, fps=30, always=films)
        self.played = PlayedRun(self.env, camera, self._open, self._count, self.complaints.append)

    def _open(self) -> None:
        wanted = StepsWanted(max_bytes=10**6)
        self.recording = Recording(run_folder=self.folder.path, steps=wanted, keep_videos=3)

    def _count(self, _run_id: str, episodes: int) -> None:
        self.kept = episodes

    def play(self, place: int, *rewards: float) -> None:
        self.env.rewards = list(rewards)
        episode = Episode(self.env, place, seed=place)
        self.played(episode, episode.begin(), record_of(episode.newest), FRAME)
        while not episode.newest.is_last:
            step = episode.take_action(1)
            self.played(episode, step, record_of(step, actor=Actor.PERSON), FRAME)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_episode_with_a_non_finite_reward_is_left_out_and_the_rest_is_kept(tmp_path: Path, bad: float) -> None:
    rig = Rig(tmp_path)
    rig.play(0, 1.0, bad, 1.0)
    assert f"a reward of {bad} in step 2" in rig.complaints[0]
    rig.play(1, 1.0, 2.0)
    rig.played.open(rig.recording)
    rig.play(2, bad)
    rig.play(3, 4.0)
    rig.played.close()
    assert rig.kept == 2
    [evaluation] = [rig.folder.evaluations.read(one) for one in rig.folder.evaluations.ids()]
    assert evaluation.summary is not None
    assert [one.episode_return for one in evaluation.summary.episodes] == [3.0, 4.0]
    warned, ended = events(rig.folder)[-2:]
    assert isinstance(warned.data, WarningData)
    assert f"a reward of {bad} in step 1" in warned.data.message
    assert isinstance(ended.data, FinishedData)


def test_a_replayed_ending_is_stored_once_and_a_different_ending_as_another_episode(
    tmp_path: Path,
) -> None:
    rig = Rig(tmp_path)
    rig.play(0, 1.0, 2.0)
    last = Episode(rig.env, 0, seed=0)
    last.begin()
    rig.env.rewards = [1.0, 2.0]
    before, end = last.take_action(1), last.take_action(1)
    for step in (before, end):  # one step back, and one forward again
        rig.played(last, step, record_of(step, actor=Actor.PERSON), FRAME)
    rig.played.open(rig.recording)
    assert rig.kept == 1
    for step in (before, end._replace(action=0, reward=5.0, episode_return=6.0)):
        rig.played(last, step, record_of(step, actor=Actor.PERSON), FRAME)
    assert rig.kept == 2
    rig.play(0, 1.0, 2.0)  # the same actions in an episode of its own
    rig.played.close()
    assert rig.kept == 3


def test_an_episode_whose_video_is_late_at_the_end_is_stored_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played_run, "LAST_VIDEO_SECONDS", 0.1)
    rig, encode = Rig(tmp_path, films=True), Event()
    monkeypatch.setattr(VideoRecorder, "add", lambda *_: encode.wait())
    rig.play(0, 1.0, 2.0)
    rig.played.open(rig.recording)
    rig.play(1, 3.0)
    assert rig.kept == 0
    rig.played.close()
    encode.set()
    assert rig.kept == 2
    [evaluation] = [rig.folder.evaluations.read(one) for one in rig.folder.evaluations.ids()]
    assert evaluation.summary is not None
    assert [one.episode_return for one in evaluation.summary.episodes] == [3.0, 3.0]
    assert evaluation.summary.video is None
    warnings = [event.data.message for event in events(rig.folder) if isinstance(event.data, WarningData)]
    assert warnings == ["An episode has no video: it was not complete when the session ended."] * 2
