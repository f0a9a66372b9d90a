"""Each hint rule, on curves that it must match and on curves that it must not."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rlviz.domain.evaluation import BestPolicy
from rlviz.stats.arrays import Series
from rlviz.stats.hints import RETURN_RULES, RULES, Case, RequestedEvaluation, RuleState, find_hints, review
from rlviz.stats.hints.hint import number_text, suggest_change
from rlviz.stats.solved import SolvedAt, SolvedBy
from tests.support.cases import cases

TOTAL = 100_000
PPO = {
    "learning_rate": 1e-3,
    "learning_rate_schedule": "constant",
    "n_steps": 128,
    "n_epochs": 10,
    "batch_size": 64,
    "ent_coef": 0.0,
    "vf_coef": 0.5,
    "target_kl": None,
    "net_arch": [64, 64],
    "max_grad_norm": 0.5,
}
DQN = {
    "learning_rate": 1e-3,
    "exploration_fraction": 0.8,
    "exploration_final_eps": 0.05,
    "target_update_interval": 250,
    "batch_size": 64,
}

Curve = Callable[[np.ndarray], Any]


def series(values: Any, steps: int = TOTAL) -> Series:
    values = np.asarray(values, dtype=np.float64)
    step = np.linspace(steps / len(values), steps, len(values)).round()
    return Series(step, step / 1_000, values)


def case(
    *,
    returns: Curve | None = None,
    metrics: Mapping[str, Any] | None = None,
    algo: str = "ppo",
    steps: int = TOTAL,
    episodes: int = 1_000,
    noise: float = 10.0,
    **other: Any,
) -> Case:
    """Return a case. ``returns`` is the mean return by share of the steps, to which noise is added. The last policy was
    evaluated with a much too low return.
    """
    found = {name: series(values, steps) for name, values in (metrics or {}).items()}
    if returns is not None:
        share = np.linspace(0, 1, episodes)
        jitter = np.random.default_rng(1).normal(0, noise, episodes)
        found["episode/reward"] = series(np.broadcast_to(returns(share), (episodes,)) + jitter, steps)
    short = [RequestedEvaluation(steps, -1e6)]
    settings: dict[str, Any] = {"ended": True, "actions": 2, "threshold": 475.0, "requested": short, **other}
    hyperparameters = settings.pop("hyperparameters", {"ppo": PPO, "dqn": DQN}[algo])
    return Case(algo, hyperparameters, TOTAL, found, **settings)


def ids(given: Case) -> list[str]:
    return [hint.id for hint in find_hints(given)]


def ramp(start: float, end: float) -> Curve:
    return lambda share: start + (end - start) * share


def flat(value: float) -> Curve:
    return ramp(value, value)


def learned(share: np.ndarray) -> Any:
    """Return a curve that rises to 480 by the middle and stays there."""
    return np.minimum(20 + 920 * share, 480)


UPDATES = np.linspace(0, 1, 100)
CERTAIN = np.where(UPDATES < 0.2, -math.log(2), -0.01)
FADING = -math.log(2) * (1 - 0.8 * UPDATES)
CALM = np.full(100, 0.01)
SPIKY = np.where(np.arange(100) % 20 == 7, 0.3, 0.01)
CLIPPED = np.where(UPDATES < 0.3, 0.1, 0.45)
BLIND = np.full(100, 0.05)
SHARP = np.minimum(1.0, UPDATES + 0.5)
RUNAWAY = np.exp(10 * UPDATES)
GROWN = 1 + 400 * UPDATES**2

NEVER = np.zeros(100)

FIRES = {
    "entropy-collapsed": case(metrics={"train/entropy_loss": CERTAIN}),
    "kl-spikes": case(metrics={"train/approx_kl": SPIKY}),
    "clip-fraction-high": case(metrics={"train/clip_fraction": CLIPPED}),
    "explained-variance-low": case(metrics={"train/explained_variance": BLIND}),
    "epsilon-high": case(algo="dqn", metrics={"rollout/exploration_rate": 1 - 0.7 * UPDATES}),
    "loss-diverging": case(algo="dqn", metrics={"train/loss": RUNAWAY}),
    "component-farmed": case(metrics={"reward/points": 50 * UPDATES, "reward/goal": NEVER}),
    "tap-never-changes": case(metrics={"taps/square_x": NEVER, "taps/room": [0, 0, 3]}),
    "stuck-in-a-cell": case(metrics={"explored/cells": NEVER + 1, "explored/total_cells": NEVER + 2}),
    "exploration-ended": case(metrics={"explored/cells": NEVER + 9, "explored/total_cells": NEVER + 9}, cells=30),
    "reward-collapsed": case(returns=lambda share: np.where(share < 0.6, 600 * share, 40)),
    "unstable": case(returns=lambda share: 150 + 140 * np.sin(share * 30)),
    "too-few-timesteps": case(returns=ramp(20, 300)),
    "reward-plateau": case(returns=lambda share: np.minimum(20 + 500 * share, 200)),
    "reward-flat": case(returns=flat(25)),
}
SILENT = {
    "nothing was logged": case(),
    "all is well": case(
        returns=learned,
        metrics={
            "train/entropy_loss": FADING,
            "train/approx_kl": CALM,
            "train/clip_fraction": CALM * 10,
            "train/explained_variance": SHARP,
            "train/value_loss": GROWN,
        },
    ),
    "a solved task may be certain": case(returns=learned, metrics={"train/entropy_loss": CERTAIN}),
    "entropy that falls late": case(metrics={"train/entropy_loss": np.where(UPDATES < 0.7, -0.6, -0.01)}),
    "entropy of continuous actions has no scale": case(metrics={"train/entropy_loss": CERTAIN}, actions=None),
    "two spikes are chance": case(metrics={"train/approx_kl": np.where(np.arange(100) % 50 == 7, 0.3, 0.01)}),
    "a large clip fraction at the beginning": case(metrics={"train/clip_fraction": CLIPPED[::-1]}),
    "a value function that began blind": case(metrics={"train/explained_variance": UPDATES * 2 - 0.5}),
    "a constant return explains itself": case(returns=learned, metrics={"train/explained_variance": BLIND}),
    "epsilon is high in the middle of training": case(
        algo="dqn", steps=TOTAL // 2, ended=False, metrics={"rollout/exploration_rate": 1 - 0.7 * UPDATES}
    ),
    "a loss that grew with the returns": case(algo="dqn", metrics={"train/loss": GROWN}, returns=ramp(20, 490)),
    "a loss that came back": case(algo="dqn", metrics={"train/loss": np.exp(10 * np.sin(UPDATES * math.pi))}),
    "a sum of losses has no scale": case(metrics={"train/loss": RUNAWAY, "train/policy_gradient_loss": CALM}),
    "still rising, and still training": case(returns=ramp(20, 300), ended=False, steps=TOTAL // 2),
    "too few episodes to judge": case(returns=flat(25), episodes=30),
    "a dip that was made up for": case(returns=lambda share: learned(share) - 150 * ((share > 0.7) & (share < 0.75))),
}


@cases("name", FIRES)
def test_each_rule_matches_its_own_case_alone(name: str) -> None:
    assert ids(FIRES[name]) == [name]


@cases("name", SILENT)
def test_no_rule_matches_a_healthy_run(name: str) -> None:
    assert ids(SILENT[name]) == []


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in (*RULES, *RETURN_RULES)} == FIRES.keys()


@cases("name", FIRES)
def test_a_hint_says_where_how_much_and_what_to_try(name: str) -> None:
    [hint] = find_hints(FIRES[name])
    assert 0 <= hint.from_step <= hint.to_step <= TOTAL
    assert hint.metric in FIRES[name].series
    assert any(character.isdigit() for character in hint.evidence)
    assert hint.evidence.endswith(".")
    assert len(hint.suggestion) > 10
    assert hint.suggestion.endswith(".")


@cases(
    ("name", "advice"),
    [
        ("entropy-collapsed", "Raise ent_coef from 0 to 0.01"),
        ("kl-spikes", "Set target_kl, which is off, to 0.03"),
        ("clip-fraction-high", "Lower learning_rate from 0.001 to 0.0005, or lower n_epochs from 10 to 5"),
        ("explained-variance-low", "Raise vf_coef from 0.5 to 1"),
        ("epsilon-high", "Lower exploration_fraction from 0.8 to 0.4"),
        (
            "loss-diverging",
            "Lower learning_rate from 0.001 to 0.000333, or raise target_update_interval from 250 to 1,000",
        ),
        ("reward-collapsed", "Set learning_rate_schedule to linear"),
        ("too-few-timesteps", "Train for 200,000 timesteps instead of 100,000"),
    ],
)
def test_advice_is_relative_to_the_settings_of_the_run(name: str, advice: str) -> None:
    [hint] = find_hints(FIRES[name])
    assert advice in hint.suggestion


def test_a_non_finite_loss_is_reported_immediately() -> None:
    losses = np.where(UPDATES < 0.5, 1.0, np.nan)
    [hint] = find_hints(case(algo="dqn", metrics={"train/loss": losses}))
    assert (hint.id, hint.severity) == ("loss-diverging", "problem")
    assert "50 of 100" in hint.evidence


def test_negative_returns_are_judged_by_their_range() -> None:
    """Returns of Pendulum or Acrobot never reach zero."""
    assert ids(case(returns=ramp(-1_500, -300), noise=100, threshold=None, actions=None)) == ["too-few-timesteps"]
    assert ids(case(returns=lambda share: np.minimum(-500, -1_500 + 2_500 * share), threshold=-100)) == [
        "reward-plateau"
    ]


def test_the_most_severe_hint_comes_first() -> None:
    found = find_hints(case(metrics={"train/approx_kl": SPIKY, "train/loss": CALM}, returns=flat(20)))
    assert [hint.severity for hint in found] == ["warning", "warning"]
    worse = case(metrics={"train/approx_kl": SPIKY, "train/entropy_loss": CERTAIN}, returns=flat(20))
    assert [hint.severity for hint in find_hints(worse)] == ["problem", "warning", "warning"]


def test_a_run_stopped_early_is_advised_to_continue() -> None:
    [hint] = find_hints(case(returns=ramp(20, 150), steps=TOTAL // 4))
    assert (hint.id, hint.severity) == ("unfinished", "info")
    assert hint.evidence.startswith("The run is meant for 100,000 timesteps, but training ended after 25,000. ")
    assert hint.suggestion == "Train for all 100,000 timesteps before you change hyperparameters."
    [hint] = find_hints(case(returns=ramp(20, 150), steps=TOTAL // 4, done=25_006))
    assert "training ended after 25,006." in hint.evidence, "where the run ended, not its last episode"


def test_a_run_without_evaluations_is_advised_to_evaluate_first_and_keeps_its_evidence() -> None:
    given = case(metrics={"train/approx_kl": SPIKY, "train/entropy_loss": CERTAIN}, returns=flat(20), requested=[])
    [hint] = find_hints(given)
    assert (hint.id, hint.severity, hint.changes) == ("not-evaluated", "info", [])
    assert "entropy stays below" in hint.evidence, "the gravest of what was found"
    assert hint.suggestion.startswith("Evaluate the policy before you change hyperparameters")
    states = {finding.rule.id: finding.state for finding in review(given).findings if finding.state != "not_logged"}
    assert RuleState.FOUND not in states.values(), "what waits for the evaluation was not found yet"


def test_a_run_whose_evaluations_sample_actions_is_not_told_to_evaluate_greedily() -> None:
    given = case(metrics={"train/approx_kl": SPIKY, "train/entropy_loss": CERTAIN}, returns=flat(20), requested=[])
    [hint] = find_hints(replace(given, deterministic=False))
    assert hint.id == "not-evaluated"
    assert hint.evidence.startswith("The policy has no evaluation with sampled actions")
    assert "greedy" not in hint.evidence


@cases("name", FIRES)
def test_no_hint_is_given_for_a_policy_whose_greedy_evaluation_solved_the_environment(name: str) -> None:
    given = FIRES[name]
    for proof in (
        {"requested": [RequestedEvaluation(TOTAL, 475.0)]},
        {"best": BestPolicy(step=50_000, mean_return=480.0, std_return=1.0, episodes=10)},
        {"solved": SolvedAt(50_000, SolvedBy.EVALUATION, 0.0)},
    ):
        assert find_hints(replace(given, **{"requested": [], **proof})) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000333333, "0.000333"), (1e-5, "1e-05"), (12_345.6, "12,346"), (0.0, "0"), (475.0, "475"), (-0.25, "-0.25")],
)
def test_numbers_are_formatted_for_people(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_missing_hyperparameter_or_one_at_its_bound_is_not_advised() -> None:
    given = case(hyperparameters={"n_epochs": 1, "net_arch": [64]})
    assert suggest_change(given, "n_epochs", 1 / 2, low=1) is None
    assert suggest_change(given, "gamma", 2) is None
    assert suggest_change(given, "net_arch", 2) is None


def test_a_failing_rule_does_not_suppress_other_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_case: Case) -> None:
        raise ZeroDivisionError

    known = case(returns=ramp(20, 300))
    expected = find_hints(known)
    broken = tuple(replace(rule, find=fail) for rule in RULES)
    monkeypatch.setattr(sys.modules[find_hints.__module__], "RULES", broken)
    assert find_hints(known) == expected
    assert expected
