"""The best evaluation of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlmodel import Session

from rlviz.domain.evaluation import EvaluationRecord
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.evaluations.service import best_evaluation
from rlviz.server.runs.models import BestEvaluation


def evaluation(number: int, mean: float, **changes: Any) -> EvaluationRow:
    spread = {"mean": mean, "std": 1.0, "min": mean, "max": mean}
    summary: dict[str, Any] = {"episodes": [], "episode_return": spread, "episode_length": spread, "video": None}
    record = {
        **{"id": f"eval_{number}", "run_id": "a", "created_at": "2026-11-29T12:00:00Z", "status": "completed"},
        **{"checkpoint_step": 10, "summary": {**summary, "terminated": 0, "truncated": 0}, **changes},
    }
    return EvaluationRow.from_record(EvaluationRecord.model_validate(record))


def best(session: Session, row: RunRow, *, deterministic: bool = True) -> BestEvaluation | None:
    return best_evaluation(session, row, deterministic=deterministic)


def test_the_best_result_comes_from_the_kept_policy_or_a_completed_evaluation_of_the_same_kind(tmp_path: Path) -> None:
    database = Database(tmp_path / "rlviz.db", busy_seconds=0.1)
    database.migrate()
    row = RunRow(id="a", name="a", algo="ppo", env_id="X-v1", seed=1, total_timesteps=1, created_at=0.0)
    with database.write() as session:
        session.add(row)
        session.flush()
        assert best(session, row) is None
        session.add(evaluation(1, 70.0, status="failed"))
        session.flush()
        assert best(session, row) is None
        row.best_policy = {"step": 50, "mean_return": 60.0, "std_return": 2.0, "episodes": 10}
        assert best(session, row) == BestEvaluation(mean=60.0, std=2.0, step=50, deterministic=True)
        session.add_all([evaluation(2, 70.0), evaluation(3, 90.0, deterministic=False)])
        session.add_all([evaluation(4, 80.0, origin="run"), evaluation(5, 65.0)])
        session.flush()
        assert best(session, row) == BestEvaluation(mean=70.0, std=1.0, step=10, deterministic=True)
        sampled = best(session, row, deterministic=False)
        assert sampled == BestEvaluation(mean=90.0, std=1.0, step=10, deterministic=False)
    database.close()
