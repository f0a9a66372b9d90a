"""Selection of the policies that the growth video shows."""

from __future__ import annotations

import pytest

from rlviz.domain.clips import KeptPolicy, PolicyKind
from rlviz.rundir.folder import select_learning_steps

STEPS = (0, 1, 2, 4, 8, 16, 32, 64)


def kept(best: int | None) -> list[KeptPolicy]:
    kinds = [[PolicyKind.FILM, *([PolicyKind.BEST] if step == best else [])] for step in STEPS]
    return [
        KeptPolicy(step=step, kinds=of_it, file=f"film/step_{step}.zip", size_bytes=1)
        for step, of_it in zip(STEPS, kinds, strict=True)
    ]


@pytest.mark.parametrize(
    ("best", "shown"),
    [(None, [0, 2, 16, 64]), (32, [0, 2, 8, 32]), (2, [0, 1, 2]), (1, [0, 1]), (0, [0, 2, 16, 64])],
)
def test_selected_policies_range_from_the_first_to_the_best_one(best: int | None, shown: list[int]) -> None:
    assert [policy.step for policy in select_learning_steps(kept(best), 4)] == shown
