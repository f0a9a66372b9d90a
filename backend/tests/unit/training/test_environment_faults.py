"""Reports of invalid environment output in a run's journal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rlviz.learning.environments.conforming import Conforming
from rlviz.learning.training.environment_faults import EnvironmentFaults
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.own_environments import Plain
from tests.support.training import events, messages


class Rewarded(Plain):
    """Gives these rewards, and returns an observation of 20 in the third step."""

    max_episode_steps = None

    def __init__(self, *rewards: float) -> None:
        super().__init__()
        self.rewards = iter(rewards)

    def seen(self) -> Any:
        return np.full(3, 20 if self.t == 3 else 0, np.float32)

    def reward(self, action: Any) -> Any:
        return next(self.rewards)


@pytest.fixture
def journals(folder: RunFolder) -> Iterator[RunJournals]:
    journals = RunJournals(folder)
    yield journals
    journals.close()


def play(env: Any, steps: int) -> None:
    env.reset(seed=0)
    for _ in range(steps):
        env.step(1)


def test_each_kind_of_fault_is_reported_once_with_its_step_and_action_and_counted(
    folder: RunFolder, journals: RunJournals
) -> None:
    faults, env = EnvironmentFaults(journals), Conforming(Rewarded(1, math.nan, math.nan, 1, math.inf))
    faults.watch([Conforming(Rewarded()), env], lambda: 128)
    play(env, 5)
    faults.warn_of_counts(130)
    journals.close()
    assert [event.step for event in events(folder)] == [128, 128, 128, 130]
    reward, outside, infinite, counted = messages(folder)
    assert reward.startswith(
        "At step 128 in environment 2 of 2, in step 2 of its episode, after action 1, the environment returned a "
        "reward of nan. Rewards must be finite numbers"
    )
    assert "an observation outside its space" in outside
    assert "a reward of inf" in infinite
    assert counted == "Environment faults in this attempt: reward is not a number (2 times)."


def test_later_faults_are_attributed_to_the_first_non_finite_value(folder: RunFolder, journals: RunJournals) -> None:
    faults, env = EnvironmentFaults(journals), Conforming(Rewarded(1e9, math.nan, math.inf))
    faults.watch([env], lambda: 3)
    assert faults.cause is None
    play(env, 3)
    assert faults.cause == (
        "At step 3, in step 2 of its episode, after action 1, the environment returned a reward of nan."
    )
    assert journals.environment_fault == faults.cause


def test_a_huge_reward_is_the_cause_until_a_non_finite_value_occurs(journals: RunJournals) -> None:
    faults, env = EnvironmentFaults(journals), Conforming(Rewarded(1, -1e9, math.nan))
    faults.watch([env], lambda: 3)
    causes = []
    env.reset(seed=0)
    for _ in range(3):
        env.step(1)
        causes.append(faults.cause)
    assert causes[0] is None
    assert "a reward of -1e+09" in str(causes[1])
    assert "a reward of nan" in str(causes[2])


def test_restoring_environments_reports_nothing_and_clears_later_faults(
    folder: RunFolder, journals: RunJournals
) -> None:
    faults, env = EnvironmentFaults(journals), Conforming(Rewarded(math.nan, math.nan))
    faults.watch([env], lambda: 3)
    play(env, 1)
    faults.mute()
    env.step(1)
    faults.unmute()
    assert (faults.cause, journals.environment_fault) == (None, None)
    journals.close()
    assert len(messages(folder)) == 1
