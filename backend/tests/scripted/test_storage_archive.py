"""Archive rules, and quotas during training."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import BundleRefused, RunNotFound
from rlviz.domain.storage_rules import StorageRules
from rlviz.exchange import bundle as reader
from rlviz.exchange.bundle import check_bundle, read_bundle
from rlviz.rundir.trash import Trash
from rlviz.server.application import Application
from rlviz.server.storage.pruner import PreparedBundle, Pruning
from rlviz.server.storage.service import StorageWatch
from tests.scripted.test_storage import MODEL, ended
from tests.support.service import catalogued
from tests.support.service_process import serving
from tests.support.waiting import eventually

ARCHIVE = {"do": "archive", "after_days": 30}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    """A service with a run that ended long ago, one that ended yesterday, and an archive beside the runs folder."""
    ended(tmp_path / "runs", "old-run", days_ago=40, rows=3_000)
    ended(tmp_path / "runs", "young-run", days_ago=1)
    with catalogued(tmp_path / "runs", archive_dir=tmp_path / "archive") as application:
        yield application


def pruned(app: Application, *rules: dict[str, Any], quotas: dict[str, int] | None = None) -> Pruning:
    app.storage.change(StorageRules.model_validate({"rules": rules, "quotas": quotas or {}}))
    pruning = app.pruner.begin(dry_run=False)
    eventually(lambda: pruning.ended_at, "the end of the pass")
    return pruning


def test_an_archived_run_is_one_complete_file_and_is_restored_unchanged_from_the_trash(
    app: Application, tmp_path: Path
) -> None:
    metrics = (tmp_path / "runs" / "old-run" / "metrics.jsonl").read_bytes()
    (action,) = pruned(app, ARCHIVE).actions
    assert (action.run_id, action.what, action.problem) == ("old-run", "archived as old-run.rlviz.zip", "")
    with pytest.raises(RunNotFound):
        app.runs.get("old-run")
    assert Trash(tmp_path / "runs").run_ids() == ["old-run"]
    assert app.runs.get("young-run")
    (file,) = (tmp_path / "archive").iterdir()
    assert check_bundle(file).run_id == "old-run"
    folder = read_bundle(file, tmp_path / "elsewhere")
    assert folder.metrics_path.read_bytes() == metrics
    assert folder.model_path.read_bytes() == MODEL
    assert app.storage.get_state(0).log[0].what == action.what


def test_a_corrupted_bundle_loses_no_run(app: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise BundleRefused("model.zip has changed since it was bundled: its hash differs.")

    monkeypatch.setattr(reader, "_check_copied", broken)
    (action,) = pruned(app, ARCHIVE).actions
    assert "its hash differs" in action.problem
    assert app.runs.get("old-run")
    assert list((tmp_path / "archive").iterdir()) == []
    assert Trash(tmp_path / "runs").run_ids() == []


def test_a_run_that_changes_while_it_is_archived_stays(
    app: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = PreparedBundle.make

    def made_and_changed(prepared: PreparedBundle) -> None:
        make(prepared)
        (tmp_path / "runs" / "old-run" / "labels.json").write_text("{}")

    monkeypatch.setattr(PreparedBundle, "make", made_and_changed)
    assert pruned(app, ARCHIVE).actions == []
    assert app.runs.get("old-run")
    assert list((tmp_path / "archive").iterdir()) == []


def test_without_an_archive_folder_an_archive_rule_is_refused_and_skipped_in_the_file(tmp_path: Path) -> None:
    ended(tmp_path / "runs", "old-run", days_ago=40)
    (tmp_path / "runs" / "storage.json").write_text(StorageRules.model_validate({"rules": [ARCHIVE]}).model_dump_json())
    with serving(tmp_path, launcher="scripted") as service:
        answer = service.api("PUT", "/storage/rules", json={"rules": [ARCHIVE]})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == "/rules/0"
        assert "RLVIZ_ARCHIVE_DIR" in answer.json()["errors"][0]["detail"]
        service.api("POST", "/storage/prune", json={"dry_run": False})
        found = eventually(
            lambda: (one := service.get("/storage")["pruning"])["ended_at"] and one, "the end of the pass"
        )
        assert (found["done"], "RLVIZ_ARCHIVE_DIR" in found["error_message"]) == (0, True)
        assert service.get("/runs/old-run")["id"] == "old-run"


WHILE_OVER = {"do": "keep_newest", "kind": "videos", "keep": 1, "after_days": 0, "over_quota_only": True}


def test_a_quota_exceeded_during_training_triggers_its_rule(app: Application) -> None:
    app.storage.change(StorageRules.model_validate({"rules": [WHILE_OVER], "quotas": {"videos": 1_000_000}}))
    trains = False
    watch = StorageWatch(app.storage, lambda: trains)
    folder = app.settings.runs_dir / "old-run" / "eval"
    watch.check()
    assert app.storage.warnings() == [], "nobody has measured"
    trains = True
    watch.check()
    assert (app.storage.warnings(), app.pruner.latest) == ([], None), "there is room"
    largest = sorted(folder.glob("*.mp4"))[0]
    largest.write_bytes(b"v" * 900_000)
    watch.check()
    assert app.storage.warnings() == ["Videos, and what the agent saw: 970 kB of 1 MB, 97%."]
    assert app.pruner.latest is None, "a warning deletes nothing"
    largest.write_bytes(b"v" * 2_000_000)
    os.utime(largest, (0, 0))  # it is the oldest still
    watch.check()
    pruning = app.pruner.latest
    assert pruning is not None
    eventually(lambda: pruning.ended_at, "the end of the pass")
    assert [action.run_id for action in pruning.actions] == ["old-run"], "no more than is needed"
    eventually(lambda: not app.storage.get_state(0).is_measuring and app.storage.warnings() == [], "room")


@pytest.mark.parametrize(("size", "warns"), [(799_000, False), (801_000, True)])
def test_usage_above_eighty_percent_of_a_quota_raises_a_warning(app: Application, size: int, warns: bool) -> None:
    app.storage.change(StorageRules.model_validate({"rules": [], "quotas": {"logs": 1_000_000}}))
    for log in app.settings.runs_dir.glob("*/worker.log"):
        log.unlink()
    (app.settings.runs_dir / "old-run" / "worker.log").write_bytes(b"l" * size)
    app.storage.keep_within()
    assert bool(app.storage.warnings()) == warns


def test_files_not_covered_by_a_rule_stay_however_large_they_are(app: Application) -> None:
    rule = {**WHILE_OVER, "over_quota_only": False, "after_days": 1_000}
    app.storage.change(StorageRules.model_validate({"rules": [rule], "quotas": {"videos": 1_000_000}}))
    largest = sorted((app.settings.runs_dir / "old-run" / "eval").glob("*.mp4"))[0]
    largest.write_bytes(b"v" * 2_000_000)
    StorageWatch(app.storage, lambda: True).check()
    assert app.pruner.latest is None
    assert largest.exists()
    assert len(app.storage.warnings()) == 1


def test_health_returns_the_warnings_for_every_page(tmp_path: Path) -> None:
    ended(tmp_path / "runs", "big-run", days_ago=1)
    (tmp_path / "runs" / "big-run" / "stdout.log").write_bytes(b"l" * 1_800_000)
    with serving(tmp_path, max_bytes="2MB", launcher="scripted") as service:
        warnings = eventually(lambda: service.get("/health")["storage_warnings"], "a warning", 60)
        assert warnings[0].startswith("All runs together: ")


def test_the_log_records_when_a_run_was_archived(app: Application) -> None:
    before = time.time()
    pruned(app, ARCHIVE)
    assert app.storage.get_state(0).log[0].time.timestamp() >= before - 1
