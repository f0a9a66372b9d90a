"""Verification of step records of every environment family, over HTTP."""

from __future__ import annotations

import pytest

from tests.real.test_api_verify import PLAYED, run_of, service
from tests.support.evaluations import evaluated, verified
from tests.support.service_process import Service

__all__ = ["service"]


@pytest.mark.parametrize("env_id", PLAYED)
def test_environments_of_every_family_are_reproduced_to_the_last_hash(service: Service, env_id: str) -> None:
    run_id = run_of(env_id)
    found = evaluated(service, run_id, episodes=1, deterministic=False, video=False)
    hashed = service.get(f"/runs/{run_id}/evaluations/{found['id']}/steps", params={"columns": "frame_hash"})
    assert len(set(filter(None, hashed["columns"]["frame_hash"]))) > 1, "there are hashes to compare"
    verification = verified(service, run_id, found["id"])
    assert verification["first_difference"] is None
    assert (verification["status"], verification["identical"], verification["cause"]) == ("completed", True, None)
    assert verification["steps"] == found["summary"]["steps"]["rows"]
