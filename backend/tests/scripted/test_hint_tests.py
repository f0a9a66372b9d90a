"""Hint tests with a service: plan, runs and outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.origin import ORIGIN
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.standing import MARK
from rlviz.server.experiments.hint_tests import fork_point
from rlviz.stats.hints import Hint
from rlviz.testing.scripted import Script
from tests.support.scripted import Api, scripted_api

TOTAL = 10_000
HINT = "reward-flat"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with scripted_api(tmp_path_factory.mktemp("hints"), max_concurrent_runs=2) as api:
        yield api


def flat_run(api: Api, **wishes: Any) -> str:
    """A run whose return never rises."""
    new = {"algo": "ppo", "env_id": "CartPole-v1", "seed": 4, "total_timesteps": TOTAL, "preset": None}
    run_id: str = api.send("POST", "/runs", {**new, "hyperparameters": {"n_steps": 64}, **wishes})["id"]
    journal = JournalWriter(api.folder(run_id).metrics_path)
    for step in range(100, TOTAL - 1_000, 100):
        journal.append({"step": step, "values": {"episode/reward": 20.0 + step % 7, "train/approx_kl": 0.01}})
        journal.append({"step": step, "values": {"eval/mean_reward": 21.0}})
    journal.flush()
    journal.close()
    return run_id


def hint_of(api: Api, run_id: str) -> dict[str, Any]:
    [hint] = api.get(f"/runs/{run_id}/hints")["hints"]
    return dict(hint)


def hint_from(step: int) -> Hint:
    """A hint about the steps from ``step``."""
    return Hint(HINT, "warning", "The return never rose", "episode/reward", step, step + 1, "1.", ("wait",))


def ended(api: Api, experiment_id: str) -> dict[str, Any]:
    return dict(api.once(f"/experiments/{experiment_id}", lambda one: one["status"] in ("completed", "failed")))


def test_a_hint_test_trains_pairs_of_new_runs_and_reports_the_outcome(api: Api) -> None:
    run_id = flat_run(api)
    hint = hint_of(api, run_id)
    assert (hint["tests"], hint["record"]) == ([], None)
    name = hint["testable"][0]
    path = f"/runs/{run_id}/hints/{HINT}/test"

    plan = api.get(path)
    assert (plan["runs"], plan["seeds"], plan["fork"], plan["running"]) == (6, [5, 6, 7], None, None)
    assert plan["change"]["name"] == name
    assert plan["why_new"].startswith("The hint is about the run from the beginning on")
    assert plan["steps"] >= TOTAL
    assert plan["total_timesteps"] == 6 * plan["steps"]
    assert api.get("/experiments")["total"] == 0, "a plan starts nothing"

    experiment = api.send("POST", path, {"change": name})
    assert experiment["specification"]["tests"]["run_id"] == run_id
    found = ended(api, experiment["id"])
    assert [cell["status"] for cell in found["cells"]] == ["scored"] * 6
    configs = [api.get(f"/runs/{cell['run_id']}/config") for cell in found["cells"]]
    values = [(config["hyperparameters"][name], config["seed"]) for config in configs]
    assert values == [(value, seed) for value in (plan["before"], plan["change"]["value"]) for seed in (5, 6, 7)]
    assert len({config["total_timesteps"] for config in configs}) == 1, "equal budgets"
    assert found["hint_test"]["effect"] == "none", "all replay the same recording"

    hint = hint_of(api, run_id)
    assert hint["tests"] == [found["hint_test"]]
    assert hint["record"] == "Tested once on CartPole-v1 with PPO: no clear effect."
    assert api.get(path)["seeds"] == [8, 9, 10], "another test has other seeds"
    for cell in found["cells"]:
        assert api.ask("DELETE", f"/runs/{cell['run_id']}").is_success
    assert hint_of(api, run_id)["tests"] == [found["hint_test"]], "scores outlive the runs"
    assert api.ask("DELETE", f"/experiments/{experiment['id']}").is_success
    assert hint_of(api, run_id)["tests"] == []


def test_a_hint_test_forks_the_run_at_the_snapshot_before_the_hint(tmp_path: Path) -> None:
    plan = {"every_steps": 4_096, "every_seconds": None, "keep": 10}
    with scripted_api(tmp_path, max_concurrent_runs=2) as api:
        explores = {"map": False, "coverage": None, "novelty": 0.2}
        run_id = api.start(seed=4, total_timesteps=24_576, preset=None, snapshots=plan, exploration=explores)
        api.becomes(run_id, "completed")
        found = api.get(f"/runs/{run_id}/snapshots")["snapshots"]
        step = found[1]["step"]
        row, folder = api.application.runs.get(run_id), api.folder(run_id)
        point, why_new = fork_point(folder, row, hint_from(step + 1))
        assert point is not None
        assert (point.snapshot, point.step, why_new) == (found[1]["name"], step, None)
        assert "no snapshot" in str(fork_point(folder, row, hint_from(4_000))[1])
        assert "from the beginning on" in str(fork_point(folder, row, hint_from(10))[1])
        assert "too few of the 24,576 steps" in str(fork_point(folder, row, hint_from(24_570))[1])

        spec = {
            "base": {"preset": None, "total_timesteps": 24_576, "hyperparameters": {"learning_rate": 3e-4}},
            "grid": {"learning_rate": [3e-4, 1e-4]},
            "seeds": [5, 6, 7],
            "parallel": 6,
            "score": {"episodes": 2, "policy": "latest"},
            "fork": point.model_dump(),
            "tests": {"run_id": run_id, "hint": HINT, "title": "The return never rose"},
        }
        assert api.send("POST", "/experiments/estimate", spec)["total_timesteps"] == 6 * (24_576 - step)
        experiment = api.send("POST", "/experiments", spec)
        stored = json.loads((tmp_path / "experiments" / experiment["id"] / "experiment.json").read_bytes())
        assert stored["resolved"]["v0"]["exploration"] == explores, "it explores as the run that it forks"
        done = ended(api, experiment["id"])
        assert [cell["status"] for cell in done["cells"]] == ["scored"] * 6
        assert (done["total_timesteps"], done["hint_test"]["state"]) == (6 * (24_576 - step), "complete")
        for cell in done["cells"]:
            config = api.get(f"/runs/{cell['run_id']}/config")
            parent = config["parent"]
            assert (parent["run_id"], parent["step"], parent["environments_anew"]) == (run_id, step, True)
            assert (config["seed"], config["experiment"]["id"]) == (cell["seed"], experiment["id"])

        for wrong, pointer in (
            ({"snapshot": "none"}, "/fork"),
            ({"step": 3}, "/fork/step"),
            ({"run_id": "x"}, "/fork"),
        ):
            answer = api.ask("POST", "/experiments", json={**spec, "fork": {**spec["fork"], **wrong}})  # type: ignore[dict-item]
            assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)


def test_trials_of_a_fork_explore_and_weight_the_reward_as_the_run_whatever_the_preset_says(tmp_path: Path) -> None:
    with scripted_api(tmp_path, max_concurrent_runs=1) as api:
        lamplighter = {"algo": "ppo", "env_id": "GameBoy/Lamplighter-v0", "preset": "fast"}
        run_id = api.start(
            **lamplighter,
            total_timesteps=8_192,
            exploration={},
            reward={"weights": {"rooms": 0.5}},
            snapshots={"every_steps": 4_096, "every_seconds": None, "keep": 10},
        )
        api.becomes(run_id, "completed")
        first = api.get(f"/runs/{run_id}/snapshots")["snapshots"][0]
        spec = {
            "base": {**lamplighter, "total_timesteps": 8_192},
            "grid": {"learning_rate": [3e-4, 1e-4]},
            "seeds": [5],
            "score": {"episodes": 1, "policy": "latest"},
            "fork": {"run_id": run_id, "snapshot": first["name"], "step": first["step"]},
            "memory_per_worker": 10_000_000,  # too little for the preset's archive
        }
        experiment = api.send("POST", "/experiments", spec)
        stored = json.loads((tmp_path / "experiments" / experiment["id"] / "experiment.json").read_bytes())
        parent = api.get(f"/runs/{run_id}/config")
        for cell in ended(api, experiment["id"])["cells"]:
            config = api.get(f"/runs/{cell['run_id']}/config")
            resolved = stored["resolved"][cell["variant"]]
            for name in ("exploration", "reward"):
                assert config.get(name) == resolved.get(name) == parent.get(name), name


def test_the_memory_of_a_forks_trials_includes_what_they_inherit(tmp_path: Path) -> None:
    with scripted_api(tmp_path, max_concurrent_runs=1) as api:
        lamplighter = {"algo": "ppo", "env_id": "GameBoy/Lamplighter-v0"}
        run_id = api.start(
            **lamplighter,
            preset="fast",
            total_timesteps=8_192,
            snapshots={"every_steps": 4_096, "every_seconds": None, "keep": 10},
        )
        api.becomes(run_id, "completed")
        first = api.get(f"/runs/{run_id}/snapshots")["snapshots"][0]
        spec = {
            "base": {**lamplighter, "preset": None, "total_timesteps": 8_192},
            "grid": {"learning_rate": [3e-4, 1e-4]},
            "seeds": [5],
            "fork": {"run_id": run_id, "snapshot": first["name"], "step": first["step"]},
            "memory_per_worker": 10_000_000,
        }
        refused = api.ask("POST", "/experiments", json=spec)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == "/memory_per_worker"
        assert "archive" in refused.json()["detail"]


def test_trials_with_a_deleted_parent_fail_and_no_effect_is_reported(tmp_path: Path) -> None:
    plan = {"every_steps": 4_096, "every_seconds": None, "keep": 10}
    with scripted_api(tmp_path, max_concurrent_runs=1) as api:
        run_id = api.start(seed=4, total_timesteps=24_576, preset=None, snapshots=plan)
        api.becomes(run_id, "completed")
        first = api.get(f"/runs/{run_id}/snapshots")["snapshots"][0]
        spec = {
            "base": {"preset": None, "total_timesteps": 24_576},
            "grid": {"learning_rate": [3e-4, 1e-4]},
            "seeds": [5],
            "parallel": 1,
            "score": {"episodes": 1, "policy": "latest"},
            "fork": {"run_id": run_id, "snapshot": first["name"], "step": first["step"]},
            "tests": {"run_id": run_id, "hint": HINT, "title": "The return never rose"},
        }
        api.application.experiment_scheduler.stop_starting()
        experiment_id = api.send("POST", "/experiments", spec)["id"]
        assert api.ask("DELETE", f"/runs/{run_id}").is_success
    with scripted_api(tmp_path, max_concurrent_runs=1) as api:  # which starts the trials that the first one left
        found = ended(api, experiment_id)["hint_test"]
        assert (found["state"], found["effect"]) == ("incomplete", None)
        assert found["failed"] >= 1
        assert found["sentence"].endswith("so no effect is given.")


def test_a_running_test_is_linked_and_a_stopped_one_reports_no_effect(tmp_path: Path) -> None:
    with scripted_api(tmp_path, Script(speed=0.01), max_concurrent_runs=1) as api:
        run_id = flat_run(api)
        path = f"/runs/{run_id}/hints/{HINT}/test"
        experiment = api.send("POST", path, {})
        again = api.ask("POST", path, json={})
        assert (again.status_code, experiment["id"] in again.json()["detail"]) == (409, True)
        assert api.get(path)["running"] == experiment["id"]
        assert hint_of(api, run_id)["tests"][0]["state"] == "running"
        api.once("/runs", lambda page: sum(run["status"] == "queued" for run in page["runs"]) == 5)
        api.send("POST", f"/experiments/{experiment['id']}/stop")
        [outcome] = hint_of(api, run_id)["tests"]
        assert (outcome["state"], outcome["effect"]) == ("stopped", None)
        assert "no effect is given" in outcome["sentence"]
        assert api.get(path)["running"] is None


def test_an_untestable_hint_says_why(api: Api) -> None:
    run_id = flat_run(api)
    for path, status in (
        (f"/runs/{run_id}/hints/unstable/test", 404),
        (f"/runs/{run_id}/hints/{HINT}/test?change=gamma", 422),
        (f"/runs/none/hints/{HINT}/test", 404),
    ):
        assert api.ask("GET", path).status_code == status, path
    folder = api.folder(run_id).path
    (folder / MARK).unlink()
    assert hint_of(api, run_id)["testable"], "a run that was found here may be used on request"
    (folder / ORIGIN).write_text("{}")
    assert hint_of(api, run_id)["testable"] == []
    answer = api.ask("POST", f"/runs/{run_id}/hints/{HINT}/test", json={})
    assert (answer.status_code, "trust" in answer.json()["detail"]) == (409, True)


def test_a_change_beyond_its_bounds_cannot_be_tested(api: Api) -> None:
    run_id = flat_run(api, hyperparameters={"n_steps": 64, "ent_coef": 1.0})
    hint = hint_of(api, run_id)
    assert hint["testable"] == [change["name"] for change in hint["changes"]] == ["learning_rate"]
    assert api.ask("POST", f"/runs/{run_id}/hints/{HINT}/test", json={"change": "ent_coef"}).status_code == 422
