"""Measuring of presets: specifications, figures and pictures."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from measuring.curve import draw
from measuring.document import document
from measuring.specification import specifications
from measuring.tables import SPECIFICATIONS
from rlviz.learning.presets.catalog import MEASURED, preset_files, specification_text
from rlviz.server.experiments.results.service import curve_of, measured_of
from rlviz.stats.experiments import LearningCurve, Setting, Trial, experiment_results
from rlviz.stats.experiments.trials import Paid

SETTING = Setting({"v0": "PPO Fast"}, {"v0": "CartPole-v1"}, threshold=475.0, greedy_curves=True)


def trial(seed: int, score: float, reached: float | None) -> Trial:
    curve = LearningCurve([1_000.0, 2_000.0, 4_000.0], [10.0, 200.0, score])  # type: ignore[arg-type]
    return Trial(
        *("v0", seed, f"run-{seed}", score),
        **{"ended": True, "steps": 4_000, "reached": reached, "core_seconds": 10.0, "curve": curve},
    )


TRIALS = [trial(0, 500.0, 2_000.0), trial(1, 480.0, 4_000.0), trial(2, 100.0, None)]


def test_every_preset_of_an_environment_is_in_one_specification() -> None:
    measured = Counter(
        (one.environment.id, str(preset.when), preset.algorithm, preset.id)
        for one in specifications()
        for preset in map(one.preset_of, one.spec.variants)
    )
    wanted = Counter(
        (file.environment, str(preset.when), preset.algorithm, preset.id)
        for file in preset_files()
        if file.environment is not None
        for preset in file.preset
    )
    assert measured == wanted


def test_variants_are_named_after_their_presets() -> None:
    for one in specifications():
        for variant in one.spec.variants:
            assert variant.name.endswith(one.preset_of(variant).title), one.path


def test_figures_equal_those_of_the_experiment() -> None:
    found = measured_of("v0", experiment_results(TRIALS, SETTING))
    assert (found.seeds, found.solved, found.held) == (3, 2, 2)
    assert found.return_iqm == 360.0
    assert (found.steps_to_threshold, found.seconds_to_threshold, found.seconds) == (4_000, 10.0, 10.0)
    assert found.solved_steps == [2_000, 4_000]


def test_seeds_that_never_reached_the_threshold_count_as_slower() -> None:
    late = [trial(0, 500.0, 2_000.0), trial(1, 90.0, None), trial(2, 100.0, None)]
    found = measured_of("v0", experiment_results(late, SETTING))
    assert (found.solved, found.steps_to_threshold, found.seconds_to_threshold) == (1, None, None)


def test_all_figures_cover_the_seeds_with_a_score() -> None:
    failed = replace(trial(3, 0.0, 3_000.0), score=None, core_seconds=100.0, paid=Paid(100.0, 4_000))
    found = measured_of("v0", experiment_results([*TRIALS, failed], SETTING))
    assert (found.seeds, found.solved, found.held, found.solved_steps) == (3, 2, 2, [2_000, 4_000])
    assert (found.seconds, found.seconds_to_threshold) == (10.0, 10.0)


def test_a_lost_attempt_adds_to_the_cost_of_the_experiment_and_not_of_the_preset() -> None:
    again = [replace(one, paid=Paid(2 * one.core_seconds, 2 * one.steps)) for one in TRIALS]
    results = experiment_results(again, SETTING)
    found = measured_of("v0", results)
    assert (found.seconds, found.seconds_to_threshold) == (10.0, 10.0)
    assert (results.cost.core_seconds, results.cost.variants[0].steps) == (60.0, 24_000)


@pytest.mark.parametrize("threshold", [475.0, None])
def test_everything_in_the_picture_is_within_its_bounds(threshold: float | None) -> None:
    curve = curve_of(experiment_results(TRIALS, SETTING).curves, "v0")
    assert curve is not None
    (middle,) = ElementTree.fromstring(draw(curve, threshold)).iter("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, point.split(","))) for point in middle.attrib["points"].split()]
    assert all(0 <= x <= 360 and 0 <= y <= 160 for x, y in points)
    assert points[0][1] > points[-1][1], "It learned"


def test_a_missing_variant_has_no_curve() -> None:
    assert curve_of(experiment_results(TRIALS, SETTING).curves, "v1") is None


def test_the_document_links_to_the_specification_of_each_measurement() -> None:
    known = {one.path.name for one in specifications()}
    named = {rest.partition(")")[0] for rest in document().split(f"]({SPECIFICATIONS}/")[1:]}
    assert named <= known


def test_a_specification_is_found_by_the_name_in_the_figures() -> None:
    assert specification_text("cartpole.toml") is not None
    for name in ("cartpole", "../files/cartpole.toml", "measured.json", ""):
        assert specification_text(name) is None


def test_every_seed_that_held_the_threshold_solved_the_environment() -> None:
    figures = json.loads(MEASURED.read_text())
    assert [one for one in figures.values() if one["held"] is not None and one["held"] > one["solved"]] == []


def test_specifications_of_presets_that_sample_actions_score_them_so() -> None:
    for one in specifications():
        plans = [one.preset_of(variant).evaluation for variant in one.spec.variants]
        if any(plan is not None and not plan.is_greedy for plan in plans):
            assert not one.spec.score.is_greedy, one.spec.name
