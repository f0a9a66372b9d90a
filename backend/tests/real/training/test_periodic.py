"""Evaluations during training, the best policy, and early stopping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO, SAC, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.noise import NormalActionNoise

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import BestData, EventKind, EventRecord, InterruptedData
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import Policy, make_playable
from rlviz.learning.training import checkpoint
from rlviz.learning.training.callback import RETEST_SEED, SCREENING_SEED, EpisodePlayer, PeriodicEvaluation, Score
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import move_policies_aside
from rlviz.server.catalog.projection.folder import end_row, row_of_folder
from tests.support.training import ENV_ID, column, events, leftovers, make_run, messages, rows

PLAN = EvaluationPlan(every_steps=100, episodes=2)


class Scripted(EpisodePlayer):
    """Returns the given mean return for each evaluation; None is one that a stop interrupts."""

    def __init__(self, *means: float | None) -> None:
        self.means, self.seeds = list(means), []  # type: ignore[var-annotated]
        self.deterministic = list[bool]()

    def play(
        self,
        policy: Policy,
        seeds: Sequence[int],
        interrupted: Callable[[], bool],
        *_record: Any,
        deterministic: bool = True,
    ) -> Score | None:
        self.deterministic.append(deterministic)
        self.seeds.append(seeds[0])
        mean = self.means.pop(0)
        return None if mean is None else Score((mean - 1, mean + 1), (10, 20))


def evaluations(
    folder: RunFolder,
    journals: RunJournals,
    player: EpisodePlayer,
    threshold: float | None = None,
    first_update: int = 0,
    **plan: Any,
) -> PeriodicEvaluation:
    wanted = PLAN.model_copy(update=plan)
    return PeriodicEvaluation(
        folder,
        wanted,
        player,
        journals,
        make_playable=partial(make_playable, ALGORITHMS.get("ppo")),
        threshold=threshold,
        stopping=lambda: False,
        first_update=first_update,
    )


def advance(evaluation: PeriodicEvaluation, model: BaseAlgorithm, *steps: int) -> None:
    for step in steps:
        model.num_timesteps = step
        if step >= evaluation.next_step:
            evaluation.evaluate(model)


def best(folder: RunFolder) -> tuple[int, float] | None:
    found = folder.best_policy()
    return None if found is None else (found.step, found.mean_return)


# When, and what is journaled


def test_an_evaluation_is_due_at_its_interval_at_the_next_environment_step(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    advance(evaluations(folder, journals, Scripted(9, 9, 5, 5)), model, *range(8, 330, 8))
    journals.close()
    assert [(row["step"], row["values"]) for row in rows(folder)] == [
        (step, {"eval/mean_reward": mean, "eval/std_reward": 1.0, "eval/mean_ep_length": 15.0})
        for step, mean in [(104, 9.0), (208, 5.0), (312, 5.0)]
    ]


# The protocol of the best policy


def test_the_first_policy_is_tested_again_and_stored_with_the_second_result(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    player = Scripted(90, 70)
    advance(evaluations(folder, journals, player), model, 100)
    assert player.seeds == [SCREENING_SEED, RETEST_SEED]
    assert folder.best_policy() == BestPolicy(step=100, mean_return=70, std_return=1, episodes=2)
    [event] = events(folder, EventKind.BEST)
    assert event.data == BestData(path="best_model.zip", mean_return=70, std_return=1, episodes=2)
    assert PPO.load(folder.best_model_path, device="cpu").num_timesteps == 100
    assert leftovers(folder) == []


@pytest.mark.parametrize("deterministic", [True, False])
def test_screening_and_retest_choose_actions_as_the_plan_says(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, deterministic: bool
) -> None:
    player = Scripted(30, 25)
    advance(evaluations(folder, journals, player, deterministic=deterministic), model, 100)
    assert best(folder) == (100, 25)
    assert player.deterministic == [deterministic, deterministic]


def test_an_untrained_policy_is_evaluated_and_not_stored(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    advance(evaluations(folder, journals, Scripted(90, 80, 40, 30), first_update=200), model, 100, 200, 300)
    assert best(folder) == (300, 30.0)
    assert [row["values"]["eval/mean_reward"] for row in rows(folder)] == [90, 80, 40]


def test_a_lucky_policy_does_not_replace_the_best(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    player = Scripted(90, 70, 99, 60)
    advance(evaluations(folder, journals, player), model, 100, 200)
    assert best(folder) == (100, 70)
    assert len(events(folder, EventKind.BEST)) == 1


def test_a_policy_that_scores_no_better_is_not_tested_again(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    player = Scripted(90, 70, 70, 65)
    advance(evaluations(folder, journals, player), model, 100, 200, 300)
    assert player.seeds == [SCREENING_SEED, RETEST_SEED, SCREENING_SEED, SCREENING_SEED]


def test_a_policy_that_scores_better_twice_replaces_the_best_and_every_test_uses_new_seeds(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    player = Scripted(90, 70, 80, 60, 80, 71)
    advance(evaluations(folder, journals, player), model, 100, 200, 300)
    assert best(folder) == (300, 71)
    assert player.seeds[1::2] == [RETEST_SEED, RETEST_SEED + 2, RETEST_SEED + 4]
    assert player.seeds[::2] == [SCREENING_SEED] * 3


def test_without_a_stored_best_policy_the_next_one_has_no_mean_to_beat(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    evaluation = evaluations(folder, journals, Scripted(90, 90, 50, 40))
    advance(evaluation, model, 100)
    move_policies_aside(folder, attempt=2, beyond=50, final_step=None)
    advance(evaluation, model, 200)
    assert best(folder) == (200, 40)


@pytest.mark.parametrize("script", [[None], [90, None]])
def test_an_evaluation_interrupted_by_a_stop_stores_nothing(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, script: list[float | None]
) -> None:
    advance(evaluations(folder, journals, Scripted(*script)), model, 100)
    journals.close()
    assert best(folder) is None
    assert len(rows(folder)) == len(script) - 1
    assert not folder.events_path.exists() or events(folder) == []


def test_a_best_policy_that_cannot_be_saved_raises_a_warning_and_does_not_count(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    evaluation = evaluations(folder, journals, Scripted(90, 70, 60, 50))
    with monkeypatch.context() as patch:
        patch.setattr(PPO, "save", fill_the_disk)
        advance(evaluation, model, 100)
    advance(evaluation, model, 200)
    assert "No space left" in messages(folder)[0]
    assert best(folder) == (200, 50)


def test_a_crash_at_any_moment_leaves_a_policy_with_its_own_figures(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_arguments: object, **_data: object) -> None:
        raise Killed

    evaluation = evaluations(folder, journals, Scripted(90, 70, 99, 80, 99, 90))
    advance(evaluation, model, 100)
    for step, where, name, kept in [
        (200, checkpoint, "write_atomically", (100, 70)),
        (300, RunJournals, "event", (300, 90)),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(where, name, die)
            with pytest.raises(Killed):
                advance(evaluation, model, step)
        row = row_of_folder(folder)
        end_row(row, folder, EventRecord(seq=1, time=1.0, step=0, data=InterruptedData(cause="killed")))
        assert best(folder) == kept
        assert row.best_policy == folder.best_policy().model_dump()  # type: ignore[union-attr]
        assert PPO.load(folder.best_model_path, device="cpu").num_timesteps == kept[0]


# The early end


def test_training_ends_after_the_configured_number_of_consecutive_successes(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    evaluation = evaluations(folder, journals, Scripted(80, 99, 70, 80, 80), threshold=80, stop_after=2)
    advance(evaluation, model, 100, 200, 300)
    assert evaluation.ended_early is None, "70 broke the row"
    advance(evaluation, model, 400)
    assert evaluation.ended_early == "2 evaluations in a row reached the reward threshold of 80."


def test_training_does_not_end_before_fresh_episodes_confirm_that_it_is_solved(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    evaluation = evaluations(folder, journals, Scripted(80, 70, 80, 75, 80, 81), threshold=80, stop_after=1)
    advance(evaluation, model, 100, 200)
    assert evaluation.ended_early is None, "70 and 75 were the means on fresh episodes"
    advance(evaluation, model, 300)
    assert evaluation.ended_early == "3 evaluations in a row reached the reward threshold of 80."


def test_without_a_threshold_training_does_not_end_early(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    evaluation = evaluations(folder, journals, Scripted(80, 99), stop_after=1)
    advance(evaluation, model, 100)
    assert evaluation.ended_early is None


# In training


def test_a_run_that_reached_its_goal_ends_early_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlviz.learning.training.components.EpisodePlayer", lambda _make: Endless())
    plan = EvaluationPlan(every_steps=100, episodes=2, stop_after=2)
    folder = make_run(tmp_path, evaluation=plan, total_timesteps=100_000)
    assert train_run(folder)
    finished = events(folder)[-1]
    assert finished.event is EventKind.FINISHED
    assert finished.step == 200
    assert finished.data.ended_early == "2 evaluations in a row reached the reward threshold of 475."
    assert folder.model_path.is_file()


class Endless(EpisodePlayer):
    """Always returns a perfect score."""

    def __init__(self) -> None:
        super().__init__(lambda: None)  # type: ignore[arg-type, return-value]

    def play(
        self, policy: Policy, seeds: Sequence[int], interrupted: Callable[[], bool], *_record: Any, **_how: Any
    ) -> Score | None:
        return Score((500.0, 500.0), (500, 500))


def test_a_stop_takes_effect_during_an_evaluation(tmp_path: Path) -> None:
    model = PPO("MlpPolicy", ENV_ID, n_steps=8, batch_size=8, seed=1, device="cpu")
    policy = make_playable(ALGORITHMS.get("ppo"), model)
    asked = iter([False, False, True])
    player = EpisodePlayer(lambda: gymnasium.make(ENV_ID))
    assert player.play(policy, range(20), lambda: next(asked)) is None
    assert list(asked) == [], "it is asked at every step"
    whole = player.play(policy, range(20), lambda: False)
    assert whole is not None
    assert len(whole.returns) == 20
    assert whole.returns == tuple(map(float, whole.lengths))
    assert player.play(policy, [3, 4], lambda: False) == Score(whole.returns[3:5], whole.lengths[3:5])
    player.close()


PENDULUM = "Pendulum-v1"
SMALL = {"learning_starts": 40, "buffer_size": 200, "batch_size": 8}


@pytest.mark.parametrize(
    ("algorithm", "make"),
    [
        ("ppo", lambda: PPO("MlpPolicy", ENV_ID, n_steps=32, batch_size=16, seed=1, device="cpu")),
        ("ppo", lambda: PPO("MlpPolicy", PENDULUM, n_steps=32, use_sde=True, batch_size=16, seed=1, device="cpu")),
        ("dqn", lambda: DQN("MlpPolicy", ENV_ID, seed=1, device="cpu", **SMALL)),
        ("sac", lambda: SAC("MlpPolicy", PENDULUM, use_sde=True, seed=1, device="cpu", **SMALL)),
        (
            "td3",
            lambda: TD3(
                "MlpPolicy",
                PENDULUM,
                action_noise=NormalActionNoise(np.zeros(1), np.ones(1)),
                seed=1,
                device="cpu",
                **SMALL,
            ),
        ),
    ],
    ids=["PPO", "PPO with gSDE", "DQN", "SAC with gSDE", "TD3 with noise"],
)
def test_evaluations_with_sampled_actions_repeat_and_leave_training_as_it_was(
    algorithm: str, make: Callable[[], BaseAlgorithm]
) -> None:
    """Sampled actions of an episode depend on its seed alone, as a replay needs."""

    def trained(callback: BaseCallback | None) -> list[torch.Tensor]:
        model = make()
        model.learn(96, callback=callback)
        return list(model.policy.parameters())

    watching = Evaluating(algorithm)
    evaluated, undisturbed = trained(watching), trained(None)
    assert all(torch.equal(one, other) for one, other in zip(evaluated, undisturbed, strict=True))
    assert len(watching.scores) == 96 // 12
    assert all(together == alone for together, alone in watching.scores)


class Evaluating(BaseCallback):
    """Evaluates every 12 steps, two episodes together and each alone.

    Some evaluations are within rollouts, and the first is before training has drawn an action.
    """

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        self.algorithm, self.scores = algorithm, list[tuple[tuple[float, ...], tuple[float, ...]]]()

    def _on_step(self) -> bool:
        if self.num_timesteps % 12 == 0:
            env_id = ENV_ID if self.model.action_space.shape == () else PENDULUM
            player = EpisodePlayer(lambda: gymnasium.make(env_id, max_episode_steps=30))
            policy = make_playable(ALGORITHMS.get(self.algorithm), self.model)
            together = player.play(policy, [5, 6], lambda: False, deterministic=False)
            alone = [player.play(policy, [seed], lambda: False, deterministic=False) for seed in (5, 6)]
            self.scores.append((together.returns, tuple(one.returns[0] for one in alone)))
            player.close()
        return True


def test_a_run_whose_plan_samples_actions_keeps_the_policy_by_them_and_says_so_in_its_records(tmp_path: Path) -> None:
    scores: dict[bool, list[float | None]] = {}
    for deterministic in (True, False):
        plan = EvaluationPlan(every_steps=128, episodes=5, deterministic=deterministic)
        folder = make_run(tmp_path / str(deterministic), evaluation=plan, total_timesteps=384, seed=3)
        assert train_run(folder)
        scores[deterministic] = column(folder, "eval/mean_reward")
        records = [folder.evaluations.read(one) for one in folder.evaluations.ids()]
        assert records
        assert {record.deterministic for record in records} == {deterministic}
    assert len(scores[True]) == len(scores[False])
    assert scores[True] != scores[False]
