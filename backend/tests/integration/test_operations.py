"""What those who operate the service read: Prometheus' figures and the log as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx

from tests.support.http import make_run, serving, wait_for

LINE = re.compile(r'rlviz_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \d+')
DOCUMENT = Path(__file__).parents[3] / "docs" / "operations.md"


def test_figures_are_in_the_format_of_prometheus_and_each_is_documented(tmp_path: Path) -> None:
    for number in range(3):
        make_run(tmp_path / "runs", f"run-{number}", rows=2, status="completed")
    with serving(tmp_path, max_concurrent_runs="5") as service:
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
        assert "run-1" not in answer.text, "no label names a run"
        with service.http.stream("GET", "/api/stream"):
            wait_for(lambda: "rlviz_streams 1\n" in service.http.get("/metrics").text, "An open stream's count")
    names = {re.split(r"[ {]", line)[0] for line in samples}
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == names
    assert names <= set(re.findall(r"`(rlviz_[a-z_]+)`", DOCUMENT.read_text()))


def test_figures_are_for_those_with_the_token_and_the_log_can_be_json(tmp_path: Path) -> None:
    with serving(tmp_path, token="open-sesame-123", log_format="json") as service:
        assert httpx.get(f"http://127.0.0.1:{service.port}/metrics").status_code == 401
        assert service.http.get("/metrics").status_code == 200
        service.stop()
        lines = [json.loads(line) for line in service.log.splitlines()]
    assert lines
    assert all(line.keys() >= {"time", "level", "logger", "message"} for line in lines)
    assert any("RL Gym Visualizer is at" in line["message"] for line in lines)
