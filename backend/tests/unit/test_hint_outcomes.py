"""Outcomes of hint tests: effects, their wording, and the ranking of hints."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.hints.hint import Hint, Severity, SuggestedChange
from rlviz.stats.hints.outcomes import (
    PRIOR_TESTS,
    Effect,
    HintChange,
    HintOutcome,
    HintRecord,
    OutcomeState,
    Pair,
    direction_of,
    hint_outcome,
    rank_changes,
    rank_hints,
)
from rlviz.stats.seeds import paired_difference, student_quantile

CHANGE = HintChange(
    experiment_id="exp-20261130-000000-000000",
    run_id="a",
    hint="kl-spikes",
    title="Single updates move the policy too far",
    algo="ppo",
    env_id="CartPole-v1",
    name="learning_rate",
    before=1e-3,
    value=5e-4,
)


def outcome(*pairs: Pair, change: HintChange = CHANGE, **state: bool) -> HintOutcome:
    return hint_outcome(change, pairs, failed=0, **{"is_over": True, "is_stopped": False, **state})


def differences(*values: float, change: HintChange = CHANGE) -> HintOutcome:
    return outcome(*((100.0, 100.0 + value) for value in values), change=change)


HIGHER, UNCLEAR, LOWER = differences(30, 31, 32), differences(-30, 10, 60), differences(-30, -31, -32)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.7062047), (2, 4.3026527), (3, 3.1824463), (4, 2.7764451), (30, 2.0422725)]
)
def test_quantiles_of_the_t_distribution_match_published_tables(freedom: int, expected: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(expected, abs=1e-6)


def test_a_paired_interval_ignores_what_the_seeds_share() -> None:
    found = paired_difference([10.0, 200.0, 400.0], [11.0, 202.0, 403.0])
    assert found.interval is not None
    assert found.mean == 2.0
    assert (found.interval.low, found.interval.high) == pytest.approx((2 - 2.484138, 2 + 2.484138), abs=1e-5)
    assert paired_difference([1.0], [3.0]).interval is None
    with pytest.raises(ValueError, match="as many scores"):
        paired_difference([1.0, 2.0], [3.0])


def test_three_pairs_without_an_effect_are_called_clear_in_five_percent_of_tests() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2_000, 2, 3))
    clear = np.mean([paired_difference(first, second).is_clear for first, second in scores])
    assert 0.03 < clear < 0.07


def test_an_effect_is_reported_with_its_interval_and_few_seeds_are_called_no_proof() -> None:
    assert (HIGHER.state, HIGHER.effect) == (OutcomeState.COMPLETE, Effect.HIGHER)
    assert HIGHER.difference == 31
    assert HIGHER.sentence == (
        "With learning_rate 0.0005, the mean return was higher: +31.0 [28.5, 33.5] (3 paired seeds). This is only a "
        "first sign: a verdict needs 5 seeds."
    )
    assert LOWER.sentence.startswith("With learning_rate 0.0005, the mean return was lower: -31.0 [-33.5, -28.5]")
    assert "first sign" not in differences(*range(30, 36)).sentence


def test_an_interval_that_contains_zero_reports_no_effect() -> None:
    assert UNCLEAR.effect is Effect.UNCLEAR
    assert UNCLEAR.sentence.startswith("No clear effect of learning_rate 0.0005: the mean return changed by +13.3 [")
    same = differences(0, 0, 0)
    assert (same.effect, same.sentence.startswith("No difference")) == (Effect.NONE, True)
    assert "no width" in differences(5, 5, 5).sentence
    assert differences(5).effect is Effect.UNCLEAR, "one pair has no interval"


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"is_over": False}, OutcomeState.RUNNING),
        ({"is_over": False, "is_stopped": True}, OutcomeState.STOPPED),
        ({"is_over": True}, OutcomeState.INCOMPLETE),
    ],
)
def test_without_every_score_no_effect_is_reported(state: dict[str, bool], expected: OutcomeState) -> None:
    found = outcome((1.0, 500.0), (1.0, None), (None, None), **state)  # type: ignore[arg-type]
    assert (found.state, found.effect, found.difference, found.scored) == (expected, None, None, 3)
    assert "3 of 6 runs have a score" in found.sentence
    assert ("no effect is given" in found.sentence) == (expected is not OutcomeState.RUNNING)


def test_a_record_lists_each_effect() -> None:
    def told(*outcomes: HintOutcome) -> str | None:
        return HintRecord(outcomes).sentence("PPO", "CartPole-v1")

    assert told() is None
    assert told(HIGHER) == "Tested once on CartPole-v1 with PPO: +31.0 [28.5, 33.5]."
    assert told(HIGHER, UNCLEAR) == (
        "Tested 2 times on CartPole-v1 with PPO: +31.0 [28.5, 33.5] in one, no clear effect in one."
    )
    assert told(*[HIGHER] * 3, UNCLEAR, UNCLEAR) == (
        "Tested 5 times on CartPole-v1 with PPO: higher return in 3, no clear effect in 2."
    )
    epochs = differences(1, 2, 90, change=CHANGE.model_copy(update={"name": "n_epochs", "before": 10, "value": 5}))
    assert told(HIGHER, epochs) == (
        "Tested 2 times on CartPole-v1 with PPO: lower learning_rate: +31.0 [28.5, 33.5] in one; lower n_epochs: no "
        "clear effect in one."
    )


def test_a_few_outcomes_change_a_record_only_slightly() -> None:
    assert HintRecord().standing == 0
    assert HintRecord((HIGHER,)).standing == 1 / (1 + PRIOR_TESTS)
    assert HintRecord((HIGHER, LOWER)).standing == 0
    assert HintRecord((UNCLEAR,) * 9).standing == 0
    assert HintRecord((LOWER,) * 100).standing > -1


def hint(name: str, severity: Severity) -> Hint:
    return Hint(name, severity, name, "train/loss", 0, 1, "1.", ())


def test_hints_are_ranked_by_severity_and_then_by_outcomes() -> None:
    problem, first, second = hint("problem", "problem"), hint("first", "warning"), hint("second", "warning")

    def order(**records: HintRecord) -> list[str]:
        ranked = rank_hints([problem, first, second], lambda one: records.get(one.id, HintRecord()))
        return [one.id for one in ranked]

    assert order() == ["problem", "first", "second"]
    assert order(second=HintRecord((HIGHER,))) == ["problem", "second", "first"]
    assert order(first=HintRecord((LOWER,))) == ["problem", "second", "first"]
    assert order(second=HintRecord((HIGHER,) * 50))[0] == "problem", "one record alone never outweighs severity"
    helped, harmed = HintRecord((HIGHER,) * 8), HintRecord((LOWER,) * 8)
    assert order(problem=harmed, second=helped) == ["second", "problem", "first"]


def test_helpful_changes_of_a_hint_come_first() -> None:
    changes = [SuggestedChange(name=name, value=1, words="") for name in ("n_epochs", "learning_rate")]
    words = {"n_epochs": "lower n_epochs", "learning_rate": "lower learning_rate"}

    def order(*outcomes: HintOutcome) -> list[str]:
        return [one.name for one in rank_changes(changes, HintRecord(outcomes), lambda one: words[one.name])]

    assert order() == ["n_epochs", "learning_rate"]
    assert order(HIGHER) == ["learning_rate", "n_epochs"]
    assert (direction_of(1, 2), direction_of(2, 1), direction_of(None, 1)) == ("raise", "lower", "change")
