"""Measures the filmstrip: from a click on the curve to a playable clip, and the cost of the film for training.

The clips show the last policies of a CartPole run, which have the longest episodes. Training with and without a film is
compared by processor time, in interleaved pairs.

    python -m benchmarks film
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

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
from rlviz.domain.config import EvaluationPlan
from rlviz.learning.training.watched import train_run
from rlviz.rundir.files import write_atomically

TIMESTEPS = 50_000
PAIRS = 3
AGAIN = 20


def run() -> Iterator[Figure]:
    yield from _clicks()
    ratio, kept = _training()
    yield figure("policies kept of a run", kept, "")
    yield figure("training throughput with film against without, by processor time", ratio, "×", at_least=0.98)


def _clicks() -> Iterator[Figure]:
    with scratch() as root, service(root) as client:
        run_id = start_run(client, total_timesteps=TIMESTEPS)
        wait_until(lambda: client.get(f"/runs/{run_id}").json()["status"] == "completed", 600)
        steps = [policy["step"] for policy in client.get(f"/runs/{run_id}/policies").json()["policies"]]
        time.sleep(WARM_UP_SECONDS)
        first, clip = _click(client, run_id, steps[-1])
        next_, _ = _click(client, run_id, steps[-2])
        again = [_click(client, run_id, steps[-1])[0] for _ in range(AGAIN)]
        growth = time.perf_counter()
        _settled(client, run_id, client.post(f"/runs/{run_id}/growth-video").json())
        growth = time.perf_counter() - growth
    length = clip["episodes"][0]["episode_length"]
    yield figure(f"first click → clip of {length} CartPole steps, warm", first, "s", at_most=2)
    yield figure("next click → clip of another policy", next_, "s", at_most=2)
    yield figure("the same click again, p95", percentile(again, 95) * 1_000, "ms", at_most=200)
    yield figure("click → video of how the run learned", growth, "s")


def _click(client: httpx.Client, run_id: str, step: int) -> tuple[float, dict[str, Any]]:
    """Return the seconds until the first bytes of the video arrive, and the clip."""
    begin = time.perf_counter()
    clip = _settled(client, run_id, client.post(f"/runs/{run_id}/clips", json={"step": step}).json())
    path = clip["video_url"].removeprefix("/api")
    client.get(path, headers={"Range": "bytes=0-65535"}).raise_for_status()
    return time.perf_counter() - begin, clip


def _settled(client: httpx.Client, run_id: str, clip: dict[str, Any]) -> dict[str, Any]:
    while clip["status"] == "waiting":
        time.sleep(0.15)  # the page's interval
        clip = client.get(f"/runs/{run_id}/clips/{clip['id']}").json()
    assert clip["status"] == "ready", clip["cause"]
    return clip


def _training() -> tuple[float, int]:
    """Return processor time without a film divided by that with one, and the number of kept policies."""
    ratios, kept = [], 0
    with scratch() as root:
        for number in range(PAIRS + 1):
            without, _ = _train(root / f"{number}-without", 0)
            with_film, kept = _train(root / f"{number}-with", 40)
            ratios.append(without / with_film)
    return statistics.median(ratios[1:]), kept  # the first pair includes imports


def _train(root: Path, count: int) -> tuple[float, int]:
    folder = new_folder(root, "ppo", TIMESTEPS // 2, evaluation=EvaluationPlan())
    config = folder.read_config()
    config = config.model_copy(update={"checkpoints": config.checkpoints.model_copy(update={"film": count})})
    write_atomically(folder.config_path, config.model_dump_json().encode())
    begin = time.process_time()
    assert train_run(folder)
    return time.process_time() - begin, len(folder.film_files())
