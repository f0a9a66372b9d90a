"""Migrations read every version of every format without rewriting files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import NewerVersion, RunFolderError
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.events import StartedData, UnknownData, WarningData, parse_event
from rlviz.domain.experiments import TrialLine
from rlviz.domain.metrics import is_metric
from rlviz.domain.rules import SetKnob
from rlviz.domain.snapshots import SnapshotManifest
from rlviz.domain.status import RunStatus
from rlviz.domain.versions import (
    CONFIG,
    EVALUATION,
    EVENTS,
    EXPERIMENT,
    FORMATS,
    METRICS,
    SNAPSHOT,
    TRIALS,
    Format,
    UnknownVersion,
    VersionedDocument,
    read_versioned,
)
from rlviz.rundir.contents import inspect_folder
from rlviz.rundir.experiment_folder import StoredExperiment
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import write_snapshot
from rlviz.server.application import Application
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.catalog.runs import RunQuery, get_run
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.groups import SeedRequest
from rlviz.server.snapshots.forking import ForkRequest
from tests.support.cases import cases
from tests.support.service import catalogued
from tests.support.training import make_run

FIXTURES = Path(__file__).parents[1] / "fixtures" / "versions"

EVALUATED: dict[str, Any] = {"episodes": 1, "seed": 1, "deterministic": True}
MODELS: dict[str, type[VersionedDocument]] = {
    CONFIG.name: RunConfig,
    EVALUATION.name: EvaluationRecord,
    SNAPSHOT.name: SnapshotManifest,
    EXPERIMENT.name: StoredExperiment,
}
VERSIONS = [(form, version) for form in FORMATS for version in range(1, form.current + 1)]


def is_read(form: Format, line: dict[str, Any]) -> bool:
    """Return whether a journal line is readable."""
    if form is EVENTS:
        return parse_event(line) is not None
    if form is TRIALS:
        return TrialLine.model_validate(TRIALS.read(line).document).seq > 0
    return is_metric(METRICS.read(line).document)


@cases(("form", "version"), VERSIONS, ids=lambda value: getattr(value, "name", value))
def test_every_version_of_every_format_is_read(form: Format, version: int) -> None:
    [path] = FIXTURES.glob(f"{form.name}-{version}.json*")
    if path.suffix == ".json":
        found = read_versioned(MODELS[form.name], path.read_bytes())
        assert found.schema_version == form.current
        assert not found.is_newer
        return
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines
    assert {form.version_of(line) for line in lines} == {version}
    assert all(is_read(form, line) for line in lines)


@pytest.mark.parametrize("form", [form for form in FORMATS if form.name in MODELS], ids=lambda form: form.name)
def test_files_of_the_current_version_are_preserved_to_the_last_key(form: Format) -> None:
    """Renaming, removing or redefining a key requires a new version with a migration."""
    content = (FIXTURES / f"{form.name}-{form.current}.json").read_text()
    again = read_versioned(MODELS[form.name], content.encode()).model_dump(mode="json")
    assert kept(json.loads(content), again) == json.loads(content)


def kept(was: Any, now: Any) -> Any:
    """Return the part of ``now`` that ``was`` has too; keys may have been added."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {key: kept(value, now[key]) for key, value in was.items() if key in now}
    return now


