"""Export and import of runs as bundles, including damaged and hostile ones."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rlviz.domain.errors import ArtifactNotFound, BundleRefused
from rlviz.exchange.bundle import MANIFEST, holds_policy, read_bundle, write_bundle
from rlviz.rundir.files import write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter, compress_journal, read_journal
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import serving
from tests.support.taken_elsewhere import files, there

RUN_ID = "ppo-cartpole-20261121-044130-3630"
POLICY = b"PK\x03\x04 a policy"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path / "here", RUN_ID, rows=50, status="completed")
    folder.model_path.write_bytes(POLICY)
    folder.checkpoints.mkdir(exist_ok=True)
    folder.checkpoint_path(100).write_bytes(POLICY + b", another")
    (folder.path / ".hidden").write_text("no")
    (folder.path / "elsewhere").symlink_to("/etc/passwd")
    return folder


@pytest.fixture
def bundle(folder: RunFolder, tmp_path: Path) -> Path:
    path = tmp_path / "run.zip"
    with path.open("wb") as file:
        write_bundle(folder, file)
    return path


def changed(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Return the bundle with other members."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return bundle


def renamed(old: str, new: str) -> Callable[[dict[str, bytes]], None]:
    """Rename a member, also in the manifest, with the correct hash."""

    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members[MANIFEST])
        for member in manifest["files"]:
            member["path"] = new if member["path"] == old else member["path"]
        members[new] = members.pop(old)
        members[MANIFEST] = json.dumps(manifest).encode()

    return change


def test_a_run_is_imported_as_it_was_exported_without_machine_specific_files(
    folder: RunFolder, bundle: Path, tmp_path: Path
) -> None:
    found = read_bundle(bundle, there(tmp_path))
    taken = files(folder.path) - {".hidden", ".made-here", "elsewhere", "control.json"}
    assert files(found.path) == taken | {"origin.json"}
    for name in taken:
        assert (found.path / name).read_bytes() == (folder.path / name).read_bytes()


def test_a_bundle_without_policies_contains_no_file_that_holds_one(tmp_path: Path) -> None:
    """This includes policies of steps discarded by a rollback."""
    made = make_run(tmp_path / "here", RUN_ID, rows=5, status="completed")
    policies = {
        *("model.zip", "best_model.zip", "checkpoints/step_1.zip", "film/step_1.zip", "snapshots/1.zip"),
        *(
            "eval/eval_20261121-044130-363.policy.zip",
            "behind/2/checkpoints/step_1.zip",
            "replay/0-1-0123456789abcdef.seg",
        ),
    }
    for name in policies:
        assert holds_policy(name), name
        (made.path / name).parent.mkdir(parents=True, exist_ok=True)
        (made.path / name).write_bytes(POLICY)
    packed = {}
    for wanted in (False, True):
        manifest = write_bundle(made, io.BytesIO(), policies=wanted, snapshots=True)
        packed[wanted] = {member.path for member in manifest.files}
    assert packed[True] - packed[False] == policies


def test_a_bundle_of_a_training_run_is_imported_as_interrupted(tmp_path: Path) -> None:
    running = make_run(tmp_path / "here", RUN_ID, rows=5)
    journal = JournalWriter(running.events_path)
    journal.append({"event": "started", "step": 0, "data": {"worker": "process:1:0.0:"}})
    journal.close()
    buffer = tmp_path / "run.zip"
    with buffer.open("wb") as file:
        write_bundle(running, file)
    found = read_bundle(buffer, there(tmp_path))
    assert [line.record["event"] for line in read_journal(found.events_path) if line.record][-1] == "interrupted"


class Meddling(io.BytesIO):
    """A file for a bundle that changes the run at each write."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def write(self, content: object) -> int:
        self._happens()
        return super().write(content)  # type: ignore[arg-type]


def unpacked(target: Meddling, tmp_path: Path) -> RunFolder:
    path = tmp_path / "run.zip"
    path.write_bytes(target.getvalue())
    return read_bundle(path, there(tmp_path))


def test_a_run_may_grow_while_it_is_bundled(folder: RunFolder, tmp_path: Path) -> None:
    def grow() -> None:
        with folder.metrics_path.open("ab") as journal:
            journal.write(b'{"seq": 51, "time": 1.0, "step": 1, "values": {}}\n')

    target = Meddling(grow)
    write_bundle(folder, target)
    metrics = unpacked(target, tmp_path).metrics_path.read_bytes()
    assert metrics.endswith(b"\n")
    assert folder.metrics_path.read_bytes().startswith(metrics)


