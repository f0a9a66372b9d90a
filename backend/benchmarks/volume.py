"""Measures long runs and long lists: a million rows, ten thousand runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx
import orjson
import psutil

from benchmarks.support import Figure, figure, new_folder, percentile, scratch, service
from rlviz.rundir.folder import RunFolder
from rlviz.sealer import seal
from rlviz.server.supervisor.sealing import LEAST_BYTES, sealed_metrics

ROWS = 1_000_000
RUNS = 10_000
REQUESTS = 300
SERVICE_MB = 158
"""Memory of the service with a long run before columns were sealed."""

EPISODES = 300
"""Episodes in each run folder that the catalogue is rebuilt from."""


def run() -> list[Figure]:
    with scratch() as root:
        return [*_million_rows(root / "rows"), *_many_runs(root / "folders")]


def write_million_rows(root: Path) -> RunFolder:
    """Write a run under ``root`` whose journal has one episode per line."""
    folder = new_folder(root, "ppo", 10_000_000)
    with folder.metrics_path.open("wb") as file:
        for seq in range(1, ROWS + 1):
            record = {"seq": seq, "time": 1.7e9 + seq / 100, "step": seq * 9, "values": _episode(seq)}
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    return folder


def index_many_runs(root: Path) -> None:
    """Write a catalogue of ended runs under ``root``."""
    write_many_folders(root)
    rebuild_catalogue(root)


def rebuild_catalogue(root: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "rlviz", "rebuild"],
        env={**os.environ, "RLVIZ_RUNS_DIR": str(root)},
        check=True,
        capture_output=True,
    )


def write_many_folders(root: Path) -> None:
    """Write folders of ended runs under ``root``, each with EPISODES episodes but without a policy."""
    first = new_folder(root, "ppo", 100_000)
    config = orjson.loads(first.config_path.read_bytes())
    ends = ({"event": "started", "data": {"attempt": 1}}, {"event": "finished", "data": {"attempt": 1, "path": None}})
    events = [
        {"seq": seq, "time": 1.7e9 + 1_000 * seq, "step": 100_000 * (seq - 1)} | end for seq, end in enumerate(ends, 1)
    ]
    rows = [
        {"seq": seq, "time": 1.7e9 + 1_000 + seq, "step": seq * 200, "values": _episode(seq)}
        for seq in range(1, EPISODES + 1)
    ]
    for number in range(RUNS):
        folder = RunFolder(root, f"run-{number}")
        folder.path.mkdir()
        folder.config_path.write_bytes(orjson.dumps(config | {"run_id": folder.run_id}))
        folder.control_path.write_bytes(b'{"desired":"run","attempt":1}')
        for path, lines in ((folder.events_path, events), (folder.metrics_path, rows)):
            path.write_bytes(b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines))


def _episode(index: int) -> dict[str, float]:
    return {"episode/reward": float(index % 500), "episode/length": index % 500, "episode/index": index}


def _many_runs(root: Path) -> list[Figure]:
    write_many_folders(root)
    begin = time.perf_counter()
    rebuild_catalogue(root)
    rebuilt = time.perf_counter() - begin
    with service(root) as client:
        _seconds(client, "/runs")
        seconds = [_seconds(client, "/runs") for _ in range(REQUESTS)]
    return [
        figure(f"rlviz rebuild of {RUNS:,} runs with {EPISODES} episodes each", rebuilt, "s", at_most=60),
        figure(f"first page of {RUNS:,} runs, p95", percentile(seconds, 95) * 1e3, "ms", at_most=50),
    ]


def _million_rows(root: Path) -> list[Figure]:
    folder = write_million_rows(root)
    path = f"/runs/{folder.run_id}/metrics/curves?names=episode/reward&max_points=2000"
    with service(root) as client:
        unsealed = _seconds(client, path)
    seal(sealed_metrics(folder), LEAST_BYTES)  # as the service does after a run has ended
    with service(root) as client:
        cold = _seconds(client, path)
        warm = _median(client, path)
        episodes = _median(client, f"{path}&x=episode")
        zoomed = _median(client, f"{path}&from=4000000&to=4009000")
        _seconds(client, f"/runs/{folder.run_id}/hints")
        hints = _median(client, f"/runs/{folder.run_id}/hints")
        memory = _memory_of_service()
    return [
        figure("curve of a run with 1 million rows, nothing sealed yet", unsealed, "s"),
        figure("curve of a run with 1 million rows, cold", cold * 1e3, "ms", at_most=300),
        figure("curve of a run with 1 million rows, warm", warm * 1e3, "ms", at_most=100),
        figure("the same by episodes, warm", episodes * 1e3, "ms", at_most=100),
        figure("a window of it down to the raw points, warm", zoomed * 1e3, "ms", at_most=100),
        figure("its hints, warm", hints * 1e3, "ms", at_most=100),
        figure("memory of the service that has answered all of this", memory / 1e6, "MB", at_most=SERVICE_MB),
    ]


def _memory_of_service() -> int:
    """Return the resident bytes of the service, the only child of this process, without its workers."""
    (process,) = psutil.Process().children()
    return int(process.memory_info().rss)


def _median(client: httpx.Client, path: str) -> float:
    return statistics.median(_seconds(client, path) for _ in range(20))


def _seconds(client: httpx.Client, path: str) -> float:
    begin = time.perf_counter()
    client.get(path).raise_for_status()
    return time.perf_counter() - begin
