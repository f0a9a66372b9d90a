"""Evaluations under a real supervisor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import EvaluationInProgress, EvaluationNotFound, InvalidRequest, NothingToEvaluate, RunNotFound
from rlviz.domain.evaluation import EvaluationStatus, PolicyChoice
from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.catalog.models import EvaluationRow
from rlviz.testing.scripted import Script
from tests.support.service import (
    becomes,
    create,
    ended,
    evaluation_ended,
    folder_of,
    service,
    start,
    stop_all,
)
from tests.support.training import column, events, make_run
from tests.support.waiting import eventually
from tests.support.workers import worker_processes

pytestmark = pytest.mark.usefixtures("_no_run_goes_on")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run in a runs folder that no service has opened."""
    folder = make_run(tmp_path_factory.mktemp("runs"), total_timesteps=256)
    assert train_run(folder)
    return folder


@pytest.fixture(scope="module")
def app(trained: RunFolder) -> Iterator[Application]:
    with service(trained.path.parent, max_concurrent_runs=1, script=Script()) as application:
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


def files(folder: RunFolder, pattern: str = "*") -> list[str]:
    return sorted(path.name for path in folder.evaluations.path.glob(pattern))


def test_the_newest_three_videos_and_every_summary_and_record_are_kept(app: Application, trained: RunFolder) -> None:
    ids = []
    for _ in range(4):
        ids.append(evaluate(app, trained.run_id).id)
        record = evaluation_ended(app, trained.run_id).parsed()
        assert (record.id, record.status, record.cause) == (ids[-1], EvaluationStatus.COMPLETED, None)
        assert (record.checkpoint, record.checkpoint_step) == ("model.zip", events(trained)[-1].step)
    kept = [f"{id_}{suffix}" for id_ in ids for suffix in (".json", ".steps.parquet")]
    beside = [name for name in files(trained) if not name.endswith(".frames.zip")]  # as far as there was time for them
    assert beside == sorted(kept + [f"{id_}.mp4" for id_ in ids[1:]])
    rows = app.evaluations.list(trained.run_id)
    assert [row.id for row in rows] == ids[::-1]
    assert [app.evaluations.kept(row).video for row in rows] == [True, True, True, False]
    summaries = [row.parsed().summary for row in rows]
    assert all(
        summary is not None and summary.episodes == summaries[0].episodes  # type: ignore[union-attr]
        for summary in summaries
    ), "the same policy and seed play the same episodes"


def test_a_running_run_is_asked_for_a_checkpoint_and_keeps_training(app: Application) -> None:
    run_id = start(app)
    folder = folder_of(app, run_id)
    becomes(app, run_id, RunStatus.RUNNING)
    eventually(lambda: column(folder, "episode/index"), "the first episode")
    evaluate(app, run_id)
    with pytest.raises(EvaluationInProgress):
        evaluate(app, run_id)
    record = evaluation_ended(app, run_id).parsed()
    answers = {event.step: event.data.path for event in events(folder, EventKind.CHECKPOINT) if event.data.request}
    assert record.status is EvaluationStatus.COMPLETED
    assert record.checkpoint_step is not None
    assert record.checkpoint == answers[record.checkpoint_step]
    assert app.runs.get(run_id).state is RunStatus.RUNNING
    app.runs.stop(run_id)
    assert ended(app, run_id).state is RunStatus.STOPPED

    evaluate(app, run_id)
    record = evaluation_ended(app, run_id).parsed()
    assert record.status is EvaluationStatus.COMPLETED
    assert (record.checkpoint, record.checkpoint_step) == ("model.zip", events(folder)[-1].step)


def test_a_running_run_with_a_damaged_control_file_still_gets_the_request(app: Application) -> None:
    run_id = start(app)
    folder = folder_of(app, run_id)
    becomes(app, run_id, RunStatus.RUNNING)
    eventually(lambda: column(folder, "episode/index"), "the first episode")
    for _ in range(2):
        folder.control_path.write_text("{")
        evaluate(app, run_id)
        assert evaluation_ended(app, run_id).parsed().status is EvaluationStatus.COMPLETED
        assert folder.read_control().desired is Desired.RUN
    asked = [number for event in events(folder, EventKind.CHECKPOINT) if (number := event.data.request)]
    assert asked == sorted(asked)
    assert len(set(asked)) == 2
    stop_all(app)
    app.runs.delete(run_id)  # when it was queued was in the damaged file, and nowhere else to rebuild it from


def test_a_stop_right_after_an_evaluation_request_is_not_lost(app: Application) -> None:
    run_id = start(app)
    becomes(app, run_id, RunStatus.RUNNING)
    evaluate(app, run_id)
    app.runs.stop(run_id)
    assert ended(app, run_id).state is RunStatus.STOPPED
    assert evaluation_ended(app, run_id).parsed().status is EvaluationStatus.COMPLETED


def test_a_run_without_a_best_policy_says_so(app: Application, trained: RunFolder) -> None:
    with pytest.raises(NothingToEvaluate, match="created without evaluation during training"):
        evaluate(app, trained.run_id, policy=PolicyChoice.BEST)
    run_id = create(app, evaluation=EvaluationPlan(every_steps=5_000))
    with pytest.raises(NothingToEvaluate, match="its first evaluation comes after 5,000 steps"):
        evaluate(app, run_id, policy=PolicyChoice.BEST)


def test_early_stopping_without_evaluations_is_refused(app: Application) -> None:
    create(app, evaluation=EvaluationPlan(every_steps=1_000, stop_after=3))
    with pytest.raises(InvalidRequest, match="Give every_steps too") as caught:
        create(app, evaluation=EvaluationPlan(stop_after=3))
    assert caught.value.fields[0].pointer == "/evaluation/stop_after"


def test_a_run_without_a_policy_cannot_be_evaluated(app: Application) -> None:
    run_id = create(app)
    with pytest.raises(NothingToEvaluate, match="'created' and has no policy yet"):
        evaluate(app, run_id)
    with pytest.raises(EvaluationNotFound):
        app.evaluations.latest(run_id)
    with pytest.raises(RunNotFound):
        evaluate(app, "no-such-run")
    assert files(folder_of(app, run_id)) == []