def test_files_may_be_replaced_deleted_and_compressed_while_it_is_bundled(folder: RunFolder, tmp_path: Path) -> None:
    count = itertools.count(101)
    metrics = [line.record for line in read_journal(folder.metrics_path)]

    def go_on() -> None:
        number = next(count)
        folder.checkpoint_path(number - 1).unlink()
        folder.checkpoint_path(number).write_bytes(b"the newest")
        write_atomically(folder.model_path, POLICY * number)
        if folder.metrics_path.exists():
            copy = compress_journal(folder.metrics_path)
            assert copy is not None
            copy.put_in_place()

    target = Meddling(go_on)
    write_bundle(folder, target)
    found = unpacked(target, tmp_path)
    assert [line.record for line in read_journal(found.metrics_path)] == metrics
    assert set(found.model_path.read_bytes().split(POLICY)) == {b""}


def test_a_run_deleted_while_it_is_bundled_gives_no_bundle(folder: RunFolder) -> None:
    with pytest.raises(ArtifactNotFound):
        write_bundle(folder, Meddling(lambda: shutil.rmtree(folder.path, ignore_errors=True)))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda members: members.pop(MANIFEST), "no manifest"),
        (lambda members: members.update({MANIFEST: b"[]"}), "manifest cannot be read"),
        (lambda members: members.pop("events.jsonl"), "not in the archive"),
        (lambda members: members.update({"config.json": members["config.json"] + b" "}), "longer than"),
        (lambda members: members.update({"config.json": members["config.json"][:-1]}), "truncated"),
        (lambda members: members.update({"model.zip": POLICY.replace(b"c", b"z")}), "hash differs"),
        (renamed("events.jsonl", "../events.jsonl"), "would lie outside"),
        (renamed("events.jsonl", "/tmp/events.jsonl"), "would lie outside"),
        (renamed("events.jsonl", "..\\events.jsonl"), "would lie outside"),
        (renamed("events.jsonl", "C:/events.jsonl"), "would lie outside"),
        (renamed("events.jsonl", ".ssh/authorized_keys"), "would lie outside"),
        (renamed("events.jsonl", "METRICS.jsonl"), "twice"),
        (renamed("config.json", "other.json"), "no readable run"),
        (
            lambda members: members.update({MANIFEST: members[MANIFEST].replace(RUN_ID.encode(), b"another-run")}),
            "different runs",
        ),
    ],
)
def test_a_damaged_bundle_is_refused_and_leaves_nothing(
    bundle: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None], says: str
) -> None:
    with pytest.raises(BundleRefused, match=says):
        read_bundle(changed(bundle, change), there(tmp_path))
    assert files(there(tmp_path)) == set()


def test_a_bundle_with_a_link_is_refused(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BundleRefused, match="not a regular file"):
        read_bundle(bundle, there(tmp_path))


def test_a_zip_bomb_is_refused_by_its_declared_and_by_its_actual_size(tmp_path: Path) -> None:
    """A gigabyte of zeros takes one megabyte in an archive."""
    zeros = 50_000_000
    config = make_run(tmp_path / "here", RUN_ID).config_path.read_bytes()
    of_config = {"path": "config.json", "bytes": len(config), "sha256": hashlib.sha256(config).hexdigest()}
    honest = {"path": "metrics.jsonl", "bytes": zeros, "sha256": hashlib.sha256(bytes(zeros)).hexdigest()}
    for member, says in ((honest, "more than"), ({**honest, "bytes": 10}, "longer than|hash differs")):
        path = tmp_path / "bomb.zip"
        manifest = {"schema_version": 1, "run_id": RUN_ID, "made_by": "0", "made_at": 0, "files": [of_config, member]}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest))
            archive.writestr("config.json", config)
            archive.writestr("metrics.jsonl", bytes(zeros))
        with pytest.raises(BundleRefused, match=says):
            read_bundle(path, there(tmp_path), most_bytes=1_000_000)
        assert files(there(tmp_path)) == set()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"seq,time\n"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.zip"
    path.write_bytes(content)
    with pytest.raises(BundleRefused, match="not a bundle"):
        read_bundle(path, there(tmp_path))


def test_an_existing_run_stays_unchanged(folder: RunFolder, bundle: Path) -> None:
    before = files(folder.path)
    with pytest.raises(FileExistsError, match="already exists"):
        read_bundle(bundle, folder.path.parent)
    assert files(folder.path) == before


def test_the_service_lists_bundles_placed_in_its_folder(bundle: Path, tmp_path: Path) -> None:
    with serving(tmp_path, launcher="scripted") as service:
        assert_problem(service.api("POST", f"/runs/{RUN_ID}/take-up"), 404)
        read_bundle(bundle, service.runs_dir)
        for _ in range(2):
            taken = service.api("POST", f"/runs/{RUN_ID}/take-up")
            assert taken.status_code == 200, taken.text
        assert [run["id"] for run in service.get("/runs")["runs"]] == [RUN_ID]
        assert service.get(f"/runs/{RUN_ID}")["status"] == "completed"
