"""Measures watching a policy learn: the time to the first frame, the age of the policy, key latency, training speed.

Training speed is measured in turns, with and without a viewer, so that other load on the machine affects both.

    python -m benchmarks sessions
"""

from __future__ import annotations

import json
import os
import statistics
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from benchmarks.support import (
    WARM_UP_SECONDS,
    Figure,
    figure,
    new_folder,
    percentile,
    scratch,
    service,
    start_run,
    wait_until,
)
from rlviz.learning.training.builder import build_model, closing_environments
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.rundir.folder import RunFolder

STARTS = 5
POLICIES = 12
COPIES = 200
KEYS = 100
PAIRS = 16
TURN_SECONDS = 4.0
SETTLE_SECONDS = 1.5
"""Seconds to wait after a session has ended, until the machine is quiet."""


def run() -> Iterator[Figure]:
    yield from _weights()
    with scratch() as root, service(root / "runs", max_concurrent_runs=2) as client:
        yield from _starts(client)
        yield from _policies(client, root / "runs")
        for env_id in ("CartPole-v1", "LunarLander-v3"):
            yield from _keys(client, env_id)
        yield from _throughput(client)


def _starts(client: httpx.Client) -> Iterator[Figure]:
    """Measure from the press of Start to the first frame, with warm workers."""
    seconds = []
    for _ in range(STARTS):
        time.sleep(2 * WARM_UP_SECONDS)
        begin = time.monotonic()
        run_id = start_run(client)
        with _looking(client, mode="watch", run_id=run_id) as socket:
            _frame(socket)
            seconds.append(time.monotonic() - begin)
        _stop(client, run_id)
    yield figure("Start → the agent is seen playing, median", statistics.median(seconds), "s", at_most=2)
    yield figure("Start → the agent is seen playing, worst", max(seconds), "s")


def _policies(client: httpx.Client, runs_dir: Path) -> Iterator[Figure]:
    """Measure from writing a policy's weights to the run folder until it plays, and how often that happens."""
    run_id = start_run(client)
    path = RunFolder(runs_dir, run_id).live_weights_path
    with _looking(client, mode="watch", run_id=run_id) as socket:
        _frame(socket)
        times, waits = list[float](), list[float]()
        while len(waits) < POLICIES:
            message = _message(socket)
            if message.get("type") == "policy":
                times.append(time.time())
                if (written := _written(path, message["step"])) is not None:
                    waits.append(times[-1] - written)
    _stop(client, run_id)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    yield figure("policy renewed while watched, every (median)", statistics.median(gaps), "s", at_most=2)
    yield figure("policy written → played, median", statistics.median(waits), "s")
    yield figure("policy written → played, worst", max(waits), "s", at_most=2.5)


