"""Normalization of returns across environments."""

from __future__ import annotations

import pytest

from rlviz.stats.experiments import Scale
from rlviz.stats.return_scale import APART, UNEQUAL, Place, return_scale

POLE = Place("CartPole-v1", "CartPole-v1", Scale(random=22.0, threshold=475.0))
ARM = Place("Acrobot-v1", "Acrobot-v1", Scale(random=-499.0, threshold=-100.0))
SWING = Place("Pendulum-v1", "Pendulum-v1", None)


def test_returns_of_one_environment_are_unchanged() -> None:
    for groups in ([[POLE, POLE], [POLE]], [[SWING], [SWING]], []):
        scale = return_scale(groups, by_environment=False)
        assert (scale.is_normalised, scale.notes, scale.normalised) == (False, [], [])
        assert scale.returned(SWING, -150.0) == -150.0


@pytest.mark.parametrize(
    ("name", "groups", "by_environment"),
    [
        ("environments mixed in a group", [[POLE, ARM], [POLE, ARM]], False),
        ("each group of another environment, by chance", [[POLE, POLE], [ARM]], False),
        ("groups by environment, but of several options", [[POLE, ARM], [SWING]], True),
    ],
)
def test_returns_of_several_environments_are_normalised(
    name: str, groups: list[list[Place]], by_environment: bool
) -> None:
    scale = return_scale(groups, by_environment=by_environment)
    assert scale.is_normalised
    assert (scale.returned(POLE, 22.0), scale.returned(POLE, 475.0)) == (0.0, 1.0)
    assert (scale.returned(ARM, -499.0), scale.returned(ARM, -100.0)) == (0.0, 1.0)
    assert scale.returned(POLE, None) is None
    assert scale.notes[0].startswith("Scores are normalised: 0 is the mean return of random actions, 1 the threshold, ")
    assert "22 and 475 on CartPole-v1" in scale.notes[0]


def test_groups_by_environment_keep_their_returns_and_are_marked_as_unranked() -> None:
    scale = return_scale([[POLE, POLE], [ARM]], by_environment=True)
    assert (scale.is_normalised, scale.notes) == (False, [APART])
    assert dict(scale.places) == {POLE: 2, ARM: 1}


def test_runs_that_cannot_be_normalised_are_left_out_with_a_reason() -> None:
    scale = return_scale([[POLE, SWING, SWING], [POLE]], by_environment=False)
    assert scale.returned(SWING, -150.0) is None
    assert scale.notes[1].startswith("2 runs of Pendulum-v1 are left out: it has no threshold")
    assert len(scale.notes) == 2
    nothing = return_scale([[SWING], [Place("Own", "Own", None)]], by_environment=False)
    assert (nothing.is_normalised, nothing.normalised) == (True, [])
    assert len(nothing.notes) == 2


def test_groups_with_runs_of_different_environments_say_so() -> None:
    assert UNEQUAL in return_scale([[POLE, ARM], [POLE]], by_environment=False).notes
    assert UNEQUAL not in return_scale([[POLE, ARM, ARM], [ARM, POLE]], by_environment=False).notes
