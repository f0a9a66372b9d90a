"""Selecting no preset, as null or as ``none``."""

from __future__ import annotations

import pytest

from rlviz.domain.experiments import ExperimentSpec, RunSpec, Variant, VariantChanges
from rlviz.server.runs.models import RunCreate


@pytest.mark.parametrize("said", ["none", "None", " NONE ", None])
def test_none_selects_no_preset_in_a_run_and_in_the_base_of_an_experiment(said: str | None) -> None:
    assert RunCreate.model_validate({"algo": "ppo", "preset": said}).preset is None
    assert RunSpec.model_validate({"preset": said}).preset is None
    spec = ExperimentSpec.model_validate({"base": {"preset": said}, "grid": {"gamma": [0.9]}})
    assert spec.base.preset is None


@pytest.mark.parametrize("said", ["none", "None"])
def test_none_selects_no_preset_in_a_variant_and_null_selects_that_of_the_base(said: str) -> None:
    base = RunSpec(preset="stable")
    assert Variant(name="a", changes=VariantChanges(preset=said)).run_spec(base).preset is None
    assert Variant(name="a", changes=VariantChanges(preset=None)).run_spec(base).preset == "stable"


def test_other_presets_are_used_unchanged() -> None:
    assert RunCreate.model_validate({"algo": "ppo"}).preset == "recommended"
    assert RunSpec.model_validate({"preset": "own-none"}).preset == "own-none"
