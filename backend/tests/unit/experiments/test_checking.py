"""Errors and cost estimates that the service reports for a specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest
from rlviz.domain.experiments import ExperimentSpec, RunSpec
from rlviz.domain.presets import OwnPreset
from rlviz.server.experiments.service import SpecificationCheck
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.cases import cases
from tests.support.training import CREATED_AT


class Runs:
    """Resolves configurations as the service does, without a catalogue. ``own``: the user's presets."""

    def __init__(self, own: Sequence[OwnPreset] = ()) -> None:
        self._own = own

    def resolve(self, wishes: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        given = {name: getattr(wishes, name) for name in RunSpec.model_fields}
        limits = {"memory_limit": 8 * 10**9, "memory_per_worker": memory}
        return resolve_config(NewRun(**given, seed=seed), 0.0, own_presets=self._own, **limits)


def resolved(pace: float | None = None, **given: Any) -> dict[str, RunSpec]:
    check = SpecificationCheck(Runs(), lambda _algo, _env: pace)  # type: ignore[arg-type]
    return check.resolved(ExperimentSpec.model_validate(given))


def refused(pace: float | None = None, **given: Any) -> FieldError:
    with pytest.raises(InvalidRequest) as caught:
        resolved(pace, **given)
    (field,) = caught.value.fields
    return field


ONE = [{"name": "a"}]


PENDULUM = {"env_id": "Pendulum-v1"}


def change(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "a"}, {"name": "b", "changes": changes}]


@cases(
    ("given", "pointer"),
    [
        ({"grid": {"gamma": [0.9, 5]}}, "/grid/gamma/1"),
        ({"grid": {"gamma": [0.9], "net_arch": [[8], [8, 0]]}}, "/grid/net_arch/1/1"),
        ({"grid": {"gama": [0.9]}}, "/grid/gama"),
        ({"base": {"hyperparameters": {"gama": 0.9}}, "grid": {"gamma": [0.9]}}, "/base/hyperparameters/gama"),
        ({"base": {"hyperparameters": {"gamma": 5}}, "variants": ONE}, "/base/hyperparameters/gamma"),
        ({"base": {"hyperparameters": {"gamma": 5}}, "variants": change(hyperparameters={"n_epochs": 3})},
         "/base/hyperparameters/gamma"),
        ({"variants": change(hyperparameters={"gamma": 5})}, "/variants/1/changes/hyperparameters/gamma"),
        ({"variants": change(hyperparameters={"gama": 1})}, "/variants/1/changes/hyperparameters/gama"),
        ({"base": PENDULUM, "variants": change(reward={"caps": {"sped": 1}})}, "/variants/1/changes/reward/caps/sped"),
        ({"variants": change(algo="sac")}, "/variants/1/changes/algo"),
        ({"base": {"algo": "dqn"}, "variants": change(env_id="Pendulum-v1")}, "/variants/1/changes/env_id"),
        ({"base": {"algo": "dqn", **PENDULUM}, "variants": ONE}, "/base/algo"),
        ({"base": {"env_id": "Nope"}, "variants": ONE}, "/base/env_id"),
        ({"variants": change(preset="quick")}, "/variants/1/changes/preset"),
        ({"base": {"preset": "quick"}, "grid": {"gamma": [0.9]}}, "/base/preset"),
        ({"variants": change(preset="none")}, "/variants/1/changes/preset"),
        ({"variants": change(env_id="FrozenLake-v1", algo="q-learning", env_options={"size": 3})},
         "/variants/1/changes/env_options/size"),
        ({"base": {"total_timesteps": 10**12}, "variants": change(preset="fast")}, "/base/total_timesteps"),
        ({"base": {"total_timesteps": 10**4}, "variants": change(total_timesteps=1)},
         "/variants/1/changes/total_timesteps"),
        ({"base": {"evaluation": {"stop_after": 3}}, "variants": ONE}, "/base/evaluation/stop_after"),
        ({"base": {"hyperparameters": {"gamma": 5}}, "sweep": {"space": {"gamma": {"kind": "float", "low": 0.9,
          "high": 0.99}}}}, "/base/hyperparameters/gamma"),
    ],
)  # fmt: skip
def test_a_pointer_names_the_cause(given: dict[str, Any], pointer: str) -> None:
    assert refused(**given).pointer == pointer


def test_an_error_of_a_combination_names_the_combination() -> None:
    field = refused(grid={"n_steps": [256, 7], "n_envs": [1]}, seeds=1)
    assert field.pointer == "/grid"
    assert "n_steps 7, n_envs 1: " in field.detail


