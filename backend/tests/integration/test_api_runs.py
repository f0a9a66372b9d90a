"""What every endpoint answers when it is asked properly."""

from __future__ import annotations

import json
import math
import time
from datetime import datetime
from typing import Any

import pytest

from rlviz import __version__
from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import RunConfig
from rlviz.rundir.folder import RunFolder
from tests.support.http import Service, append_rows, assert_problem, is_kind, journal, raw_request, streaming, wait_for

ENDED = "ended-run"


def is_rfc3339_utc(text: str) -> bool:
    return text.endswith("Z") and datetime.fromisoformat(text).utcoffset() is not None


# Service


def test_health_says_what_runs_where(service: Service) -> None:
    health = service.get("/health")
    assert health["status"] == "ok"
    assert health["version"] == __version__
    assert health["launcher"] == "process"
    assert health["max_concurrent_runs"] == 1
    assert health["free_disk_bytes"] > 0
    assert health["missing_extras"] == []
    assert health["active_runs"] == health["queued_runs"] == 0
    assert set(health["storage"]) == {environment["family"] for environment in service.get("/environments")} | {"own"}
    assert health["storage"]["toy-text"]["detail"] == "standard"
    assert health["storage"]["toy-text"]["max_bytes"] == 200_000_000


def test_algorithms_come_with_bounds_default_and_help_for_every_hyperparameter(service: Service) -> None:
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


# Creating


def test_an_algorithm_is_enough_to_create_a_run(service: Service) -> None:
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


def test_what_is_asked_for_wins_over_the_preset_and_the_preset_over_the_defaults(service: Service) -> None:
    run = service.create(preset="fast", total_timesteps=777, name=" Mine ", hyperparameters={"gamma": 0.5})
    values = run["config"]["hyperparameters"]
    assert (run["total_timesteps"], run["name"]) == (777, "Mine")
    assert values["gamma"] == 0.5
    assert values["n_envs"] == 8
    assert values["vf_coef"] == 0.5


def test_without_a_preset_the_defaults_count_and_timesteps_must_be_given(service: Service) -> None:
    run = service.create(preset=None, total_timesteps=5_000)
    assert run["config"]["hyperparameters"] == ALGORITHMS.get("ppo").validate({}, 5_000).model_dump(mode="json")
    problem = service.api("POST", "/runs", json={"algo": "ppo", "preset": None})
    assert_problem(problem, 422, "/total_timesteps")


def test_a_run_that_is_asked_to_start_trains_to_its_end(service: Service) -> None:
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


def test_a_run_beyond_the_limit_waits_and_says_where_it_stands(service: Service) -> None:
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


# Listing


