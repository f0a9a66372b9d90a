"""Evaluations asked for over HTTP, and what came of them."""

from __future__ import annotations

from typing import Any

from tests.support.http import Service, wait_for


def evaluated(service: Service, run_id: str, **wishes: Any) -> dict[str, Any]:
    """A new evaluation of the run, once it has completed."""
    asked = service.api("POST", f"/runs/{run_id}/evaluations", json=wishes)
    assert asked.status_code == 202, asked.text

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
        assert found["id"] == asked.json()["id"]
        assert found["status"] != "failed", found["cause"]
        return found if found["status"] == "completed" else None

    return wait_for(look, "the evaluation", 300)


def verified(service: Service, run_id: str, evaluation_id: str) -> dict[str, Any]:
    """What came of playing the evaluation again."""
    path = f"/runs/{run_id}/evaluations/{evaluation_id}/verify"
    asked = service.api("POST", path)
    assert asked.status_code == 202, asked.text

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(path)
        return found if found["status"] != "running" else None

    return wait_for(look, "the verification", 300)
