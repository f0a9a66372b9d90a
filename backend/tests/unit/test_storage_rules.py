"""Storage rules, and the disk usage of folders by kind."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from rlviz.domain.errors import NotEnoughDisk
from rlviz.domain.storage_rules import StorageRules, StoredKind
from rlviz.rundir.usage import NotedUsage, kind_in_run, measure_usage, read_usage, write_usage
from rlviz.server.application import Application
from rlviz.server.problems import answer_with_problems
from rlviz.server.storage.meter import StorageMeter
from rlviz.server.storage.models import StorageAction
from rlviz.server.storage.rules import RULES_FILE, StorageActionLog, StorageRulesStore
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.settings import Settings
from tests.support.cases import cases
from tests.support.run_folders import make_run


def words(**rule: Any) -> str:
    (found,) = StorageRules.model_validate(
        {"rules": [rule], "quotas": dict.fromkeys(("videos", "clips", "metrics", "records"), 10**9)}
    ).rules
    return found.words


def test_a_rule_is_described_in_a_sentence() -> None:
    assert words(do="keep_newest", kind="videos", keep=1, after_days=30, families=["atari", "box2d"]) == (
        "Of the videos of each run of atari or box2d that ended at least 30 days ago, keep only the newest 1. "
        "Summaries of evaluations stay."
    )
    assert words(do="remove", what="clips", after_days=1) == (
        "Remove the clips (they are made again when you watch them) of each run that ended at least 1 day ago."
    )
    assert words(do="compress", after_days=0.5, over_quota_only=True) == (
        "Compress the metrics of each run that ended at least 0.5 days ago. They can still be read, and the runs "
        "resumed. Only while such files of all runs exceed their quota, oldest runs first."
    )
    assert words(do="archive", after_days=90) == (
        "Write each run that ended at least 90 days ago to the archive (RLVIZ_ARCHIVE_DIR) as one file, with "
        "policies and snapshots; once that file is verified, move the run to the trash."
    )
    assert words(do="empty_trash", after_days=2) == "Permanently remove what has been in the trash for 2 days."


@cases(
    ("rules", "says"),
    [
        ({"rules": [{"do": "keep_newest", "kind": "snapshots", "keep": 0}]}, "without one, a run cannot be resumed"),
        ({"rules": [{"do": "keep_newest", "kind": "metrics", "keep": 1}]}, "kind"),
        ({"rules": [{"do": "remove", "what": "videos"}]}, "what"),
        ({"rules": [{"do": "remove", "what": "clips", "families": ["atary"]}]}, "There is no family 'atary'"),
        ({"rules": [{"do": "remove", "what": "clips", "over_quota_only": True}]}, "needs a quota for clips"),
        ({"rules": [{"do": "compress", "after_days": -1}]}, "after_days"),
        ({"rules": [{"do": "archive", "over_quota_only": True}]}, "over_quota_only"),
        ({"rules": [{"do": "everything"}]}, "do"),
        ({"quotas": {"videos": 5}}, "videos"),
        ({"quotas": {"paintings": 10**9}}, "paintings"),
        ({"schema_version": 2}, "schema_version"),
    ],
)
def test_an_invalid_rule_is_refused(rules: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        StorageRules.model_validate(rules)


@cases(
    ("path", "kind"),
    [
        ("metrics.jsonl", "metrics"),
        ("metrics.jsonl.zst", "metrics"),
        ("anatomy.jsonl.zst", "metrics"),
        ("model.zip", "policies"),
        ("worker.log", "logs"),
        ("config.json", "other"),
        ("checkpoints/step_5.zip", "policies"),
        ("behind/1/checkpoints/step_5.zip", "policies"),
        ("snapshots/5.zip", "snapshots"),
        ("replay/0-5-0123456789abcdef.seg", "replay"),
        ("film/step_5.zip", "film"),
        ("film/clips/a.mp4", "clips"),
        ("eval/eval_20261121-014310-000.mp4", "videos"),
        ("eval/eval_20261121-014310-000.pictures.zip", "videos"),
        ("eval/eval_20261121-014310-000.policy.zip", "videos"),
        ("eval/eval_20261121-014310-000.steps.parquet", "records"),
        ("eval/eval_20261121-014310-000.json", "other"),
        ("sealed/1.parquet", "sealed"),
        ("sinks/tensorboard/events.out.tfevents.1", "sinks"),
        ("strange/folder/file", "other"),
    ],
)
def test_files_are_counted_by_kind(path: str, kind: str) -> None:
    assert kind_in_run(tuple(path.split("/"))) is StoredKind(kind)


def test_the_usage_of_a_folder_is_the_sum_of_its_files_without_links(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    folder = make_run(runs, "run-1", rows=10)
    make_run(runs, "run-2", rows=5)
    (runs / "rlviz.db").write_bytes(b"x" * 100)
    (runs / ".trash" / "gone").mkdir(parents=True)
    (runs / ".trash" / "gone" / "metrics.jsonl").write_bytes(b"x" * 10)
    (runs / "experiments" / "exp-1").mkdir(parents=True)
    (runs / "experiments" / "exp-1" / "trials.jsonl").write_bytes(b"x" * 20)
    for name in ("wandb", "mlflow", "analytics", "notes"):
        (runs / name).mkdir()
        (runs / name / "file").write_bytes(b"x" * 30)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "large").write_bytes(b"x" * 1_000_000)
    (runs / "linked-run").symlink_to(elsewhere)
    (folder.path / "linked").symlink_to(elsewhere)
    folder.checkpoint_path(5).write_bytes(b"p" * 1_000)
    os.link(folder.checkpoint_path(5), folder.evaluations.path / "eval_20261121-014310-000.policy.zip")

    usage = measure_usage(runs)
    assert set(usage.runs) == {"run-1", "run-2"}
    assert usage.kinds[StoredKind.CATALOGUE] == 100
    assert usage.kinds[StoredKind.TRASH] == 10
    assert usage.kinds[StoredKind.EXPERIMENTS] == 20
    assert (usage.kinds[StoredKind.SINKS], usage.kinds[StoredKind.ANALYTICS]) == (60, 30)
    assert usage.kinds[StoredKind.POLICIES] + usage.kinds[StoredKind.VIDEOS] == 1_000, "one file with two names"
    assert usage.runs["run-1"][StoredKind.METRICS] == folder.metrics_path.stat().st_size
    of_runs = sum(kinds.total() for kinds in usage.runs.values())
    assert usage.total_bytes < 100_000
    assert usage.total_bytes >= of_runs + 130


def test_a_measurement_is_shared_and_invalid_content_counts_as_none(tmp_path: Path) -> None:
    assert read_usage(tmp_path) == NotedUsage()
    (tmp_path / "file").write_bytes(b"x" * 77)
    write_usage(tmp_path, measure_usage(tmp_path))
    assert read_usage(tmp_path).total_bytes == 77
    for nonsense in ("[]", "{", '{"total_bytes": "many"}'):
        (tmp_path / ".storage-total.json").write_text(nonsense)
        assert read_usage(tmp_path) == NotedUsage()


def test_a_full_disk_is_reported_with_what_uses_most_space_and_what_to_do(tmp_path: Path) -> None:
    for number, size in enumerate((1, 4, 2, 3)):
        folder = make_run(tmp_path, f"run-{number}", status="completed")
        folder.model_path.write_bytes(b"m" * size * 1_000_000)
    settings = Settings(_env_file=None, runs_dir=tmp_path, min_free_disk=500_000_000)  # type: ignore[call-arg]
    guard = DiskGuard(settings, free=lambda _: 20_000_000)
    with pytest.raises(NotEnoughDisk, match=r"Only 20 MB are free .* To make room: compress"):
        guard.check()
    write_usage(tmp_path, measure_usage(tmp_path))
    with pytest.raises(NotEnoughDisk) as refused:
        guard.check()
    assert "Most space is used by: Policies and checkpoints 10 MB, " in str(refused.value)
    assert "the largest runs: run-1 4 MB, run-3 3 MB, run-2 2 MB." in str(refused.value)
    for remedy in ("compress", "storage rules", "archive", "`rlviz trash empty`"):
        assert remedy in str(refused.value)


def test_a_request_without_disk_space_is_refused_with_what_uses_most_space(tmp_path: Path) -> None:
    make_run(tmp_path, "run-1", status="completed").model_path.write_bytes(b"m" * 4_000_000)
    write_usage(tmp_path, measure_usage(tmp_path))

    def write(_request: Request) -> Response:
        raise OSError(errno.ENOSPC, "No space left on device")

    app = Starlette(routes=[Route("/", write)])
    app.state.application = Application(Settings(_env_file=None, runs_dir=tmp_path))  # type: ignore[call-arg]
    answer_with_problems(app)
    answer = TestClient(app).get("/")
    assert answer.status_code == 507
    assert "the largest runs: run-1 4 MB. To make room: compress" in answer.json()["detail"]


def test_a_meter_never_blocks_its_caller_and_measures_again_when_its_data_is_old(tmp_path: Path) -> None:
    now = 1_000.0
    meter = StorageMeter(tmp_path, clock=lambda: now)
    assert meter.latest() is None
    meter.measure()
    first = meter.latest()
    assert first is not None
    assert first.at == 1_000
    now = 2_000.0
    assert meter.latest() is first
    meter.close()
    newer = meter.latest()
    assert newer is not None
    assert newer.at in (1_000, 2_000), "the one that was begun, unless closing was faster"


def test_the_log_is_limited_in_size_and_read_from_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlviz.server.storage.rules.MOST_LOG_BYTES", 2_000)
    log = StorageActionLog(tmp_path)
    assert log.newest(10) == []
    for number in range(50):
        log.append(StorageAction(rule="A rule.", run_id=f"run-{number}", what="delete model", bytes=number, problem=""))
    assert log.newest(1)[0].run_id == "run-49"
    assert sum(path.stat().st_size for path in tmp_path.glob("storage-log*")) < 6_000
    (tmp_path / "storage-log.jsonl").write_text('{"seq":1,"time":1}\nnonsense\n')
    assert log.newest(10) == []


def test_unreadable_rules_are_ignored(tmp_path: Path) -> None:
    from rlviz.domain.errors import StorageRulesUnusable

    store = StorageRulesStore(tmp_path)
    assert store.read().rules == ()
    for content in ("nonsense", '{"rules": [{"do": "delete everything"}]}', "{}x"):
        (tmp_path / RULES_FILE).write_text(content)
        with pytest.raises(StorageRulesUnusable, match=RULES_FILE):
            store.read()