@pytest.fixture(scope="module")
def listed(service: Service) -> list[str]:
    """Five runs that only this module knows, oldest first."""
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
def test_the_search_takes_text_as_it_is(service: Service, listed: list[str], text: str, expected: set[str]) -> None:
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
def test_the_list_is_sorted_as_asked_and_pages_join_without_seam(
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


def test_by_reward_the_best_run_comes_first_and_unknown_ones_last(service: Service, listed: list[str]) -> None:
    rewards = [
        run["ep_rew_mean"] for run in service.get("/runs", params={"sort": "-ep_rew_mean", "limit": 500})["runs"]
    ]
    known = [reward for reward in rewards if reward is not None]
    assert known
    assert rewards == sorted(known, reverse=True) + [None] * (len(rewards) - len(known))


def test_a_run_created_meanwhile_does_not_shift_the_next_page(service: Service, listed: list[str]) -> None:
    first = service.get("/runs", params={"q": "menagerie", "limit": 2})
    late = service.create(name="menagerie keeper")
    second = service.get("/runs", params={"q": "menagerie", "limit": 5, "cursor": first["next_cursor"]})
    assert [run["id"] for run in first["runs"] + second["runs"]] == listed[::-1]
    service.api("DELETE", f"/runs/{late['id']}")


# Labels and deleting


def test_labels_change_one_by_one_and_the_folder_knows_them(service: Service) -> None:
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


def test_a_run_is_told_what_its_curves_suggest(service: Service) -> None:
    run = service.create(total_timesteps=10_000)
    folder = service.folder(run["id"])
    silent = service.get(f"/runs/{run['id']}/hints")
    assert (silent["run_id"], silent["hints"]) == (run["id"], [])
    assert {rule["state"] for rule in silent["rules"]} == {"not_logged"}
    with journal(folder.metrics_path) as metrics:
        for step in range(100, 9_000, 100):
            metrics.append({"step": step, "values": {"episode/reward": 20.0 + step % 7, "train/approx_kl": 0.01}})
    [hint] = service.get(f"/runs/{run['id']}/hints")["hints"]
    assert (hint["id"], hint["metric"], hint["to_step"]) == ("reward-flat", "episode/reward", 8_900)
    assert hint["looked_at"]["points"] == 89
    states = {rule["id"]: rule["state"] for rule in service.get(f"/runs/{run['id']}/hints")["rules"]}
    assert (states["reward-flat"], states["too-few-timesteps"]) == ("found", "waiting")


def test_events_are_told_in_sentences(service: Service) -> None:
    log = service.get(f"/runs/{ENDED}/events")
    assert [(event["kind"], event["level"], event["step"]) for event in log["events"]] == [
        ("started", "info", 0),
        ("finished", "info", 100),
    ]
    assert log["events"][1]["message"] == "Training finished after 100 steps."
    assert log["broken_lines"] == 0


def test_a_deleted_run_is_gone_with_its_folder_and_its_metrics(service: Service) -> None:
    run = service.create()
    folder = service.folder(run["id"])
    with journal(folder.metrics_path) as metrics:
        append_rows(metrics, 3)
    assert service.get(f"/runs/{run['id']}/metrics/curves")["series"]
    answer = service.api("DELETE", f"/runs/{run['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert not folder.path.exists()
    for method, path in (
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/start"),
        ("POST", "/stop"),
        ("GET", "/metrics/curves"),
    ):
        assert_problem(service.api(method, f"/runs/{run['id']}{path}"), 404)
    for path in ("/config", "/evaluations", "/evaluations/latest", "/artifacts/config.json", "/stream"):
        assert_problem(service.api("GET", f"/runs/{run['id']}{path}"), 404)
    assert run["id"] not in {item["id"] for item in service.get("/runs?limit=500")["runs"]}
    assert service.api("POST", f"/runs/{run['id']}/restore").json()["id"] == run["id"]
    assert service.get(f"/runs/{run['id']}/metrics/curves")["series"]
    assert_problem(service.api("POST", "/runs/never-there/restore"), 404)


def test_the_trash_lists_what_was_deleted_and_removes_it_for_good(service: Service) -> None:
    older, newer, damaged = (service.create(name=name) for name in ("Older", "Newer", "Damaged"))
    service.folder(damaged["id"]).config_path.write_text("nothing")
    for run in (damaged, older, newer):
        assert service.api("DELETE", f"/runs/{run['id']}").status_code == 204
    trash = service.get("/trash")
    listed = {run["id"]: run for run in trash["runs"]}
    ours = [run["name"] for run in trash["runs"] if run["id"] in (older["id"], newer["id"])]
    assert ours == ["Newer", "Older"], "the last deleted comes first"
    assert listed[newer["id"]]["env_id"] == "CartPole-v1"
    assert listed[damaged["id"]] | {"name": damaged["id"], "algo": None, "env_id": None} == listed[damaged["id"]]
    assert trash["total_bytes"] == sum(run["size_bytes"] for run in trash["runs"]) > 0
    kept = datetime.fromisoformat(listed[newer["id"]]["removed_at"]) - datetime.fromisoformat(
        listed[newer["id"]]["deleted_at"]
    )
    assert kept.days == 7

    assert service.api("DELETE", f"/trash/{older['id']}").status_code == 204
    assert_problem(service.api("DELETE", f"/trash/{older['id']}"), 404)
    assert_problem(service.api("POST", f"/runs/{older['id']}/restore"), 404)
    assert service.api("POST", f"/runs/{newer['id']}/restore").status_code == 200
    assert {run["id"] for run in service.get("/trash")["runs"]}.isdisjoint({older["id"], newer["id"]})

    assert service.api("DELETE", "/trash").status_code == 204
    assert service.get("/trash") == {"runs": [], "total_bytes": 0}
    assert service.get(f"/runs/{newer['id']}")["name"] == "Newer", "what is not in the trash is left alone"


def test_nothing_outside_of_the_trash_can_be_removed_through_it(service: Service) -> None:
    run = service.create()
    for name in (run["id"], f"..%2F{run['id']}", "%2E%2E", ".purging-x"):
        assert_problem(service.api("DELETE", f"/trash/{name}"), 404)
    assert service.folder(run["id"]).config_path.exists()


def test_a_run_whose_folder_was_removed_by_hand_says_so_and_can_be_deleted(service: Service) -> None:
    run = service.create()
    folder = service.folder(run["id"])
    folder.path.rename(folder.path.with_name("elsewhere-" + run["id"][-4:]))
    assert "is gone" in assert_problem(service.api("GET", f"/runs/{run['id']}"), 404)["detail"]
    for path in ("/metrics/curves", "/events"):
        assert service.api("GET", f"/runs/{run['id']}{path}").status_code == 200
    assert service.api("DELETE", f"/runs/{run['id']}").status_code == 204


def test_an_active_run_cannot_be_deleted(service: Service) -> None:
    run = service.create(total_timesteps=10_000_000, start=True)
    service.wait_for_status(run["id"], "running")
    assert_problem(service.api("DELETE", f"/runs/{run['id']}"), 409)
    assert service.folder(run["id"]).config_path.exists()
    service.api("POST", f"/runs/{run['id']}/stop")
    service.wait_for_status(run["id"], "stopped")


# Metrics


def test_the_tail_is_the_last_rows_as_they_stand_in_the_journal(service: Service) -> None:
    rows = [json.loads(line) for line in service.folder(ENDED).metrics_path.read_text().splitlines()]
    assert service.get(f"/runs/{ENDED}/metrics/rows?tail=7")["rows"] == rows[-7:]
    assert service.get(f"/runs/{ENDED}/metrics/rows?tail=100000")["rows"] == rows


def test_a_line_that_is_no_record_is_left_out_everywhere_and_counted(service: Service) -> None:
    run = service.create()
    good = '{"seq":1,"time":1.5,"step":3,"values":{"a":1.0}}'
    lines = [good, "garbage", '{"seq":3}', '{"seq":4,"time":1,"step":1,"values":[]}', good.replace(":1,", ":5,")]
    service.folder(run["id"]).metrics_path.write_text("\n".join(lines) + '\n{"seq":6,"ti')
    tail, curves = (
        service.get(f"/runs/{run['id']}/metrics/rows?tail=9"),
        service.get(f"/runs/{run['id']}/metrics/curves"),
    )
    assert [row["seq"] for row in tail["rows"]] == [1, 5]
    assert curves["series"]["a"]["count"] == 2
    assert tail["broken_lines"] == curves["broken_lines"] == 3
    with streaming(service, f"/runs/{run['id']}/stream") as stream:
        assert stream.until(is_kind("metrics"))[-1].seqs == [1, 5]


def test_curves_are_named_thinned_and_keep_every_extreme(service: Service) -> None:
    run = service.create()
    with journal(service.folder(run["id"]).metrics_path) as metrics:
        for step in range(5_000):
            value = 1e6 if step == 1_234 else -1e6 if step == 4_321 else math.sin(step / 50)
            metrics.append({"step": step, "values": {"wave": value, "gap": None if step % 2 else 1.0}})
    path = f"/runs/{run['id']}/metrics/curves"
    wave = service.get(f"{path}?names=wave&max_points=100")
    assert list(wave["series"]) == ["wave"]
    curve = wave["series"]["wave"]
    assert curve["count"] == 5_000
    assert len(curve["x"]) == len(curve["y"]) <= 100
    points = dict(zip(curve["x"], curve["y"], strict=True))
    assert points[1_234] == 1e6
    assert points[4_321] == -1e6
    assert None in service.get(f"{path}?names=gap&max_points=10000")["series"]["gap"]["y"]
    assert set(service.get(path)["series"]) == {"wave", "gap"}
    assert service.get(f"{path}?names=nothing")["series"] == {}
    by_time = service.get(f"{path}?names=wave&x=time")["series"]["wave"]
    assert abs(by_time["x"][-1] - time.time()) < 600


def test_curves_of_several_runs_come_in_one_answer_beside_the_problems_of_others(service: Service) -> None:
    run, damaged = service.create(), service.create()
    with journal(service.folder(run["id"]).metrics_path) as metrics:
        append_rows(metrics, 30)
    service.folder(damaged["id"]).metrics_path.unlink(missing_ok=True)
    service.folder(damaged["id"]).metrics_path.mkdir()
    query = "names=episode/reward&max_points=10&smoothing=0.5"
    answer = service.get(f"/metrics/curves?runs={run['id']},gone,{damaged['id']},{ENDED}&{query}")
    alone = [service.get(f"/runs/{run_id}/metrics/curves?{query}") for run_id in (run["id"], ENDED)]
    assert answer["runs"] == alone
    smoothed = alone[0]["series"]["episode/reward"]["smoothed"]
    assert len(smoothed["y"]) == len(alone[0]["series"]["episode/reward"]["x"])
    assert smoothed["weight"] == 1 - 0.5**30
    assert answer["problems"].keys() == {"gone", damaged["id"]}
    assert answer["problems"]["gone"]["status"] == 404


def test_runs_are_listed_by_id(service: Service) -> None:
    run, _other = service.create(), service.create()
    found = service.get(f"/runs?id={run['id']}&id={ENDED}&id=gone")
    assert {one["id"] for one in found["runs"]} == {run["id"], ENDED}
    assert found["total"] == 2


def test_a_run_without_metrics_has_empty_answers_not_errors(service: Service) -> None:
    run = service.create()
    assert service.get(f"/runs/{run['id']}/metrics/curves") == {
        "run_id": run["id"],
        "x": "step",
        "series": {},
        "broken_lines": 0,
        "cursor": f"{run['id']}:0",
        "before": None,
    }
    assert service.get(f"/runs/{run['id']}/metrics/rows?tail=5")["rows"] == []


def test_the_old_address_answers_as_the_two_that_took_its_place(service: Service) -> None:
    path = f"/runs/{ENDED}/metrics"
    for query in ("tail=7", "tail=1000"):
        assert service.get(f"{path}?{query}") == service.get(f"{path}/rows?{query}")
    for query in ("", "names=episode/reward&max_points=10", "x=episode&from=3&to=9"):
        assert service.get(f"{path}?{query}") == service.get(f"{path}/curves?{query}")
    operations = service.get("/openapi.json")["paths"]
    assert operations["/runs/{run_id}/metrics"]["get"]["deprecated"]
    assert "deprecated" not in operations["/runs/{run_id}/metrics/rows"]["get"]


# Evaluations


def test_a_run_that_was_never_evaluated_has_an_empty_list_and_no_latest(service: Service) -> None:
    assert service.get(f"/runs/{ENDED}/evaluations") == []
    assert_problem(service.api("GET", f"/runs/{ENDED}/evaluations/latest"), 404)


def test_an_evaluation_is_answered_at_once_and_listed_newest_first(service: Service) -> None:
    run = service.create(total_timesteps=256, start=True)
    service.wait_for_status(run["id"], "completed")
    path = f"/runs/{run['id']}/evaluations"
    ids = []
    for number in range(2):
        answer = service.api("POST", path, json={"episodes": 1, "seed": number})
        assert answer.status_code == 202
        assert answer.json()["status"] == "queued"
        assert answer.json()["video_url"] is None
        ids.append(answer.json()["id"])
        assert_problem(service.api("POST", path), 409)
        assert_problem(service.api("DELETE", f"/runs/{run['id']}"), 409)
        wait_for_evaluation(service, run["id"])
    listed = service.get(path)
    assert [item["id"] for item in listed] == ids[::-1]
    assert service.get(f"{path}/latest") == listed[0] == service.get(f"/runs/{run['id']}")["latest_evaluation"]
    assert listed[0]["summary"]["episodes"][0]["seed"] == 1
    assert listed[0]["checkpoint_step"] == service.get(f"/runs/{run['id']}")["policy_step"]
    video = service.http.get(listed[0]["video_url"])
    assert video.headers["content-type"] == "video/mp4"
    assert len(video.content) == listed[0]["summary"]["video"]["size_bytes"]


def wait_for_evaluation(service: Service, run_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
        return found if found["status"] in ("completed", "failed") else None

    found = wait_for(look, "The end of the evaluation")
    assert found["status"] == "completed", found["cause"]
    return found


# Artifacts


@pytest.fixture(scope="module")
def artifact(service: Service) -> RunFolder:
    """A run with one file of each kind."""
    folder = service.folder(service.create()["id"])
    for name in (
        "eval/eval_20261121-014312-123.mp4",
        "checkpoints/step_100.zip",
        "worker.log",
        "events.jsonl",
        "x.bin",
    ):
        (folder.path / name).write_bytes(bytes(range(256)) * 4)
    return folder


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("config.json", "application/json"),
        ("events.jsonl", "application/x-ndjson"),
        ("worker.log", "text/plain; charset=utf-8"),
        ("eval/eval_20261121-014312-123.mp4", "video/mp4"),
        ("checkpoints/step_100.zip", "application/zip"),
        ("x.bin", "application/octet-stream"),
    ],
)
def test_a_file_has_its_type_and_no_browser_may_guess_another(
    service: Service, artifact: RunFolder, name: str, kind: str
) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/{name}"
    answer = service.api("GET", path)
    assert answer.status_code == 200
    assert answer.content == (artifact.path / name).read_bytes()
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["accept-ranges"] == "bytes"
    head = service.api("HEAD", path)
    assert head.status_code == 200
    assert head.content == b""
    for header in ("content-length", "content-type", "etag", "last-modified"):
        assert head.headers[header] == answer.headers[header]


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=1000-", 1000, 1023),
        ("bytes=1000-9999", 1000, 1023),
        ("bytes=-5", 1019, 1023),
        ("bytes=-9999", 0, 1023),
        ("bytes=0-", 0, 1023),
    ],
)
def test_a_range_is_answered_with_that_part(
    service: Service, artifact: RunFolder, value: str, first: int, last: int
) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/x.bin"
    answer = service.api("GET", path, headers={"Range": value})
    assert answer.status_code == 206
    assert answer.headers["content-range"] == f"bytes {first}-{last}/1024"
    assert answer.content == (artifact.path / "x.bin").read_bytes()[first : last + 1]
    assert answer.headers["content-length"] == str(last - first + 1)


