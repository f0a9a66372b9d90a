"""Health, settings, and runs that are created, listed and labelled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from rlviz import __version__
from rlviz.domain.config import RunConfig
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.settings import Settings
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import journal
from tests.support.service_process import Service

ENDED = "ended-run"


def is_rfc3339_utc(text: str) -> bool:
    return text.endswith("Z") and datetime.fromisoformat(text).utcoffset() is not None


def test_health_shows_what_runs_where(service: Service) -> None:
    health = service.get("/health")
    assert health["status"] == "ok"
    assert health["version"] == __version__
    assert health["launcher"] == "process"
    assert health["max_concurrent_runs"] == 1
    assert health["free_disk_bytes"] > 0
    assert health["active_runs"] == health["queued_runs"] == 0
    assert set(health["storage"]) == {environment["family"] for environment in service.get("/environments")} | {"own"}
    assert health["storage"]["toy-text"]["detail"] == "standard"
    assert health["storage"]["toy-text"]["max_bytes"] == 200_000_000


def test_settings_are_returned_with_their_source_and_without_secrets(service: Service) -> None:
    found = {setting["name"]: setting for setting in service.get("/settings")}
    assert found.keys() == Settings.model_fields.keys()
    assert found["max_concurrent_runs"]["value"] == 1
    assert found["max_concurrent_runs"]["variable"] == "RLVIZ_MAX_CONCURRENT_RUNS"
    assert (found["trash_days"]["value"], found["trash_days"]["source"]) == (7.0, "default")
    assert (found["min_free_disk"]["value"], found["min_free_disk"]["unit"]) == (500_000_000, "bytes")
    assert all(setting["description"] for setting in found.values())


def test_a_setting_is_changed_unless_a_variable_sets_it(service: Service) -> None:
    changed = service.api("PATCH", "/settings", json={"max_sessions": 5}).json()
    [sessions] = [one for one in changed if one["name"] == "max_sessions"]
    assert (sessions["value"], sessions["source"], sessions["change"]["saved"]) == (5, "settings page", 5)
    assert service.get("/health")["max_sessions"] == 5
    assert_problem(service.api("PATCH", "/settings", json={"max_concurrent_runs": 2}), 409)
    assert_problem(service.api("PATCH", "/settings", json={"webhook_url": "http://a.example"}), 422, "/webhook_url")
    service.api("PATCH", "/settings", json={"max_sessions": None})
    assert service.get("/health")["max_sessions"] == 2


def test_algorithms_are_listed_with_bounds_default_and_help_for_every_hyperparameter(service: Service) -> None:
    found = {algorithm["id"]: algorithm for algorithm in service.get("/algorithms")}
    assert found.keys() == {*ALGORITHMS.names(), "random"}
    assert (found["random"]["actor"], found["random"]["presets"]) == ("random", [])
    for algorithm in ALGORITHMS:
        fields = {item["name"]: item for item in found[algorithm.id]["hyperparameters"]}
        assert fields.keys() == algorithm.hyperparameters.model_fields.keys()
        for item in fields.values():
            assert item["help"]
            if item["type"] in ("integer", "number"):
                assert item["minimum"] is not None or item["exclusive_minimum"] is not None
                assert item["maximum"] is not None or item["exclusive_maximum"] is not None
            elif item["type"] == "string":
                assert item["choices"]
        assert {preset["id"] for preset in found[algorithm.id]["presets"]} == {"fast", "stable", "high-score"}


def test_an_algorithm_suffices_to_create_a_run(service: Service) -> None:
    answer = service.api("POST", "/runs", json={"algo": "ppo"})
    assert answer.status_code == 201
    run = answer.json()
    assert (run["env_id"], run["preset"], run["status"]) == ("CartPole-v1", "fast", "created")
    assert run["name"] == "PPO on CartPole"
    assert run["id"].startswith("ppo-cartpole-")
    assert is_rfc3339_utc(run["created_at"])
    assert run["started_at"] is run["ended_at"] is run["latest_evaluation"] is None
    config = service.folder(run["id"]).read_config()
    assert config == RunConfig.model_validate(run["config"])
    assert config.seed == run["seed"]
    assert config.versions.keys() >= {"rlviz", "python", "stable-baselines3", "gymnasium", "torch"}


def test_requested_values_override_the_preset_which_overrides_the_defaults(service: Service) -> None:
    run = service.create(preset="fast", total_timesteps=777, name=" Mine ", hyperparameters={"gamma": 0.5})
    values = run["config"]["hyperparameters"]
    assert (run["total_timesteps"], run["name"]) == (777, "Mine")
    assert values["gamma"] == 0.5
    assert values["n_envs"] == 8
    assert values["vf_coef"] == 0.5


def test_without_a_preset_the_defaults_apply_and_timesteps_are_required(service: Service) -> None:
    run = service.create(preset=None, total_timesteps=5_000)
    assert run["config"]["hyperparameters"] == ALGORITHMS.get("ppo").validate({}, 5_000).model_dump(mode="json")
    problem = service.api("POST", "/runs", json={"algo": "ppo", "preset": None})
    assert_problem(problem, 422, "/total_timesteps")


def test_a_run_created_with_start_trains_to_its_end(service: Service) -> None:
    run = service.create(total_timesteps=300, start=True)
    assert run["status"] in ("queued", "starting")
    done = service.wait_for_status(run["id"], "completed", "failed")
    assert done["status"] == "completed", done["cause"]
    assert done["step"] >= 300
    assert done["policy_step"] == done["step"]
    assert done["episodes"] > 0
    assert done["ep_rew_mean"] > 0
    assert all(is_rfc3339_utc(done[name]) for name in ("queued_at", "started_at", "ended_at"))
    again = service.api("POST", f"/runs/{run['id']}/stop")
    assert again.status_code == 202, "A stop that comes too late changes nothing"
    assert again.json()["status"] == "completed"


def test_a_run_beyond_the_limit_waits_and_shows_its_position(service: Service) -> None:
    first = service.create(total_timesteps=10_000_000, start=True)
    service.wait_for_status(first["id"], "running")
    second, third = (service.create(start=True) for _ in range(2))
    assert [service.get(f"/runs/{run['id']}")["queue_position"] for run in (second, third)] == [1, 2]
    health = service.get("/health")
    assert (health["active_runs"], health["queued_runs"]) == (1, 2)
    assert "'queued'" in assert_problem(service.api("POST", f"/runs/{second['id']}/start"), 409)["detail"]
    assert_problem(service.api("DELETE", f"/runs/{second['id']}"), 409)
    for run in (third, second, first):
        service.api("POST", f"/runs/{run['id']}/stop")
    for run in (third, second, first):
        service.wait_for_status(run["id"], "stopped")


@pytest.fixture(scope="module")
def listed(service: Service) -> list[str]:
    """Five runs of this module, oldest first."""
    wishes: list[dict[str, Any]] = [
        {"name": "zebra", "algo": "ppo"},
        {"name": "Alpaca", "algo": "dqn"},
        {"name": "mole", "algo": "ppo", "env_id": "Acrobot-v1"},
        {"name": "100% bear_1", "algo": "dqn", "env_id": "Acrobot-v1"},
        {"name": "mule", "algo": "ppo"},
    ]
    ids = [service.create(**wish)["id"] for wish in wishes]
    for run_id in ids:
        service.api("PATCH", f"/runs/{run_id}", json={"tags": ["menagerie"]})
    return ids


def names(service: Service, **query: Any) -> list[str]:
    return [run["name"] for run in service.get("/runs", params={"q": "menagerie", **query})["runs"]]


def test_runs_are_listed_newest_first(service: Service, listed: list[str]) -> None:
    page = service.get("/runs", params={"q": "menagerie"})
    assert [run["id"] for run in page["runs"]] == listed[::-1]
    assert page["total"] == 5
    assert page["next_cursor"] is None
    assert "config" not in page["runs"][0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"algo": "dqn"}, {"Alpaca", "100% bear_1"}),
        ({"env_id": "Acrobot-v1"}, {"mole", "100% bear_1"}),
        ({"algo": "dqn", "env_id": "CartPole-v1"}, {"Alpaca"}),
        ({"status": "created"}, {"zebra", "Alpaca", "mole", "100% bear_1", "mule"}),
        ({"status": ["running", "failed"]}, set()),
        ({"algo": "nothing"}, set()),
    ],
)
def test_filters_narrow_the_list(
    service: Service, listed: list[str], query: dict[str, Any], expected: set[str]
) -> None:
    assert set(names(service, **query)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("ALPACA", {"Alpaca"}), ("100%", {"100% bear_1"}), ("r_1", {"100% bear_1"}), ("m_l", set()), ("'; --", set())],
)
def test_the_search_treats_special_characters_literally(
    service: Service, listed: list[str], text: str, expected: set[str]
) -> None:
    found = service.get("/runs", params={"q": text})["runs"]
    assert {run["name"] for run in found if run["id"] in listed} == expected


def test_notes_and_tags_and_ids_are_searched_too(service: Service, listed: list[str]) -> None:
    service.api("PATCH", f"/runs/{listed[2]}", json={"notes": "digs a lot"})
    for text in ("DIGS", listed[2]):
        assert [run["id"] for run in service.get("/runs", params={"q": text})["runs"]] == [listed[2]]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("created_at", ["zebra", "Alpaca", "mole", "100% bear_1", "mule"]),
        ("name", ["100% bear_1", "Alpaca", "mole", "mule", "zebra"]),
        ("-name", ["zebra", "mule", "mole", "Alpaca", "100% bear_1"]),
    ],
)
def test_the_list_is_sorted_as_requested_and_pages_join_without_gaps(
    service: Service, listed: list[str], sort: str, expected: list[str]
) -> None:
    assert names(service, sort=sort) == expected
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = service.get("/runs", params={"q": "menagerie", "sort": sort, "limit": 2, **cursor})
        assert page["total"] == 5
        found += [run["name"] for run in page["runs"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == expected


def test_sorted_by_reward_the_best_run_is_first_and_unknown_ones_are_last(service: Service, listed: list[str]) -> None:
    rewards = [
        run["ep_rew_mean"] for run in service.get("/runs", params={"sort": "-ep_rew_mean", "limit": 500})["runs"]
    ]
    known = [reward for reward in rewards if reward is not None]
    assert known
    assert rewards == sorted(known, reverse=True) + [None] * (len(rewards) - len(known))


def test_a_run_created_between_two_requests_does_not_shift_the_next_page(service: Service, listed: list[str]) -> None:
    first = service.get("/runs", params={"q": "menagerie", "limit": 2})
    late = service.create(name="menagerie keeper")
    second = service.get("/runs", params={"q": "menagerie", "limit": 5, "cursor": first["next_cursor"]})
    assert [run["id"] for run in first["runs"] + second["runs"]] == listed[::-1]
    service.api("DELETE", f"/runs/{late['id']}")


def test_labels_change_one_by_one_and_are_stored_in_the_folder(service: Service) -> None:
    run = service.create(name="Before")
    service.api("PATCH", f"/runs/{run['id']}", json={"tags": ["a", "b"]})
    answer = service.api("PATCH", f"/runs/{run['id']}", json={"name": "After ✓", "notes": "line\nline"})
    assert answer.status_code == 200
    for shown in (answer.json(), service.get(f"/runs/{run['id']}")):
        assert (shown["name"], shown["tags"], shown["notes"]) == ("After ✓", ["a", "b"], "line\nline")
    labels = service.folder(run["id"]).read_labels()
    assert (labels.name, labels.tags, labels.notes) == ("After ✓", ["a", "b"], "line\nline")
    assert service.get(f"/runs/{run['id']}/config")["name"] == "Before", "The configuration never changes"
    nothing = service.api("PATCH", f"/runs/{run['id']}", json={})
    assert nothing.json()["name"] == "After ✓"


def test_a_run_gets_hints_from_its_curves(service: Service) -> None:
    run = service.create(total_timesteps=10_000, preset=None, hyperparameters={"n_steps": 64})
    folder = service.folder(run["id"])
    silent = service.get(f"/runs/{run['id']}/hints")
    assert (silent["run_id"], silent["hints"]) == (run["id"], [])
    assert {rule["state"] for rule in silent["rules"]} == {"not_logged"}
    with journal(folder.metrics_path) as metrics:
        for step in range(100, 9_000, 100):
            metrics.append({"step": step, "values": {"episode/reward": 20.0 + step % 7, "train/approx_kl": 0.01}})
            metrics.append({"step": step, "values": {"eval/mean_reward": 21.0}})
    [hint] = service.get(f"/runs/{run['id']}/hints")["hints"]
    assert (hint["id"], hint["metric"], hint["to_step"]) == ("reward-flat", "episode/reward", 8_900)
    assert hint["looked_at"]["points"] == 89
    states = {rule["id"]: rule["state"] for rule in service.get(f"/runs/{run['id']}/hints")["rules"]}
    assert (states["reward-flat"], states["too-few-timesteps"]) == ("found", "waiting")


def test_events_are_described_in_sentences(service: Service) -> None:
    log = service.get(f"/runs/{ENDED}/events")
    assert [(event["kind"], event["level"], event["step"]) for event in log["events"]] == [
        ("started", "info", 0),
        ("finished", "info", 100),
    ]
    assert log["events"][1]["message"] == "Training finished after 100 steps."
    assert log["broken_lines"] == 0
