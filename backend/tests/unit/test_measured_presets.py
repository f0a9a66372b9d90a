"""How presets are measured: what counts as solved, what several seeds amount to, what is drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.presets.curve import draw
from benchmarks.presets.outcome import Outcome, summarize


def outcome(*returns: float, seed: int = 0, final: float = 0.0) -> Outcome:
    steps = [2_000 * number for number in range(1, len(returns) + 1)]
    return Outcome(
        seed=seed, steps=steps, returns=list(returns), seconds=[step / 1_000 for step in steps], final_return=final
    )


def test_solved_is_three_evaluations_in_a_row_from_the_first_of_them() -> None:
    assert outcome(500, 500, 400, 480, 475, 500).solved_at(475) == 3
    assert outcome(500, 500, 474, 500, 500).solved_at(475) is None
    assert outcome(500, 500, 500).solved_at(None) is None


def test_figures_are_medians_over_the_seeds_that_solved_it() -> None:
    found = summarize(
        [
            outcome(475, 475, 475, final=500),
            outcome(1, 475, 475, 475, final=474),
            outcome(1, 1, 475, 475, 475, final=500),
            outcome(1, 1, 1, final=20),
        ],
        475,
    )
    assert (found.seeds, found.solved, found.held) == (4, 3, 2)
    assert (found.steps_to_threshold, found.seconds_to_threshold) == (4_000, 4.0)
    assert found.return_iqm == 487
    assert found.return_low < 500
    assert summarize([outcome(1, 1, 1, final=20)], 475).steps_to_threshold is None


@pytest.mark.parametrize("threshold", [475.0, None])
def test_the_picture_is_a_picture_with_everything_inside(threshold: float | None) -> None:
    picture = ElementTree.fromstring(draw([outcome(10, 20, 500), outcome(5, 5, 5)], threshold))
    (middle,) = picture.iter("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, point.split(","))) for point in middle.attrib["points"].split()]
    assert all(0 <= x <= 360 and 0 <= y <= 160 for x, y in points)
    assert points[0][1] > points[-1][1], "It learned"
