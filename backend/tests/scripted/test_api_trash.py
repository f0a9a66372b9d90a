"""Deleting runs, and the trash, over HTTP."""

from __future__ import annotations

from datetime import datetime

from tests.support.raw_requests import assert_problem
from tests.support.run_folders import append_rows, journal
from tests.support.service_process import Service


def test_a_deleted_run_is_removed_with_its_folder_and_metrics(service: Service) -> None:
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


def test_the_trash_lists_deleted_runs_and_removes_them_permanently(service: Service) -> None:
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


def test_the_trash_removes_nothing_outside_itself(service: Service) -> None:
    run = service.create()
    for name in (run["id"], f"..%2F{run['id']}", "%2E%2E", ".purging-x"):
        assert_problem(service.api("DELETE", f"/trash/{name}"), 404)
    assert service.folder(run["id"]).config_path.exists()


def test_a_run_with_a_missing_folder_says_so_and_can_be_deleted(service: Service) -> None:
    run = service.create()
    folder = service.folder(run["id"])
    folder.path.rename(folder.path.with_name("elsewhere-" + run["id"][-4:]))
    assert "is missing" in assert_problem(service.api("GET", f"/runs/{run['id']}"), 404)["detail"]
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
