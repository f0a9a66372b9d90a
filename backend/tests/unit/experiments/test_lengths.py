"""Training lengths of the trials of an experiment."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.experiments import ExperimentSpec, RunSpec, iterate_combinations
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.server.experiments.lengths import common_end, end_of, searched_rollouts
from rlviz.server.experiments.models import ExperimentEstimate
from rlviz.server.experiments.service import SpecificationCheck
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.cases import cases


class Runs:
    """Resolves configurations as the service does, without a catalogue."""

    def resolve(self, wishes: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        given = {name: getattr(wishes, name) for name in RunSpec.model_fields}
        return resolve_config(NewRun(**given, seed=seed), 0.0)


CHECK = SpecificationCheck(Runs(), lambda _algo, _env: None)  # type: ignore[arg-type]


def estimated(**given: Any) -> ExperimentEstimate:
    return CHECK.estimate(ExperimentSpec.model_validate(given))


def trials_of(spec: ExperimentSpec) -> list[int | None]:
    """Return the step at which each combination of a search or a grid ends."""
    resolved = CHECK.resolved(spec)
    if spec.sweep is None:
        return [end_of(one) for one in resolved.values()]
    base = resolved["base"]
    return [
        end_of(base.model_copy(update={"hyperparameters": {**base.hyperparameters, **values}}))
        for values in iterate_combinations(spec.sweep.space)
    ]


STEPS = {"n_steps": {"kind": "choice", "choices": [512, 1_024, 2_048]}}
"""What PPO suggests; its Fast preset on CartPole has eight environments."""


def test_a_search_with_differing_rollouts_trains_every_trial_equally_long_as_promised() -> None:
    given: Any = {"base": {"preset": "fast", "total_timesteps": 4_000}, "sweep": {"space": STEPS, "trials": 3}}
    assert trials_of(ExperimentSpec.model_validate(given)) == [16_384] * 3
    found = estimated(**given)
    assert (found.trials, found.least_timesteps, found.total_timesteps) == (3, 3 * 16_384, 3 * 16_384)
    assert found.length_note is not None
    assert found.length_note.startswith("Each trial trains for 16,384 steps, not 4,000: ")


@cases("algo", ["ppo", "a2c", "dqn", "qrdqn", "trpo"])
@cases("steps", [4_000, 50_000, None])
def test_every_trial_of_a_suggested_search_space_has_the_same_length(algo: str, steps: int | None) -> None:
    space = {
        name: suggested.parameter.model_dump(mode="json")
        for name, suggested in ALGORITHMS.get(algo).search.items()
        if name in ALGORITHMS.get(algo).hyperparameters.rollout_factors
    }
    space["gamma"] = {"kind": "choice", "choices": [0.9, 0.99]}
    given: Any = {"base": {"algo": algo, "total_timesteps": steps}, "sweep": {"space": space, "trials": 100}}
    ends = trials_of(ExperimentSpec.model_validate(given))
    assert len(set(ends)) == 1
    assert estimated(**given).total_timesteps == sum(end or 0 for end in ends)


def test_a_grid_over_rollouts_has_the_same_length_for_each_combination() -> None:
    spec = ExperimentSpec.model_validate(
        {
            "base": {"preset": "fast", "total_timesteps": 20_000},
            "grid": {"n_steps": [512, 2_048], "gamma": [0.9, 0.99]},
            "seeds": 2,
        }
    )
    assert trials_of(spec) == [16_384] * 4
    found = CHECK.estimate(spec)
    assert (found.trials, found.total_timesteps) == (8, 8 * 16_384)


def test_trials_without_a_common_step_are_promised_as_a_range() -> None:
    space = {"n_steps": {"kind": "choice", "choices": [500, 700, 1_100]}}
    given: Any = {"base": {"preset": "fast", "total_timesteps": 6_000}, "sweep": {"space": space, "trials": 3}}
    ends = trials_of(ExperimentSpec.model_validate(given))
    found = estimated(**given)
    assert len(set(ends)) > 1
    assert found.least_timesteps <= sum(end or 0 for end in ends) <= found.total_timesteps
    assert found.length_note is not None
    assert found.length_note.startswith("Trials train for 8,000 to 11,200 steps: ")


def test_a_range_of_many_rollouts_is_promised_as_a_range_too() -> None:
    space = {"n_steps": {"kind": "int", "low": 16, "high": 2_048}}
    found = estimated(base={"preset": "fast", "total_timesteps": 6_000}, sweep={"space": space, "trials": 2})
    assert (found.least_timesteps, found.total_timesteps) == (12_000, 2 * (6_000 + 8 * 2_048 - 1))


def test_variants_are_promised_with_their_last_rollout() -> None:
    variants = [{"name": "a"}, {"name": "b", "changes": {"algo": "dqn"}}]
    found = estimated(base={"preset": "fast"}, variants=variants, seeds=2)
    assert found.length_note is None
    assert found.total_timesteps == found.least_timesteps == 2 * (100_352 + 50_176)


@cases(
    ("wanted", "rollouts", "end"),
    [
        (4_000, [4_096], None),  # one size: rounded up as in any run
        (4_096, [256, 512], None),  # they end there anyway
        (4_000, [4_096, 8_192, 16_384], 16_384),
        (50_000, [4_096, 8_192, 16_384], 49_152),
        (100, [500, 700, 1_100], None),  # the first they share is at 38,500
        (9_999_999, [4_096, 16_384], 9_994_240),
        (None, [4_096, 8_192], None),
        (4_000, None, None),
    ],
)
def test_the_common_end_is_the_nearest_multiple_of_all_rollouts(
    wanted: int | None, rollouts: list[int] | None, end: int | None
) -> None:
    assert common_end(wanted, rollouts) == end


def test_a_condition_keeps_the_base_value_among_the_rollouts() -> None:
    base = RunSpec(algo="ppo", hyperparameters={"n_steps": 64, "n_envs": 2})
    spec = ExperimentSpec.model_validate(
        {
            "sweep": {
                "space": {
                    "activation": {"kind": "choice", "choices": ["tanh", "relu"]},
                    "n_steps": {"kind": "choice", "choices": [128], "when": {"activation": ["relu"]}},
                }
            }
        }
    )
    assert spec.sweep is not None
    assert searched_rollouts(base, spec.sweep.space) == [128, 256]


@pytest.mark.parametrize(
    ("preset", "steps", "said"),
    [
        (
            "fast",
            16_384,
            "one round of updates, with a learning rate of 0, so it learns nothing. Train for at least 81,920",
        ),
        ("stable", 16_384, "2 rounds of updates, too few to learn much. Train for at least 40,960 steps"),
        ("fast", 98_304, None),
    ],
)
def test_trials_that_are_too_short_to_learn_are_named(preset: str, steps: int, said: str | None) -> None:
    base = {"preset": preset, "total_timesteps": steps}
    note = estimated(base=base, sweep={"space": STEPS, "trials": 3}).length_note
    assert (said in note) if said is not None and note is not None else note is said


def test_an_algorithm_with_a_replay_buffer_is_not_warned_about_few_updates() -> None:
    variants = [{"name": "one", "changes": {"algo": "dqn"}}]
    assert estimated(base={"total_timesteps": 1_280}, variants=variants).length_note is None
