"""Disk usage and storage rules over HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter, compress_journal, compressed_path, is_compressed
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import LiveRun, append_rows, make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

IDS = [f"eval_2026112{day}-014310-000" for day in range(4)]
MODEL = b"PK\x03\x04" + b"m" * 496


def ended(root: Path, run_id: str, *, days_ago: float, rows: int = 20, **config: Any) -> RunFolder:
    """Create a run that ended the given time ago, with videos, records, checkpoints and a log."""
    folder = make_run(root, run_id, rows=rows, **config)
    then = time.time() - days_ago * 86_400
    events = JournalWriter(folder.events_path, clock=lambda: then)
    events.append({"event": "started", "step": 0, "data": {"worker": "process:1:0.0:"}})
    events.append({"event": "finished", "step": rows, "data": {"path": "model.zip"}})
    events.close()
    for evaluation_id in IDS:
        folder.evaluations.video_path(evaluation_id).write_bytes(b"v" * 10_000)
        folder.evaluations.steps_path(evaluation_id).write_bytes(b"r" * 1_000)
    for step in (10, 20, 30):
        folder.checkpoint_path(step).write_bytes(b"p" * 500)
    folder.model_path.write_bytes(MODEL)
    folder.log_path.write_bytes(b"l" * 300)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("storage")
    root = folder / "runs"
    ended(root, "old-run", days_ago=40, rows=3_000)
    ended(root, "old-atari", days_ago=40, env_id="ALE/Pong-v5")
    ended(root, "young-run", days_ago=1)
    kept = ended(root, "kept-run", days_ago=40)
    kept.write_labels(kept.read_labels().model_copy(update={"tags": ["keep"]}))
    live = LiveRun(root, "live-run")
    append_rows(live.metrics, 3_000)
    try:
        with serving(folder, launcher="scripted") as service:
            yield service, root
            assert "Traceback" not in service.log, service.log
    finally:
        live.close()


def rules(service: Service, *wanted: dict[str, Any], quotas: dict[str, int] | None = None) -> Any:
    answer = service.api("PUT", "/storage/rules", json={"rules": wanted, "quotas": quotas or {}})
    assert answer.status_code == 200, answer.text
    return answer.json()


def prune(service: Service, *, dry_run: bool = False) -> Any:
    """Run a prune pass, and return its result."""
    answer = service.api("POST", "/storage/prune", json={"dry_run": dry_run})
    assert answer.status_code == 202, answer.text

    def over() -> Any:
        found = service.get("/storage")["pruning"]
        return found if found["ended_at"] else None

    found = eventually(over, "The end of the pass")
    assert not found["error_message"], found
    return found


def concerned(pruning: Any) -> list[str]:
    return sorted(action["run_id"] for action in pruning["actions"])


def test_usage_is_reported_by_kind_and_by_run(runs: tuple[Service, Path]) -> None:
    service, root = runs
    found = eventually(lambda: (got := service.get("/storage?runs=2"))["measured_at"] and got, "The first measurement")
    assert found["run_count"] == 5
    assert len(found["runs"]) == 2
    assert found["runs"][0]["bytes"] >= found["runs"][1]["bytes"]
    kinds = {kind["kind"]: kind for kind in found["kinds"]}
    assert kinds["videos"]["files"] == 16
    assert kinds["videos"]["bytes"] == 160_000
    assert found["total_bytes"] == sum(kind["bytes"] for kind in found["kinds"])
    assert service.get("/storage")["runs"][0]["name"] in {"live-run", "old-run"}
    noted = root / ".storage-total.json"
    eventually(noted.is_file, "the note of the measurement, which is written after it is served")
    assert json.loads(noted.read_text())["total_bytes"] > 160_000


def test_without_rules_nothing_is_deleted(runs: tuple[Service, Path]) -> None:
    service, _ = runs
    rules(service)
    assert prune(service)["actions"] == []


def test_a_rule_affects_only_the_runs_it_names(runs: tuple[Service, Path]) -> None:
    service, root = runs
    rule = {"do": "keep_newest", "kind": "videos", "keep": 1, "after_days": 30, "families": ["classic-control"]}
    said = rules(service, rule)
    assert said["words"][0].startswith("Of the videos of each run of classic-control that ended at least 30 days ago")
    told = prune(service, dry_run=True)
    assert concerned(told) == ["old-run"]
    assert told["bytes"] == 30_000
    assert len(list((root / "old-run" / "eval").glob("*.mp4"))) == 4, "so far it was only told"
    assert prune(service)["bytes"] == 30_000
    left = {name: len(list((root / name / "eval").glob("*.mp4"))) for name in ("old-run", "old-atari", "young-run")}
    assert left == {"old-run": 1, "old-atari": 4, "young-run": 4}
    assert len(list((root / "kept-run" / "eval").glob("*.mp4"))) == 4, "it has the tag"
    log = service.get("/storage")["log"]
    assert (log[0]["run_id"], log[0]["rule"]) == ("old-run", said["words"][0])
    assert prune(service)["actions"] == [], "there is nothing left to do"


def test_checkpoints_and_logs_are_deleted_and_the_final_policy_stays(runs: tuple[Service, Path]) -> None:
    service, root = runs
    rules(
        service,
        {"do": "keep_newest", "kind": "policies", "keep": 0, "after_days": 30, "families": ["atari"]},
        {"do": "remove", "what": "logs", "after_days": 30, "families": ["atari"]},
    )
    assert concerned(prune(service)) == ["old-atari", "old-atari"]
    folder = RunFolder(root, "old-atari")
    assert folder.checkpoint_files() == []
    assert folder.model_path.is_file()
    assert not folder.log_path.exists()


def test_journals_of_inactive_runs_are_compressed_and_stay_readable_everywhere(runs: tuple[Service, Path]) -> None:
    service, root = runs
    before = service.api("GET", "/runs/old-run/artifacts/metrics.jsonl").content
    rows = service.get("/runs/old-run/metrics/rows?tail=5")
    curves = service.get("/runs/old-run/metrics")["series"]
    rules(service, {"do": "compress", "after_days": 0})
    assert "metrics.jsonl (" in prune(service, dry_run=True)["actions"][0]["what"]
    done = prune(service)
    assert concerned(done) == ["old-run"], "the others are short, kept, or live"
    assert done["bytes"] > 0
    path = RunFolder(root, "old-run").metrics_path
    assert is_compressed(path)
    assert not is_compressed(RunFolder(root, "live-run").metrics_path)
    assert service.api("GET", "/runs/old-run/artifacts/metrics.jsonl").content == before
    part = service.api("GET", "/runs/old-run/artifacts/metrics.jsonl", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, before[100:200])
    assert service.get("/runs/old-run/metrics/rows?tail=5") == rows
    assert service.get("/runs/old-run/metrics")["series"] == curves
    assert service.get("/runs/old-run")["damage"] == []
    assert service.api("POST", "/runs/old-run/repair").status_code == 200
    assert path.read_bytes() == before, "a repair writes journals anew"
    assert not compressed_path(path).exists()


def test_a_quota_raises_a_warning_and_its_rule_stops_when_there_is_room(
    runs: tuple[Service, Path],
) -> None:
    service, root = runs
    rule = {"do": "keep_newest", "kind": "records", "keep": 0, "after_days": 0, "over_quota_only": True}
    assert_problem(service.api("PUT", "/storage/rules", json={"rules": [rule]}), 422, "/rules")
    large = RunFolder(root, "young-run").evaluations.steps_path(IDS[0])
    large.write_bytes(b"r" * 1_100_000)
    rules(service, rule, quotas={"records": 1_112_000})
    service.api("POST", "/storage/measure")
    eventually(lambda: any("Step records" in one for one in service.get("/storage")["warnings"]), "A warning")
    done = prune(service)
    assert concerned(done) == ["old-run"], "the oldest, whose 4 kB are enough"
    assert large.exists()
    large.unlink()


def test_invalid_rules_are_refused_with_a_pointer(runs: tuple[Service, Path]) -> None:
    service, _ = runs
    for body, pointer in (
        ({"rules": [{"do": "everything"}]}, "/rules/0"),
        ({"rules": [{"do": "keep_newest", "kind": "videos", "keep": -1}]}, "/rules/0/keep"),
        ({"rules": [], "quotas": {"videos": 1}}, "/quotas/videos"),
        ({"rules": [{"do": "empty_trash"}] * 51}, "/rules"),
        ({}, "/rules"),
    ):
        assert_problem(service.api("PUT", "/storage/rules", json=body), 422, pointer)


def test_a_manually_damaged_rules_file_is_not_applied(runs: tuple[Service, Path]) -> None:
    service, root = runs
    (root / "storage.json").write_text('{"rules": [{"do": "remove", "what": "everything"}]}')
    assert "storage.json" in service.get("/storage")["rules_problem"]
    assert_problem(service.api("POST", "/storage/prune", json={}), 409)
    rules(service)
    assert service.get("/storage")["rules_problem"] is None


def test_no_run_starts_while_a_quota_is_exceeded(tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "full-run", status="completed")
    (tmp_path / "runs" / "full-run" / "model.zip").write_bytes(b"m" * 2_000_000)
    with serving(tmp_path, max_bytes="1500000", launcher="scripted") as service:
        eventually(lambda: (tmp_path / "runs" / ".storage-total.json").is_file(), "The first measurement")
        problem = assert_problem(service.api("POST", "/runs", json={"algo": "ppo"}), 507)
        assert "RLVIZ_MAX_BYTES" in problem["detail"]
        assert "the largest runs: full-run 2 MB" in problem["detail"]
        assert "All runs together" in service.get("/storage")["warnings"][0]


def test_a_run_with_compressed_metrics_resumes_with_all_of_them(tmp_path: Path) -> None:
    with serving(tmp_path, launcher="scripted") as service:
        run_id = service.create(start=True, total_timesteps=2_048)["id"]
        service.wait_for_status(run_id, "completed")
        path = service.folder(run_id).metrics_path
    before = path.read_bytes()
    prepared = compress_journal(path)
    assert prepared is not None
    assert prepared.put_in_place()
    with serving(tmp_path, launcher="scripted") as service:
        assert service.get(f"/runs/{run_id}/metrics/rows?tail=1")["rows"]
        resume = partial(service.api, "POST", f"/runs/{run_id}/resume", json={"total_timesteps": 4_096})
        eventually(lambda: resume().status_code == 202, "The end of its first worker")
        eventually(lambda: service.get(f"/runs/{run_id}")["step"] >= 4_096, "The rest of the training")
        run = service.wait_for_status(run_id, "completed")
        assert run["attempt"] == 2
        assert path.read_bytes().startswith(before)
        assert len(path.read_bytes()) > len(before)
        assert not compressed_path(path).exists()
