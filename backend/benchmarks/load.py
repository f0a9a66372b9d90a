"""Load on one machine: runs train, rows flow, a hundred streams are open, some clients are slow, requests keep coming.

python -m benchmarks.load [--seconds 60]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.support import percentile, scratch, service, start_run, wait_until
from tests.support.http import LiveRun

TRAINING, LIVE, STREAMS, RATE = 4, 10, 100, 50
"""Runs that train, runs whose rows the benchmark writes, open streams, requests a second."""

ROWS_A_SECOND = 10
"""Of each live run."""

DRIPPING = 20
"""Clients that send a byte of their request a second and never finish."""

PATHS = ("/health", "/runs?limit=20", "/runs/live-0", "/runs/live-0/metrics?max_points=500", "/algorithms")


def run(seconds: float = 60.0) -> list[dict[str, Any]]:
    with scratch() as root, _live(root) as live:
        settings = {"max_concurrent_runs": TRAINING + LIVE, "on_exit": "stop"}
        with service(root, **settings) as client:
            for seed in range(TRAINING):
                start_run(client, seed=seed)
            wait_until(lambda: client.get("/health").json()["active_runs"] == TRAINING + LIVE, 120)
            result = asyncio.run(_load(str(client.base_url), live, seconds))
            for one in live:
                one.process.kill()
    return result


@contextmanager
def _live(root: Path) -> Iterator[list[LiveRun]]:
    runs = [LiveRun(root, f"live-{number}") for number in range(LIVE)]
    try:
        yield runs
    finally:
        for one in runs:
            one.close()


async def _load(base: str, live: list[LiveRun], seconds: float) -> list[dict[str, Any]]:
    ends_at = time.monotonic() + seconds
    latencies: list[float] = []
    failures: list[str] = []
    received = [0] * STREAMS
    written = 0
    limits = httpx.Limits(max_connections=STREAMS + 60)
    async with httpx.AsyncClient(base_url=base, timeout=30, limits=limits) as client, asyncio.TaskGroup() as group:
        watchers = [group.create_task(_watch(client, live, received, index, failures)) for index in range(STREAMS)]
        drips = [group.create_task(_drip(client.base_url)) for _ in range(DRIPPING)]
        requests = []
        for number in itertools.count():
            if time.monotonic() >= ends_at:
                break
            requests.append(group.create_task(_ask(client, PATHS[number % len(PATHS)], latencies, failures)))
            if number % (RATE // ROWS_A_SECOND) == 0:
                for one in live:
                    one.row()
                written += 1
            await asyncio.sleep(1 / RATE)
        await asyncio.gather(*requests)
        await asyncio.sleep(2)
        for task in (*watchers, *drips):
            task.cancel()
    missing = max(written - count for count in received)
    return [
        {"what": "load: answer, p50", "value": percentile(latencies, 50) * 1e3, "unit": "ms", "at_most": None},
        {"what": "load: answer, p99", "value": percentile(latencies, 99) * 1e3, "unit": "ms", "at_most": None},
        {"what": "load: requests answered", "value": len(latencies), "unit": "", "at_most": None},
        {"what": "load: requests or streams that failed", "value": len(failures), "unit": "", "at_most": 0},
        {"what": "load: rows missing in any stream", "value": missing, "unit": "", "at_most": 0},
    ]


async def _ask(client: httpx.AsyncClient, path: str, latencies: list[float], failures: list[str]) -> None:
    begin = time.perf_counter()
    try:
        answer = await client.get(path)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        failures.append(f"{path}: {error!r}")
    else:
        latencies.append(time.perf_counter() - begin)


async def _watch(
    client: httpx.AsyncClient, live: list[LiveRun], received: list[int], index: int, failures: list[str]
) -> None:
    """Count the rows of one live run."""
    run_id = live[index % LIVE].run_id
    try:
        async with client.stream("GET", f"/runs/{run_id}/stream") as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data:") and '"rows"' in line:
                    received[index] += line.count('"seq"')
    except httpx.HTTPError as error:
        failures.append(f"stream {run_id}: {error!r}")


async def _drip(url: httpx.URL) -> None:
    """A slow loris: it begins a request and never ends it."""
    while True:
        _, writer = await asyncio.open_connection(url.host, url.port)
        try:
            for byte in b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 3_600:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)
        except OSError:
            await asyncio.sleep(1)
        finally:
            writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    for figure in run(parser.parse_args().seconds):
        print(f"  {figure['what']:50} {figure['value']:>10.3g} {figure['unit']}")


if __name__ == "__main__":
    main()
