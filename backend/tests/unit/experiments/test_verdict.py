"""Verdicts of experiments: what their confidence intervals support."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rlviz.domain.evaluation import PolicyChoice
from rlviz.stats.experiments import Setting, Trial, experiment_results
from rlviz.stats.experiments.results import for_threshold
from rlviz.stats.experiments.trials import Made, evaluated_alike
from rlviz.stats.experiments.verdict import PAIRED, ExperimentVerdict, Pair, _seeds_needed
from tests.unit.experiments.test_results import A, B, results, trials

MADE = Made(definition="A test.", n=1, source="nobody")


def normal(variant: str, mean: float, seeds: int, seed: int) -> ExperimentVerdict:
    """Return the verdict on normal scores with the given mean against ones with mean 0; the standard deviation is 1."""
    rng = np.random.default_rng(seed)
    theirs = rng.normal(0, 1, seeds)
    return results(trials(variant, *rng.normal(mean, 1, seeds)), trials("b", *theirs)).verdict


def test_five_seeds_that_all_score_higher_are_better_and_the_probability_is_named() -> None:
    found = results(trials("b", *B), trials("a", *A)).verdict
    assert found.headline == "A is better than B with probability 1.00 [1.00, 1.00]."
    assert (found.finding, found.best, found.better_than) == ("better", "a", ["b"])
    assert "By chance this happens in 0.79 % of cases" in found.reasons[1]


def test_overlapping_scores_give_no_verdict_and_say_how_many_seeds_would() -> None:
    found = results(trials("a", 1, 3, 5, 7, 9), trials("b", 0, 2, 4, 6, 8)).verdict
    assert found.finding == "nothing"
    assert found.best is None
    assert found.headline.startswith("No verdict yet: a seed of A does better than a seed of B with")
    assert "more seeds" in found.reasons[-1]


def test_seeds_with_identical_scores_cannot_be_distinguished() -> None:
    found = results(trials("a", *[500] * 5), trials("b", *[500] * 5)).verdict
    assert found.headline == (
        "No verdict yet: every seed of A and of B has the same score, which cannot tell them apart."
    )
    assert found.reasons[-1].startswith("More seeds do not help between A and B as long as all have the same score")


def test_an_interval_says_how_many_seeds_would_halve_it() -> None:
    found = normal("a", 1.5, 20, seed=3)
    assert found.finding == "better"
    assert "About 60 more seeds of A and of B would halve the interval between them." in found.reasons


def test_three_seeds_give_no_verdict_however_far_apart() -> None:
    found = results(trials("a", 500, 500, 500), trials("b", 9, 9, 9)).verdict
    assert found.headline == (
        "Not enough seeds to compare: a reliable interval needs 5 seeds of each; A has 3 and B has 3."
    )


def test_three_seeds_of_a_hint_test_are_preliminary() -> None:
    setting = Setting({"a": "A", "b": "B"}, {"a": "X", "b": "X"}, tests_hint=True)
    found = experiment_results([*trials("a", 500, 510, 520), *trials("b", 9, 10, 11)], setting).verdict
    assert found.headline == "Only first signs so far: a reliable interval needs 5 seeds of each; A has 3 and B has 3."
    assert found.reasons[-1] == PAIRED


def test_the_best_of_three_may_be_better_than_only_one_other() -> None:
    found = results(trials("a", *A), trials("b", *(a - 0.5 for a in A)), trials("c", *B)).verdict
    assert found.finding == "partly"
    assert found.better_than == ["c"]
    assert found.headline.endswith("; no verdict yet against B.")


def test_skipped_trials_are_reported_and_do_not_count_as_failures() -> None:
    skipped = [replace(one, score=None, steps=0, skipped=True) for one in trials("a", *A, *A)[5:]]
    found = results(trials("a", *A) + skipped, trials("b", *B))
    assert (found.failed, found.complete) == (0, True)
    (caution,) = found.verdict.cautions
    assert caution == "5 of 15 trials were left out, because the experiment ended before they did."


def test_with_many_pairs_five_separated_seeds_may_be_chance() -> None:
    """2 in 252 is less than 5 %, but not less than 5 % over 21 pairs."""
    groups = [trials(f"v{place}", *(100.0 * place + n for n in range(5))) for place in range(7)]
    assert results(*groups).verdict.finding == "nothing"


@pytest.mark.parametrize("top", [5.0, 10.5])
def test_seeds_farther_apart_are_not_less_certain(top: float) -> None:
    """Five seeds against five in ten pairs: neither complete separation nor one overlap is significant."""
    best = trials("a", 10, 11, 12, 13, 14)
    others = [trials(variant, 1, 2, 3, 4, top - place / 10) for place, variant in enumerate("bcde")]
    found = results(best, *others).verdict
    assert found.finding == "nothing"
    assert "ranks this far apart occur by chance in" in found.reasons[-1]
    assert "Among 10 pairs, at most 0.5 % is allowed: train more seeds." in found.reasons[-1]


def test_contradicting_scores_and_probabilities_are_not_called_chance() -> None:
    """A few seeds of A are far better than all others, and most are slightly worse."""
    found = results(trials("a", *[0.0] * 28, *[100.0] * 12), trials("b", *[1.0] * 40)).verdict
    assert found.finding == "nothing"
    assert found.headline.startswith(
        "No verdict yet: A has the higher interquartile mean, but one of its seeds does better than a seed of B "
        "only with probability 0.30 ["
    )
    assert "the two figures contradict each other" in found.reasons[-1]


def test_equal_distributions_are_rarely_called_different() -> None:
    wrong = sum(normal("a", 0, 10, seed).finding == "better" for seed in range(60))
    assert wrong <= 8  # 5 % are three; with the probability of more than eight below 1 %


def test_failed_trials_are_named_as_a_caution() -> None:
    found = results(trials("a", *A, None), trials("b", *B)).verdict
    assert found.cautions[0].startswith("1 of 6 trials of A ended without a score and is left out;")


def test_different_budgets_are_named_as_a_caution() -> None:
    found = results(trials("a", *A, steps=1_000), trials("b", *B, steps=500)).verdict
    assert found.cautions == ["They were trained for different numbers of steps: B for 500, A for 1k."]


def test_different_environments_are_not_compared() -> None:
    found = results(trials("a", *A), trials("b", *B), environments="CartPole-v1 Pendulum-v1")
    assert "different environments" in found.verdict.headline
    assert found.improvements.pairs == []


def test_a_single_variant_is_compared_with_nothing() -> None:
    found = results(trials("a", *A)).verdict
    assert found.headline.startswith("No verdict yet: only A has scores")


def test_variants_left_out_are_named_and_none_is_better_than_all() -> None:
    rng = np.random.default_rng(0)
    many = [trials(f"v{place}", *rng.normal(100 if place == 0 else 10, 1, 20)) for place in range(20)]
    found = results(*many).verdict
    assert found.finding == "partly"
    assert len(found.better_than) == 11
    (caution,) = found.cautions
    assert caution.startswith("Only the 12 best by interquartile mean are compared in pairs; V")
    assert caution.endswith(" and 2 more are not.")


def test_the_advised_number_of_seeds_gives_a_verdict_four_times_in_five() -> None:
    """A simulation with the scores that give the probability that was found."""
    probability, error = 0.8, 0.15  # the interval of ten seeds reaches just below one half
    pair = Pair(
        first="a", second="b", seeds_first=10, seeds_second=10, probability=probability, low=None, high=None,
        joint_low=probability - 1.96 * error, joint_high=1.0, chance=1.0, made=MADE,
    )  # fmt: skip
    seeds = _seeds_needed(pair, 1)
    rng = np.random.default_rng(0)
    found = rng.normal(probability, error * np.sqrt(10 / seeds), 20_000)
    told = np.mean(found - 1.96 * error * np.sqrt(10 / seeds) > 0.5)
    assert 0.78 < told < 0.84


def of_policy(policy: PolicyChoice | None, variant: str, *scores: float) -> list[Trial]:
    return [replace(one, policy=policy) for one in trials(variant, *scores)]


def test_comparing_best_policies_with_last_ones_raises_a_caution() -> None:
    best, last = of_policy(PolicyChoice.BEST, "a", *A), of_policy(PolicyChoice.LATEST, "b", *B)
    found = results(best, last)
    (caution,) = found.verdict.cautions
    assert caution.startswith("Scores of A are of the best policy that a run kept. Scores of B are of the last policy")
    assert ": the best policy that it kept." in found.variants[0].made["iqm"].definition
    assert ": the last policy." in found.variants[1].made["iqm"].definition
    assert found.variants[0].policies == {"best": 5}


@pytest.mark.parametrize("policy", [PolicyChoice.BEST, PolicyChoice.LATEST, None])
def test_the_same_kind_of_policy_for_all_raises_no_caution(policy: PolicyChoice | None) -> None:
    assert results(of_policy(policy, "a", *A), of_policy(policy, "b", *B)).verdict.cautions == []


def evaluated(of: list[Trial]) -> list[Trial]:
    return [replace(one, evaluated_every=1_000.0) for one in of]


def test_evaluations_made_by_only_some_variants_raise_a_caution() -> None:
    """There is no caution without a threshold."""
    of_both = evaluated(trials("a", *A)), trials("b", *B)
    (caution,) = results(*of_both, threshold=5.0).verdict.cautions
    assert caution == (
        "A was evaluated during training, the others not, or less often. Steps to the threshold ignore these "
        "evaluations, so that all are treated equally."
    )
    without = results(*of_both)
    assert without.verdict.cautions == []
    setting = Setting({"a": "A", "b": "B"}, dict.fromkeys("ab", "CartPole-v1"), threshold=5.0)
    assert for_threshold(without, [*of_both[0], *of_both[1]], setting).verdict.cautions == [caution]


def test_times_to_threshold_in_different_environments_are_not_compared() -> None:
    found = results(evaluated(trials("a", *A)), trials("b", *B), threshold=5.0, environments="CartPole-v1 Acrobot-v1")
    assert [one for one in found.verdict.cautions if "during training" in one] == []


def test_times_to_threshold_measured_alike_raise_no_caution() -> None:
    for group in (evaluated, list):
        assert results(group(trials("a", *A)), group(trials("b", *B)), threshold=5.0).verdict.cautions == []


def test_each_kind_of_mixed_policies_is_counted() -> None:
    mixed = of_policy(PolicyChoice.BEST, "a", *A)[:2] + of_policy(PolicyChoice.LATEST, "a", *A)[2:]
    (found,) = results(mixed).variants
    assert "in 2 trials the best policy that it kept and in 3 trials the last policy" in found.made["mean"].definition


@pytest.mark.parametrize(
    ("every", "alike"),
    [
        ([], True),
        ([None, None], True),
        ([1_000.0, 1_016.0], True),
        ([1_000.0, 5_000.0], False),
        ([1_000.0, None], False),
    ],
)
def test_evaluations_are_comparable_if_all_trials_made_them_equally_often(
    every: list[float | None], alike: bool
) -> None:
    assert evaluated_alike(every) == alike
