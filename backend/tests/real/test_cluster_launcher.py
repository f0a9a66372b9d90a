"""The service with a launcher that cannot see processes, such as that of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.evaluation import EvaluationStatus
from rlviz.domain.status import RunStatus
from rlviz.server.application import Application
from rlviz.settings import Settings
from tests.support.cluster import Cluster, ClusterLauncher
from tests.support.service import becomes, ended, evaluation_ended, folder_of, start
from tests.support.training import column, kinds
from tests.support.waiting import eventually


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.close()


def opened(runs_dir: Path, cluster: Cluster) -> Application:
    settings = Settings(_env_file=None, runs_dir=runs_dir, max_concurrent_runs=2)  # type: ignore[call-arg]
    application = Application(settings, launcher=ClusterLauncher(cluster))
    application.open()
    return application


def job_of(application: Application, run_id: str) -> int:
    worker = application.runs.get(run_id).worker
    assert worker is not None
    return int(worker.removeprefix("cluster job "))


def test_runs_and_evaluations_survive_a_restart_by_the_identities_of_their_launcher(
    tmp_path: Path, cluster: Cluster
) -> None:
    first = opened(tmp_path, cluster)
    kept, lost = start(first), start(first)
    for run_id in (kept, lost):
        eventually(lambda run_id=run_id: column(folder_of(first, run_id), "episode/index"), "the first episode")
        becomes(first, run_id, RunStatus.RUNNING)
    jobs = {run_id: job_of(first, run_id) for run_id in (kept, lost)}
    assert sorted(jobs.values()) == [1, 2]
    first.evaluations.create(kept, episodes=1, seed=7, deterministic=True)
    played = evaluation_ended(first, kept)
    assert (played.parsed().status, played.worker) == (EvaluationStatus.COMPLETED, "cluster job 3")
    first.close()

    cluster.lose(jobs[lost])
    second = opened(tmp_path, cluster)
    try:
        assert second.runs.get(kept).state is RunStatus.RUNNING
        assert job_of(second, kept) == jobs[kept]
        row = ended(second, lost)
        cause = f"The cluster knows nothing of cluster job {jobs[lost]} any more."
        assert (row.state, row.cause) == (RunStatus.INTERRUPTED, cause)
        second.runs.stop(kept)
        assert ended(second, kept).state is RunStatus.STOPPED
        assert [kind for kind in kinds(folder_of(second, kept)) if kind != "checkpoint"] == ["started", "stopped"]
    finally:
        second.close()
