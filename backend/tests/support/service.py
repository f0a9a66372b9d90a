"""A service without HTTP, with a real catalogue, supervisor and workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlmodel import select

from rlviz.domain.status import RunStatus
from rlviz.launchers.base import Launcher
from rlviz.launchers.process import ProcessLauncher
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.runs import RunQuery
from rlviz.server.runs.configuration import NewRun
from rlviz.settings import Settings
from rlviz.testing.scripted import Script, ScriptedLauncher
from tests.support.catalogues import place_empty_catalogue
from tests.support.template import SharedWorkers
from tests.support.training import QUICK
from tests.support.waiting import eventually
from tests.support.workers import put_down

ENDLESS = 10_000_000


@contextmanager
def service(runs_dir: Path, *, script: Script | None = None, **settings: Any) -> Iterator[Application]:
    """A running service whose workers are ended when the block exits.

    With a ``script``, its workers replay recordings. Otherwise they are forks of the template that all tests share,
    unless ``settings`` name a launcher or say ``warm_worker``.
    """
    launcher: Launcher | None = None
    if script is not None:
        launcher = ScriptedLauncher(script=script)
    elif not settings.keys() & {"launcher", "warm_worker"}:
        launcher = ProcessLauncher(source=SharedWorkers())
    given = Settings(_env_file=None, **{"runs_dir": runs_dir, **settings})  # type: ignore[call-arg]
    application = Application(given, launcher=launcher)
    application.open()
    try:
        yield application
    finally:
        application.close()
        for worker in application.supervisor.workers():
            put_down(worker)


def create(application: Application, *, algo: str = "ppo", steps: int = ENDLESS, **wishes: Any) -> str:
    """Create a run with QUICK hyperparameters, and return its id."""
    hyperparameters = {**QUICK[algo], **wishes.pop("hyperparameters", {})}
    new = NewRun(algo, preset=None, seed=1, total_timesteps=steps, hyperparameters=hyperparameters, **wishes)
    return application.runs.create(new).id


def start(application: Application, **wishes: Any) -> str:
    run_id = create(application, **wishes)
    application.runs.start(run_id)
    return run_id


def folder_of(application: Application, run_id: str) -> RunFolder:
    return RunFolder(application.settings.runs_dir, run_id)


def becomes(application: Application, run_id: str, *wanted: RunStatus) -> RunRow:
    """Wait until the status of the run is one of ``wanted``, and return its row."""

    def look() -> RunRow | None:
        row = application.runs.get(run_id)
        return row if row.state in wanted else None

    return eventually(look, f"{run_id} to become {wanted}")


def ended(application: Application, run_id: str) -> RunRow:
    """Wait until the run has ended and its worker has exited, and return its row."""
    row = becomes(application, run_id, *(status for status in RunStatus if status.is_final))
    eventually(lambda: not application.supervisor.is_live(run_id), f"the worker of {run_id} to go")
    return row


def stop_all(application: Application) -> None:
    """Stop every waiting and training run and wait for the end, because a failed test may have left some."""
    active = [row.id for row in application.runs.list(RunQuery(limit=1_000)).runs if row.state.is_active]
    for run_id in active:
        application.runs.stop(run_id)
    for run_id in active:
        ended(application, run_id)


def evaluation_ended(application: Application, run_id: str) -> EvaluationRow:
    """Wait until the newest evaluation has ended and its evaluator has exited, and return the evaluation."""
    eventually(lambda: application.evaluations.latest(run_id).parsed().status.is_final, "the evaluation's end")
    latest = application.evaluations.latest(run_id)
    eventually(lambda: (run_id, latest.id) not in application.supervisor._evaluations.monitors, "the evaluator's end")
    return latest


def catalogue(database: Database) -> dict[str, Mapping[str, Any]]:
    """Return all rows of the catalogue by id, without the workers of evaluations, which are not in their records."""
    with database.read() as session:
        runs = {row.id: row.model_dump() for row in session.exec(select(RunRow))}
        evaluations = {
            f"{row.run_id}/{row.id}": row.model_dump(exclude={"worker"}) for row in session.exec(select(EvaluationRow))
        }
    return {**runs, **evaluations}


@contextmanager
def catalogued(runs_dir: Path, **settings: Any) -> Iterator[Application]:
    """A service with a catalogue whose supervisor does not run."""
    given = Settings(_env_file=None, runs_dir=runs_dir, warm_worker=False, **settings)  # type: ignore[call-arg]
    catalogue = runs_dir / "rlviz.db"
    if runs_dir.is_dir() and not catalogue.exists():
        place_empty_catalogue(catalogue)
    application = Application(given)
    application.claim()
    application._recover()
    try:
        yield application
    finally:
        application._analyst.close()
        application._lock.release()
        application.database.close()
