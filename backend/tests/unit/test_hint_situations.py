"""Hints for recorded runs and for synthetic situations.

Each situation names every expected hint; no other may appear. The recorded runs are one run of every preset and those
of ``REAL``, most with settings of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.reward_plan import RewardPlan
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.server.application import Application
from rlviz.server.runs.configuration import NewRun
from rlviz.stats.arrays import Series
from rlviz.stats.hints import Case, RequestedEvaluation, RuleState, find_hints, review
from rlviz.stats.hints.registry import RETURN_RULES, RULES
from tests.support.cases import cases
from tests.support.record_presets import wanted_presets
from tests.support.service import catalogued
from tests.support.situations import RECORDED, preset_runs, recorded, recorded_preset

REAL = [
    # what it was, share of the timesteps that was done, what must be told
    ("ppo-cartpole-good", 0.05, []),
    ("ppo-cartpole-good", 0.2, []),
    ("ppo-cartpole-good", 0.5, []),
    ("ppo-cartpole-good", 0.7, []),
    ("ppo-cartpole-good", 1.0, ["too-few-timesteps"]),
    ("ppo-cartpole-learning-rate-too-high", 0.05, []),
    ("ppo-cartpole-learning-rate-too-high", 0.1, ["kl-spikes"]),
    ("ppo-cartpole-learning-rate-too-high", 0.3, ["entropy-collapsed", "kl-spikes"]),
    ("ppo-cartpole-learning-rate-too-high", 1.0, ["not-evaluated"]),
    ("ppo-cartpole-no-exploration", 0.2, []),
    ("ppo-cartpole-no-exploration", 1.0, ["not-evaluated"]),
    ("ppo-cartpole-too-short", 0.2, []),
    ("ppo-cartpole-too-short", 0.5, []),
    ("ppo-cartpole-too-short", 1.0, ["not-evaluated"]),
    ("ppo-mountaincar-sparse", 0.1, []),
    ("ppo-mountaincar-sparse", 1.0, ["not-evaluated"]),
    ("dqn-cartpole-good", 0.1, []),
    ("dqn-cartpole-good", 0.5, []),
    ("dqn-cartpole-good", 1.0, []),
    ("dqn-cartpole-learning-rate-too-high", 0.1, []),
    ("dqn-cartpole-learning-rate-too-high", 0.5, ["reward-collapsed"]),
    ("dqn-cartpole-learning-rate-too-high", 1.0, ["reward-flat"]),
    ("dqn-cartpole-exploration-never-ends", 0.3, []),
    ("dqn-cartpole-exploration-never-ends", 1.0, ["epsilon-high", "reward-plateau"]),
    ("dqn-cartpole-explores-on", 0.5, []),
    ("dqn-cartpole-explores-on", 0.85, []),
    ("dqn-cartpole-explores-on", 1.0, ["epsilon-high", "too-few-timesteps"]),
    ("a2c-cartpole", 0.3, []),
    ("a2c-cartpole", 0.7, []),
    ("a2c-cartpole", 1.0, []),
    ("a2c-cartpole-learning-rate-too-high", 0.3, []),
    ("a2c-cartpole-learning-rate-too-high", 1.0, ["not-evaluated"]),
    ("q-learning-frozenlake-good", 0.1, []),
    ("q-learning-frozenlake-good", 1.0, []),
    ("q-learning-frozenlake-slippery", 0.5, []),
    ("q-learning-frozenlake-slippery", 1.0, []),
    ("q-learning-frozenlake-sparse", 0.3, []),
    ("q-learning-frozenlake-sparse", 1.0, ["not-evaluated"]),
    ("q-learning-taxi-good", 0.2, []),
    ("q-learning-taxi-good", 1.0, []),
    ("ppo-acrobot", 0.5, []),
    ("ppo-acrobot", 1.0, []),
    ("ppo-pendulum", 0.2, []),
    ("ppo-pendulum", 1.0, ["too-few-timesteps"]),
    ("a2c-cartpole-lost", 0.2, []),
    ("a2c-cartpole-lost", 0.5, []),
    ("a2c-cartpole-lost", 1.0, []),
    ("dqn-cartpole-no-target-network", 0.1, ["loss-diverging"]),
    ("dqn-cartpole-no-target-network", 0.5, ["loss-diverging", "reward-flat"]),
    ("dqn-cartpole-small-buffer", 0.5, []),
    ("dqn-cartpole-small-buffer", 1.0, []),
    ("qrdqn-cartpole", 0.2, []),
    ("qrdqn-cartpole", 0.5, []),
    ("qrdqn-cartpole", 1.0, ["too-few-timesteps"]),
    ("qrdqn-cartpole-learning-rate-too-high", 0.2, []),
    ("qrdqn-cartpole-learning-rate-too-high", 1.0, ["reward-flat"]),
    ("sac-pendulum", 0.2, []),
    ("sac-pendulum", 0.5, []),
    ("sac-pendulum", 1.0, ["reward-plateau"]),
    ("sac-pendulum-learning-rate-too-high", 0.3, []),
    ("sac-pendulum-learning-rate-too-high", 1.0, ["reward-flat"]),
    ("td3-pendulum", 0.3, []),
    ("td3-pendulum", 1.0, ["too-few-timesteps"]),
    ("td3-pendulum-learning-rate-too-high", 0.3, []),
    ("td3-pendulum-learning-rate-too-high", 1.0, ["reward-flat"]),
    ("trpo-cartpole", 0.2, []),
    ("trpo-cartpole", 0.5, []),
    ("trpo-cartpole", 1.0, []),
    ("trpo-cartpole-tiny-steps", 0.2, []),
    ("trpo-cartpole-tiny-steps", 0.7, []),
]


@cases(("name", "share", "told"), REAL)
def test_a_real_run_gets_exactly_the_correct_hints(name: str, share: float, told: list[str]) -> None:
    assert sorted(hint.id for hint in find_hints(recorded(name, share))) == told


def test_every_rule_matches_at_least_one_situation() -> None:
    told = {hint for _, _, said in [*REAL, *MADE_UP, *EVALUATED] for hint in said}.union(*PRESETS_TOLD.values())
    assert told == {"unfinished", "not-evaluated", *(rule.id for rule in [*RETURN_RULES, *RULES])}


# Runs of every preset

PRESETS_TOLD = {
    "any/a2c-high-score": ["unfinished"],
    "cartpole/a2c-high-score": ["unfinished"],
    "taxi/q-learning-high-score": ["unfinished"],
}
"""What is told of runs of presets as they are, once they have ended. Most were stopped early; all others are silent."""


@cases("name", preset_runs())
def test_a_run_of_a_preset_is_at_most_advised_to_finish(name: str) -> None:
    ended = recorded_preset(name)
    assert [hint.id for hint in find_hints(ended)] == PRESETS_TOLD.get(name, [])
    for share in (0.3, 0.7):
        assert find_hints(recorded_preset(name, share)) == [], "it still trains"


def test_every_preset_has_a_recorded_run() -> None:
    assert set(preset_runs()) == {wanted.name for wanted in wanted_presets()}


@cases("name", preset_runs())
def test_a_run_with_part_of_its_presets_budget_gets_no_hyperparameter_hints(name: str) -> None:
    """For instance 20,000 steps of a preset of 50,000: the run is complete, but not the preset's budget."""
    part = recorded_preset(name)
    for hint in find_hints(recorded_preset(name, asked_for=max(part.step, 100))):
        assert part.step >= 0.9 * (part.preset_timesteps or 0) or hint.id == "unfinished"
        assert hint.changes == []


