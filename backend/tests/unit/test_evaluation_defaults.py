"""Default evaluations of presets cost at most five percent of training."""

from __future__ import annotations

from collections.abc import Iterator

from measuring.evaluation_cost import MOST_SHARE, PLANS, bound, known_costs, name_of
from rlviz.domain.config import EvaluationPlan
from rlviz.domain.presets import Preset, PresetId
from rlviz.learning.presets.catalog import preset_files

PAID_FOR = ("a2c", "trpo", "dqn", "qrdqn")
"""Algorithms that fall back: their presets evaluate whatever it costs, as their figures do."""


def presets() -> Iterator[tuple[str, Preset]]:
    for file in preset_files():
        for preset in file.preset:
            if file.environment is not None:
                yield file.environment, preset


def share(env_id: str, preset: Preset, plan: EvaluationPlan) -> float | None:
    """Return the cost of evaluating by ``plan``: measured in a whole training, or else its upper bound."""
    trained = known_costs()["trained"].get(name_of(env_id, preset))
    return trained if trained is not None else bound(env_id, preset, plan)


def test_no_default_evaluation_costs_more_than_five_percent() -> None:
    for env_id, preset in presets():
        plan = preset.evaluation
        if plan is None or preset.algorithm in PAID_FOR or plan.stop_after is not None or "MountainCar" in env_id:
            continue  # those of MountainCar were measured with their evaluations, and need them to keep a policy
        found = share(env_id, preset, plan)
        assert found is not None, name_of(env_id, preset)
        assert found <= MOST_SHARE, f"{name_of(env_id, preset)}: {found}"


def test_only_tabular_and_endless_presets_make_no_evaluations() -> None:
    for env_id, preset in presets():
        if preset.evaluation is not None or preset.algorithm == "q-learning":
            continue
        evaluations, episodes = PLANS[-1]
        sparse = EvaluationPlan(every_steps=preset.total_timesteps // evaluations, episodes=episodes)
        costs = bound(env_id, preset, sparse)
        assert env_id.startswith("ALE/"), name_of(env_id, preset)
        assert preset.id is not PresetId.FAST or costs is None or costs > MOST_SHARE, name_of(env_id, preset)


def test_all_presets_of_an_algorithm_keep_the_same_kind_of_policy() -> None:
    kept: dict[tuple[str, str, str], set[bool]] = {}
    for env_id, preset in presets():
        place = (env_id, str(preset.when), preset.algorithm)
        kept.setdefault(place, set()).add(preset.evaluation is not None)
    assert [place for place, found in kept.items() if len(found) > 1] == []
