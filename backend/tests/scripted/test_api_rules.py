"""The endpoints of rules and hyperparameter changes, with a service and workers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.cases import cases
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service
from tests.support.training import QUICK
from tests.support.waiting import eventually

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
def test_a_rule_that_does_not_apply_is_refused_with_a_hint(
    service: Service, wrong: dict[str, Any], pointer: str, hint: str
) -> None:
    problem = assert_problem(service.api("POST", "/runs", json=wishes(rules=[wrong])), 422, pointer)
    assert hint in problem["errors"][0]["detail"]


ANY = {"kind": "not_finite"}
NOTIFY = {"kind": "notify"}
LOSS = {"kind": "metric", "metric": "train/loss", "value": 1}


@cases(
    ("wrong", "pointer"),
    [
        ("halve", "/rules/0"),
        ({"when": ANY}, "/rules/0/do"),
        ({"when": ANY, "do": []}, "/rules/0/do"),
        ({"when": ANY, "do": [NOTIFY] * 6}, "/rules/0/do"),
        ({"when": ANY, "do": [{"kind": "explode"}]}, "/rules/0/do/0"),
        ({"when": ANY, "do": [{}]}, "/rules/0/do/0"),
        ({"when": {"kind": "full_moon"}, "do": [NOTIFY]}, "/rules/0/when"),
        ({"when": "train/loss > 5", "do": [NOTIFY]}, "/rules/0/when"),
        ({"when": ANY, "do": [NOTIFY], "at_most": 0}, "/rules/0/at_most"),
        ({"when": ANY, "do": [NOTIFY], "at_most": 10**30}, "/rules/0/at_most"),
        ({"when": ANY, "do": [NOTIFY], "at_most": "3"}, "/rules/0/at_most"),
        ({"when": ANY, "do": [NOTIFY], "unless": ANY}, "/rules/0/unless"),
        ({"when": ANY, "do": [{"kind": "pause"}, {"kind": "stop"}]}, "/rules/0"),
        ({"when": ANY, "do": [{"kind": "notify", "message": "x" * 501}]}, "/rules/0/do/0/message"),
        ({"when": ANY, "do": [{"kind": "stop", "grace_seconds": -1}]}, "/rules/0/do/0/grace_seconds"),
        ({"when": ANY, "do": [{**HALVE, "factor": 0}]}, "/rules/0/do/0/factor"),
        ({"when": ANY, "do": [{**HALVE, "knob": "gamma"}]}, "/rules/0/do/0/knob"),
        ({"when": ANY, "do": [{"kind": "evaluate"}]}, "/rules/0/do/0"),
        ({"when": ANY, "do": [{"kind": "roll_back", "to": "best"}]}, "/rules/0/do/0"),
        ({"when": {"kind": "metric", "metric": "train/loss"}, "do": [NOTIFY]}, "/rules/0/when/value"),
        ({"when": {"kind": "metric", "metric": "train/loss", "value": "high"}, "do": [NOTIFY]}, "/rules/0/when/value"),
        ({"when": {"kind": "metric", "metric": "train/loss", "value": True}, "do": [NOTIFY]}, "/rules/0/when/value"),
        ({"when": {"kind": "metric", "metric": "", "value": 1}, "do": [NOTIFY]}, "/rules/0/when/metric"),
        (
            {"when": {"kind": "metric", "metric": "train/loss", "value": 1, "rows": 0}, "do": [NOTIFY]},
            "/rules/0/when/rows",
        ),
        (
            {"when": {"kind": "metric", "metric": "eval/reward_mean", "value": 1}, "do": [NOTIFY]},
            "/rules/0/when/metric",
        ),
        ({"when": {"kind": "plateau", "metric": "train/loss", "steps": 0}, "do": [NOTIFY]}, "/rules/0/when/steps"),
        ({"when": {"kind": "fall", "metric": "train/loss", "share": 1.5}, "do": [NOTIFY]}, "/rules/0/when/share"),
        ({"when": {"kind": "seconds", "seconds": 0}, "do": [NOTIFY]}, "/rules/0/when/seconds"),
        ({"when": {"kind": "disk", "bytes": 1}, "do": [NOTIFY]}, "/rules/0/when/bytes"),
    ],
)
def test_an_invalid_rule_is_refused_at_its_mistake(service: Service, wrong: Any, pointer: str) -> None:
    assert_problem(service.api("POST", "/runs", json=wishes(rules=[wrong])), 422, pointer)
    assert_problem(service.api("PUT", "/runs/ended-run/rules", json={"rules": [wrong]}), 422, pointer)


@pytest.mark.parametrize("rules", [None, "none", {}, [rule(value=value) for value in range(21)]])
def test_anything_but_a_list_of_up_to_20_rules_is_refused(service: Service, rules: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=wishes(rules=rules)), 422, "/rules")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_rule_on_a_metric_that_is_not_numeric_is_refused(service: Service, number: str) -> None:
    body = json.dumps({"rules": [rule(value=7_777)]}).replace("7777", number)
    answer = service.api("PUT", "/runs/ended-run/rules", content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422)


def test_a_duplicate_rule_is_refused(service: Service) -> None:
    answer = service.api("PUT", "/runs/ended-run/rules", json={"rules": [rule(), rule("train/loss"), rule()]})
    problem = assert_problem(answer, 422, "/rules/2")
    assert "the same as rule 1" in problem["errors"][0]["detail"]


def test_rules_are_stored_changed_and_tried(service: Service) -> None:
    path = f"/runs/{service.create(**wishes(rules=[rule()]))['id']}"
    assert service.get(f"{path}/rules")["words"] == ["When Approximate KL is above 0.1: halve the learning rate"]
    changed = service.api("PUT", f"{path}/rules", json={"rules": [rule("train/loss")]}).json()
    assert service.get(f"{path}/rules") == changed
    assert service.get(path)["config"]["rules"][0]["when"]["metric"] == "train/approx_kl"
    disk = {"when": {"kind": "disk", "bytes": 1_000_000}, "do": [{"kind": "pause"}]}
    error = {"when": {"kind": "error"}, "do": [{"kind": "roll_back"}]}
    tried = service.api("POST", f"{path}/rules/dry-run", json={"rules": [disk, rule(), error]}).json()
    assert (tried["firings"], tried["unknown"]) == ([], [1, 3])
    assert_problem(service.api("PATCH", f"{path}/knobs", json={"changes": [HALVE]}), 409)


def test_a_running_run_is_controlled_and_a_rule_ends_it(service: Service) -> None:
    run = service.create(**wishes(total_timesteps=10_000_000, start=True))
    path = f"/runs/{run['id']}"
    service.wait_for_status(run["id"], "running")
    assert service.api("PATCH", f"{path}/knobs", json={"changes": [HALVE]}).status_code == 202

    def changed() -> Any:
        [knob] = [one for one in service.get(f"{path}/knobs")["knobs"] if one["name"] == "learning_rate"]
        return knob if knob["changed"] else None

    knob = eventually(changed, "the learning rate to be halved")
    assert knob["changed"]["after"] == pytest.approx(knob["changed"]["before"] / 2)
    assert knob["waiting"] == []
    end = rule("episode/index", {"kind": "stop"}, value=1)
    assert service.api("PUT", f"{path}/rules", json={"rules": [end]}).status_code == 200
    service.wait_for_status(run["id"], "completed")
    assert service.get(path)["ended_early"] == "When Episodes is above 1: stop."
    messages = [event["message"] for event in service.get(f"{path}/events")["events"]]
    assert any(message.startswith("Rule 1 fired.") for message in messages)
    tried = service.api("POST", f"{path}/rules/dry-run", json={"rules": [rule("episode/index", value=1)]}).json()
    assert tried["total"] == 1
