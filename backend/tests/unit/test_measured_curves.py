"""Learning curves of measured presets."""

from __future__ import annotations

import pytest

from measuring.curve import draw
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.presets.catalog import figures_key, known_curves, measured, preset_files
from rlviz.server.experiments.results.service import CURVE_POINTS, curve_of
from rlviz.stats.experiments.curves import Curves, VariantCurve
from rlviz.stats.experiments.trials import Made

MADE = Made(definition="A test.", n=3, source="nobody")


def test_every_curve_belongs_to_a_preset_with_figures() -> None:
    presets = {
        figures_key(preset, file.environment): (preset, file.environment)
        for file in preset_files()
        if file.environment is not None
        for preset in file.preset
    }
    assert known_curves()
    for name, curve in known_curves().items():
        preset, env_id = presets[name]
        assert measured(preset, env_id) is not None
        assert len(curve.step) == len(curve.middle) == len(curve.low) == len(curve.high)
        assert curve.step == sorted(curve.step)
        assert env_id in {one.id for one in ENVIRONMENTS}


def curves(points: int) -> Curves:
    steps = [float(step) for step in range(points)]
    values: list[float | None] = [None, *(123.456 + step for step in steps[1:])]
    curve = VariantCurve(
        variant="v0", seeds=3, iqm=values, low=[None] * points, high=values, count=[3] * points, ends=[], note=None,
        made=MADE,
    )  # fmt: skip
    return Curves(source="evaluation", step=steps, variants=[curve], left_out=[])


def test_a_curve_is_thinned_from_its_first_value_to_its_last() -> None:
    found = curve_of(curves(200), "v0")
    assert found is not None
    assert (found.source, found.shows) == ("evaluation", "iqm")
    assert len(found.step) == CURVE_POINTS
    assert (found.step[0], found.step[-1]) == (1.0, 199.0)
    assert found.middle[0] == 124.5
    assert set(found.low) == {None}
    assert draw(found, 475.0).startswith("<svg")


@pytest.mark.parametrize("variant", ["v0", "unknown"])
def test_a_variant_without_values_has_no_curve(variant: str) -> None:
    assert curve_of(curves(1), variant) is None
