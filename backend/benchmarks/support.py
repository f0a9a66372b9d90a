"""Runs a real service to measure, and defines figures and small statistics."""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.ids import new_evaluation_id
from rlviz.rundir.folder import RunFolder
from rlviz.server.runs.configuration import NewRun, resolve_config

WARM_UP_SECONDS = 8.0
"""Seconds in which a prewarmed worker has imported everything."""


@dataclass(frozen=True)
class Figure:
    """A line of the report. ``reach`` is the target as text; ``met`` is None without a target."""

    what: str
    value: str
    reach: str = ""
    met: bool | None = None


def figure(
    what: str, value: float, unit: str, *, at_most: float | None = None, at_least: float | None = None
) -> Figure:
    text = f"{value:,.0f} {unit}" if value >= 1_000 else f"{value:.3g} {unit}"
    if at_most is not None:
        return Figure(what, text, f"≤ {at_most:g}", value <= at_most)
    if at_least is not None:
        return Figure(what, text, f"≥ {at_least:g}", value >= at_least)
    return Figure(what, text)


def percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


@contextmanager
def service(runs_dir: Path, *, log: Path | None = None, **settings: object) -> Iterator[httpx.Client]:
    """Start the app as a user does, on a free port. Yields a client with paths below /api; output goes to ``log``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "RLVIZ_RUNS_DIR": str(runs_dir), "RLVIZ_PORT": str(port)}
    environment["RLVIZ_TRUST_RUNS_DIR"] = "true"  # runs that a benchmark wrote itself
    environment |= {f"RLVIZ_{name.upper()}": str(value) for name, value in settings.items()}
    with (log or Path(os.devnull)).open("wb") as said:
        process = subprocess.Popen([sys.executable, "-m", "rlviz", "serve"], env=environment, stderr=said)
    try:
        fresh = httpx.Limits(
            keepalive_expiry=1
        )  # shorter than the service's, which could close a connection that is about to be used
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api", timeout=60, limits=fresh) as client:
            wait_until(lambda: _is_up(client), 120)
            yield client
            stop_all(client)
    finally:
        process.terminate()
        process.wait()


def _is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float, *, every: float = 0.01) -> None:
    """Wait until ``holds`` returns True, checked ``every`` few seconds. Raises TimeoutError after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Not within {seconds} seconds")
        time.sleep(every)


def start_run(client: httpx.Client, algo: str = "ppo", **wanted: object) -> str:
    body = {"algo": algo, "seed": 1, "start": True, "total_timesteps": 10_000_000, **wanted}
    answer = client.post("/runs", json=body)
    answer.raise_for_status()
    return str(answer.json()["id"])


def stop_all(client: httpx.Client) -> None:
    for run in client.get("/runs", params={"status": ["starting", "running", "queued"]}).json()["runs"]:
        client.post(f"/runs/{run['id']}/stop")
    wait_until(lambda: client.get("/health").json()["active_runs"] == 0, 60)


def events(client: httpx.Client, path: str, **query: str) -> Iterator[tuple[str, Any]]:
    """Yield server-sent events as (name, data)."""
    with client.stream("GET", path, params=query, timeout=60) as response:
        name = ""
        for line in response.iter_lines():
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                yield name, json.loads(line[5:])


def ask_to_evaluate(folder: RunFolder, **fields: Any) -> str:
    """Request an evaluation of a run's final policy and return its id. ``fields`` change its record."""
    now = datetime.now(UTC)
    record = EvaluationRecord(
        id=new_evaluation_id(now), run_id=folder.run_id, created_at=now, checkpoint="model.zip", **fields
    )
    folder.evaluations.write(record)
    return record.id


def new_folder(root: Path, algo: str, total_timesteps: int, *, seed: int = 1, **changes: Any) -> RunFolder:
    """Create the folder of a new CartPole run with the Fast preset."""
    config = resolve_config(NewRun(algo, seed=seed, total_timesteps=total_timesteps, **changes), time.time())
    folder = RunFolder(root, config.run_id)
    folder.create(config)
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as root:
        yield Path(root)
