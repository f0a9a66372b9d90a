"""Experiments of a service in a separate process, with very short runs."""

from __future__ import annotations

from typing import Any

from tests.support.service_process import Service
from tests.support.training import QUICK
from tests.support.waiting import eventually

BASE = {
    "algo": "ppo",
    "preset": None,
    "total_timesteps": 256,
    "hyperparameters": QUICK["ppo"],
}
TINY = {"base": BASE, "seeds": 2, "score": {"episodes": 2, "policy": "latest"}}
TWO = {
    **TINY,
    "variants": [{"name": "slow", "changes": {"hyperparameters": {"learning_rate": 1e-5}}}, {"name": "fast"}],
}
SEARCH = {
    **TINY,
    "sweep": {
        "space": {"learning_rate": {"kind": "float", "low": 1e-4, "high": 1e-2, "log": True}},
        "trials": 3,
        "seeds_per_trial": 2,
    },
}

LONG = 300.0
"""Seconds that an experiment, or what it waits for, may take on a machine however busy."""


def create(service: Service, spec: dict[str, Any]) -> str:
    answer = service.api("POST", "/experiments", json=spec)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def cells(service: Service, experiment_id: str) -> list[dict[str, Any]]:
    return list(service.get(f"/experiments/{experiment_id}")["cells"])


def statuses(experiment: dict[str, Any]) -> list[str]:
    return [cell["status"] for cell in experiment["cells"]]


def ended(service: Service, experiment_id: str, within: float = LONG) -> dict[str, Any]:
    """Return the experiment after it has ended."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/experiments/{experiment_id}")
        return found if found["status"] in ("completed", "failed") else None

    return eventually(look, "the end of the experiment", within)
