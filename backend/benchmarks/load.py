"""Puts load on one machine: training runs, new rows, a hundred open streams, slow clients, and constant requests.

python -m benchmarks.load [--seconds 60] [--at-once]
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.support import Figure, figure, percentile, scratch, service, start_run, wait_until
from rlviz.server.stream.run_stream import SEND_TIMEOUT_SECONDS
from tests.support.run_folders import LiveRun, make_run

TRAINING, LIVE, STREAMS, RATE = 4, 10, 100, 50
"""Training runs, runs whose rows the benchmark writes, open streams, and requests per second."""

ROWS_A_SECOND = 10
"""Rows per second of each live run."""

DRIPPING = 20
"""Clients that send one byte of their request per second and never finish."""

ANSWER_SECONDS = 30.0

CRAWLING = 20
"""Clients that open a stream; half of them read nothing, the others one byte per second."""

BACKLOG_ROWS = 100_000
"""Rows of the run that they stream: 13 MB, more than the system buffers for a client that does not read."""

P99_MS, P99_AT_ONCE_MS = 250, 1_000
"""Time limit of answers, with slow readers that arrive one after the other, and with all of them at once."""

PATHS = ("/health", "/runs?limit=20", "/runs/live-0", "/runs/live-0/metrics/curves?max_points=500", "/algorithms")


@dataclass
class Measured:
    """The results of the clients. ``received`` are the rows of each stream, ``written`` those of each live run."""

    latencies: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    received: list[int] = field(default_factory=lambda: [0] * STREAMS)
    written: int = 0
    seconds: float = 0.0


def run() -> Iterator[Figure]:
    """Measure with slow readers that arrive one after the other, then with all at once."""
    for at_once in (False, True):
        for found in measure(at_once=at_once):
            yield figure(found["what"], found["value"], found["unit"], at_most=found["at_most"])


def measure(seconds: float = 60.0, *, at_once: bool = False) -> list[dict[str, Any]]:
    """Measure for some seconds. ``at_once``: all slow readers start at the same time, instead of one per second."""
    with scratch() as root, _live(root) as live:
        _long_run(root)
        log = root / "service.log"
        settings = {"max_concurrent_runs": TRAINING + LIVE, "on_exit": "stop"}
        with service(root, log=log, **settings) as client:
            for seed in range(TRAINING):
                start_run(client, seed=seed)
            wait_until(lambda: client.get("/health").json()["active_runs"] == TRAINING + LIVE, 120)
            measured = asyncio.run(_load(str(client.base_url), live, seconds, lambda: _dropped(log), at_once=at_once))
            for one in live:
                one.process.kill()
        dropped = _dropped(log)
    for failure in measured.failures[:10]:
        print(f"  failed: {failure}")
    return _figures(measured, dropped=dropped, at_once=at_once)


def _figures(measured: Measured, *, dropped: int, at_once: bool) -> list[dict[str, Any]]:
    missing = max(measured.written - count for count in measured.received)
    rate = len(measured.latencies) / measured.seconds
    p50, p99 = (percentile(measured.latencies, percent) * 1e3 for percent in (50, 99))
    load = "load, slow readers at once" if at_once else "load"
    figures: list[tuple[str, float, str, float | None]] = [
        ("answer, p50", p50, "ms", None),
        ("answer, p99", p99, "ms", P99_AT_ONCE_MS if at_once else P99_MS),
        ("requests answered", rate, "a second", None),
        ("requests or streams that failed", len(measured.failures), "", 0),
        ("rows missing in any stream", missing, "", 0),
        ("slow readers dropped, the reason logged", dropped, "", None),
        ("slow readers not dropped", CRAWLING - dropped, "", 0),
    ]
    return [
        {"what": f"{load}: {what}", "value": value, "unit": unit, "at_most": at_most}
        for what, value, unit, at_most in figures
    ]


def _dropped(log: Path) -> int:
    """Return the number of slow readers that the service logged as dropped."""
    return log.read_text().count("/runs/long/stream read nothing for")


@contextmanager
def _live(root: Path) -> Iterator[list[LiveRun]]:
    runs = [LiveRun(root, f"live-{number}") for number in range(LIVE)]
    try:
        yield runs
    finally:
        for one in runs:
            one.close()


def _long_run(root: Path) -> None:
    padding = "x" * 80
    with make_run(root, "long").metrics_path.open("w") as file:
        for seq in range(1, BACKLOG_ROWS + 1):
            file.write(f'{{"seq":{seq},"time":{seq},"step":{seq},"values":{{"{padding}":{seq}}}}}\n')


async def _load(
    base: str, live: list[LiveRun], seconds: float, dropped: Callable[[], int], *, at_once: bool
) -> Measured:
    measured = Measured()
    url = httpx.URL(base)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_watch(url, live, measured, index)) for index in range(STREAMS)]
        tasks += [group.create_task(_drip(url)) for _ in range(DRIPPING)]
        tasks += [group.create_task(_crawl(url, number, 0 if at_once else number)) for number in range(CRAWLING)]
        begin = time.monotonic()
        requests = []
        for number in range(round(seconds * RATE)):
            await asyncio.sleep(begin + number / RATE - time.monotonic())  # a late start does not delay the next
            requests.append(group.create_task(_ask(url, PATHS[number % len(PATHS)], measured)))
            if number % (RATE // ROWS_A_SECOND) == 0:
                for one in live:
                    one.row()
                measured.written += 1
        await asyncio.gather(*requests)
        measured.seconds = time.monotonic() - begin
        await asyncio.sleep(2)
        while dropped() < CRAWLING and time.monotonic() < begin + seconds + 3 * SEND_TIMEOUT_SECONDS:
            await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
    return measured


async def _ask(url: httpx.URL, path: str, measured: Measured) -> None:
    """Send one request on a new connection.

    No library is used: with waiting requests, its connection pool would take longer than the measured service.
    """
    begin = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(url.host, url.port)
        try:
            writer.write(f"GET /api{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(-1), ANSWER_SECONDS)
        finally:
            writer.close()
    except OSError as error:  # includes TimeoutError
        measured.failures.append(f"{path}: {error!r}")
        return
    if answer.startswith(b"HTTP/1.1 200 "):
        measured.latencies.append(time.perf_counter() - begin)
    else:
        measured.failures.append(f"{path}: {answer[:40]!r}")


async def _watch(url: httpx.URL, live: list[LiveRun], measured: Measured, index: int) -> None:
    """Count the rows of one live run."""
    path = f"/api/runs/{live[index % LIVE].run_id}/stream"
    reader, writer = await asyncio.open_connection(url.host, url.port, limit=1 << 22)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        async for line in reader:
            if line.startswith(b"data:") and b'"rows"' in line:
                measured.received[index] += line.count(b'"seq"')
        measured.failures.append(f"{path}: ended")
    except (OSError, ValueError) as error:
        measured.failures.append(f"{path}: {error!r}")
    finally:
        writer.close()


async def _drip(url: httpx.URL) -> None:
    """Start a request and never finish it, as a slow loris does."""
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


async def _crawl(url: httpx.URL, number: int, after: float) -> None:
    """Read a stream slowly, starting ``after`` some seconds; every other reader reads nothing.

    It is not a failure if the service cuts it off.
    """
    reads = number % 2 == 0
    await asyncio.sleep(after)
    loop = asyncio.get_running_loop()
    with socket.socket() as connection, suppress(ConnectionError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        connection.setblocking(False)
        await loop.sock_connect(connection, (url.host, url.port))
        await loop.sock_sendall(connection, b"GET /api/runs/long/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        while not reads or await loop.sock_recv(connection, 1):
            await asyncio.sleep(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--at-once", action="store_true", help="start all slow readers at the same time")
    wanted = parser.parse_args()
    for found in measure(wanted.seconds, at_once=wanted.at_once):
        print(f"  {found['what']:66} {found['value']:>10.3g} {found['unit']}")


if __name__ == "__main__":
    main()