# What comes before a change of hyperparameters

EVALUATED = [
    # a run of REAL that has ended, the mean return of an evaluation on request, what must be told then
    ("ppo-cartpole-learning-rate-too-high", 20.0, ["kl-spikes"]),
    ("ppo-cartpole-learning-rate-too-high", 480.0, []),
    ("ppo-cartpole-no-exploration", 150.0, ["clip-fraction-high", "kl-spikes"]),
    ("ppo-cartpole-too-short", 100.0, ["explained-variance-low"]),
    ("ppo-mountaincar-sparse", -200.0, ["explained-variance-low"]),
    ("ppo-mountaincar-sparse", -105.0, []),
    ("a2c-cartpole-learning-rate-too-high", 9.0, ["reward-flat"]),
    ("q-learning-frozenlake-sparse", 0.0, ["reward-flat"]),
    ("dqn-cartpole-exploration-never-ends", 480.0, []),
    ("dqn-cartpole-explores-on", 475.0, []),
    ("trpo-cartpole-tiny-steps", 500.0, []),
    ("qrdqn-cartpole", 490.0, []),
]


@cases(("name", "mean", "told"), EVALUATED)
def test_hyperparameter_hints_require_an_evaluation_that_falls_short(name: str, mean: float, told: list[str]) -> None:
    assert sorted(hint.id for hint in find_hints(evaluated(name, mean))) == told


