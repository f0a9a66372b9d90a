"""Request evaluations over HTTP or in a run's folder, and read their results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus
from rlviz.learning.playing.summary import summarize
from rlviz.rundir.folder import RunFolder
from tests.support.service_process import Service
from tests.support.waiting import eventually

ASKED_AT = datetime(2026, 11, 21, 1, 43, 12, tzinfo=UTC)


def ask_in_folder(folder: RunFolder, number: int = 1, **wishes: Any) -> EvaluationRecord:
    """Queue an evaluation of the newest policy, as the service does."""
    wishes = {"checkpoint": "model.zip", "episodes": 1, **wishes}
    record = EvaluationRecord(
        id=f"eval_20261121-014312-{number:03d}", run_id=folder.run_id, created_at=ASKED_AT, **wishes
    )
    folder.evaluations.write(record)
    return record


def write_evaluation(folder: RunFolder, returns: list[float], number: int = 1, **changes: Any) -> EvaluationRecord:
    """Write a completed requested evaluation of the policy of step 5,000."""
    episodes = [
        EpisodeResult(
            index=place, episode_return=one, episode_length=9, terminated=True, truncated=False, seed=1, first_frame=0
        )
        for place, one in enumerate(returns, start=1)
    ]
    record = EvaluationRecord(
        **{
            "id": f"eval_20261121-014312-{number:03d}",
            "run_id": folder.run_id,
            "created_at": ASKED_AT + timedelta(hours=1),
            "status": EvaluationStatus.COMPLETED,
            "episodes": len(returns),
            "checkpoint": "model.zip",
            "checkpoint_step": 5_000,
            "summary": summarize(episodes, None),
            **changes,
        }
    )
    folder.evaluations.write(record)
    return record


def evaluated(service: Service, run_id: str, **wishes: Any) -> dict[str, Any]:
    """Evaluate the run, and return the completed evaluation."""
    asked = service.api("POST", f"/runs/{run_id}/evaluations", json=wishes)
    assert asked.status_code == 202, asked.text

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
        assert found["id"] == asked.json()["id"]
        assert found["status"] != "failed", found["cause"]
        return found if found["status"] == "completed" else None

    return eventually(look, "the evaluation", 300)


def verified(service: Service, run_id: str, evaluation_id: str, *, film: bool = False) -> dict[str, Any]:
    """Replay and film the evaluation, and return the result."""
    path = f"/runs/{run_id}/evaluations/{evaluation_id}/verify"
    asked = service.api("POST", path.removesuffix("verify") + "film" if film else path)
    assert asked.status_code == 202, asked.text

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(path)
        return found if found["status"] != "running" else None

    return eventually(look, "the verification", 300)
