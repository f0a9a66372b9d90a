"""The endpoints of a run's rows, curves and updates."""

from __future__ import annotations

import json
import math
import time
from typing import Any

from tests.support.event_streams import is_kind, streaming
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import append_rows, journal
from tests.support.service_process import Service

ENDED = "ended-run"


def test_the_tail_returns_the_last_rows_exactly_as_journaled(service: Service) -> None:
    rows = [json.loads(line) for line in service.folder(ENDED).metrics_path.read_text().splitlines()]
    assert service.get(f"/runs/{ENDED}/metrics/rows?tail=7")["rows"] == rows[-7:]
    assert service.get(f"/runs/{ENDED}/metrics/rows?tail=100000")["rows"] == rows


def test_an_invalid_line_is_left_out_everywhere_and_counted(service: Service) -> None:
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


def test_components_of_the_reward_have_curves_and_definitions(service: Service) -> None:
    run = service.create()
    episodes = [{"episode/reward": 1.5, "reward/goal": 2.0, "reward/fuel": -0.5}, {"episode/reward": 0.0}]
    with journal(service.folder(run["id"]).metrics_path) as metrics:
        for step, values in enumerate(episodes, 1):
            metrics.append({"step": step, "values": values})
    series = service.get(f"/runs/{run['id']}/metrics/curves?names=reward/goal,reward/fuel")["series"]
    assert {name: curve["y"] for name, curve in series.items()} == {"reward/goal": [2.0], "reward/fuel": [-0.5]}
    known = {one["name"]: one for one in service.get("/metric-definitions")["metrics"]}
    assert (known["reward/goal"]["component"], known["reward/goal"]["of_environment"]) == ("Goal", True)
    assert not known["reward/coverage"]["of_environment"]
    assert known["episode/reward"]["component"] is None


def test_curves_are_named_and_thinned_and_keep_every_extreme(service: Service) -> None:
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


def test_curves_of_several_runs_share_a_response_with_the_problems_of_others(service: Service) -> None:
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


def test_a_page_opening_returns_the_same_as_single_requests_and_the_stream_continues_it(service: Service) -> None:
    run = service.create()
    with journal(service.folder(run["id"]).metrics_path) as metrics:
        append_rows(metrics, 30)
        metrics.flush()
        query = "max_points=10&smoothing=0.9&x=step"
        opening = service.get(f"/runs/{run['id']}/page?{query}")
        assert opening["run"] == service.get(f"/runs/{run['id']}")
        assert opening["curves"] == service.get(f"/runs/{run['id']}/metrics/curves?{query}")
        assert opening["algorithm"] in service.get("/algorithms")
        assert opening["environment"] in service.get("/environments")
        assert opening["metric_definitions"] == service.get("/metric-definitions")
        assert opening["limits"] == service.get("/limits")
        append_rows(metrics, 5)
        metrics.flush()
    cursor = opening["curves"]["cursor"]
    with streaming(service, f"/runs/{run['id']}/stream", last_event_id=cursor) as stream:
        assert stream.until(is_kind("metrics"))[-1].seqs == [31, 32, 33, 34, 35]


def test_a_page_opens_without_its_unreadable_curves(service: Service) -> None:
    run = service.create()
    service.folder(run["id"]).metrics_path.unlink(missing_ok=True)
    service.folder(run["id"]).metrics_path.mkdir()
    opening = service.get(f"/runs/{run['id']}/page")
    assert opening["run"]["damage"]
    assert opening["curves"] is None
    assert_problem(service.http.get("/api/runs/gone/page"), 404)


def test_runs_are_listed_by_id(service: Service) -> None:
    run, _other = service.create(), service.create()
    found = service.get(f"/runs?id={run['id']}&id={ENDED}&id=gone")
    assert {one["id"] for one in found["runs"]} == {run["id"], ENDED}
    assert found["total"] == 2


def test_a_run_without_metrics_gets_empty_responses_not_errors(service: Service) -> None:
    run = service.create()
    assert service.get(f"/runs/{run['id']}/metrics/curves") == {
        "run_id": run["id"],
        "x": "step",
        "series": {},
        "broken_lines": 0,
        "cursor": f"{run['id']}:0",
        "mean_episodes": 100,
        "before": None,
    }
    assert service.get(f"/runs/{run['id']}/metrics/rows?tail=5")["rows"] == []


def test_the_deprecated_address_returns_the_same_as_its_two_replacements(service: Service) -> None:
    path = f"/runs/{ENDED}/metrics"
    for query in ("tail=7", "tail=1000"):
        assert service.get(f"{path}?{query}") == service.get(f"{path}/rows?{query}")
    for query in ("", "names=episode/reward&max_points=10", "x=episode&from=3&to=9"):
        assert service.get(f"{path}?{query}") == service.get(f"{path}/curves?{query}")
    operations = service.get("/openapi.json")["paths"]
    assert operations["/runs/{run_id}/metrics"]["get"]["deprecated"]
    assert "deprecated" not in operations["/runs/{run_id}/metrics/rows"]["get"]


def test_updates_are_recorded_unless_the_agent_sees_pictures(service: Service) -> None:
    def looked_into(**wishes: Any) -> bool:
        made: dict[str, Any] = service.api("POST", "/runs", json=wishes).json()
        return bool(made["config"]["anatomy"])

    assert looked_into(algo="ppo")
    assert not looked_into(algo="ppo", anatomy=False)
    assert not looked_into(algo="ppo", env_id="CarRacing-v3")
    assert looked_into(algo="ppo", env_id="CarRacing-v3", anatomy=True)


def test_the_anatomy_of_a_run_without_recorded_updates_is_empty(service: Service) -> None:
    made = service.api("POST", "/runs", json={"algo": "ppo"}).json()
    assert service.get(f"/runs/{made['id']}/anatomy") == {"run_id": made["id"], "updates": []}
    assert_problem(service.api("GET", f"/runs/{made['id']}/anatomy?updates=1"), 422)
    assert_problem(service.api("GET", "/runs/ppo-nowhere-1/anatomy"), 404)
