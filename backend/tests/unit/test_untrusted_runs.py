"""A service starts nothing in a runs folder that is not trusted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rlviz.domain.errors import LauncherError, NotTrusted
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.experiments import ExperimentSpec
from rlviz.domain.sessions import SessionMode
from rlviz.domain.sink_record import SinkPlan
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.exchange.trusting import trust_runs_folder
from rlviz.launchers.base import Job, Launcher, Worker, WorkFolder
from rlviz.rundir.changes import ToResume
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import write_plan
from rlviz.rundir.standing import MARK, Standing, standing_of
from rlviz.server.application import Application
from rlviz.server.evaluations.futures import RecordedStep
from rlviz.server.exchange.deliveries import LiveDeliveries
from rlviz.server.runs.groups import SeedRequest
from rlviz.server.sessions.service import NewSession
from rlviz.server.snapshots.forking import ForkRequest
from rlviz.settings import Settings
from tests.support.bundles import POLICY
from tests.support.run_folders import make_run
from tests.support.service import create
from tests.support.step_files import about, pole_rows, write
from tests.support.waiting import eventually
from tests.unit.test_bundle_admission import CUSTOM

EVALUATION = "eval_20261121-044130-363"
OTHER = "eval_20261121-044131-363"
RECORDED = "eval_20261121-044132-363"
EXPERIMENT = "exp-20261121-044130-36301a"


@dataclass
class Witness(Launcher):
    """A launcher that records the requested launches and starts nothing."""

    launched: list[tuple[str, Job]] = field(default_factory=list)

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        self.launched.append((folder.path.name, job))
        raise LauncherError("This launcher starts no worker.")

    def adopt(self, identity: str) -> Worker | None:
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def evaluation(run_id: str, evaluation_id: str, status: EvaluationStatus) -> EvaluationRecord:
    return EvaluationRecord(
        id=evaluation_id,
        run_id=run_id,
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
        status=status,
        checkpoint="notes.bin",
    )


def fill(runs_dir: Path) -> None:
    """Fill a folder as an attacker might: with requests of every kind, and with runs that name their own code."""
    for run_id, desired in (("queued", Desired.RUN), ("paused", Desired.PAUSE), ("ended", Desired.RUN)):
        is_new = run_id == "queued"
        run = make_run(
            runs_dir,
            run_id,
            rows=0 if is_new else 20,
            status="created" if is_new else "completed",
            env_id="Env",
            custom_environment=CUSTOM,
        )
        run.write_control(Control(desired=desired, queued_at=1.0))
        write_plan(run, SinkPlan(kinds=(SinkKind.TENSORBOARD,)))
        for path in () if is_new else (run.model_path, run.checkpoint_path(100), run.film_path(50)):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(POLICY)
    ended = RunFolder(runs_dir, "ended")
    (ended.path / "notes.bin").write_bytes(b"\x80\x04 evil")
    ended.evaluations.write(evaluation("ended", EVALUATION, EvaluationStatus.QUEUED))
    ended.evaluations.write(evaluation("ended", OTHER, EvaluationStatus.COMPLETED))
    ended.evaluations.steps_path(OTHER).write_bytes(b"PAR1")
    ended.evaluations.write(evaluation("ended", RECORDED, EvaluationStatus.COMPLETED))
    steps = about()
    write(ended.evaluations.steps_path(RECORDED), steps, pole_rows(steps))
    ToResume(runs_dir).write(["paused", "ended"])
    spec = ExperimentSpec.model_validate({"base": {"preset": None}, "grid": {"gamma": [0.9, 0.99]}, "seeds": 2})
    folder = ExperimentFolder(runs_dir, EXPERIMENT)
    now = datetime(2026, 11, 21, tzinfo=UTC)
    folder.create(StoredExperiment(id=folder.id, name="Theirs", created_at=now, specification=spec))
    (folder.path / MARK).unlink()


@pytest.fixture(scope="module")
def witness() -> Witness:
    return Witness()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, witness: Witness) -> Iterator[Application]:
    runs_dir = tmp_path_factory.mktemp("downloaded") / "runs"
    fill(runs_dir)
    settings = Settings(_env_file=None, runs_dir=runs_dir, trust_runs_dir=False, resume="auto")  # type: ignore[call-arg]
    application = Application(settings, launcher=witness)
    application.open()
    try:
        # What the service does on its own at its start would otherwise look like a change by a test.
        eventually(lambda: not (runs_dir / "to-resume.json").exists(), "the list of runs to resume is read")
        eventually(
            lambda: application.evaluations.get("ended", EVALUATION).parsed().status.is_final,
            "the evaluation that was requested elsewhere has ended",
        )
        yield application
    finally:
        application.close()


def test_no_untrusted_run_starts_with_the_service(app: Application, witness: Witness) -> None:
    """A trusted run that is queued last is launched when all others would have been."""
    mine = create(app)
    app.runs.start(mine)
    eventually(lambda: any(name == mine for name, _ in witness.launched), "a run of the user's own")
    assert {name for name, _ in witness.launched} == {mine}
    assert app.runs.get("queued").state is RunStatus.CREATED
    assert app.runs.get("ended").state is RunStatus.COMPLETED
    eventually(lambda: app.evaluations.get("ended", EVALUATION).parsed().status.is_final, "the end of the order")
    order = app.evaluations.get("ended", EVALUATION).parsed()
    assert order.status is EvaluationStatus.FAILED
    assert "rlviz trust ended" in str(order.cause)
    assert app.experiments.run_ids(EXPERIMENT) == []
    assert app.deliveries.counts() == {"under_way": 0, "waiting": 0, "failing": 0}


USES: dict[str, Callable[[Application], object]] = {
    "start": lambda app: app.runs.start("queued"),
    "resume": lambda app: app.resuming.resume("ended", total_timesteps=200_000),
    "roll back": lambda app: app.resuming.roll_back("ended", "100"),
    "fork": lambda app: app.forks.fork("ended", ForkRequest(step=0)),
    "evaluate": lambda app: app.evaluations.create("ended", episodes=1, seed=1, deterministic=True),
    "more seeds": lambda app: app.groups.add_seeds("ended", SeedRequest(count=2)),
    "verify": lambda app: app.step_records.verify("ended", OTHER),
    "film again": lambda app: app.step_records.verify("ended", OTHER, film=True),
    "other action": lambda app: app.futures.request(RecordedStep("ended", 0, evaluation_id=RECORDED), [0]),
    "clip": lambda app: app.film.clip("ended", step=100, seed=1, greedy=True),
    "growth": lambda app: app.film.growth_video("ended", seed=1, greedy=True),
    "watch": lambda app: asyncio.run(app.sessions.create(NewSession(SessionMode.WATCH, run_id="ended"))),
    "play": lambda app: asyncio.run(app.sessions.create(NewSession(SessionMode.PLAY, run_id="ended"))),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_of_an_untrusted_run_is_refused_and_leaves_it_unchanged(
    app: Application, witness: Witness, use: str
) -> None:
    before = {row: app.runs.get(row).model_dump() for row in ("queued", "ended")}
    launched = list(witness.launched)
    runs = entries(app.settings.runs_dir)
    with pytest.raises(NotTrusted, match="rlviz trust"):
        USES[use](app)
    assert {row: app.runs.get(row).model_dump() for row in before} == before
    assert witness.launched == launched
    assert entries(app.settings.runs_dir) == runs


def entries(runs_dir: Path) -> set[str]:
    """Return the entries of a runs folder, without files that the service is writing."""
    return {path.name for path in runs_dir.iterdir() if path.suffix != ".tmp"}


def test_the_report_of_an_untrusted_run_is_written_without_filming_its_policies(
    app: Application, witness: Witness
) -> None:
    launched = list(witness.launched)
    state = app.report_film.request("ended")
    assert (state.moments, state.ready, state.waiting) == (2, 0, 0)
    assert "rlviz trust" in str(state.cause)
    assert witness.launched == launched
    assert "It has no film" in app.run_report.report("ended", film=True)


def test_a_found_experiment_does_nothing_until_the_user_asks(app: Application) -> None:
    assert EXPERIMENT in {one.id for one in app.experiments.list(q=None, limit=10, cursor=None).experiments}
    folder = ExperimentFolder(app.settings.runs_dir, EXPERIMENT)
    assert standing_of(folder.path, app.settings.runs_dir) is Standing.FOUND
    app.experiments.stop(EXPERIMENT)
    assert standing_of(folder.path, app.settings.runs_dir) is Standing.OWN


def test_a_found_run_becomes_the_users_own_when_they_use_it(app: Application, witness: Witness) -> None:
    found = make_run(app.settings.runs_dir, "of-an-earlier-version", rows=20, status="completed")
    found.model_path.write_bytes(POLICY)
    app.rebuild()
    assert app.trust.standing(found.run_id) is Standing.FOUND
    app.evaluations.create(found.run_id, episodes=1, seed=1, deterministic=True)
    assert app.trust.standing(found.run_id) is Standing.OWN
    eventually(lambda: any(name == found.run_id for name, _ in witness.launched), "the evaluation that was asked for")


def test_the_supervisor_starts_no_worker_for_an_untrusted_run(app: Application, witness: Witness) -> None:
    """This covers requests in the folder, and use cases that fail to check trust."""
    launched = list(witness.launched)
    app.supervisor.request_clips("ended")
    mine = create(app)
    app.runs.start(mine)
    eventually(lambda: any(name == mine for name, _ in witness.launched), "a run of the user's own")
    assert {name for name, _ in witness.launched[len(launched) :]} == {mine}


def test_a_sink_plan_applies_only_to_a_usable_run(app: Application, tmp_path: Path) -> None:
    begun: list[str] = []

    def begin(folder: RunFolder, kind: SinkKind, *, follow: bool) -> None:
        begun.append(folder.run_id)
        raise OSError

    allowed = {"paused"}
    live = LiveDeliveries(
        app.settings.runs_dir,
        app.database,
        may_follow_plan=lambda folder: folder.name in allowed,
        start_worker=begin,  # type: ignore[arg-type]
    )
    live.start()
    eventually(lambda: begun, "the delivery that is allowed")
    live.close()
    assert set(begun) == {"paused"}


def test_a_completely_trusted_run_can_be_used(
    app: Application, witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This test is the last because it changes what the others use. The environment's file is in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text("class Env: ...")
    signed, left = trust_runs_folder(app.settings.runs_dir)
    assert {"queued", "paused", "ended"} <= set(signed)
    assert left == []
    app.runs.start("queued")
    eventually(lambda: any(name == "queued" for name, _ in witness.launched), "the run that was queued elsewhere")
    assert json.loads((RunFolder(app.settings.runs_dir, "queued").config_path).read_bytes())["custom_environment"]
