"""Rules and knobs over HTTP, with a real service and real workers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.http import Service, assert_problem, wait_for
from tests.support.training import QUICK

HALVE = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}


def rule(metric: str = "train/approx_kl", *do: dict[str, Any], value: float = 0.1) -> dict[str, Any]:
    return {"when": {"kind": "metric", "metric": metric, "value": value}, "do": list(do) or [HALVE]}


def wishes(**more: Any) -> dict[str, Any]:
    return {"algo": "ppo", "seed": 1, "preset": None, "total_timesteps": 1_000, "hyperparameters": QUICK["ppo"], **more}


@pytest.mark.parametrize(
    ("wrong", "pointer", "hint"),
    [
        (rule("train/aprox_kl"), "/rules/0/when/metric", "Did you mean 'train/approx_kl'?"),
        (rule("rollout/exploration_rate"), "/rules/0/when/metric", "Unknown metric of PPO"),
        (rule("train/loss", {**HALVE, "knob": "exploration_rate"}), "/rules/0/do/0/knob", "of PPO 'exploration_rate'"),
        (
            rule("train/loss", {"kind": "set_knob", "knob": "learning_rate", "value": 2}),
            "/rules/0/do/0/value",
            "more than 0, at most 1",
        ),
    ],
)
def test_a_rule_that_does_not_fit_is_refused_with_a_hint(
    service: Service, wrong: dict[str, Any], pointer: str, hint: str
) -> None:
    problem = assert_problem(service.api("POST", "/runs", json=wishes(rules=[wrong])), 422, pointer)
    assert hint in problem["errors"][0]["detail"]


def test_rules_are_kept_changed_and_tried(service: Service) -> None:
    path = f"/runs/{service.create(**wishes(rules=[rule()]))['id']}"
    assert service.get(f"{path}/rules")["words"] == ["When Approximate KL is above 0.1: halve the learning rate"]
    changed = service.api("PUT", f"{path}/rules", json={"rules": [rule("train/loss")]}).json()
    assert service.get(f"{path}/rules") == changed
    assert service.get(path)["config"]["rules"][0]["when"]["metric"] == "train/approx_kl"
    assert service.api("POST", f"{path}/rules/dry-run", json={"rules": [rule()]}).json()["firings"] == []
    assert_problem(service.api("PATCH", f"{path}/knobs", json={"changes": [HALVE]}), 409)


def test_a_running_run_is_steered_and_a_rule_ends_it(service: Service) -> None:
    run = service.create(**wishes(total_timesteps=10_000_000, start=True))
    path = f"/runs/{run['id']}"
    service.wait_for_status(run["id"], "running")
    assert service.api("PATCH", f"{path}/knobs", json={"changes": [HALVE]}).status_code == 202

    def changed() -> Any:
        [knob] = [one for one in service.get(f"{path}/knobs")["knobs"] if one["name"] == "learning_rate"]
        return knob if knob["changed"] else None

    knob = wait_for(changed, "the learning rate to be halved")
    assert knob["changed"]["after"] == pytest.approx(knob["changed"]["before"] / 2)
    assert knob["waiting"] == []
    end = rule("episode/index", {"kind": "stop"}, value=1)
    assert service.api("PUT", f"{path}/rules", json={"rules": [end]}).status_code == 200
    service.wait_for_status(run["id"], "completed")
    assert service.get(path)["ended_early"] == "When Episodes is above 1: stop."
    messages = [event["message"] for event in service.get(f"{path}/events")["events"]]
    assert any(message.startswith("Rule 1 fired.") for message in messages)
    tried = service.api("POST", f"{path}/rules/dry-run", json={"rules": [rule("episode/index", value=3)]}).json()
    assert tried["total"] == 1
