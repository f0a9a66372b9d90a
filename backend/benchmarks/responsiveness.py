"""Measures how quickly the service answers, idle and under load, and how soon events reach a client."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import httpx

from benchmarks.support import (
    WARM_UP_SECONDS,
    Figure,
    events,
    figure,
    percentile,
    scratch,
    service,
    start_run,
    stop_all,
    wait_until,
)

REQUESTS = 1_500
PAUSE = 0.004
STARTS = 5
LIVE_RUNS = 10
LATENCY_SECONDS = 15.0


def run() -> list[Figure]:
    with scratch() as root:
        return [*_cold_start(root), *_api(root), *_starts_and_stops(root), *_row_to_client(root)]


def _cold_start(root: Path) -> list[Figure]:
    seconds = []
    for _ in range(3):
        begin = time.monotonic()
        with service(root / "cold"):
            seconds.append(time.monotonic() - begin)
    return [figure("service start to /health, cold", min(seconds), "s", at_most=1.5)]


def _api(root: Path) -> list[Figure]:
    """Measure latencies with and without training runs, in interleaved rounds."""
    idle: list[float] = []
    busy: list[float] = []
    with service(root / "api") as client:
        for _ in range(50):
            client.post("/runs", json={"algo": "ppo"}).raise_for_status()
        for _ in range(2):
            time.sleep(WARM_UP_SECONDS)
            idle += _latencies(client)
            for _ in range(2):
                start_run(client)
            time.sleep(WARM_UP_SECONDS)
            busy += _latencies(client)
            stop_all(client)
    figures = []
    for percent in (50, 99):
        figures.append(figure(f"API p{percent}, idle", percentile(idle, percent) * 1e3, "ms"))
        figures.append(figure(f"API p{percent}, 2 runs training", percentile(busy, percent) * 1e3, "ms"))
    ratio = percentile(busy, 99) / percentile(idle, 99)
    return [*figures, figure("API p99, 2 runs training against idle", ratio, "×", at_most=2.0)]


def _latencies(client: httpx.Client) -> list[float]:
    found = []
    for number in range(REQUESTS):
        path = "/runs?limit=20" if number % 2 else "/health"
        begin = time.perf_counter()
        client.get(path).raise_for_status()
        found.append(time.perf_counter() - begin)
        time.sleep(PAUSE)
    return found


def _starts_and_stops(root: Path) -> list[Figure]:
    first_rows, stops = [], {"ppo": list[float](), "dqn": list[float]()}
    with service(root / "starts") as client:
        for number in range(2 * STARTS):
            algo = ("ppo", "dqn")[number % 2]
            time.sleep(WARM_UP_SECONDS)
            begin = time.monotonic()
            run_id = start_run(client, algo)
            if next(name for name, _ in events(client, f"/runs/{run_id}/stream") if name == "metrics"):
                first_rows.append(time.monotonic() - begin)
            time.sleep(4)
            stops[algo].append(_stop(client, run_id))
    first = figure("Start to first row at the client, warm", statistics.median(first_rows), "s", at_most=1.5)
    slowest = figure("slowest of them", max(first_rows), "s", at_most=1.5)
    stopped = [
        figure(f"{algo.upper()}: stop to stopped with the model saved, slowest", max(seconds), "s", at_most=1.0)
        for algo, seconds in stops.items()
    ]
    return [first, slowest, *stopped]


def _stop(client: httpx.Client, run_id: str) -> float:
    begin = time.monotonic()
    client.post(f"/runs/{run_id}/stop").raise_for_status()
    wait_until(lambda: client.get(f"/runs/{run_id}").json()["status"] == "stopped", 30)
    return time.monotonic() - begin


def _row_to_client(root: Path) -> list[Figure]:
    """Measure the age of each row when it arrives, with many runs sharing the cores."""
    ages: list[float] = []
    with service(root / "latency", max_concurrent_runs=LIVE_RUNS) as client:
        run_ids = [start_run(client, seed=seed) for seed in range(LIVE_RUNS)]
        wait_until(lambda: all(client.get(f"/runs/{run_id}").json()["episodes"] > 20 for run_id in run_ids), 240)
        begin = time.time()
        for name, data in events(client, "/stream", runs=",".join(run_ids), since=str(begin)):
            now = time.time()
            if now - begin > LATENCY_SECONDS:
                break
            if name == "metrics":
                ages += [now - row["time"] for row in data["rows"] if row["time"] > begin]
    p50, p95 = (percentile(ages, percent) * 1e3 for percent in (50, 95))
    return [
        figure(f"row appended to row at the client, p50, {LIVE_RUNS} live runs", p50, "ms"),
        figure(f"row appended to row at the client, p95, {LIVE_RUNS} live runs", p95, "ms", at_most=500),
    ]
