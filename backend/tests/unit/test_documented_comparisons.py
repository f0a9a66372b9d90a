"""The files in docs/comparison are consistent, and match the current code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from measuring.comparisons import COMPARISONS
from rlviz.domain.experiments import ExperimentSpec
from rlviz.placed_file import read_placed_file
from rlviz.stats.experiments import ExperimentResults
from rlviz.stats.experiments.report import markdown, rows
from rlviz.stats.experiments.verdict import compare_pairs
from rlviz.stats.returns import best_first

RESULTS = sorted(COMPARISONS.rglob("results.json"))


def results_of(path: Path) -> ExperimentResults:
    return ExperimentResults.model_validate_json(path.read_bytes())


def specified(path: Path) -> ExperimentSpec:
    file = read_placed_file(path.parent / "specification.toml", "experiments")
    return ExperimentSpec.model_validate(file.values)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.parent.name)
def test_results_have_every_field_of_the_api(path: Path) -> None:
    assert results_of(path).model_dump(mode="json") == json.loads(path.read_text())


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.parent.name)
def test_results_belong_to_the_specification_beside_them(path: Path) -> None:
    spec, results = specified(path), results_of(path)
    assert [one.label for one in results.variants] == [one.name for one in spec.variants]
    assert {one.n for one in results.variants} == {len(spec.seed_list)}
    assert results.scored == results.trials == spec.cells


def test_the_comparison_of_five_is_consistent_everywhere() -> None:
    results = results_of(COMPARISONS / "results.json")
    readme, report = [(COMPARISONS / name).read_text() for name in ("README.md", "report.html")]
    assert markdown(results).strip() in readme
    assert results.verdict.headline in report
    for cells in rows(results):
        assert all(f">{cell}</" in report for cell in cells), cells
    for cost in results.cost.variants:
        assert f"{cost.core_seconds:,.0f}" in readme


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.parent.name)
def test_pairs_and_their_criteria_are_computed_as_in_the_current_code(path: Path) -> None:
    results = results_of(path)
    in_order = best_first(results.variants, lambda one: one.rank)
    scores = {one.variant: [np.array([seed.score for seed in one.scores])] for one in in_order}
    assert compare_pairs(scores) == results.improvements
    assert "(Mann-Whitney)" in results.verdict.made.definition
