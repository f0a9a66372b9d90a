"""Counterfactuals: the same policy continues after another action at a recorded step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.domain.clips import ClipRequest, FutureOutcome, FuturePlan
from rlviz.domain.errors import NoOtherFuture
from rlviz.domain.evaluation import StepsWanted
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing import evaluate as evaluating
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.playing.film import Interruption
from rlviz.learning.playing.futures import play_future, read_episode
from rlviz.learning.playing.rollout import Step
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.builder import build_model
from rlviz.rundir.clips import Clips
from tests.support.evaluations import ask_in_folder
from tests.support.run_folders import make_run
from tests.support.training import QUICK

EVALUATION = "eval_20261121-014312-001"


class Frames:
    """A video that stores only its captions."""

    def __init__(self) -> None:
        self.captions: list[Any] = []

    @property
    def frames(self) -> int:
        return len(self.captions)

    def add(self, picture: object, caption: Any) -> None:
        self.captions.append(caption)


class Episodes:
    """A run with two recorded episodes of an untrained policy."""

    def __init__(self, root: Path, *, greedy: bool) -> None:
        self.folder = make_run(root, "recorded", hyperparameters=QUICK["ppo"])
        config = self.folder.read_config()
        self.policy = TrainedPolicy(ALGORITHMS.get("ppo"), build_model(config), None)
        steps = StepsWanted(max_bytes=10**8)
        ask_in_folder(self.folder, episodes=2, deterministic=greedy, video=False, steps=steps)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(evaluating, "load_policy", lambda *_arguments: self.policy)
            assert evaluate(self.folder, EVALUATION).cause is None
        self.env = make_environment(config, render=True, whole_episodes=True)

    def column(self, name: str, episode: int) -> Any:
        with StepFile(self.folder.evaluations.steps_path(EVALUATION), self.folder.path) as file:
            return read_episode(file, episode).columns[name].numbers

    def future(self, index: int, action: float, *, episode: int = 1) -> tuple[FutureOutcome, Frames]:
        plan = FuturePlan(evaluation_id=EVALUATION, episode=episode, index=index, action=[action])
        clips = Clips(self.folder)
        request = ClipRequest(
            id=plan.future_id, kind="future", seed=0, greedy=True, steps=[], policies=[], keep_bytes=0, future=plan
        )
        frames = Frames()
        found = play_future(self.folder, self.env, self.policy, plan, frames, Interruption(clips, request))
        return found, frames


@pytest.fixture(scope="module", params=[True, False], ids=["greedy", "sampled"])
def episodes(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Episodes]:
    made = Episodes(tmp_path_factory.mktemp("episodes"), greedy=request.param)
    with closing(made.env):
        yield made


def test_the_recorded_action_reproduces_the_recorded_future(episodes: Episodes) -> None:
    actions = episodes.column("action", 1)
    length = len(actions) - 1
    for index in (0, 3, length - 1):
        outcome, frames = episodes.future(index, float(actions[index + 1, 0]))
        assert (outcome.episode_return, outcome.episode_length) == (length - index, length - index)
        assert (outcome.recorded_return, outcome.recorded_length) == (length - index, length - index)
        assert (outcome.terminated, outcome.cut) == (True, False)
        assert [caption.step for caption in frames.captions] == list(range(index, length + 1))


def test_another_action_leads_to_another_future_that_is_reproducible(episodes: Episodes) -> None:
    before = episodes.folder.evaluations.steps_path(EVALUATION).read_bytes()
    other = 1.0 - float(episodes.column("action", 1)[4, 0])
    outcome, frames = episodes.future(3, other)
    assert outcome.episode_return == outcome.episode_length == frames.frames - 1
    assert outcome.recorded_return == len(episodes.column("index", 1)) - 1 - 3
    assert episodes.future(3, other)[0] == outcome
    assert episodes.folder.evaluations.steps_path(EVALUATION).read_bytes() == before
    assert episodes.folder.evaluations.verification_path(EVALUATION).exists() is False


def test_the_other_action_starts_from_the_exact_state_of_the_step(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first observation equals that of an unwrapped environment."""
    actions = episodes.column("action", 0)
    other = 1 - int(actions[4, 0])
    with StepFile(episodes.folder.evaluations.steps_path(EVALUATION), episodes.folder.path) as file:
        seed = file.about.episodes[0].seed
    bare = gymnasium.make("CartPole-v1")
    bare.reset(seed=seed)
    for action in actions[1:4, 0]:
        bare.step(int(action))
    expected = bare.step(other)[0]
    seen: list[Any] = []
    step = episodes.env.step
    monkeypatch.setattr(episodes.env, "step", lambda action: (out := step(action), seen.append(out[0].copy()))[0])
    episodes.future(3, float(other), episode=0)
    assert np.array_equal(seen[3], expected)


def test_an_environment_that_is_not_reproducible_is_refused(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, noise = episodes.env.step, np.random.default_rng()

    def differ(action: Any) -> Any:
        observation, *rest = step(action)
        return observation + noise.normal(size=4).astype(np.float32), *rest

    monkeypatch.setattr(episodes.env, "step", differ)
    with pytest.raises(NoOtherFuture, match=r"does not repeat exactly.*observation of step 1 differed"):
        episodes.future(5, 0.0)
    assert episodes.future(0, 0.0)[0].episode_length > 0  # the reset alone repeats


def test_changed_code_is_named_as_a_possible_cause_for_a_user_environment(episodes: Episodes) -> None:
    with StepFile(episodes.folder.evaluations.steps_path(EVALUATION), episodes.folder.path) as file:
        recorded = read_episode(file, 1, is_custom=True)
        with pytest.raises(NoOtherFuture, match="If you changed its code after the recording"):
            recorded.check(Step(0, 0, np.ones(4, np.float32)))


def test_no_action_follows_the_last_step(episodes: Episodes) -> None:
    last = len(episodes.column("index", 1)) - 1
    with pytest.raises(NoOtherFuture, match="No action was recorded"):
        episodes.future(last, 0.0)


def test_a_truncated_future_is_compared_over_equally_many_steps(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.learning.playing.futures.MAX_FUTURE_STEPS", 4)
    other = 1.0 - float(episodes.column("action", 1)[1, 0])
    outcome, frames = episodes.future(0, other)
    assert (outcome.episode_return, outcome.recorded_return, outcome.cut, frames.frames) == (4, 4, True, 5)
