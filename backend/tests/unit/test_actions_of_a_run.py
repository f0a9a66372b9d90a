"""Policies of a run are evaluated, filmed and watched with actions chosen as in its evaluations during training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import LauncherError
from rlviz.domain.sessions import SessionMode
from rlviz.launchers.base import Job, Launcher, Worker, WorkFolder
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.exchange.report.film import ReportFilmService
from rlviz.server.sessions.service import NewSession
from rlviz.settings import Settings
from tests.support.bundles import POLICY
from tests.support.run_folders import make_run


class Nothing(Launcher):
    """Starts no worker, so that requests stay as they were made."""

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        raise LauncherError("This launcher starts no worker.")

    def adopt(self, identity: str) -> Worker | None:
        return None

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    for run_id, deterministic in (("greedy", True), ("sampled", False)):
        plan = EvaluationPlan(every_steps=100, deterministic=deterministic)
        run = make_run(tmp_path, run_id, rows=20, status="completed", evaluation=plan)
        for path in (run.model_path, run.film_path(0), run.film_path(50)):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(POLICY)
    settings = Settings(_env_file=None, runs_dir=tmp_path, trust_runs_dir=True)  # type: ignore[call-arg]
    application = Application(settings, launcher=Nothing())
    application.open()
    try:
        yield application
    finally:
        application.close()


@pytest.mark.parametrize("run_id", ["greedy", "sampled"])
def test_what_is_asked_for_without_a_choice_plays_as_the_run_evaluates(app: Application, run_id: str) -> None:
    greedy = run_id == "greedy"
    assert app.film.clip(run_id, step=50, seed=1, greedy=None).greedy is greedy
    assert app.film.growth_video(run_id, seed=1, greedy=None).greedy is greedy
    assert app.evaluations.create(run_id, episodes=1, seed=1, deterministic=None).parsed().deterministic is greedy
    assert app.sessions._plan(NewSession(SessionMode.WATCH, run_id=run_id)).greedy is greedy


@pytest.mark.parametrize("chosen", [True, False])
def test_a_choice_applies_to_every_run(app: Application, chosen: bool) -> None:
    for run_id in ("greedy", "sampled"):
        assert app.film.clip(run_id, step=50, seed=1, greedy=chosen).greedy is chosen
        assert app.evaluations.create(run_id, episodes=1, seed=1, deterministic=chosen).parsed().deterministic is chosen
        assert app.sessions._plan(NewSession(SessionMode.WATCH, run_id=run_id, greedy=chosen)).greedy is chosen


def test_an_environment_without_a_run_is_played_greedily(app: Application) -> None:
    assert app.sessions._plan(NewSession(SessionMode.WATCH, env_id="CartPole-v1")).greedy


@pytest.mark.parametrize("run_id", ["greedy", "sampled"])
def test_the_film_of_a_report_plays_as_the_run_evaluates(app: Application, run_id: str) -> None:
    state = ReportFilmService(app.runs, app.film, app.evaluations).request(run_id)
    assert state.waiting + state.failed == state.moments > 0
    names = {path.stem for path in Clips(RunFolder(app.settings.runs_dir, run_id)).path.rglob("clip_*")}
    assert names
    assert {name.split("_")[-1] for name in names} == {run_id}