def _written(path: Path, step: int) -> float | None:
    """Return when the weights of ``step`` were written, in Unix time; None if others have replaced them."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            is_it = json.loads(archive.read("played.json"))["step"] == step
            return os.fstat(file.fileno()).st_mtime if is_it else None
    except FileNotFoundError:
        return None


def _weights() -> Iterator[Figure]:
    """Measure how long training stops to save the weights of a small network."""
    with scratch() as root:
        folder = new_folder(root, "ppo", 1_000)
        with closing_environments(build_model(folder.read_config())) as model:
            live, milliseconds = LiveWeights(folder), []
            for _ in range(COPIES):
                begin = time.perf_counter()
                live.copy_weights(model)
                milliseconds.append((time.perf_counter() - begin) * 1_000)
    yield figure("weights saved for a viewer, median", statistics.median(milliseconds), "ms", at_most=20)
    yield figure("weights saved for a viewer, p95", percentile(milliseconds, 95), "ms")


def _keys(client: httpx.Client, env_id: str) -> Iterator[Figure]:
    """Measure from a key to the frame of the first step that it caused."""
    milliseconds = []
    with _looking(client, mode="play", env_id=env_id) as socket:
        _frame(socket)
        for number in range(KEYS):
            action = number % 2
            begin = time.monotonic()
            socket.send(json.dumps({"type": "action", "value": action}))
            while True:
                message = _message(socket)
                if message.get("type") == "step" and message["record"]["action"] == action:
                    socket.recv(60)
                    break
                if message.get("type") == "step" and message["record"]["index"] == 0:
                    begin = time.monotonic()  # the pause between two episodes is not latency
            milliseconds.append((time.monotonic() - begin) * 1_000)
            time.sleep(0.01 * (number % 7))
    yield figure(f"key → frame that shows it, {env_id}, median", statistics.median(milliseconds), "ms")
    yield figure(f"key → frame that shows it, {env_id}, p95", percentile(milliseconds, 95), "ms", at_most=100)


def _throughput(client: httpx.Client) -> Iterator[Figure]:
    """Measure without, with and again without a viewer, each against the mean of its neighbours."""
    run_id = start_run(client)
    wait_until(lambda: client.get(f"/runs/{run_id}").json()["step"] > 20_000, 120)
    rates = [_rate(client, run_id)]
    for _ in range(PAIRS):
        with _looking(client, mode="watch", run_id=run_id) as socket:
            _frame(socket)
            rates.append(_rate(client, run_id, socket))
        wait_until(lambda: client.get("/sessions").json() == [], 60)
        time.sleep(SETTLE_SECONDS)
        rates.append(_rate(client, run_id))
    _stop(client, run_id)
    unwatched, watched = rates[::2], rates[1::2]
    around = [(before + after) / 2 for before, after in pairwise(unwatched)]
    shares = [seen / alone for seen, alone in zip(watched, around, strict=True)]
    after = [later / first for first, later in pairwise(unwatched)]
    what = "training steps a second while watched, of unwatched"
    yield figure(what, statistics.median(shares), "", at_least=0.90)
    yield figure(f"{what}: half of the pairs lie within ±", _spread(shares), "")
    what = "training steps a second after the window closed, of before"
    yield figure(what, statistics.median(after), "", at_least=0.99)
    yield figure(f"{what}: half of the pairs lie within ±", _spread(after), "")


def _spread(values: Sequence[float]) -> float:
    """Return half of the distance between the quartiles, which shows other load on the machine."""
    return (percentile(values, 75) - percentile(values, 25)) / 2


def _rate(client: httpx.Client, run_id: str, socket: ClientConnection | None = None) -> float:
    """Return training steps per second over a while. Frames are read meanwhile, as a page does."""
    (first, begin), until = _reached(client, run_id), time.monotonic() + TURN_SECONDS
    while time.monotonic() < until:
        if socket is not None:
            socket.recv(60)
        else:
            time.sleep(0.05)
    last, end = _reached(client, run_id)
    return (last - first) / (end - begin)


def _reached(client: httpx.Client, run_id: str) -> tuple[int, float]:
    """Return the newest step in the journal, and when the trainer reached it; rows arrive in batches."""
    row = client.get(f"/runs/{run_id}/metrics/rows", params={"tail": 1}).json()["rows"][-1]
    return row["step"], row["time"]


def _stop(client: httpx.Client, run_id: str) -> None:
    client.post(f"/runs/{run_id}/stop")
    wait_until(lambda: client.get(f"/runs/{run_id}").json()["status"] == "stopped", 60)


@contextmanager
def _looking(client: httpx.Client, **asked: object) -> Iterator[ClientConnection]:
    session = client.post("/sessions", json=asked).raise_for_status().json()
    address = f"ws://{client.base_url.host}:{client.base_url.port}{session['socket']}"
    with connect(address, max_size=None, max_queue=None, close_timeout=1) as socket:
        yield socket
    client.delete(f"/sessions/{session['id']}")


def _message(socket: ClientConnection) -> dict[str, Any]:
    """Return the next message, or {} for a frame."""
    received = socket.recv(60)
    message: dict[str, Any] = {} if isinstance(received, bytes) else json.loads(received)
    return message


def _frame(socket: ClientConnection) -> None:
    """Wait for the next frame."""
    while not isinstance(socket.recv(60), bytes):
        pass
