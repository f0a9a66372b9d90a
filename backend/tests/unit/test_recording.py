"""Recording detail, its cost, and which frames are kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from PIL import Image

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.evaluation import EvaluationRecord, StepsWanted
from rlviz.domain.recording import Actor, Detail, FrameReason, Lowered
from rlviz.domain.spaces import Space
from rlviz.domain.storage_profile import DEFAULT, StorageProfile
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.film import film
from rlviz.learning.playing.recording import (
    LONG_ENOUGH_SECONDS,
    REWARDS_KNOWN,
    EvaluationRecording,
    FrameChoice,
    RecordingLevel,
    reading_columns,
)
from rlviz.learning.playing.rollout import Step, digest_of
from rlviz.learning.records.reader import StepFile
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_frames, retain_videos
from tests.support.training import make_run

LENGTH = 60


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def spent(level: RecordingLevel, clock: Clock, recording: float, rest: float) -> None:
    with level:
        clock.now += recording
    clock.now += rest
    level.check()


def test_the_detail_is_lowered_stepwise_while_recording_costs_too_much() -> None:
    clock, lowered = Clock(), list[Lowered]()
    level = RecordingLevel(Detail.FULL, most_cost=0.5, on_lowered=lowered.append, monotonic=clock)
    spent(level, clock, 0.9 * LONG_ENOUGH_SECONDS, 0)
    assert level.detail is Detail.FULL, "it is too soon to tell"
    spent(level, clock, 0, LONG_ENOUGH_SECONDS)
    assert (level.detail, lowered[0].before, lowered[0].cost) == (Detail.STANDARD, Detail.FULL, 0.9)
    spent(level, clock, LONG_ENOUGH_SECONDS, LONG_ENOUGH_SECONDS * 4)
    assert level.detail is Detail.STANDARD, "what it cost before does not count"
    spent(level, clock, LONG_ENOUGH_SECONDS * 4, 0)
    assert level.detail is Detail.MINIMAL
    spent(level, clock, LONG_ENOUGH_SECONDS * 4, 0.1)
    assert level.detail is Detail.MINIMAL, "records that somebody asked for go on"
    assert [one.after for one in lowered] == [Detail.STANDARD, Detail.MINIMAL]
    facts = level.facts()
    assert (facts.detail, facts.lowered) == (Detail.FULL, lowered[-1])
    assert facts.cost == pytest.approx(9.9 / 5.1, abs=1e-3)


def test_a_newly_chosen_detail_is_not_judged_by_the_cost_of_the_previous_one() -> None:
    clock = Clock()
    level = RecordingLevel(Detail.MINIMAL, most_cost=0.1, lowest=Detail.OFF, monotonic=clock)
    spent(level, clock, 2, 1)
    assert level.detail is Detail.OFF
    level.choose(Detail.FULL)
    spent(level, clock, 0, 2)
    assert (level.detail, level.facts().lowered) == (Detail.FULL, None)


@pytest.mark.parametrize(
    ("detail", "wanted"),
    [
        (Detail.OFF, None),
        (Detail.MINIMAL, (1_000_000, False)),
        (Detail.STANDARD, (8, True)),
        (Detail.FULL, (1, True)),
    ],
)
def test_a_profile_lists_what_is_recorded_at_each_detail(detail: Detail, wanted: tuple[int, bool] | None) -> None:
    found = StorageProfile().wanted(detail)
    assert (found and (found.frames_every, found.pictures)) == wanted
    assert DEFAULT.keeps(detail)


def test_a_profile_from_before_details_is_read() -> None:
    assert StorageProfile.model_validate({"records": False, "frames_every": 2}).detail is Detail.OFF
    assert StorageProfile.model_validate({"records": True}).detail is Detail.STANDARD


def reasons(choice: FrameChoice, rewards: list[float], detail: Detail) -> dict[int, FrameReason]:
    steps = [Step(0, number, None, None, reward) for number, reward in enumerate(rewards)]
    steps[-1] = steps[-1]._replace(terminated=True)
    found = {step.number: choice.reason(step, detail) for step in steps}
    return {number: reason for number, reason in found.items() if reason is not None}


def test_unusual_endings_and_rewards_are_kept_and_a_share_of_all_at_full_detail() -> None:
    rewards = [0.0, *([1.0, 1.1] * REWARDS_KNOWN), 9.0, 1.0, 1.0]
    spike, end = 2 * REWARDS_KNOWN + 1, len(rewards) - 1
    assert reasons(FrameChoice(10), rewards, Detail.STANDARD) == {spike: FrameReason.SPIKE, end: FrameReason.END}
    full = reasons(FrameChoice(10), rewards, Detail.FULL)
    assert full == {
        **dict.fromkeys(range(0, end, 10), FrameReason.INTERVAL),
        spike: FrameReason.SPIKE,
        end: FrameReason.END,
    }
    assert reasons(FrameChoice(10), rewards, Detail.MINIMAL) == {}


def test_a_different_reward_among_equal_ones_is_unusual() -> None:
    rewards = [0.0, *([1.0] * (REWARDS_KNOWN + 1)), 1.0, 0.0, 1.0, 1.0]
    assert FrameReason.SPIKE in reasons(FrameChoice(10), rewards, Detail.STANDARD).values()
    assert FrameReason.SPIKE not in reasons(FrameChoice(10), [1.0] * 50, Detail.STANDARD).values()


class Flat(gymnasium.Env[Any, Any]):
    """Ends after LENGTH steps, or fails at step ``fails_at``. The brightness of each frame is its step number. Frames
    and observations are changed in place, as pygame environments do.
    """

    observation_space: spaces.Space[Any] = spaces.Box(-1, 1, (2,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at, self.at = fails_at, 0
        self.canvas = np.zeros((40, 40, 3), np.uint8)
        self.seen = np.zeros(2, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0
        self.seen[:] = 0
        return self.seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at += 1
        if self.at == self.fails_at:
            raise RuntimeError("the floor gave way")
        self.seen[:] = self.at / LENGTH
        return self.seen, 1.0 + self.at % 2, self.at == LENGTH, False, {}

    def render(self) -> Any:
        self.canvas[:] = self.at
        return self.canvas


OWN = CustomEnvironment(
    entry_point="flat:Flat",
    summary="Draws each frame over the last one.",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=30,
)


class Values:
    """A policy that returns a value for each observation."""

    action_space = Flat.action_space
    model = SimpleNamespace(observation_space=Flat.observation_space)

    def predict(self, observations: Any, *_: Any, **__: Any) -> tuple[Any, None]:
        return np.ones(len(observations), int), None

    def read(self, observations: Any, _actions: Any) -> Reading:
        return Reading(value=np.zeros(len(observations)))


def record(folder: RunFolder, env: Flat, wanted: StepsWanted, evaluation_id: str, episodes: int = 1) -> None:
    config = folder.read_config().model_copy(update={"custom_environment": OWN})
    asked = EvaluationRecord(id=evaluation_id, run_id=folder.run_id, created_at=config.created_at)
    policy: Any = Values()
    with EvaluationRecording(folder, asked, wanted, config, env, policy, Actor.POLICY) as recording:
        list(film(env, policy, None, episodes=episodes, seed=1, deterministic=True, steps=recording.recorder))


def wanted_at(detail: Detail, **changes: Any) -> StepsWanted:
    found = StorageProfile(keep_frames_every=20, **changes).wanted(detail)
    assert found is not None
    return found.model_copy(update={"most_cost": None})


EVALUATION = "eval_20261121-014312-000"


@pytest.mark.parametrize(
    ("detail", "reads", "hashed", "kept"),
    [
        (Detail.MINIMAL, False, [LENGTH], []),
        (Detail.STANDARD, True, [*range(0, LENGTH, 8), LENGTH], [(LENGTH, "end")]),
        (
            Detail.FULL,
            True,
            list(range(LENGTH + 1)),
            [(0, "interval"), (20, "interval"), (40, "interval"), (60, "end")],
        ),
    ],
)
def test_an_evaluation_records_what_its_detail_says(
    tmp_path: Path, detail: Detail, reads: bool, hashed: list[int], kept: list[tuple[int, str]]
) -> None:
    folder = make_run(tmp_path)
    record(folder, Flat(), wanted_at(detail), EVALUATION)
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        columns = file.read(list(file.names), file.groups())
    assert ("reading.value" in columns) == reads
    assert columns["observation"].numbers[:, 0] == pytest.approx(np.arange(LENGTH + 1) / LENGTH)
    assert np.flatnonzero(columns["frame_hash"].present).tolist() == hashed
    drawn = [digest_of(np.full((40, 40, 3), index, np.uint8)).hex() for index in hashed]
    assert columns["frame_hash"].numbers[hashed].tolist() == drawn
    if not kept:
        assert not folder.evaluations.frames_path(EVALUATION).exists()
        return
    frames = folder.evaluations.frames(EVALUATION)
    assert [(frame.index, frame.reason.value) for frame in frames] == kept
    assert _lightness(folder, LENGTH) == pytest.approx(LENGTH, abs=2)


def _lightness(folder: RunFolder, index: int) -> float:
    path = folder.path / "frame.jpg"
    path.write_bytes(folder.evaluations.read_frame(EVALUATION, 0, index))
    with Image.open(path) as picture:
        return float(np.asarray(picture).mean())


@pytest.mark.parametrize("detail", [Detail.MINIMAL, Detail.STANDARD])
def test_only_the_last_frames_before_an_error_are_kept(tmp_path: Path, detail: Detail) -> None:
    folder, drawn = make_run(tmp_path), StepsWanted(max_bytes=10**6, keep_frames_bytes=10**6, detail=Detail.FULL)
    wanted = drawn if detail is Detail.STANDARD else drawn.model_copy(update={"detail": detail, "frames_every": 1})
    with pytest.raises(RuntimeError, match="the floor"):
        record(folder, Flat(fails_at=30), wanted, EVALUATION)
    assert not folder.evaluations.steps_path(EVALUATION).exists()
    if detail is Detail.MINIMAL:  # of which no frame was drawn
        assert not folder.evaluations.frames_path(EVALUATION).exists()
        return
    frames = folder.evaluations.frames(EVALUATION)
    before = [frame.index for frame in frames if frame.reason is FrameReason.ERROR]
    assert before == list(range(22, 30))
    assert [_lightness(folder, index) for index in before] == pytest.approx(before, abs=1)


def test_important_frames_find_room_where_interval_frames_do_not(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    one = 1_000  # about what a frame takes
    record(folder, Flat(), wanted_at(Detail.FULL, keep_frames_bytes=2 * one), EVALUATION, episodes=3)
    kept = {frame.reason for frame in folder.evaluations.frames(EVALUATION)}
    assert FrameReason.END in kept
    assert len(folder.evaluations.frames(EVALUATION)) < 10


def test_the_oldest_frames_of_a_run_are_deleted_beyond_the_size_limit(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    ids = [f"eval_20261121-014312-00{number}" for number in range(3)]
    for evaluation_id in ids:
        record(folder, Flat(), wanted_at(Detail.FULL), evaluation_id)
    size = folder.evaluations.frames_path(ids[0]).stat().st_size
    retain_frames(folder, 2 * size)
    assert [folder.evaluations.frames_path(one).exists() for one in ids] == [False, True, True]


def test_the_most_recently_made_videos_stay(tmp_path: Path) -> None:
    import os

    folder = make_run(tmp_path)
    paths = [folder.evaluations.video_path(f"eval_20261121-014312-00{number}") for number in range(3)]
    for made_at, path in zip((300, 100, 200), paths, strict=True):
        path.write_bytes(b"video")
        os.utime(path, (made_at, made_at))
    retain_videos(folder, 2)
    assert [path.exists() for path in paths] == [True, False, True]


def test_per_action_numbers_are_not_recorded_for_very_many_actions() -> None:
    for actions, kept in ((1_024, {"value", "probabilities", "q_values", "quantiles"}), (1_025, {"value"})):
        numbers = np.zeros((2, actions))
        reading = Reading(np.zeros(2), numbers, q_values=numbers, quantiles=np.zeros((2, 5, actions)))
        assert set(reading_columns(reading)) == kept
