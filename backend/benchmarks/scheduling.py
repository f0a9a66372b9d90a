"""Compares the time of an experiment with a plain loop that trains and scores the same runs.

python -m benchmarks scheduling
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import httpx

from benchmarks.support import (
    WARM_UP_SECONDS,
    Figure,
    ask_to_evaluate,
    figure,
    new_folder,
    scratch,
    service,
    wait_until,
)
from rlviz.domain.limits import DEFAULT_SCORED_EPISODES
from rlviz.launchers.base import Evaluate, Job, Train, Worker
from rlviz.launchers.process import ForkedWorkers, ProcessLauncher
from rlviz.rundir.folder import RunFolder

RUNS = 40
STEPS = 6_000
"""Steps of PPO on CartPole in about two seconds."""

PARALLEL = 2
LONG = 1_800.0


def run() -> Iterator[Figure]:
    """Measure half of the loop before the experiment and half after, so that a change of the machine's speed favours
    neither."""
    with scratch() as root:
        before = _in_a_loop(root / "before", range(RUNS // 2))
        with service(root / "runs", max_concurrent_runs=PARALLEL) as client:
            time.sleep(WARM_UP_SECONDS)
            trained, scored = _as_experiment(client)
        after = _in_a_loop(root / "after", range(RUNS // 2, RUNS))
    alone = before + after
    yield figure(f"{RUNS} runs of {STEPS:,} steps, each scored, in a bare loop, {PARALLEL} at a time", alone, "s")
    yield figure("the same as an experiment: until the last is trained", trained, "s")
    yield figure("the same as an experiment: until the last is scored", scored, "s")
    yield figure("an experiment beside a bare loop", scored / alone, "×", at_most=1.15)


def _in_a_loop(root: Path, seeds: range) -> float:
    """Return the seconds from the first fork until the last run is trained and scored, without a service.

    Folders exist before, and the template has imported everything.
    """
    forks = ForkedWorkers()
    launcher = ProcessLauncher(source=forks)
    try:
        launcher.maintain()
        left: list[tuple[RunFolder, Job]] = [(new_folder(root, "ppo", STEPS, seed=seed), Train()) for seed in seeds]
        wait_until(lambda: forks.template is not None and forks.template.is_ready(), LONG)
        begin = time.monotonic()
        working: list[tuple[RunFolder, Job, Worker]] = []
        while left or working:
            while left and len(working) < PARALLEL:
                folder, job = left.pop(0)
                working.append((folder, job, launcher.launch(folder, job)))
            for one in working[:]:
                folder, job, worker = one
                if (ended := worker.poll()) is None:
                    continue
                working.remove(one)
                if ended.code != 0:
                    raise RuntimeError(f"A worker of the loop failed; see worker.log in {folder.path}")
                if job == Train():
                    left.insert(0, (folder, _scoring(folder)))
            time.sleep(0.005)
        return time.monotonic() - begin
    finally:
        launcher.close()


def _scoring(folder: RunFolder) -> Evaluate:
    """Request the evaluation that scores a run in an experiment."""
    return Evaluate(ask_to_evaluate(folder, episodes=DEFAULT_SCORED_EPISODES, video=False))


def _as_experiment(client: httpx.Client) -> tuple[float, float]:
    """Return the seconds until the last run was trained, and until the last trial was scored."""
    begin = time.time()
    spec = {
        "base": {"algo": "ppo", "env_id": "CartPole-v1", "preset": "fast", "total_timesteps": STEPS},
        "variants": [{"name": "PPO"}],
        "seeds": RUNS,
    }
    address = f"/experiments/{client.post('/experiments', json=spec).raise_for_status().json()['id']}"
    wait_until(lambda: client.get(address).json()["status"] != "running", LONG, every=0.5)
    scored = time.time() - begin
    cells = client.get(address).json()["cells"]
    missing = [cell["cause"] for cell in cells if cell["score"] is None]
    if missing:
        raise RuntimeError(f"{len(missing)} trials have no score: {missing[0]}")
    return _last_end(client, [cell["run_id"] for cell in cells]) - begin, scored


def _last_end(client: httpx.Client, ids: list[str]) -> float:
    """Return when the last of the runs ended, in Unix seconds."""
    return max(datetime.fromisoformat(client.get(f"/runs/{one}").json()["ended_at"]).timestamp() for one in ids)
