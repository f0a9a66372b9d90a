"""Compression and archiving that are killed at any step or meet a full disk."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import lock_descriptor

from rlviz.domain.storage_rules import StorageRules
from rlviz.exchange.bundle import check_bundle, read_bundle
from rlviz.rundir.journal import (
    JournalWriter,
    compress_journal,
    compressed_path,
    expand_journal,
    is_compressed,
    open_journal,
    read_journal,
)
from tests.scripted.test_storage import ended, prune, rules
from tests.support.cli import shell
from tests.support.faults import fill, times
from tests.support.interrupting import Anew, killed
from tests.support.run_folders import append_rows, make_run
from tests.support.service_process import serving
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

BACK_AND_FORTH = """
import sys
from pathlib import Path
from rlviz.rundir.journal import compress_journal, expand_journal
journal = Path(sys.argv[1])
print("begun", flush=True)
while True:
    prepared = compress_journal(journal, 10_000)
    assert prepared is not None
    prepared.put_in_place()
    expand_journal(journal)
"""


def test_a_killed_compression_or_expansion_loses_nothing(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1", rows=5_000)
    journal = folder.metrics_path
    before = journal.read_bytes()
    chance = random.Random(1)
    for _ in range(times(3, 200)):
        process = subprocess.Popen(
            [sys.executable, "-c", BACK_AND_FORTH, str(journal)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(chance.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "it ended by itself"
        assert len(read_journal(journal)) == 5_000, "read in whatever form it was left"
        expand_journal(journal)
        assert journal.read_bytes() == before
    folder.tidy()
    assert sorted(path.name for path in folder.path.iterdir() if "metrics" in path.name) == ["metrics.jsonl"]


@pytest.mark.parametrize("moment", ["before it is in its place", "before the journal goes", "while it is expanded"])
def test_a_journal_stays_readable_and_writable_after_a_kill_at_any_step(tmp_path: Path, moment: str) -> None:
    journal = make_run(tmp_path, "run-1", rows=1_000).metrics_path
    before = journal.read_bytes()
    prepared = compress_journal(journal)
    assert prepared is not None
    if moment == "before the journal goes":
        compressed_path(journal).write_bytes(prepared.temporary.read_bytes())
    if moment == "while it is expanded":
        assert prepared.put_in_place()
        journal.with_name(".metrics.jsonl.1-1.tmp").write_bytes(before[:5_000])
    assert len(read_journal(journal)) == 1_000
    writer = JournalWriter(journal)
    append_rows(writer, 1)
    writer.close()
    assert len(read_journal(journal)) == 1_001
    assert journal.read_bytes().startswith(before)
    assert not compressed_path(journal).exists()


def test_a_full_disk_leaves_a_journal_uncompressed_and_reports_why(small_disk: Path) -> None:
    root = small_disk / "runs"
    folder = ended(root, "old-run", days_ago=40, rows=9_000)
    with serving(small_disk, min_free_disk="0") as service:
        rules(service, {"do": "compress", "after_days": 1})
        before = folder.metrics_path.read_bytes()
        filler = fill(small_disk)
        service.api("POST", "/storage/prune", json={"dry_run": False})
        pruning = eventually(
            lambda: (found := service.get("/storage")["pruning"]) and found["ended_at"] and found, "The end of the pass"
        )
        assert "No space left" in str(pruning), pruning
        assert folder.metrics_path.read_bytes() == before
        assert not list(folder.path.glob(".*.tmp"))
        filler.unlink()
        assert not prune(service)["error_message"]
        assert is_compressed(folder.metrics_path)
        assert service.get("/runs/old-run/metrics/rows?tail=1")["rows"][-1]["seq"] == 9_000
        assert "Traceback" not in service.log


def test_a_service_killed_while_it_frees_space_continues_at_its_next_start(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    folders = [ended(root, f"old-run-{number}", days_ago=40, rows=2_000) for number in range(12)]
    journals = {folder.run_id: folder.metrics_path.read_bytes() for folder in folders}
    with serving(tmp_path) as service:
        rules(
            service,
            {"do": "compress", "after_days": 1},
            {"do": "keep_newest", "kind": "videos", "keep": 1, "after_days": 1},
        )
        service.api("POST", "/storage/prune", json={"dry_run": False})
        eventually(lambda: any(is_compressed(folder.metrics_path) for folder in folders), "The first journal")
        service.process.kill()
        service.process.wait()
    for folder in folders:
        assert len(read_journal(folder.metrics_path)) == 2_000
    with serving(tmp_path) as service:
        eventually(
            lambda: all(len(list(one.evaluations.path.glob("*.mp4"))) == 1 for one in folders), "The rest, by itself"
        )
        for folder in folders:
            answer = service.api("GET", f"/runs/{folder.run_id}/artifacts/metrics.jsonl")
            assert answer.content == journals[folder.run_id]
            assert not list(folder.path.glob(".*.tmp")), "what the killed one left was swept away"
        assert "Traceback" not in service.log


def test_a_run_being_compressed_and_archived_is_complete_at_every_file_change(tmp_path: Path) -> None:
    """The command also empties the trash. It is killed before each rename and removal: the run or its bundle exists."""
    wanted = StorageRules.model_validate(
        {"rules": [{"do": "compress", "after_days": 1}, {"do": "archive", "after_days": 30}]}
    )
    archive = tmp_path / "archive"

    class Old(Anew):
        def fill(self) -> None:
            self.logged = ended(self.path, "old-run", days_ago=40, rows=3_000).metrics_path.read_bytes()
            (self.path / "storage.json").write_text(wanted.model_dump_json())
            shutil.rmtree(archive, ignore_errors=True)

    fresh = Old(tmp_path)
    kills = 0
    for kills in killed(fresh, "prune", "--yes", name="old-run", archive_dir=str(archive)):
        bundles = [check_bundle(path).run_id for path in archive.glob("[!.]*")]
        here, thrown = fresh.path / "old-run", fresh.path / ".trash" / "old-run"
        assert here.exists() or bundles == ["old-run"]
        for path in (here, thrown):
            assert not path.exists() or logged(path) == fresh.logged

        settings = {"runs_dir": str(fresh.path), "archive_dir": str(archive)}
        rest = shell(tmp_path, "prune", "--yes", **settings)
        assert rest.returncode == 0, rest.stderr
        assert json.loads(shell(tmp_path, "runs", "--json", **settings).stdout)["runs"] == []
        assert [path.name for path in archive.iterdir()] == ["old-run.rlviz.zip"]
        back = read_bundle(archive / "old-run.rlviz.zip", tmp_path / f"back-{kills}")
        assert logged(back.path) == fresh.logged
    assert kills >= 4, "the compressed copy's rename, the journal's removal, the bundle's rename, the run's"


def test_remains_of_a_killed_archive_pass_are_removed_even_after_its_rule_is_deleted(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    being_written = archive / ".other-run.rlviz.zip.tmp"

    class Archived(Anew):
        def fill(self) -> None:
            ended(self.path, "old-run", days_ago=40)
            (self.path / "storage.json").write_text('{"rules": [{"do": "archive", "after_days": 30}]}')

    fresh = Archived(tmp_path)
    next(killed(fresh, "prune", "--yes", name="old-run.rlviz.zip", archive_dir=str(archive)))
    draft = archive / ".old-run.rlviz.zip.tmp"
    assert draft.is_file()
    (fresh.path / "storage.json").unlink()
    with being_written.open("wb") as file:
        assert lock_descriptor(file.fileno(), blocking=False), "as another service has it that archives there"
        with serving(tmp_path, runs_dir=str(fresh.path), archive_dir=str(archive)) as service:
            eventually(lambda: not draft.exists(), "what was left to go")
            assert service.get("/runs/old-run")["id"] == "old-run"
        assert being_written.exists()


def logged(run: Path) -> bytes:
    with open_journal(run / "metrics.jsonl") as file:
        return file.read()
