"""Runs that evaluations show to be solved."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import RunActor
from rlviz.domain.evaluation import EvaluationStatus, Origin
from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import find_requested_results
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import results_of_records, row_of_folder
from rlviz.server.catalog.projection.rebuild import index_new
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus
from rlviz.server.feeds import Feeds
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.evaluations import EvaluationMonitor
from rlviz.server.supervisor.run_monitor import RunMonitor
from rlviz.settings import Settings
from tests.support.evaluations import write_evaluation
from tests.support.training import CREATED_AT, make_run
from tests.support.workers import GRACE, Actor

BEGIN = CREATED_AT.timestamp()


def write_journals(folder: RunFolder, *, ends: bool = True) -> None:
    """Write a run that took ten seconds per thousand steps, saved a policy after each thousand, and solved nothing."""
    now = BEGIN
    with (
        closing(JournalWriter(folder.metrics_path, clock=lambda: now)) as metrics,
        closing(JournalWriter(folder.events_path, clock=lambda: now)) as events,
    ):
        events.append({"event": "started", "step": 0, "data": {"worker": "an actor"}})
        for number in range(1, 6):
            now, step = BEGIN + 10 * number, 1_000 * number
            values = {"episode/reward": 0.2, "episode/length": 9, "episode/index": number}
            metrics.append({"step": step, "values": values})
            events.append({"event": "checkpoint", "step": step, "data": {"path": f"checkpoints/step_{step}.zip"}})
        if ends:
            events.append({"event": "finished", "step": 5_000, "data": {"path": "model.zip"}})


def hits(successes: int, episodes: int) -> list[float]:
    """Return returns of FrozenLake, whose threshold is 0.7."""
    return [1.0] * successes + [0.0] * (episodes - successes)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path, algo="q-learning", total_timesteps=5_000)
    write_journals(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "returns", "changes", "solved"),
    [
        ("a hundred greedy episodes", hits(76, 100), {}, 5_000),
        ("twenty", hits(14, 20), {}, 5_000),
        ("sampled actions", hits(76, 100), {"deterministic": False}, 5_000),
        ("a policy on the way", hits(76, 100), {"checkpoint_step": 3_000}, 3_000),
        ("below the threshold", hits(69, 100), {}, None),
        ("one lucky episode", hits(1, 1), {}, None),
        ("nineteen", hits(19, 19), {}, None),
        ("episodes that the run recorded itself", hits(20, 20), {"origin": Origin.RUN}, None),
        ("a person's", hits(20, 20), {"origin": Origin.PLAYED}, None),
        ("one that failed", hits(20, 20), {"status": EvaluationStatus.FAILED}, None),
        ("chance, which has no policy", hits(20, 20), {"checkpoint_step": None}, None),
    ],
)
def test_an_evaluation_on_request_solves_a_run(
    folder: RunFolder, database: Database, name: str, returns: list[float], changes: dict[str, Any], solved: int | None
) -> None:
    record = write_evaluation(folder, returns, **changes)
    row = row_of_folder(folder)
    assert (row.solved_step, row.solved_by) == (solved, None if solved is None else "evaluation")
    index_new(database, folder.path.parent)
    with database.read() as session:
        asked = find_requested_results(session, [folder.run_id]).get(folder.run_id, [])
    assert asked == results_of_records([record]), "the catalogue says what the folder says"


@pytest.mark.parametrize(("step", "seconds"), [(5_000, 50.0), (3_000, 30.0), (2_500, 25.0)])
def test_a_run_was_solved_when_the_policy_was_trained_not_when_it_was_evaluated(
    folder: RunFolder, step: int, seconds: float
) -> None:
    write_evaluation(folder, hits(76, 100), checkpoint_step=step)
    row = row_of_folder(folder)
    assert (row.solved_step, row.solved_seconds) == (step, seconds)


def test_the_evaluation_of_the_earliest_policy_counts(folder: RunFolder) -> None:
    for number, step in enumerate((5_000, 2_000, 4_000), start=1):
        write_evaluation(folder, hits(76, 100), number, checkpoint_step=step)
    assert row_of_folder(folder).solved_step == 2_000


def test_an_environment_without_a_threshold_is_never_solved(tmp_path: Path) -> None:
    folder = make_run(tmp_path, algo="sac")
    write_journals(folder)
    write_evaluation(folder, [0.0] * 100)
    assert row_of_folder(folder).solved is None


def row_of(database: Database, folder: RunFolder) -> RunRow:
    with database.read() as session:
        return get_run(session, folder.run_id)


def monitor_of(folder: RunFolder, database: Database, row: EvaluationRow) -> EvaluationMonitor:
    disk = DiskGuard(Settings(_env_file=None), free=lambda _: 1 << 40)  # type: ignore[call-arg]
    return EvaluationMonitor(row, folder, database, EventBus(), disk=disk, checkpoint_request=None, keep_videos=3)


def test_the_row_of_an_ended_run_is_solved_as_soon_as_the_evaluation_ends(
    folder: RunFolder, database: Database
) -> None:
    queued = write_evaluation(folder, hits(76, 100), status=EvaluationStatus.RUNNING, summary=None)
    index_new(database, folder.path.parent)
    assert row_of(database, folder).solved is None
    monitor = monitor_of(folder, database, EvaluationRow.from_record(queued))
    write_evaluation(folder, hits(76, 100))
    assert not monitor.poll()
    row = row_of(database, folder)
    assert (row.solved_step, row.solved_seconds) == (5_000, 50.0)
    assert row.solved == row_of_folder(folder).solved


def test_a_training_run_that_is_solved_stays_solved(tmp_path: Path, database: Database) -> None:
    folder = make_run(tmp_path, algo="q-learning", total_timesteps=5_000)
    write_journals(folder, ends=False)
    index_new(database, tmp_path)
    with database.write() as session:
        row = get_run(session, folder.run_id)
        row.status = RunStatus.RUNNING.value
        session.add(row)
    now = [0.0]
    feed = Feeds(tmp_path).get_feed(folder.run_id)
    follower = RunMonitor(row, folder, Actor(), feed, database, EventBus(), grace=GRACE, monotonic=lambda: now[0])
    evaluation = write_evaluation(folder, hits(76, 100))
    with database.write() as session:
        session.add(EvaluationRow.from_record(evaluation))
    for _ in range(2):
        with closing(JournalWriter(folder.metrics_path)) as metrics:
            metrics.append({"step": 6_000, "values": {"episode/reward": 0.0}})
        now[0] += 10
        follower.poll()
        assert row_of(database, folder).solved_step == 5_000


@pytest.mark.parametrize(
    ("is_foreign", "means", "solved"),
    [
        (True, [480.0, 500.0, 490.0], 3_000),
        (True, [500.0, 100.0, 500.0, 500.0], None),
        (False, [500.0, 500.0, 500.0], None),  # ours play again before they count
    ],
)
def test_a_user_script_is_solved_by_three_consecutive_evaluations(
    tmp_path: Path, is_foreign: bool, means: list[float], solved: int | None
) -> None:
    folder = make_run(tmp_path, **({"actor": RunActor.FOREIGN} if is_foreign else {}))
    with closing(JournalWriter(folder.metrics_path)) as metrics:
        for number, mean in enumerate(means, start=1):
            metrics.append({"step": 1_000 * number, "values": {"eval/mean_reward": mean}})
    assert row_of_folder(folder).solved_step == solved
