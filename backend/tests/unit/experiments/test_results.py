"""Results of an experiment, computed from known scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from rlviz.domain.evaluation import PolicyChoice
from rlviz.stats.experiments import ExperimentResults, LearningCurve, Setting, Trial, experiment_results
from rlviz.stats.experiments.curves import PROFILE_VALUES
from rlviz.stats.experiments.report import draw_curves, draw_profiles
from rlviz.stats.experiments.trials import Paid, ScoreKind, definition_of_score

A = (11.0, 12.0, 13.0, 14.0, 15.0)
B = (1.0, 2.0, 3.0, 4.0, 5.0)


def trials(variant: str, *scores: float | None, steps: float = 1_000, reached: float | None = None) -> list[Trial]:
    return [
        Trial(
            variant,
            seed,
            f"{variant}-{seed}",
            score,
            ended=True,
            steps=steps,
            reached=reached,
            core_seconds=2.0,
            paid=Paid(2.0, 200),
        )
        for seed, score in enumerate(scores)
    ]


def results(*groups: list[Trial], threshold: float | None = None, environments: str = "") -> ExperimentResults:
    variants = [group[0].variant for group in groups]
    setting = Setting(
        variants={variant: variant.upper() for variant in variants},
        environments=dict(zip(variants, environments.split() or ["CartPole-v1"] * len(variants), strict=True)),
        threshold=threshold,
    )
    return experiment_results([trial for group in groups for trial in group], setting)


def test_a_variant_has_the_known_figures_for_its_scores() -> None:
    (found,) = results(trials("a", 1, 2, 3, 4, 10), threshold=5.0).variants
    assert (found.n, found.mean, found.median, found.iqm) == (5, 4.0, 3.0, 3.0)
    assert (found.lower_quartile, found.upper_quartile) == (2.0, 4.0)
    assert found.std == pytest.approx(np.std([1, 2, 3, 4, 10], ddof=1))
    assert found.optimality_gap == pytest.approx(5 - (1 + 2 + 3 + 4 + 5) / 5)
    assert found.low is not None
    assert found.high is not None
    assert 1 <= found.low < 3 < found.high <= 10


def test_every_figure_describes_its_method() -> None:
    found = results(trials("a", *A), trials("b", *B), threshold=5.0)
    made = [one for variant in found.variants for one in variant.made.values()]
    assert set(found.variants[0].made) == {
        *("mean", "median", "iqm", "std", "lower_quartile", "upper_quartile", "optimality_gap")
    }
    assert found.thresholds is not None
    made += [*(pair.made for pair in found.improvements.pairs), *(one.made for one in found.profiles.variants)]
    made += [*(one.made for one in found.thresholds.variants), found.cost.made, found.verdict.made]
    assert all(one.definition.endswith(".") and one.source and one.n > 0 for one in made)
    assert found.variants[0].made["iqm"].resamples == 10_000


def test_a_single_seed_has_no_interval() -> None:
    (found,) = results(trials("a", 7)).variants
    assert (found.n, found.iqm, found.low, found.high, found.std) == (1, 7.0, None, None, None)


def test_a_variant_without_scores_has_no_figures_and_no_row_in_the_forest_plot() -> None:
    found = results(trials("a", *A), trials("b", None, None))
    assert (found.variants[1].n, found.variants[1].failed, found.variants[1].iqm) == (0, 2, None)
    assert [row.variant for row in found.forest.rows] == ["a"]


def test_the_forest_plot_starts_with_the_best_and_spans_all_it_draws() -> None:
    found = results(trials("b", *B), trials("a", *A), threshold=20.0).forest
    assert [row.variant for row in found.rows] == ["a", "b"]
    assert (found.minimum, found.maximum, found.reference) == (1.0, 20.0, 20.0)


def test_probabilities_in_opposite_directions_add_up_to_one() -> None:
    found = results(trials("a", 1, 3, 5), trials("b", 2, 3, 4)).improvements
    assert found.variants == ["a", "b"]
    # a > b in 2 < 3, 2 < 5, 3 < 5, 4 < 5: four of nine pairs; one tie counts half
    assert found.matrix[0][1] == pytest.approx(4.5 / 9)
    assert found.matrix[1][0] == pytest.approx(4.5 / 9)
    assert found.matrix[0][0] is None


def test_only_the_best_variants_are_compared_and_the_others_named() -> None:
    groups = [trials(f"v{place:02}", place, place + 0.5) for place in range(14)]
    found = results(*groups).improvements
    assert found.variants[0] == "v13"
    assert found.left_out == ["v01", "v00"]
    assert len(found.pairs) == 66


def test_a_seed_that_never_reached_the_threshold_is_censored() -> None:
    got_there = trials("a", 1, 1, steps=1_000, reached=400)
    never = [Trial("a", 7, "a-7", 1.0, ended=True, steps=1_000)]
    found = results([*got_there, *never], threshold=5.0).thresholds
    assert found is not None
    (one,) = found.variants
    assert (one.n, one.reached, one.median) == (3, 2, 400.0)
    assert one.step == [400.0]
    assert one.waiting == pytest.approx([1 / 3])
    assert [seed.censored for seed in one.seeds] == [False, False, True]


def test_without_a_threshold_there_are_no_steps_to_threshold() -> None:
    found = results(trials("a", *A))
    assert found.thresholds is None
    assert found.variants[0].optimality_gap is None


def curve_of(*points: tuple[float, float]) -> LearningCurve:
    step, value = np.array(points).T
    return LearningCurve(step, value)


def test_curves_hold_their_values_and_stop_where_their_first_seed_does() -> None:
    long = Trial("a", 0, "a-0", 1.0, ended=True, curve=curve_of((0, 0.0), (50, 4.0), (100, 8.0)))
    short = Trial("a", 1, "a-1", 1.0, ended=True, curve=curve_of((0, 2.0), (60, 6.0)))
    found = results([long, short]).curves
    (one,) = found.variants
    assert found.step == [0.0, 50.0, 60.0]
    assert one.iqm == [1.0, 3.0, 5.0]
    assert one.count == [2, 2, 2]
    assert one.ends == [60.0, 100.0]
    assert one.note == "The curve stops at step 60, the last that all 2 seeds reached; one of them continues."


def test_a_curve_never_jumps_to_the_value_of_the_last_seed() -> None:
    """Three seeds stay low and end; one continues and learns."""
    low = [Trial("a", seed, f"a-{seed}", 1.0, ended=True, curve=curve_of((0, 0.0), (60, 1.0))) for seed in range(3)]
    high = Trial("a", 3, "a-3", 1.0, ended=True, curve=curve_of((0, 0.0), (60, 1.0), (61, 500.0), (100, 500.0)))
    (one,) = results([*low, high]).curves.variants
    assert max(value for value in one.iqm if value is not None) == 1.0


def test_a_seed_that_just_started_is_left_out_of_the_curve_of_ended_ones() -> None:
    done = [Trial("a", seed, f"a-{seed}", 1.0, ended=True, curve=curve_of((0, 2.0), (100, 4.0))) for seed in range(2)]
    begun = Trial("a", 2, "a-2", None, ended=False, curve=curve_of((0, 0.0), (5, 0.0)))
    found = results([*done, begun]).curves
    (one,) = found.variants
    assert (found.step, one.iqm, one.seeds, one.ends) == ([0.0, 100.0], [2.0, 4.0], 2, [5.0, 100.0, 100.0])
    assert one.note == "1 seed still trains and is left out until it has caught up."


def test_training_seeds_are_behind_and_have_no_curve_yet() -> None:
    ahead = Trial("a", 0, "a-0", None, ended=False, curve=curve_of((0, 0.0), (100, 8.0)))
    behind = Trial("a", 1, "a-1", None, ended=False, curve=curve_of((0, 2.0), (60, 6.0)))
    waiting = Trial("a", 2, "a-2", None, ended=False)
    (one,) = results([ahead, behind, waiting]).curves.variants
    assert one.note == (
        "1 of 3 seeds has no curve yet. The curve stops at step 60, the last that all 2 seeds reached; one of them "
        "continues."
    )


def test_a_report_draws_evaluations_as_steps() -> None:
    trial = Trial("a", 0, "a-0", 1.0, ended=True, curve=curve_of((0, 0.0), (50, 4.0), (100, 8.0)))
    found = results([trial]).curves

    def corners(source: str) -> int:
        drawn = draw_curves(found.model_copy(update={"source": source}), None, {"a": 0})
        (line,) = [one for one in drawn.iter("path") if "line" in one.attrib["class"]]
        return line.attrib["d"].count("L")

    assert (corners("training"), corners("evaluation")) == (2, 4)


def test_the_last_evaluation_is_a_dot_at_the_end_of_its_line() -> None:
    trial = Trial("a", 0, "a-0", 1.0, ended=True, curve=curve_of((0, 0.0), (50, 4.0), (100, 8.0)))
    found = results([trial]).curves

    def drawn(source: str) -> Element:
        return draw_curves(found.model_copy(update={"source": source}), None, {"a": 0})

    (dot,) = drawn("evaluation").iter("circle")
    (line,) = [one for one in drawn("evaluation").iter("path") if "line" in one.attrib["class"]]
    end = [float(number) for number in line.attrib["d"].rpartition("L")[2].split()]
    assert [float(dot.attrib["cx"]), float(dot.attrib["cy"])] == pytest.approx(end, abs=0.1)
    assert not list(drawn("training").iter("circle"))


def test_a_profile_falls_at_each_score_and_is_drawn_as_steps() -> None:
    found = results(trials("a", *A), trials("b", *B)).profiles
    a = next(one for one in found.variants if one.variant == "a")
    at = dict(zip(found.value, a.share, strict=True))
    assert [at[score] for score in A] == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.0])
    assert (a.share[0], at[5.0]) == (1.0, 1.0)
    drawn = draw_profiles(found, {"a": 0, "b": 1}, "return")
    for shape in drawn.iter("path"):
        corners = [tuple(point.split()) for point in shape.attrib["d"].strip("MZ").split("L")]
        assert all(x == next_x or y == next_y for (x, y), (next_x, next_y) in pairwise(corners))


def test_a_profile_of_very_many_scores_is_sampled() -> None:
    found = results(trials("a", *np.linspace(0, 1, 1_000))).profiles
    assert len(found.value) == PROFILE_VALUES


def test_the_definition_of_a_score_names_the_evaluated_policy() -> None:
    best = [replace(one, policy=PolicyChoice.BEST) for one in trials("a", *A)]
    assert results(best).score_definition.endswith("played after training: the best policy that it kept")
    assert results(trials("a", *A)).score_definition.endswith("played after training")


def test_the_definition_of_a_trials_own_score_says_that_actions_were_sampled() -> None:
    assert definition_of_score(ScoreKind.TRIAL, sampled_scores=True).endswith("with sampled actions")
    assert "sampled" not in definition_of_score(ScoreKind.TRIAL, sampled_scores=False)
    assert "sampled" not in definition_of_score(ScoreKind.TRAINING, sampled_scores=True)


def test_cost_includes_failed_trials() -> None:
    found = results(trials("a", 1, None), trials("b", 1)).cost
    assert found.core_seconds == 6.0
    assert [one.core_seconds for one in found.variants] == [4.0, 2.0]


def test_results_without_trials_are_empty_and_exportable() -> None:
    waiting = [Trial("a", 0, "", None, ended=False), Trial("b", 0, "", None, ended=False)]
    found = results([waiting[0]], [waiting[1]], threshold=1.0)
    assert found.verdict.headline == "No verdict yet: no trial has a score."
    assert (found.scored, found.complete, found.curves.step) == (0, False, [])
    assert ExperimentResults.model_validate_json(found.model_dump_json()) == found


def test_the_same_trials_give_the_same_results() -> None:
    assert results(trials("a", *A), trials("b", *B)) == results(trials("a", *A), trials("b", *B))


def test_equal_interquartile_means_are_ranked_by_mean() -> None:
    found = results(trials("a", 500, 500, 500, 500, 465), trials("b", 500, 500, 500, 500, 500))
    assert [(one.iqm, one.rank) for one in found.variants] == [(500.0, 2), (500.0, 1)]
    assert [row.variant for row in found.forest.rows] == ["b", "a"]
    assert "a seed of B does better than a seed of A" in found.verdict.headline
