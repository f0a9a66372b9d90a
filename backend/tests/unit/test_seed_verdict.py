"""Verdicts on runs with several seeds: what their confidence intervals support."""

from __future__ import annotations

import numpy as np

from rlviz.stats.verdict import SeedScores, Verdict, seed_verdict, verdict
from tests.unit.test_verdict import entry


def scores(label: str, *values: float) -> SeedScores:
    return SeedScores(label, np.array(values, dtype=float))


def test_five_seeds_that_all_score_higher_are_better() -> None:
    headline, why = seed_verdict([scores("B", 1, 2, 3, 4, 5), scores("A", 11, 12, 13, 14, 15)], 20)
    assert headline == "A is better than B with probability 1.00 [1.00, 1.00]."
    assert why[0] == (
        "Score as interquartile mean over seeds [95 % interval]: A 13.0 [11.3, 14.7], 5 seeds; B 3.00 [1.33, 4.67], "
        "5 seeds."
    )
    assert "By chance this happens in 0.79 % of cases" in why[1]
    assert why[-1] == "A score is the mean return of the last 20 episodes of training, exploration included."


def test_overlapping_scores_give_no_verdict() -> None:
    headline, _ = seed_verdict([scores("A", 1, 2, 3, 4, 6), scores("B", 1, 2, 3, 4, 5)], 20)
    assert headline.startswith("No verdict yet: a seed of A does better than a seed of B with probability")
    assert headline.endswith("which may be chance.")


def test_three_seeds_give_no_verdict_however_far_apart() -> None:
    headline, _ = seed_verdict([scores("A", 500, 500, 500), scores("B", 9, 9, 9)], 20)
    assert headline == "Not enough seeds to compare: a reliable interval needs 5 seeds of each; A has 3 and B has 3."


def test_with_three_settings_all_intervals_hold_simultaneously() -> None:
    """Five seeds separate from five others by chance in 0.79 % of cases, and in 2.4 % for one of three pairs."""
    low, middle, high = (
        scores(label, *(start + n for n in range(5))) for label, start in (("C", 0), ("B", 10), ("A", 20))
    )
    headline, _ = seed_verdict([low, middle, high], 20)
    assert headline == "A is better than B with probability 1.00 [1.00, 1.00] and C with probability 1.00 [1.00, 1.00]."
    overlapping, _ = seed_verdict([low, middle, scores("A", 9, 14, 15, 16, 30)], 20)
    assert overlapping.startswith("A is better than C with probability 1.00 [1.00, 1.00]; no verdict yet against B")


def test_a_verdict_on_many_settings_names_three_of_those_that_are_beaten() -> None:
    many = [scores(label, *(20 * place + n for n in range(12))) for place, label in enumerate("FEDCBA")]
    headline, why = seed_verdict(many, 20)
    assert headline.startswith("A is better than B with probability 1.00 [1.00, 1.00], C with")
    assert headline.endswith("and 2 more.")
    [equal] = [sentence for sentence in why if "all resamples agree" in sentence]
    assert equal.startswith("Every seed of A did better than every seed of B, C, D and 2 more, so")


def judged(*runs: tuple[str, str, float]) -> Verdict:
    entries = [
        entry(f"{group} {place}", final, group=group, group_label=group.upper())
        for place, (group, _, final) in enumerate(runs)
    ]
    found = verdict(entries, window=20, threshold=None, criterion=None, differences=["/seed", "/hyperparameters/gamma"])
    assert found is not None
    return found


def test_compare_ranks_groups_if_there_are_any_and_single_runs_otherwise() -> None:
    several = judged(*[("a", "", 100.0 + n) for n in range(5)], *[("b", "", 10.0 + n) for n in range(5)])
    assert several.headline.startswith("A is better than B with probability")
    assert several.cautions == []
    single = judged(("a", "", 100.0), ("b", "", 10.0))
    assert single.headline == "Not enough seeds to compare: one seed each."
    assert single.why == [
        "a 0 ends at 100.0, b 1 at 10.0: the difference exceeds the spread of their last 20 episodes."
    ]
    assert single.cautions == ["One seed each: other seeds may give a different result."]
    assert single.seed_caution == single.cautions[0]
    mixed = judged(("a", "", 100.0), ("a", "", 101.0), ("b", "", 10.0))
    assert mixed.cautions == ["One seed of b 2: other seeds may give a different result."]
