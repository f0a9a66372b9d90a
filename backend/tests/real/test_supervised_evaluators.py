"""Evaluations in evaluator processes, including killed ones."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import RunIsActive, RunNotFound
from rlviz.domain.evaluation import EvaluationStatus, PolicyChoice
from rlviz.domain.status import RunStatus
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.projection.rebuild import RebuildResult, rebuild
from tests.support.service import (
    catalogue,
    create,
    ended,
    evaluation_ended,
    folder_of,
    service,
    start,
    stop_all,
)
from tests.support.training import make_run
from tests.support.waiting import eventually
from tests.support.workers import pid_of, worker_processes

pytestmark = pytest.mark.usefixtures("_no_run_goes_on")


LONG = 100
"""Episodes: enough to be met half-way."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run in a runs folder that no service has opened."""
    folder = make_run(tmp_path_factory.mktemp("runs"), total_timesteps=256)
    assert train_run(folder)
    return folder


@pytest.fixture(scope="module")
def app(trained: RunFolder) -> Iterator[Application]:
    with service(trained.path.parent, max_concurrent_runs=1) as application:
        yield application
    assert worker_processes() == []


@pytest.fixture
def _no_run_goes_on(app: Application) -> Iterator[None]:
    yield
    stop_all(app)


def evaluate(
    app: Application, run_id: str, *, episodes: int = 1, policy: PolicyChoice = PolicyChoice.LATEST
) -> EvaluationRow:
    return app.evaluations.create(run_id, episodes=episodes, seed=7, deterministic=True, policy=policy)


def half_way(app: Application, run_id: str) -> int:
    """Return the evaluator's process id after it has played an episode."""
    eventually(lambda: app.evaluations.latest(run_id).parsed().episodes_done, "the first episode")
    row = app.evaluations.latest(run_id)
    assert row.parsed().status is EvaluationStatus.RUNNING
    return pid_of(row.worker)


def files(folder: RunFolder, pattern: str = "*") -> list[str]:
    return sorted(path.name for path in folder.evaluations.path.glob(pattern))


def test_the_best_policy_is_evaluated_on_request_and_the_result_is_an_event_of_the_run(app: Application) -> None:
    run_id = start(app, steps=300, evaluation=EvaluationPlan(every_steps=100, episodes=1))
    assert ended(app, run_id).state is RunStatus.COMPLETED
    best = folder_of(app, run_id).best_policy()
    assert best is not None
    assert app.runs.get(run_id).best_policy == best.model_dump()
    evaluate(app, run_id, policy=PolicyChoice.BEST)
    record = evaluation_ended(app, run_id).parsed()
    assert (record.status, record.cause) == (EvaluationStatus.COMPLETED, None)
    assert (record.policy, record.checkpoint, record.checkpoint_step) == ("best", "best_model.zip", best.step)


def test_a_killed_evaluator_leaves_the_cause_and_no_partial_file(app: Application, trained: RunFolder) -> None:
    before = files(trained)
    asked = evaluate(app, trained.run_id, episodes=LONG)
    pid = half_way(app, trained.run_id)
    assert files(trained, f".{asked.id}*") != []
    with pytest.raises(RunIsActive, match="is being evaluated"):
        app.runs.delete(trained.run_id)
    os.kill(pid, signal.SIGKILL)
    record = evaluation_ended(app, trained.run_id).parsed()
    assert record.status is EvaluationStatus.FAILED
    assert record.cause == "The worker was killed by signal 9 (SIGKILL)."
    assert record.ended_at is not None
    assert record.summary is None
    assert trained.evaluations.read(asked.id) == record
    assert files(trained) == sorted([*before, f"{asked.id}.json"])


def test_a_policy_that_fails_to_load_is_the_cause_of_a_failed_evaluation(app: Application) -> None:
    run_id = create(app)
    folder = folder_of(app, run_id)
    folder.model_path.write_bytes(b"not a zip file")
    asked = evaluate(app, run_id)
    record = evaluation_ended(app, run_id).parsed()
    assert record.status is EvaluationStatus.FAILED
    assert record.cause is not None
    assert "model.zip cannot be loaded as PPO" in record.cause
    assert files(folder) == [f"{asked.id}.json"]

    app.runs.delete(run_id)
    with pytest.raises(RunNotFound):
        app.evaluations.list(run_id)
    assert not folder.path.exists()


def test_evaluations_are_rebuilt_unchanged(app: Application, trained: RunFolder, tmp_path: Path) -> None:
    evaluate(app, trained.run_id)
    evaluation_ended(app, trained.run_id)
    database = Database(tmp_path / "again.db")
    database.migrate()
    result = rebuild(database, app.settings.runs_dir)
    again, before = catalogue(database), catalogue(app.database)
    database.close()
    assert again == before
    evaluations = [key for key in before if "/" in key]
    assert result == RebuildResult(len(before) - len(evaluations), len(evaluations), [])
    assert len(evaluations) >= 1