def evaluated(name: str, mean: float) -> Case:
    """Return the run with a requested evaluation of its last policy that has enough episodes for a precise mean."""
    run = recorded(name)
    return replace(run, requested=[RequestedEvaluation(run.step, mean, 0.01)])


def test_an_evaluation_of_an_early_policy_does_not_judge_the_last_one() -> None:
    run = recorded("ppo-cartpole-learning-rate-too-high")
    early = replace(run, requested=[RequestedEvaluation(run.step // 2, 20.0, 0.01)])
    assert [hint.id for hint in find_hints(early)] == ["not-evaluated"]


def test_a_few_episodes_do_not_prove_that_a_policy_falls_short() -> None:
    """20 episodes with a mean of 0.8 on a lake whose preset reaches 0.88: the threshold of 0.85 is within the error."""
    run = recorded_preset("frozenlake-8x8-is-slippery/q-learning-fast")
    assert [one.mean for one in run.requested] == [0.8]
    assert find_hints(run) == []
    sure = replace(run, requested=[RequestedEvaluation(run.step, 0.8, 0.01)])
    assert [hint.id for hint in find_hints(sure)] == ["reward-plateau"]


@cases("name", sorted({name for name, _, told in [*REAL, *EVALUATED] if told}))
def test_a_run_shorter_than_its_preset_is_advised_to_finish_first(name: str) -> None:
    run = recorded(name)
    wanted = 2 * run.total_timesteps
    short = replace(run, preset_timesteps=wanted, changed_preset=False)
    for hint in find_hints(short):
        assert (hint.id, hint.severity, hint.changes) == ("unfinished", "info", [])
        assert f"the preset is meant for {wanted:,} timesteps" in hint.evidence.lower()
        assert hint.suggestion.startswith(f"Train for all {wanted:,} timesteps before ")
    assert find_hints(replace(short, ended=False)) == [], "it still trains"


def test_two_updates_are_too_few_for_a_hint() -> None:
    for name in ("ppo-cartpole-learning-rate-too-high", "dqn-cartpole-learning-rate-too-high", "sac-pendulum"):
        run = replace(recorded(name), requested=[RequestedEvaluation(10**9, -(10.0**6), 0.01)])
        assert find_hints(run)
        starts = int(run.number("learning_starts") or 0)
        few = replace(run, rollout=(run.step - starts) // 2)
        assert few.updates == 2
        assert find_hints(few) == []


def test_a_non_finite_loss_is_reported_whatever_the_policy_earned() -> None:
    broken = case(greedy=[20, 500], best=500, metrics={"train/loss": NO_NUMBER})
    assert [hint.id for hint in find_hints(broken)] == ["loss-diverging"]


def test_without_a_threshold_the_return_of_the_preset_is_good_enough() -> None:
    run = recorded("sac-pendulum")
    assert [hint.id for hint in find_hints(run)] == ["reward-plateau"]
    measured = replace(run, expected=-200.0, requested=[RequestedEvaluation(run.step, -180.0, 1.0)])
    assert find_hints(measured) == []
    assert [hint.id for hint in find_hints(replace(measured, expected=-50.0))] == ["reward-plateau"]


def test_every_algorithm_was_recorded() -> None:
    assert {recorded(name).algo for name, _, _ in REAL} == set(ALGORITHMS.names())


def test_every_recorded_run_is_in_the_table() -> None:
    assert {path.stem for path in RECORDED.glob("*.json")} == {name for name, _, _ in REAL}


# Situations made up

TOTAL = 100_000
SHARE = np.linspace(0, 1, 1_000)
LOST = np.where(SHARE < 0.6, 20 + 700 * SHARE, 30)
STANDING = np.minimum(20 + 500 * SHARE, 200)
FLAT = np.full(1_000, 25.0)
RISING = 20 + 280 * SHARE
EPSILON = 1 - 0.7 * SHARE
SWINGING = 150 + 130 * np.sin(12 * np.pi * SHARE)
LOSS = 1 + 0.1 * np.sin(200 * SHARE)
RUNS_AWAY = np.exp(8 * SHARE)
NO_NUMBER = np.where(SHARE < 0.5, LOSS, np.nan)
CERTAIN = np.where(SHARE < 0.2, -np.log(2), -0.01)


def curve(values: Any) -> Series:
    values = np.asarray(values, dtype=np.float64)
    step = np.linspace(TOTAL / len(values), TOTAL, len(values)).round()
    return Series(step, step / 1_000, values)


def case(
    returns: Any = None,
    greedy: Any = None,
    best: float | None = None,
    metrics: Mapping[str, Any] | None = None,
    reward: RewardPlan | None = None,
) -> Case:
    """Return a CartPole run with DQN. ``greedy``: mean returns of its evaluations; ``best``: that of the best one."""
    found = {name: curve(values) for name, values in (metrics or {}).items()}
    if returns is not None:
        noise = np.random.default_rng(5).normal(0, 10 if np.ptp(returns) or np.max(returns) else 0, len(returns))
        found["episode/reward"] = curve(returns + noise)
    if greedy is not None:
        found["eval/mean_reward"] = curve(greedy)
    settings = {"learning_rate": 1e-3, "learning_rate_schedule": "constant", "exploration_fraction": 0.8}
    kept = None if best is None else BestPolicy(step=60_000, mean_return=best, std_return=5.0, episodes=10)
    return Case("dqn", settings, TOTAL, found, ended=True, actions=2, threshold=475.0, best=kept, reward=reward)


EPS = {"rollout/exploration_rate": EPSILON}
ENT = {"train/entropy_loss": CERTAIN}

NONE, GROWING = np.zeros(400), np.linspace(0, 99, 400)
POINTS = {"reward/points": GROWING}
TAPS = {"taps/x": NONE}
WORLD = {"explored/cells": NONE + 9, "explored/total_cells": NONE + 9}

MADE_UP = [
    ("lost, nothing kept or evaluated", case(LOST), ["not-evaluated"]),
    ("lost, and greedy too", case(LOST, [20, 300, 460, 40, 30]), ["reward-collapsed"]),
    ("lost in training, greedy still good", case(LOST, [20, 300, 400, 410, 405]), ["reward-plateau"]),
    ("lost, but the newest greedy policy is at the threshold", case(LOST, [20, 300, 480, 470, 490]), []),
    ("lost, the best is kept and solves it", case(LOST, [20, 300, 490, 40, 30], 490), []),
    ("lost, the best is kept and falls short", case(LOST, [20, 300, 390, 40, 30], 390), ["reward-collapsed"]),
    ("standing still, not evaluated", case(STANDING), ["not-evaluated"]),
    ("standing still in training, solved by the greedy policy", case(STANDING, [20, 300, 500], 500), []),
    ("standing still, the best policy reached the threshold", case(STANDING, [20, 480, 300], 480), []),
    ("standing still, the best policy falls short", case(STANDING, [20, 300, 310], 310), ["reward-plateau"]),
    ("flat, not evaluated", case(FLAT), ["not-evaluated"]),
    ("flat, and greedy too", case(FLAT, [9, 9.2, 9.1, 9]), ["reward-flat"]),
    ("flat because of exploration, greedy rose", case(FLAT, [9, 150, 200, 205, 200, 205]), ["reward-plateau"]),
    ("flat because of exploration, greedy rises to the end", case(FLAT, [9, 90, 150, 200]), ["too-few-timesteps"]),
    ("standing still, greedy rises to the end", case(STANDING, [20, 200, 250, 300, 350]), ["too-few-timesteps"]),
    ("standing still, and greedy falls", case(STANDING, [20, 200, 350, 300, 250]), ["reward-plateau"]),
    ("standing still, greedy swings and was as good before", case(STANDING, [20, 350, 150, 200, 340]), [
        "reward-plateau"]),
    ("flat because of exploration, greedy solved it", case(FLAT, [9, 300, 500], 500), []),
    ("never anything but zero", case(np.zeros(1_000), [0, 0, 0]), ["reward-flat"]),
    ("rising at the end", case(RISING, [20, 150, 280]), ["too-few-timesteps"]),
    ("rising at the end, greedy is there already", case(RISING, [20, 300, 500], 500), []),
    ("epsilon high", case(greedy=[20, 200], metrics=EPS), ["epsilon-high"]),
    ("epsilon high, greedy solved it", case(greedy=[20, 500], best=500, metrics=EPS), []),
    ("points grow, the goal is never reached", case(greedy=[20, 30], metrics=POINTS | {"reward/goal": NONE}), [
        "component-farmed"]),
    ("points grow, but are capped", case(
        greedy=[20, 30], metrics=POINTS | {"reward/goal": NONE}, reward=RewardPlan(caps={"points": 5.0})), []),
    ("points grow, and so does the goal", case(greedy=[20, 30], metrics=POINTS | {"reward/goal": GROWING / 99}), []),
    ("points do not grow", case(greedy=[20, 30], metrics={"reward/points": NONE + 9, "reward/goal": NONE}), []),
    ("points against costs alone", case(greedy=[20, 30], metrics=POINTS | {"reward/fuel": NONE - 3}), []),
    ("a lander that comes closer and never lands", case(greedy=[20, 30], metrics={
        "reward/approach": GROWING, "reward/landing": NONE, "reward/crash": NONE - 100}), []),
    ("a bonus grows, the environment's own reward does not", case(greedy=[20, 30], metrics={
        "reward/reward": NONE + 0.1, "reward/coverage": GROWING}), ["component-farmed"]),
    ("swings", case(SWINGING, [20, 250, 100]), ["unstable"]),
    ("swings, but the newest greedy policy is at the threshold", case(SWINGING, [20, 300, 480]), []),
    ("loss is steady", case(metrics={"train/loss": LOSS}), []),
    ("loss runs away", case(greedy=[20, 30], metrics={"train/loss": RUNS_AWAY}), ["loss-diverging"]),
    ("loss runs away, and the policy does what it should", case(
        greedy=[20, 300, 490], metrics={"train/loss": RUNS_AWAY}), []),
    ("loss grows as returns do", case(1 + 400 * SHARE, [20, 500], 500, {"train/loss": 1 + 10 * SHARE}), []),
    ("loss of a policy gradient has no scale", case(
        metrics={"train/loss": RUNS_AWAY, "train/policy_gradient_loss": LOSS}), []),
    ("loss is no number", case(metrics={"train/loss": NO_NUMBER}), ["loss-diverging"]),
    ("certain early", case(greedy=[20, 30], metrics=ENT), ["entropy-collapsed"]),
    ("two taps of a game never change", case(metrics=TAPS | {"taps/y": NONE}), ["tap-never-changes"]),
    ("a tap changed in the last episode", case(metrics={"taps/x": np.append(NONE, 2)}), []),
    ("a tap had few episodes to change", case(metrics={"taps/x": NONE[:19]}), []),
    ("one cell in every episode", case(greedy=[20, 30], metrics=WORLD | {"explored/cells": NONE + 1}), [
        "stuck-in-a-cell"]),
    ("one cell, because episodes are short", case(greedy=[20, 30], metrics=WORLD | {
        "explored/cells": NONE + 1, "explored/total_cells": 9 + GROWING, "episode/length": NONE + 4}), []),
    ("one cell at first", case(greedy=[20, 30], metrics=WORLD | {
        "explored/cells": 1 + GROWING, "explored/total_cells": 9 + GROWING}), []),
    ("one cell, and the task is solved", case(greedy=[20, 500], best=500, metrics=WORLD | {
        "explored/cells": NONE + 1}), []),
    ("no new cells", case(FLAT, [9, 9.2, 9.1, 9], metrics=WORLD), ["exploration-ended", "reward-flat"]),
    ("no new cells, but the return grows", case(RISING, [20, 150, 280], metrics=WORLD), ["too-few-timesteps"]),
    ("a new cell near the end", case(greedy=[20, 30], metrics=WORLD | {
        "explored/total_cells": np.where(np.arange(len(NONE)) < 0.9 * len(NONE), 9, 10)}), []),
    ("certain early, and right", case(greedy=[20, 500], best=500, metrics=ENT), []),
]  # fmt: skip


@cases(("name", "given", "told"), MADE_UP, ids=[name for name, _, _ in MADE_UP])
def test_a_made_up_run_gets_exactly_the_correct_hints(name: str, given: Case, told: list[str]) -> None:
    assert sorted(hint.id for hint in find_hints(given)) == told


def test_enough_situations_exist_in_both_directions() -> None:
    real = [bool(said) for _, _, said in [*REAL, *EVALUATED]] + [bool(PRESETS_TOLD.get(name)) for name in preset_runs()]
    assert len(real) >= 80
    assert real.count(False) >= len(real) / 2
    assert real.count(True) >= 30
    made_up = [bool(told) for _, _, told in MADE_UP]
    assert min(made_up.count(True), made_up.count(False)) >= 12


# What holds in every situation

EVERY = [
    *(recorded(name, share) for name, share, _ in REAL),
    *(given for _, given, _ in MADE_UP),
    *(
        replace(run := recorded(name), requested=[RequestedEvaluation(run.step, mean, 0.01)])
        for name, mean, _ in EVALUATED
    ),
]


@cases("given", EVERY, ids=range(len(EVERY)))
def test_no_rule_matches_below_its_minimum(given: Case) -> None:
    for finding in review(given).findings:
        minimum = finding.rule.minimum
        if finding.state is RuleState.FOUND:
            assert finding.points >= minimum.points
            assert given.progress >= minimum.progress
            assert given.over or not minimum.ended
        if finding.metric is not None and finding.points < minimum.points:
            assert finding.state is RuleState.WAITING


@cases("given", EVERY, ids=range(len(EVERY)))
def test_a_hint_names_all_the_values_it_used(given: Case) -> None:
    for hint in find_hints(given):
        seen = hint.looked_at
        assert seen is not None
        assert seen.points == len(given.series[seen.metric])
        assert seen.from_step == given.series[seen.metric].step[0]
        assert hint.to_step <= given.step


@cases("given", EVERY, ids=range(len(EVERY)))
def test_the_numbers_of_a_collapsed_return_add_up(given: Case) -> None:
    for hint in find_hints(given):
        if hint.id != "reward-collapsed":
            continue
        text = hint.evidence.replace(",", "")
        number = r"(-?[\d.]+)"
        found = re.search(
            rf"rose from {number} around step \d+ to {number} around step \d+ and is {number} at the end: "
            rf"{number} of the {number} gained are lost \({number}%\)",
            text,
        )
        assert found, text
        start, top, end, lost, gained, share = map(float, found.groups())
        assert lost == pytest.approx(top - end, rel=0.005)
        assert gained == pytest.approx(top - start, rel=0.005)
        assert share == pytest.approx(100 * lost / gained, abs=1)


FORKED = {
    "ppo-mountaincar": "MountainCar-v0",
    "ppo-acrobot": "Acrobot-v1",
    "ppo-pendulum": "Pendulum-v1",
    "sac-pendulum": "Pendulum-v1",
    "td3-pendulum": "Pendulum-v1",
    "q-learning-frozenlake": "FrozenLake-v1",
}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    with catalogued(tmp_path) as application:
        yield application


@cases(("name", "share"), [(name, share) for name, share, told in REAL if told])
def test_a_suggested_change_is_accepted_at_a_fork_unless_it_changes_the_network(
    app: Application, name: str, share: float
) -> None:
    given = recorded(name, share)
    env_id = next((env_id for start, env_id in FORKED.items() if name.startswith(start)), "CartPole-v1")
    new = NewRun(
        algo=given.algo,
        env_id=env_id,
        total_timesteps=given.total_timesteps,
        hyperparameters=dict(given.hyperparameters),
    )
    config = app.runs.config(app.runs.create(new).id)
    for hint in find_hints(given):
        for change in hint.changes:
            assert change.value != given.hyperparameters[change.name]
            assert app.forks.accepts(config, change.name, change.value) is (change.name != "net_arch"), change