def test_a_file_that_the_client_has_is_not_sent_again(service: Service, artifact: RunFolder) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/worker.log"
    etag = service.api("GET", path).headers["etag"]
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        answer = service.api("GET", path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    (artifact.path / "worker.log").write_bytes(b"something new")
    answer = service.api("GET", path, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (200, b"something new")
    assert answer.headers["etag"] != etag


def test_a_range_of_a_file_that_has_changed_gives_the_whole_file(service: Service, artifact: RunFolder) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/x.bin"
    etag = service.api("GET", path).headers["etag"]
    same = service.api("GET", path, headers={"Range": "bytes=0-9", "If-Range": etag})
    assert same.status_code == 206
    other = service.api("GET", path, headers={"Range": "bytes=0-9", "If-Range": '"older"'})
    assert other.status_code == 200
    assert len(other.content) == 1_024


def test_a_file_without_content_is_sent_and_has_no_range(service: Service, artifact: RunFolder) -> None:
    (artifact.path / "empty.txt").write_bytes(b"")
    path = f"/runs/{artifact.run_id}/artifacts/empty.txt"
    assert service.api("GET", path).content == b""
    assert_problem(service.api("GET", path, headers={"Range": "bytes=0-"}), 416)


def test_a_journal_that_grows_while_it_is_sent_arrives_as_it_was(service: Service) -> None:
    folder = service.folder(service.create()["id"])
    with folder.log_path.open("wb", buffering=0) as log:
        log.write(b"x" * 30_000_000)
        answer = raw_request(
            service.port,
            f"/api/runs/{folder.run_id}/artifacts/worker.log".encode(),
            on_head=lambda: log.write(b"y" * 1_000_000),
        )
    assert answer.headers["content-length"] == "30000000"
    assert answer.body == b"x" * 30_000_000


# Comparison


def write_episodes(folder: RunFolder, returns: list[float]) -> None:
    """Episodes of 10 steps and 2 seconds each, from time 1000 on."""
    lines = [
        {
            "seq": index,
            "time": 1_000.0 + 2 * index,
            "step": 10 * index,
            "values": {"episode/reward": value, "episode/length": 10, "episode/index": index},
        }
        for index, value in enumerate(returns, 1)
    ]
    folder.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    started = {"seq": 1, "time": 1_000.0, "event": "started", "step": 0, "data": {"attempt": 1, "worker": "none"}}
    folder.events_path.write_text(json.dumps(started) + "\n")


def test_a_comparison_gives_known_figures_for_known_episodes(service: Service) -> None:
    one, two = service.create(name="one"), service.create(name="two", hyperparameters={"gamma": 0.5})
    write_episodes(service.folder(one["id"]), [0, 0, 10, 20, 30, 20])
    write_episodes(service.folder(two["id"]), [5, 5, 5])
    query = {"runs": f"{one['id']},{two['id']}", "window": 2, "threshold": 15}
    result = service.get("/compare", params=query)
    assert (result["threshold"], result["window"]) == (15, 2)
    assert result["steps"] == [10, 20, 30, 40, 50, 60]
    first, second = result["runs"]
    assert first["run"] == {key: service.get(f"/runs/{one['id']}")[key] for key in first["run"]}
    assert first["y"] == [0, 0, 5, 15, 25, 25]
    assert second["y"] == [5, 5, 5, None, None, None]
    assert (first["episodes"], second["episodes"]) == (6, 3)
    assert (first["best_moving_average"], first["best_moving_average_step"]) == (25, 50)
    assert first["final_moving_average"] == 25
    assert (first["steps_to_threshold"], second["steps_to_threshold"]) == (None, None)
    assert first["stability"] == pytest.approx(11.0554159678513)
    assert second["stability"] == 0
    differences = {item["path"]: item["values"] for item in result["config_diff"]}
    assert differences == {"/hyperparameters/gamma": {one["id"]: 0.98, two["id"]: 0.5}}


def test_without_a_threshold_the_one_of_the_common_environment_counts(service: Service) -> None:
    one, two = service.create(), service.create(env_id="Acrobot-v1")
    assert service.get("/compare", params={"runs": one["id"]})["threshold"] == 475
    both = service.get("/compare", params={"runs": f"{one['id']},{two['id']}"})
    assert both["threshold"] is None
    assert [run["y"] for run in both["runs"]] == [[], []]
    assert both["runs"][0]["best_moving_average"] is None


def test_a_comparison_says_which_run_is_better_and_why(service: Service) -> None:
    one, two = service.create(name="one", total_timesteps=10_000), service.create(name="two", total_timesteps=10_000)
    write_episodes(service.folder(one["id"]), [480.0 + index % 3 for index in range(150)])
    write_episodes(service.folder(two["id"]), [20.0 + index % 3 for index in range(150)])
    result = service.get("/compare", params={"runs": f"{one['id']},{two['id']}", "threshold": 450})
    assert result["verdict"]["headline"] == "One seed each: nothing can be said yet."
    assert result["verdict"]["why"][0] == "These runs by themselves: one did better."
    assert "one ends at" in result["verdict"]["why"][1]
    assert result["runs"][0]["solved"] == {"step": 1_000, "seconds": None, "by": "training", "threshold": 450}
    assert [run["steps_to_threshold"] for run in result["runs"]] == [1_000, None]
    figures = {figure["id"]: figure for figure in result["figures"]}
    assert figures["final_moving_average"]["best"] == one["id"]
    assert figures["stability"]["best"] is None
    assert figures["stability"]["values"] == {run["run"]["id"]: run["stability"] for run in result["runs"]}
    assert [(group["title"], group["threshold"]) for group in result["environments"]] == [("CartPole-v1", 450)]
    assert [group["title"] for group in result["algorithms"]] == ["ppo"]


@pytest.mark.parametrize(
    ("x", "places"),
    [("step", [10, 20, 30]), ("episode", [1, 2, 3]), ("seconds", [0, 2, 4])],
)
def test_any_metric_can_be_compared_over_any_axis(service: Service, x: str, places: list[float]) -> None:
    """The runs were never started: seconds count from the first episode."""
    one, two = service.create(name="one"), service.create(name="two", env_id="Acrobot-v1")
    write_episodes(service.folder(one["id"]), [1, 2, 3])
    query = {"runs": f"{one['id']},{two['id']}", "metrics": "episode/length, no/such,eval/mean_reward", "x": x}
    result = service.get("/compare", params=query)
    assert result["x"] == x
    assert result["steps"] == places
    assert result["runs"][0]["curves"] == {
        "episode/length": {"x": places, "y": [10, 10, 10], "count": 3, "smoothed": None}
    }
    assert result["runs"][1]["curves"] == {}
    assert result["logged"] == ["episode/index", "episode/length", "episode/reward"]
    assert [run["threshold"] for run in result["runs"]] == [475, -100]
    assert {group["title"]: group["run_ids"] for group in result["environments"]} == {
        "CartPole-v1": [one["id"]],
        "Acrobot-v1": [two["id"]],
    }
    assert all(figure["best"] is None for figure in result["figures"])


def test_a_hundred_runs_are_compared_each_with_as_few_points_as_asked_for(service: Service) -> None:
    runs = [service.create(name="many", seed=seed, total_timesteps=1_000) for seed in range(100)]
    for run in runs:
        write_episodes(service.folder(run["id"]), [float(index) for index in range(300)])
    query = {"runs": ",".join(run["id"] for run in runs), "metrics": "episode/reward", "max_points": 40}
    result = service.get("/compare", params=query)
    assert len(result["runs"]) == 100
    assert len(result["steps"]) <= 40
    assert all(len(run["y"]) == len(result["steps"]) for run in result["runs"])
    assert all(len(run["curves"]["episode/reward"]["x"]) <= 40 for run in result["runs"])
    assert [run["label"] for run in result["runs"][:2]] == ["many (seed 0)", "many (seed 1)"]


def test_a_run_that_grew_is_compared_as_it_is_now(service: Service) -> None:
    run = service.create()
    write_episodes(service.folder(run["id"]), [1, 2])
    query = {"runs": run["id"], "metrics": "episode/reward"}
    assert service.get("/compare", params=query)["runs"][0]["episodes"] == 2
    write_episodes(service.folder(run["id"]), [1, 2, 3])
    result = service.get("/compare", params=query)["runs"][0]
    assert (result["episodes"], result["curves"]["episode/reward"]["count"]) == (3, 3)


def test_options_that_move_the_threshold_make_environments_of_their_own(service: Service) -> None:
    small = service.create(algo="q-learning", env_id="FrozenLake-v1")
    large = service.create(algo="q-learning", env_id="FrozenLake-v1", env_options={"map_name": "8x8"})
    result = service.get("/compare", params={"runs": f"{small['id']},{large['id']}"})
    assert result["threshold"] is None
    assert [run["threshold"] for run in result["runs"]] == [0.7, 0.85]
    assert "map_name 8x8" in result["runs"][1]["environment"]
    assert result["verdict"]["headline"] == "These runs cannot be ranked."
    difference = next(item for item in result["config_diff"] if item["path"] == "/env_options/map_name")
    assert (difference["group"], difference["name"]) == ("env_options", "map_name")


def test_a_run_named_twice_is_compared_once(service: Service) -> None:
    assert len(service.get("/compare", params={"runs": f"{ENDED},{ENDED},"})["runs"]) == 1


# OpenAPI


def test_every_error_is_documented_as_a_problem(service: Service) -> None:
    document = service.get("/openapi.json")
    expected = {
        "POST /runs": {"422"},
        "GET /runs": {"422"},
        "GET /runs/{run_id}": {"404"},
        "PATCH /runs/{run_id}": {"404", "422"},
        "DELETE /runs/{run_id}": {"404", "409"},
        "POST /runs/{run_id}/start": {"404", "409"},
        "POST /runs/{run_id}/stop": {"404", "409"},
        "GET /runs/{run_id}/stream": {"404", "422"},
        "GET /stream": {"404", "422"},
        "GET /runs/{run_id}/config": {"404"},
        "GET /runs/{run_id}/metrics/rows": {"404", "422"},
        "GET /runs/{run_id}/metrics/curves": {"404", "422"},
        "GET /metrics/curves": {"422"},
        "POST /runs/{run_id}/evaluations": {"404", "409", "422"},
        "GET /runs/{run_id}/evaluations": {"404"},
        "GET /runs/{run_id}/evaluations/latest": {"404"},
        "GET /runs/{run_id}/artifacts/{path}": {"404", "416"},
        "GET /compare": {"404", "422"},
    }
    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert expected.keys() <= operations.keys()
    for name, statuses in expected.items():
        assert statuses <= operations[name]["responses"].keys(), name
    for name, operation in operations.items():
        assert operation["summary"], name
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                assert list(response["content"]) == ["application/problem+json"], (name, status)


def test_a_page_shows_the_api(service: Service) -> None:
    page = service.http.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "openapi.json" in page.text


# Anatomy


def test_a_run_is_looked_into_unless_the_agent_sees_pictures(service: Service) -> None:
    def looked_into(**wishes: Any) -> bool:
        made: dict[str, Any] = service.api("POST", "/runs", json=wishes).json()
        return bool(made["config"]["anatomy"])

    assert looked_into(algo="ppo")
    assert not looked_into(algo="ppo", anatomy=False)
    assert not looked_into(algo="ppo", env_id="CarRacing-v3")
    assert looked_into(algo="ppo", env_id="CarRacing-v3", anatomy=True)


def test_anatomy_of_a_run_that_was_never_looked_into_is_empty(service: Service) -> None:
    made = service.api("POST", "/runs", json={"algo": "ppo"}).json()
    assert service.get(f"/runs/{made['id']}/anatomy") == {"run_id": made["id"], "updates": []}
    assert_problem(service.api("GET", f"/runs/{made['id']}/anatomy?updates=1"), 422)
    assert_problem(service.api("GET", "/runs/ppo-nowhere-1/anatomy"), 404)