@cases(("form", "version"), VERSIONS, ids=lambda value: getattr(value, "name", value))
def test_migrations_do_not_modify_their_input_and_are_idempotent(form: Format, version: int) -> None:
    [path] = FIXTURES.glob(f"{form.name}-{version}.json*")
    texts = [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines()
    for text in texts:
        document = json.loads(text)
        once = form.read(document)
        assert document == json.loads(text)
        assert len(once.applied) == form.current - version
        for migration in form.migrations:
            assert migration.step(once.document) == once.document


def test_a_custom_environment_of_version_0_1_0_gets_its_new_name() -> None:
    config = read_versioned(RunConfig, (FIXTURES / "config-1.json").read_bytes())
    assert config.custom_environment is not None
    assert config.custom_environment.summary == "Raises after 150 steps."


def test_the_worker_of_version_0_1_0_is_read_as_one_string() -> None:
    event = parse_event(json.loads((FIXTURES / "events-1.jsonl").read_text().splitlines()[0]))
    assert event is not None
    assert isinstance(event.data, StartedData)
    assert event.data.worker == "process:4189:345.41:d2ec9420-539c-47b2-8ec5-3725309d9518"


@pytest.mark.parametrize("version", [0, -1, 1.5, "2", None, [], True])
def test_an_invalid_version_is_refused(version: object) -> None:
    with pytest.raises(UnknownVersion, match="not a version"):
        CONFIG.read({"schema_version": version})


def test_reading_an_old_run_does_not_change_its_files(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    old = json.loads((FIXTURES / "config-1.json").read_text())
    folder.config_path.write_text(json.dumps({**old, "run_id": folder.run_id}))
    before = folder.config_path.read_bytes(), folder.config_path.stat().st_mtime_ns
    assert folder.read_config().custom_environment is not None
    assert folder.config_to_go_on().schema_version == CONFIG.current
    assert inspect_folder(folder) == []
    assert (folder.config_path.read_bytes(), folder.config_path.stat().st_mtime_ns) == before


def test_a_run_of_a_newer_version_can_be_viewed_and_not_continued(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    content = json.loads(folder.config_path.read_text())
    newer = {**content, "schema_version": CONFIG.current + 1, "dreams": {"of": 1}}
    newer["checkpoints"] = {**newer["checkpoints"], "compressed": True}
    folder.config_path.write_text(json.dumps(newer))
    config = folder.read_config()
    assert config.is_newer
    assert config.hyperparameters == content["hyperparameters"]
    [said] = inspect_folder(folder)
    assert (said.file, said.newer) == ("config.json", True)
    assert f"schema {CONFIG.current + 1}; this version knows {CONFIG.current}" in said.problem
    with pytest.raises(NewerVersion, match="is read-only here"):
        folder.config_to_go_on()
    row = row_of_folder(folder)
    assert (row.status, row.algo, row.damage) == ("created", content["algo"], [said.model_dump()])


def newer_run(app: Application, runs_dir: Path) -> RunFolder:
    """Return a run of a newer version with any state in the catalogue."""
    row = app.runs.create(NewRun(algo="ppo", env_id="CartPole-v1", preset="fast"))
    folder = RunFolder(runs_dir, row.id)
    content = json.loads(folder.config_path.read_text())
    folder.config_path.write_text(json.dumps({**content, "schema_version": CONFIG.current + 1}))
    put_snapshot(folder)
    return folder


def put_snapshot(folder: RunFolder) -> None:
    manifest = SnapshotManifest.model_validate_json((FIXTURES / "snapshot-1.json").read_text())
    write_snapshot(folder, manifest.model_copy(update={"run_id": folder.run_id, "name": "100", "segments": ()}), {})


ACTIONS: dict[str, tuple[RunStatus, Callable[[Application, str], object]]] = {
    "start": (RunStatus.CREATED, lambda app, run: app.runs.start(run)),
    "add seeds": (RunStatus.CREATED, lambda app, run: app.groups.add_seeds(run, SeedRequest(count=1))),
    "resume": (RunStatus.PAUSED, lambda app, run: app.resuming.resume(run)),
    "resume at a snapshot": (RunStatus.INTERRUPTED, lambda app, run: app.resuming.resume(run, "100")),
    "train longer": (RunStatus.COMPLETED, lambda app, run: app.resuming.resume(run, total_timesteps=10**7)),
    "roll back": (RunStatus.STOPPED, lambda app, run: app.resuming.roll_back(run, "100")),
    "roll back while it trains": (RunStatus.RUNNING, lambda app, run: app.resuming.roll_back(run, "100")),
    "evaluate": (RunStatus.COMPLETED, lambda app, run: app.evaluations.create(run, **EVALUATED)),
    "evaluate the best": (RunStatus.FAILED, lambda app, run: app.evaluations.create(run, policy="best", **EVALUATED)),
    "fork": (RunStatus.COMPLETED, lambda app, run: app.forks.fork(run, ForkRequest(step=1))),
    "fork at a snapshot": (RunStatus.COMPLETED, lambda app, run: app.forks.fork(run, ForkRequest(snapshot="100"))),
    "ask what a fork can change": (RunStatus.COMPLETED, lambda app, run: app.forks.changes(run)),
    "ask where a fork begins": (RunStatus.COMPLETED, lambda app, run: app.forks.changes(run, step=1)),
    "change rules": (RunStatus.RUNNING, lambda app, run: app.rules.change(run, [])),
    "try rules": (RunStatus.COMPLETED, lambda app, run: app.rules.dry_run(run, [])),
    "look at knobs": (RunStatus.RUNNING, lambda app, run: app.rules.knobs(run)),
    "set a knob": (
        RunStatus.RUNNING,
        lambda app, run: app.rules.request_knob_changes(run, [SetKnob(knob="gamma", value=0.5)]),
    ),
    "take a snapshot": (RunStatus.RUNNING, lambda app, run: app.snapshots.request_snapshot(run, None, "")),
    "verify a snapshot": (RunStatus.PAUSED, lambda app, run: app.snapshots.verify(run, "100")),
    "delete a snapshot": (RunStatus.PAUSED, lambda app, run: app.snapshots.delete(run, "100")),
}


def test_a_run_of_a_newer_version_allows_only_label_changes(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        folder = newer_run(app, tmp_path)
        run_id, control = folder.run_id, folder.read_control()
        for name, (status, action) in ACTIONS.items():
            become(app, run_id, status)
            with pytest.raises(NewerVersion, match=r"is read-only here\. .* Install that version") as refused:
                action(app, run_id)
            assert refused.value.status == 409, name
            assert app.runs.get(run_id).state is status, name
        assert folder.read_control() == control
        assert [one.name for one in app.snapshots.list(run_id).snapshots] == ["100"]
        assert app.runs.list(RunQuery()).total == 1, "no fork, and no seed, was made"
        assert [one["newer"] for one in app.damage.inspect(run_id).damage] == [True]
        assert [one.kind.value for one in app.damage.drift(run_id)] == ["newer"]
        assert app.runs.relabel(run_id, {"name": "from tomorrow"}).name == "from tomorrow"


def become(app: Application, run_id: str, status: RunStatus) -> None:
    with app.database.write() as session:
        row = get_run(session, run_id)
        row.status = status.value
        session.add(row)


def test_a_newer_configuration_that_is_unreadable_is_reported_as_such(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    content = json.loads(folder.config_path.read_text())
    folder.config_path.write_text(json.dumps({**content, "schema_version": CONFIG.current + 1, "seed": [1, 2]}))
    with pytest.raises(RunFolderError, match=r"newer version .* seed"):
        folder.read_config()
    [said] = inspect_folder(folder)
    assert not said.newer


def test_unknown_keys_are_refused_in_every_known_version(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    content = json.loads(folder.config_path.read_text())
    for version in range(1, CONFIG.current + 1):
        folder.config_path.write_text(json.dumps({**content, "schema_version": version, "dreams": 1}))
        with pytest.raises(RunFolderError, match="dreams"):
            folder.read_config()


def test_an_event_of_a_newer_version_is_read_as_far_as_possible() -> None:
    line = {"seq": 1, "time": 1.5, "step": 7, "schema_version": EVENTS.current + 1}
    known = parse_event({**line, "event": "warning", "data": {"message": "hot", "degrees": 99}})
    other = parse_event({**line, "event": "warning", "data": {"says": "hot"}})
    assert known is not None
    assert other is not None
    assert known.data == WarningData(message="hot")
    assert other.data == UnknownData(name="warning", data={"says": "hot"})
    assert parse_event({**line, "schema_version": EVENTS.current, "event": "warning", "data": {"says": "hot"}}) is None
    assert parse_event({**line, "schema_version": "later", "event": "warning", "data": {"message": "hot"}}) is None
