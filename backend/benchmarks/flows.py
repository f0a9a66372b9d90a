"""Counts the files that the main flows of the program enter, by tracing.

    python -m benchmarks.flows

A flow enters a file when it calls a function in it. Files that are only imported do not count, and files that an idle
service enters are subtracted.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from starlette.testclient import TestClient

import rlviz
from rlviz.server.app import create_app
from rlviz.server.application import Application
from rlviz.settings import Settings

PACKAGE = Path(rlviz.__file__).parent
SECONDS = 600.0
IDLE_SECONDS = 3.0
RUN = {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": 100_000, "seed": 1, "start": True}
EXPERIMENT = {
    "base": {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": 2_048, "hyperparameters": {"n_steps": 128}},
    "variants": [{"name": "a"}, {"name": "b", "changes": {"hyperparameters": {"gamma": 0.9}}}],
    "seeds": 2,
}


class Tracer:
    """Collects the files of the package whose functions are called, in all threads, while it records."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._is_recording = False

    def see(self, frame: FrameType, event: str, _argument: Any) -> None:
        if self._is_recording and event == "call" and frame.f_code.co_name != "<module>":
            self._files.add(frame.f_code.co_filename)

    @contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Record the files entered during the block, relative to the package. The set is complete after the block."""
        found: set[str] = set()
        self._files, self._is_recording = set(), True
        try:
            yield found
        finally:
            self._is_recording = False
            inside = (Path(name) for name in self._files if name.startswith(str(PACKAGE)))
            found.update(str(path.relative_to(PACKAGE)) for path in inside)


def _until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("A flow did not end.")
        time.sleep(0.05)


@contextmanager
def _service(launcher: str) -> Iterator[tuple[TestClient, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(_env_file=None, runs_dir=Path(folder), launcher=launcher)
        with TestClient(create_app(Application(settings)), base_url="http://127.0.0.1") as client:
            yield client, Path(folder)


def _status(client: TestClient, run_id: str) -> str:
    return str(client.get(f"/api/runs/{run_id}").json()["status"])


def main() -> None:
    tracer = Tracer()
    threading.setprofile(tracer.see)
    sys.setprofile(tracer.see)
    with _service("thread") as (client, runs_dir):
        with tracer.recording() as idle:
            time.sleep(IDLE_SECONDS)
            client.get("/api/limits")
        with tracer.recording() as created:
            run_id = client.post("/api/runs", json=RUN).json()["id"]
            rows = runs_dir / run_id / "metrics.jsonl"
            _until(lambda: rows.exists() and rows.stat().st_size > 0)
        with tracer.recording() as training:
            time.sleep(IDLE_SECONDS)
        with tracer.recording() as resumed:
            client.post(f"/api/runs/{run_id}/pause")
            _until(lambda: _status(client, run_id) == "paused")
            client.post(f"/api/runs/{run_id}/resume", json={})
            _until(lambda: _status(client, run_id) == "running")
        client.post(f"/api/runs/{run_id}/stop")
        _until(lambda: _status(client, run_id) == "stopped")
    with _service("process") as (client, _), tracer.recording() as judged:
        made = client.post("/api/experiments", json=EXPERIMENT).json()["id"]
        _until(lambda: client.get(f"/api/experiments/{made}").json()["status"] == "completed")
        client.get(f"/api/experiments/{made}/results").raise_for_status()
    sys.setprofile(None)
    for title, entered in (
        ("POST /runs to the first row", created - idle),
        ("pause to resume", resumed - training - idle),
        ("experiment to verdict, without its workers", judged - idle),
    ):
        print(f"{title}: {len(entered)} files")
        for name in sorted(entered):
            print(f"    {name}")


if __name__ == "__main__":
    main()
