"""Give a scripted service some runs, for ``make dev SCRIPTED=1``.

    python -m rlviz.testing.demo URL     waits for the service there; one that has runs already gets none

Runs whose name ends in ``(done)`` are over at once with the script that the Makefile sets, the others play on.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import httpx

WAIT_SECONDS = 60.0

DONE = (
    {"algo": "ppo", "name": "PPO (done)", "seeds": [1, 2, 3], "total_timesteps": 20_000},
    {"algo": "dqn", "name": "DQN (done)", "seeds": [1, 2, 3], "total_timesteps": 20_000},
    {
        "algo": "sac",
        "env_id": "Pendulum-v1",
        "name": "Swing up (done)",
        "seeds": [1],
        "total_timesteps": 6_000,
    },
    {
        "algo": "q-learning",
        "env_id": "FrozenLake-v1",
        "name": "Frozen lake (done)",
        "seeds": [1],
        "total_timesteps": 20_000,
    },
)
PLAYING = (
    {"algo": "ppo", "name": "PPO, still training", "total_timesteps": 1_000_000},
    {"algo": "dqn", "name": "DQN, still training", "total_timesteps": 1_000_000},
)


def create_runs(url: str) -> int:
    """Create and start the runs, and evaluate those that are done; returns how many there are.

    Returns 0 if the service has runs already. Raises httpx.HTTPError if it cannot be reached in a minute.
    """
    with httpx.Client(base_url=f"{url.rstrip('/')}/api", timeout=30) as client:
        _await(client)
        if _request(client, "GET", "/runs", params={"limit": 1})["runs"]:
            return 0
        made: list[str] = []
        for group in DONE:
            runs = _request(client, "POST", "/runs/groups", json={**group, "start": True})["runs"]
            made += [run["id"] for run in runs]
        for run_id in made:
            while _request(client, "GET", f"/runs/{run_id}")["status"] not in ("completed", "failed"):
                time.sleep(0.2)
            _request(client, "POST", f"/runs/{run_id}/evaluations", json={"episodes": 2})
        made += [_request(client, "POST", "/runs", json={**run, "seed": 1, "start": True})["id"] for run in PLAYING]
        return len(made)


def _await(client: httpx.Client) -> None:
    give_up = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            client.get("/health").raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.2)
        else:
            return


def _request(client: httpx.Client, method: str, path: str, **options: Any) -> Any:
    answer = client.request(method, path, **options)
    answer.raise_for_status()
    return answer.json()


if __name__ == "__main__":
    print(f"{create_runs(sys.argv[1])} scripted runs were made.", flush=True)
