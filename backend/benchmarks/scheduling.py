"""What an experiment adds to the runs that it trains: the same runs by themselves, and by an experiment.

python -m benchmarks scheduling
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import httpx

from benchmarks.support import WARM_UP_SECONDS, Figure, figure, scratch, service, wait_until

RUNS = 40
STEPS = 6_000
"""Of PPO on CartPole: about two seconds."""

PARALLEL = 2
ENDED = ("completed", "stopped", "failed", "interrupted")
LONG = 1_800.0


def run() -> Iterator[Figure]:
    """Half of the runs by themselves come before the experiment and half after, so that a machine that gets slower or
    faster meanwhile favours neither."""
    with scratch() as root, service(root, max_concurrent_runs=PARALLEL) as client:
        time.sleep(WARM_UP_SECONDS)
        before = _alone(client, range(RUNS // 2))
        trained, scored = _as_experiment(client)
        after = _alone(client, range(RUNS // 2, RUNS))
    alone = before + after
    yield figure(f"{RUNS} runs of {STEPS:,} steps by themselves, {PARALLEL} at a time", alone, "s")
    yield figure("the same as an experiment: until the last is trained", trained, "s")
    yield figure("the same as an experiment: until the last is scored", scored, "s")
    yield figure("an experiment beside runs by themselves: trained", trained / alone, "×", at_most=1.15)
    yield figure("an experiment beside runs by themselves: scored too", scored / alone, "×")


def _alone(client: httpx.Client, seeds: range) -> float:
    """Seconds from the first request until the last has ended."""
    begin = time.time()
    ids = []
    for seed in seeds:
        body = {"algo": "ppo", "preset": "fast", "total_timesteps": STEPS, "seed": seed, "start": True}
        ids.append(client.post("/runs", json=body).raise_for_status().json()["id"])
    return _last_end(client, ids) - begin


def _as_experiment(client: httpx.Client) -> tuple[float, float]:
    """Seconds until the last run was trained, and until the last trial was scored."""
    begin = time.time()
    spec = {
        "base": {"algo": "ppo", "env_id": "CartPole-v1", "preset": "fast", "total_timesteps": STEPS},
        "variants": [{"name": "PPO"}],
        "seeds": RUNS,
    }
    address = f"/experiments/{client.post('/experiments', json=spec).raise_for_status().json()['id']}"
    wait_until(lambda: client.get(address).json()["status"] != "running", LONG)
    scored = time.time() - begin
    cells = client.get(address).json()["cells"]
    missing = [cell["cause"] for cell in cells if cell["score"] is None]
    if missing:
        raise RuntimeError(f"{len(missing)} trials have no score: {missing[0]}")
    return _last_end(client, [cell["run_id"] for cell in cells]) - begin, scored


def _last_end(client: httpx.Client, ids: list[str]) -> float:
    """When the last of the runs ended, Unix seconds."""
    wait_until(lambda: all(client.get(f"/runs/{one}").json()["status"] in ENDED for one in ids[-PARALLEL:]), LONG)
    wait_until(lambda: all(client.get(f"/runs/{one}").json()["status"] in ENDED for one in ids), LONG)
    found = [client.get(f"/runs/{one}").json() for one in ids]
    if any(one["status"] != "completed" for one in found):
        raise RuntimeError(f"Runs ended as {sorted({one['status'] for one in found})}")
    return max(_seconds(one["ended_at"]) for one in found)


def _seconds(instant: str) -> float:
    return datetime.fromisoformat(instant).timestamp()
