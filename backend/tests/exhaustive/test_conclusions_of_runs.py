"""Hints for runs shorter than their preset, and training budgets of a search."""

from __future__ import annotations

import json

from tests.real.test_conclusions_of_runs import app, evaluate, hints, trained
from tests.support.experiments import ended
from tests.support.service_process import Service
from tests.support.training import QUICK

__all__ = ["app"]


def test_a_run_with_part_of_a_presets_budget_is_advised_to_finish_it_evaluated_or_not(app: Service) -> None:
    """The run was created with 3,000 of the preset's 30,000 steps."""
    part = {"algo": "q-learning", "env_id": "FrozenLake-v1", "total_timesteps": 3_000, "preset": "fast"}
    run_id = trained(app, **part)
    evaluate(app, run_id, episodes=3)
    for hint, changes in hints(app, run_id):
        assert (hint, changes) == ("unfinished", [])
    (rules,) = [app.get(f"/runs/{run_id}/hints")["rules"]]
    assert "found" not in {rule["state"] for rule in rules}


def test_a_search_over_rollouts_trains_what_it_promises_with_equal_budgets_and_unique_trials(app: Service) -> None:
    base = {"algo": "ppo", "preset": None, "total_timesteps": 100, "hyperparameters": QUICK["ppo"]}
    space = {
        "n_steps": {"kind": "choice", "choices": [32, 64, 128]},
        "gamma": {"kind": "choice", "choices": [0.9, 0.99]},
    }
    specification = {
        "base": base,
        "sweep": {"space": space, "trials": 10, "sampler": "tpe"},
        "score": {"episodes": 1, "policy": "latest"},
    }
    promised = app.api("POST", "/experiments/estimate", json=specification).json()
    created = app.api("POST", "/experiments", json=specification)
    assert created.status_code == 201, created.text
    found = ended(app, created.json()["id"])
    runs = [app.get(f"/runs/{cell['run_id']}") for cell in found["cells"]]
    assert [run["step"] for run in runs] == [256] * 6, "the nearest that rollouts of 64, 128 and 256 steps share"
    assert promised["trials"] == found["trials"] == 6, "all that there are"
    assert promised["total_timesteps"] == found["total_timesteps"] == sum(run["step"] for run in runs)
    assert promised["length_note"] == found["length_note"]
    assert "256 steps, not 100" in found["length_note"]
    values = [json.dumps(one["hyperparameters"], sort_keys=True) for one in found["variants"]]
    assert len(set(values)) == len(values)