def test_a_refusal_names_fields_and_not_pointers_into_an_internal_request() -> None:
    with pytest.raises(InvalidRequest, match=r"^total_timesteps: "):
        resolved(base={"total_timesteps": 10**12}, variants=ONE)


def test_buffers_beyond_the_memory_are_reported_with_the_variant_that_has_them() -> None:
    field = refused(memory_per_worker=10**6, variants=[{"name": "b", "changes": {"algo": "dqn"}}])
    assert field.pointer == "/memory_per_worker"
    assert field.detail.startswith("b: buffer_size ")
    assert "memory_per_worker allows 1 MB. Raise it, or use at most " in field.detail


HUNDRED = [round(0.9 + 0.0009 * place, 5) for place in range(100)]


def test_a_confirmation_request_separates_the_cost_from_the_instruction() -> None:
    with pytest.raises(InvalidRequest, match=r"Send `confirm: true` to start it\.$") as caught:
        resolved(grid={"gamma": HUNDRED[:11]}, seeds=100)
    (field,) = caught.value.fields
    assert str(caught.value).startswith(field.detail)
    assert field.detail.endswith("steps in total.")


def test_an_astronomically_large_grid_is_refused_immediately() -> None:
    field = refused(grid=dict.fromkeys(("gamma", "gae_lambda", "ent_coef", "vf_coef", "max_grad_norm"), HUNDRED))
    assert "trials are too many" in field.detail
    assert "core-hours" not in field.detail, "nothing was trained from which that could be said"


def test_a_search_of_a_small_grid_needs_no_confirmation_for_impossible_trials() -> None:
    space = {"gamma": {"kind": "choice", "choices": [0.9, 0.99]}}
    sweep = {"space": space, "sampler": "grid", "trials": 1_000, "seeds_per_trial": 5}
    assert resolved(sweep=sweep)
    assert resolved(sweep={**sweep, "sampler": "random"}), "it has two combinations with any sampler"
    wide = {"gamma": {"kind": "float", "low": 0.9, "high": 0.99}}
    asked = refused(sweep={**sweep, "space": wide, "sampler": "random"})
    assert asked.detail.startswith("This would train 5,000 runs, ")


def test_a_limit_below_the_shortest_trial_is_refused() -> None:
    long = change(total_timesteps=50_000)
    base = {"total_timesteps": 10_000}
    # 40 rollouts of 256 steps
    assert "10,240 steps" in refused(base=base, variants=long, limits={"steps": 10_239}).detail
    assert resolved(base=base, variants=long, limits={"steps": 10_240})


def test_presets_are_resolved_and_a_search_has_its_base() -> None:
    found = resolved(base={"algo": "a2c"}, variants=change(hyperparameters={"gamma": 0.5}))
    assert set(found) == {"v0", "v1"}
    assert found["v1"].hyperparameters["gamma"] == 0.5
    assert (found["v0"].preset, found["v0"].total_timesteps) == ("fast", 100_000)
    assert found["v0"].hyperparameters["n_envs"] == 8
    assert found["v0"].evaluation is not None
    assert found["v0"].evaluation.every_steps == 4_000
    space = {"gamma": {"kind": "float", "low": 0.9, "high": 0.99}}
    assert set(resolved(sweep={"space": space})) == {"base"}


EVERYTHING: dict[str, Any] = {
    "algo": "a2c",
    "env_id": "GameBoy/Lamplighter-v0",
    "preset": "stable",
    "total_timesteps": 12_345,
    "env_options": {"latched": True},
    "hyperparameters": {"gamma": 0.97},
    "evaluation": {"every_steps": 4_321, "episodes": 3, "stop_after": None},
    "snapshots": {"every_seconds": None, "every_steps": 5_000, "keep": 2},
    "exploration": {"map": True, "coverage": 0.2, "novelty": 0.5},
    "reward": {"weights": {"rooms": 0.5}, "caps": {"hearts": 1.0}},
    "rules": [],
}


def test_a_trial_trains_everything_that_was_requested() -> None:
    assert EVERYTHING.keys() == RunSpec.model_fields.keys()
    asked = RunSpec.model_validate(EVERYTHING)
    (found,) = resolved(base=EVERYTHING, variants=ONE).values()
    for name in EVERYTHING:
        wanted, got = getattr(asked, name), getattr(found, name)
        if name == "hyperparameters":
            assert got["gamma"] == wanted["gamma"]
        elif name == "snapshots":
            assert (got.every_seconds, got.every_steps, got.keep) == (None, 5_000, 2)
        elif name == "env_options":
            assert got["latched"] is True
        else:
            assert got == wanted, name


