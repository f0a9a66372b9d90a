"""A hint test with real training: forks at a snapshot, with and without the change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.experiments import BASE, ended
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

FIRST, LAST = 128, 512


def learning_rates(service: Service, run_id: str) -> list[float]:
    rows = service.get(f"/runs/{run_id}/metrics/rows")["rows"]
    return [row["values"]["train/learning_rate"] for row in rows if "train/learning_rate" in row["values"]]


def test_the_forks_of_a_hint_test_train_from_the_snapshot_with_their_own_value(tmp_path: Path) -> None:
    base = {**BASE, "total_timesteps": LAST}
    with serving(tmp_path, max_concurrent_runs="2") as service:
        plan = {"every_steps": FIRST, "every_seconds": None, "keep": 9}
        run_id = service.create(**base, seed=1, snapshots=plan, start=True)["id"]
        eventually(lambda: service.get(f"/runs/{run_id}")["status"] == "completed", "the end of the run", 300)
        spec: dict[str, Any] = {
            "base": base,
            "grid": {"learning_rate": [3e-4, 1e-4]},
            "seeds": [5],
            "parallel": 2,
            "score": {"episodes": 1, "policy": "latest"},
            "fork": {"run_id": run_id, "snapshot": str(FIRST), "step": FIRST},
            "tests": {"run_id": run_id, "hint": "kl-spikes", "title": "Some updates changed the policy too much"},
        }
        experiment = service.api("POST", "/experiments", json=spec).json()
        found = ended(service, experiment["id"])
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * 2
        assert found["hint_test"]["state"] == "complete"
        for cell, value in zip(found["cells"], spec["grid"]["learning_rate"], strict=True):
            run = service.get(f"/runs/{cell['run_id']}")
            assert (run["parent"]["step"], run["step"], run["seed"]) == (FIRST, LAST, 5)
            assert set(learning_rates(service, run["id"])) == {value}
