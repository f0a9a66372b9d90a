"""Drift: differences between a run's files or packages and what this version expects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.cli.checks import check_catalogue, check_files
from rlviz.domain.config import RunConfig
from rlviz.domain.versions import CONFIG, EVENTS
from rlviz.rundir.contents import drift_of_document, drift_of_packages, drift_of_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.settings import Settings
from tests.support.cli import call
from tests.support.training import make_run

FIXTURES = Path(__file__).parents[1] / "fixtures" / "versions"
OLD = (FIXTURES / "config-1.json").read_bytes()


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


def change(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def told(content: bytes) -> dict[str, str]:
    return {one.key: one.kind.value for one in drift_of_document(content, RunConfig, "config.json")}


def without_seed(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "seed"}


def test_files_of_the_current_version_have_no_drift() -> None:
    assert told((FIXTURES / "config-2.json").read_bytes()) == {}


def test_an_old_configuration_has_only_harmless_drift_in_names_and_defaults() -> None:
    found = drift_of_document(OLD, RunConfig, "config.json")
    assert {one.key for one in found if one.kind.value == "deprecated"} == {"/own_environment"}
    assert {"/snapshots", "/rules"} <= {one.key for one in found if one.kind.value == "defaulted"}
    assert all(one.is_harmless for one in found)


@pytest.mark.parametrize(
    ("spoil", "kinds"),
    [
        (lambda values: {**values, "dreams": 1}, {"/dreams": "unknown"}),
        (lambda values: {**values, "checkpoints": {**values["checkpoints"], "x": 1}}, {"/checkpoints/x": "unknown"}),
        (lambda values: {**values, "seed": "one"}, {"/seed": "wrong"}),
        (without_seed, {"/seed": "missing"}),
        (lambda values: {**values, "schema_version": 0}, {"/schema_version": "wrong"}),
        (lambda values: {**values, "schema_version": CONFIG.current + 1}, {"/schema_version": "newer"}),
    ],
)
def test_each_kind_of_drift_is_reported_with_its_location(
    spoil: Callable[[dict[str, Any]], dict[str, Any]], kinds: dict[str, str]
) -> None:
    values = json.loads((FIXTURES / "config-2.json").read_text())
    assert told(json.dumps(spoil(values)).encode()) == kinds


def test_changed_and_missing_packages_are_reported() -> None:
    found = drift_of_packages({"torch": "2.0.0", "numpy": "2.4.6", "jax": "1"}, {"torch": "2.13.0", "numpy": "2.4.6"})
    assert [one.says for one in found] == ["jax was 1 and is now not installed.", "torch was 2.0.0 and is now 2.13.0."]


def test_a_journal_continued_by_a_newer_version_is_reported(run: RunFolder) -> None:
    journal = JournalWriter(run.events_path)
    journal.append({"schema_version": EVENTS.current + 1, "event": "started", "step": 0, "data": {}})
    journal.close()
    assert [(one.kind.value, one.file) for one in drift_of_run(run, {})] == [("newer", "events.jsonl")]


def test_the_command_reports_the_drift_of_a_run_and_fails_only_if_its_meaning_changed(
    run: RunFolder,
) -> None:
    root = run.path.parent
    assert call(root, "config", "check", run.run_id[:-2]).out.endswith("is exactly as this version writes it.\n")
    change(run.config_path, versions={"torch": "0.1"})
    told = call(root, "config", "check", "last")
    assert told.status == 0
    assert "torch was 0.1" in told.out
    change(run.config_path, dreams=1)
    told = call(root, "config", "check", str(run.path), "--json")
    assert told.status == 1
    assert {(one["kind"], one["key"]) for one in told.json} == {("unknown", "/dreams"), ("package", "torch")}
    assert call(root, "config", "check", "nobody").status == 3
    run.events_path.touch()
    run.config_path.unlink()
    gone = call(root, "config", "check", run.run_id)
    assert (gone.status, "has no config.json" in gone.err) == (1, True)


def test_migrate_prints_by_default_and_writes_on_request_with_a_backup(run: RunFolder) -> None:
    path, root = run.config_path, run.path.parent
    path.write_bytes(OLD)
    printed = call(root, "config", "migrate", str(path))
    assert path.read_bytes() == OLD
    assert (printed.json["schema_version"], "own_environment" in printed.json) == (CONFIG.current, False)
    would = call(root, "config", "migrate", str(path), "--json").json
    assert (would["path"], would["backup"], bool(would["migrations"])) == (str(path), None, True)
    assert call(root, "config", "migrate", str(path), "--write").status == 0
    assert json.loads(path.read_text()) == printed.json
    assert path.with_name("config.json.bak").read_bytes() == OLD
    assert "already" in call(root, "config", "migrate", str(path), "--write").out
    path.write_bytes(OLD)
    assert call(root, "config", "migrate", str(path), "--write").status == 0, "the original is the one that is kept"
    path.write_bytes(OLD + b"\n")
    assert call(root, "config", "migrate", str(path), "--write").status == 4, "the first original is not overwritten"
    assert path.read_bytes() == OLD + b"\n"


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"schema_version": 0}', b'{"schema_version": 9}', b"\xff"])
def test_a_configuration_that_cannot_be_migrated_is_left_unchanged(run: RunFolder, content: bytes) -> None:
    run.config_path.write_bytes(content)
    ended = call(run.path.parent, "config", "migrate", str(run.config_path), "--write")
    assert ended.status in (2, 4)
    assert ended.err.startswith("rlviz: ")
    assert run.config_path.read_bytes() == content
    assert [path.name for path in run.path.glob("*.bak")] == []


def test_the_doctor_counts_runs_with_drift_and_names_one(run: RunFolder) -> None:
    settings = Settings(runs_dir=run.path.parent)
    assert check_files(settings).state == "ok"
    change(run.config_path, schema_version=CONFIG.current + 1)
    found = check_files(settings)
    assert (found.state, run.run_id in found.to_do) == ("look", True)
    assert "1 with files of a newer version" in found.says
    assert check_catalogue(settings).state == "ok", "there is none yet"