def test_a_variant_explores_as_its_preset_unless_the_specification_says_how() -> None:
    explored = resolved(
        base={"algo": "ppo", "env_id": "GameBoy/Lamplighter-v0", "preset": "fast"},
        variants=[
            {"name": "preset"},
            {"name": "own", "changes": {"exploration": {"novelty": 0.5}}},
            {"name": "none", "changes": {"exploration": {}}},
            {"name": "other preset", "changes": {"algo": "dqn"}},
        ],
    )
    texts = [str(one.exploration) for one in explored.values()]
    assert texts == ["coverage 0.3, archive 0.5", "novelty 0.5", "None", "None"]


def test_a_conflict_with_the_exploration_of_a_preset_names_the_preset() -> None:
    own = OwnPreset.model_validate(
        {
            **{"id": "own-imitator", "title": "Imitator", "algorithm": "ppo", "environment": "CartPole-v1"},
            **{"summary": "-", "tradeoff": "-", "source": "-", "created_at": CREATED_AT},
            **{"total_timesteps": 10_000, "exploration": {"imitation": 5}},
        }
    )
    check = SpecificationCheck(Runs([own]), lambda _algo, _env: None)  # type: ignore[arg-type]
    spec = {"base": {"preset": own.id}, "variants": change(hyperparameters={"normalize_observations": True})}
    with pytest.raises(InvalidRequest, match="Leave imitation out") as caught:
        check.resolved(ExperimentSpec.model_validate(spec))
    assert caught.value.fields[0].pointer == "/base/preset"


def test_each_switch_of_exploration_is_trained_and_counted_with_its_time() -> None:
    plans: dict[str, dict[str, Any]] = {
        "coverage": {"coverage": 0.1},
        "archive": {"archive": 0.3},
        "novelty": {"novelty": 0.5},
        "together": {"coverage": 0.1, "archive": 0.3, "novelty": 0.5},
        "without": {},
    }
    given = {
        "base": {"algo": "dqn", "env_id": "MountainCar-v0", "total_timesteps": 20_000},
        "variants": [{"name": name, "changes": {"exploration": plan}} for name, plan in plans.items()],
        "seeds": 5,
    }
    explored = [one.exploration for one in resolved(**given).values()]
    assert [plan is not None and plan.is_on for plan in explored] == [True, True, True, True, False]
    check = SpecificationCheck(Runs(), lambda _algo, _env: 1_000.0)  # type: ignore[arg-type]
    estimate = check.estimate(ExperimentSpec.model_validate(given))
    assert (estimate.trials, estimate.total_timesteps, estimate.core_seconds) == (25, 500_000, 500.0)


def test_variants_of_an_environment_choose_actions_alike_in_evaluations() -> None:
    lamplighter = {"env_id": "GameBoy/Lamplighter-v0", "preset": "fast"}
    plan = {"every_steps": 5_000}
    changes = [{"preset": "none", "total_timesteps": 10_000}, {"env_id": "CartPole-v1"}]
    variants = [{"name": "fast"}, *({"name": f"other {place}", "changes": one} for place, one in enumerate(changes))]
    found = resolved(base={**lamplighter, "evaluation": plan}, variants=variants)
    plans = [one.evaluation for one in found.values()]
    assert [plan is not None and plan.is_greedy for plan in plans] == [False, False, True]
    greedy = resolved(base={**lamplighter, "evaluation": {**plan, "deterministic": True}}, variants=variants)
    assert all(one.evaluation is not None and one.evaluation.is_greedy for one in greedy.values())


@pytest.mark.parametrize("deterministic", [None, True, False])
def test_a_stored_specification_chooses_actions_as_it_did_at_first(deterministic: bool | None) -> None:
    plan = {"every_steps": 5_000} | ({} if deterministic is None else {"deterministic": deterministic})
    base = {"env_id": "GameBoy/Lamplighter-v0", "preset": "fast", "evaluation": plan}
    spec = ExperimentSpec.model_validate({"base": base, "variants": ONE})
    again = spec.model_copy(update={"base": RunSpec.model_validate_json(spec.base.model_dump_json())})
    check = SpecificationCheck(Runs(), lambda _algo, _env: None)  # type: ignore[arg-type]
    for one in (spec, again):
        (run_spec,) = check.resolved(one).values()
        assert run_spec.evaluation is not None
        assert run_spec.evaluation.is_greedy is (deterministic is True)
