"""Prometheus metrics and JSON logs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from rlviz.server.request_filter import RequestCounter, RequestCounts
from tests.support.run_folders import make_run
from tests.support.service_process import serving
from tests.support.waiting import eventually

LINE = re.compile(r'rlviz_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \d+')
DOCUMENT = Path(__file__).parents[3] / "docs" / "operations.md"


def test_metrics_use_the_prometheus_format_and_are_all_documented(tmp_path: Path) -> None:
    for number in range(3):
        make_run(tmp_path / "runs", f"run-{number}", rows=2, status="completed")
    with serving(tmp_path, max_concurrent_runs="5", launcher="scripted") as service:
        eventually(lambda: "rlviz_storage_bytes" in service.http.get("/metrics").text, "The first measurement")
        assert service.http.get("/api/runs/nobody-knows").status_code == 404
        answer = service.http.get("/metrics")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        lines = answer.text.splitlines()
        assert answer.text.endswith("\n")
        samples = [line for line in lines if not line.startswith("#")]
        assert all(LINE.fullmatch(line) for line in samples), samples
        assert 'rlviz_runs{status="completed"} 3' in samples
        assert 'rlviz_runs{status="failed"} 0' in samples
        assert "rlviz_run_slots 5" in samples
        assert "rlviz_streams 0" in samples
        values = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in samples}
        assert values['rlviz_requests_total{status="2xx"}'] >= 1
        assert values['rlviz_requests_total{status="4xx"}'] == 1
        assert values["rlviz_errors_total"] == values['rlviz_requests_total{status="5xx"}'] == 0
        assert 10**7 < values["rlviz_memory_bytes"] < 10**10
        assert values["rlviz_uptime_seconds"] >= 0
        assert values['rlviz_workers{does="training"}'] == 0
        assert values['rlviz_sink_deliveries{state="waiting"}'] == 0
        assert values['rlviz_storage_bytes{kind="metrics"}'] > 0
        assert "# TYPE rlviz_requests_total counter" in lines
        assert "run-1" not in answer.text, "no label names a run"
        with service.http.stream("GET", "/api/stream"):
            eventually(lambda: "rlviz_streams 1\n" in service.http.get("/metrics").text, "An open stream's count")
        service.create(start=True, total_timesteps=10_000_000)
        training = 'rlviz_workers{does="training"} 1\n'
        eventually(lambda: training in service.http.get("/metrics").text, "The count of its worker")
    names = {re.split(r"[ {]", line)[0] for line in samples}
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == names
    assert names <= set(re.findall(r"`(rlviz_[a-z_]+)`", DOCUMENT.read_text()))


def test_a_failing_request_is_counted_once_as_an_error_before_or_after_its_response_starts() -> None:
    def fails(_request: Request) -> Response:
        raise RuntimeError

    async def breaks_off(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    counts = RequestCounts()
    inner = Starlette(routes=[Route("/fails", fails)])
    routes = [Route("/fails", fails), Mount("/inner", inner), Mount("/breaks-off", breaks_off)]
    client = TestClient(
        Starlette(routes=routes, middleware=[Middleware(RequestCounter, counts=counts)]), raise_server_exceptions=False
    )
    assert client.get("/fails").status_code == client.get("/inner/fails").status_code == 500
    assert counts.answered == {2: 0, 3: 0, 4: 0, 5: 2}
    client.get("/missing")
    client.get("/breaks-off/")
    assert counts.answered == {2: 1, 3: 0, 4: 1, 5: 2}


def test_metrics_require_the_token_and_the_log_can_be_json(tmp_path: Path) -> None:
    with serving(tmp_path, token="open-sesame-123", log_format="json", launcher="scripted") as service:
        assert httpx.get(f"http://127.0.0.1:{service.port}/metrics").status_code == 401
        assert service.http.get("/metrics").status_code == 200
        service.stop()
        lines = [json.loads(line) for line in service.log.splitlines()]
    assert lines
    assert all(line.keys() >= {"time", "level", "logger", "message"} for line in lines)
    assert any("RL Gym Visualizer is at" in line["message"] for line in lines)
