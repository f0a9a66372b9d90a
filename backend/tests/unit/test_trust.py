"""Trust in runs: local ones, trusted ones, and ones that nothing may use."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rlviz.domain.errors import Conflict, NotTrusted, SnapshotRefused
from rlviz.domain.experiments import ExperimentSpec
from rlviz.domain.origin import ORIGIN
from rlviz.exchange.bundle import read_bundle
from rlviz.exchange.trusting import inspect_holdings, trust_run, trust_runs_folder
from rlviz.rundir.creation import new_folder
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.origin import content_of
from rlviz.rundir.snapshots import check_seal, has_foreign_snapshots
from rlviz.rundir.standing import MARK, Standing, check_trusted, forget_trust, standing_of
from rlviz.trust_store import TrustStore, user_folder
from tests.support.bundles import POLICY, bundle_of, changed_config, with_members
from tests.support.run_folders import make_run
from tests.support.snapshots import written
from tests.support.taken_elsewhere import there
from tests.unit.test_bundle_admission import CUSTOM, RUN_ID


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_user(monkeypatch, tmp_path, "me")


def be_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config" / name))


def created(runs_dir: Path, run_id: str) -> RunFolder:
    """Return a run that was created by the product."""
    config = make_run(runs_dir / "drafts", run_id).read_config()
    shutil.rmtree(runs_dir / "drafts")
    with new_folder(runs_dir, config) as appear:
        appear()
    return RunFolder(runs_dir, run_id)


@pytest.fixture
def imported(tmp_path: Path) -> RunFolder:
    made = make_run(tmp_path / "here", RUN_ID, rows=20, status="completed")
    members = {"config.json": changed_config(made, env_id="Env", custom_environment=CUSTOM), "model.zip": POLICY}
    return read_bundle(with_members(bundle_of(made, tmp_path / "run.zip"), members), there(tmp_path))


# Made here


def test_a_locally_created_run_is_the_users_own_wherever_its_folder_is(tmp_path: Path) -> None:
    run = created(tmp_path / "runs", "a-run")
    assert standing_of(run.path) is Standing.OWN
    shutil.copytree(tmp_path / "runs", tmp_path / "moved")
    assert standing_of(tmp_path / "moved" / "a-run") is Standing.OWN


def test_the_mark_of_another_user_or_of_another_run_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, other = created(tmp_path / "runs", "a-run"), make_run(tmp_path / "runs", "b-run")
    shutil.copy(run.path / MARK, other.path / MARK)
    assert standing_of(other.path) is Standing.FOUND
    be_user(monkeypatch, tmp_path, "another user")
    assert standing_of(run.path) is Standing.FOUND


@pytest.mark.parametrize("mark", ["own " + "0" * 64, "own", "trusted " + "0" * 64, "", "x" * 10_000])
def test_a_made_up_mark_proves_nothing(tmp_path: Path, mark: str) -> None:
    run = make_run(tmp_path / "runs", "a-run")
    (run.path / MARK).write_text(mark)
    assert standing_of(run.path) is Standing.FOUND
    (run.path / ORIGIN).write_text("{}")
    assert standing_of(run.path) is Standing.UNTRUSTED
    with pytest.raises(NotTrusted, match="rlviz trust a-run"):
        check_trusted(run)


@pytest.mark.parametrize("file", ["evil.py", "{runs}/a-run/evil.py", "{runs}/../runs/evil.py"])
def test_a_run_whose_folder_may_contain_its_environment_is_not_trusted(tmp_path: Path, file: str) -> None:
    runs = tmp_path / "runs"
    custom = {**CUSTOM, "entry_point": f"{file.format(runs=runs)}:Env"}
    run = make_run(runs, "a-run", env_id="Env", custom_environment=custom)
    assert standing_of(run.path) is Standing.UNTRUSTED


def test_a_run_with_an_environment_module_in_the_working_folder_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil.py").touch()
    run = make_run(tmp_path / "runs", "a-run", env_id="Env", custom_environment={**CUSTOM, "entry_point": "evil:Env"})
    monkeypatch.chdir(tmp_path)
    assert standing_of(run.path) is Standing.UNTRUSTED
    monkeypatch.chdir(run.path)
    assert standing_of(run.path) is Standing.FOUND


def test_a_run_of_an_environment_elsewhere_is_classified_as_found(tmp_path: Path) -> None:
    custom = {**CUSTOM, "entry_point": f"{tmp_path / 'mine.py'}:Env"}
    run = make_run(tmp_path / "runs", "a-run", env_id="Env", custom_environment=custom)
    assert standing_of(run.path) is Standing.FOUND


def test_a_manually_copied_run_becomes_the_users_own_when_its_runs_folder_is_trusted(tmp_path: Path) -> None:
    runs_dir = tmp_path / "runs"
    by_hand, bundled = make_run(runs_dir, "by-hand", rows=5, status="completed"), tmp_path / "run.zip"
    made = read_bundle(bundle_of(by_hand, bundled), runs_dir, again=True)
    deleted = make_run(runs_dir / ".trash", "deleted")
    os.utime(deleted.path, (1_000, 1_000))
    assert standing_of(by_hand.path) is Standing.FOUND
    signed, left = trust_runs_folder(runs_dir)
    assert (set(signed), left) == ({"by-hand", "deleted"}, [made.run_id])
    assert standing_of(by_hand.path) is standing_of(deleted.path) is Standing.OWN
    assert deleted.path.stat().st_mtime == 1_000, "which says when it was deleted"
    assert standing_of(made.path) is Standing.UNTRUSTED
    assert trust_runs_folder(runs_dir) == ([], [made.run_id])


def test_a_runs_folder_trusted_as_a_whole_excludes_imported_runs(tmp_path: Path, imported: RunFolder) -> None:
    by_hand = make_run(there(tmp_path), "by-hand")
    assert standing_of(by_hand.path, trusts_runs_dir=True) is Standing.OWN
    assert standing_of(imported.path, trusts_runs_dir=True) is Standing.UNTRUSTED


def test_an_experiment_is_signed_like_a_run(tmp_path: Path) -> None:
    runs_dir = tmp_path / "runs"
    folder = ExperimentFolder(runs_dir, "exp-20261121-044130-36301a")
    spec = ExperimentSpec.model_validate({"base": {"algo": "ppo"}, "seeds": 2, "grid": {"gamma": [0.9, 0.99]}})
    folder.create(
        StoredExperiment(id=folder.id, name="e", created_at=datetime(2026, 11, 21, tzinfo=UTC), specification=spec)
    )
    assert standing_of(folder.path, runs_dir) is Standing.OWN
    (folder.path / MARK).unlink()
    assert standing_of(folder.path, runs_dir) is Standing.FOUND
    assert trust_runs_folder(runs_dir)[0] == [folder.id]
    assert standing_of(folder.path, runs_dir) is Standing.OWN


def test_a_user_without_a_configuration_folder_uses_the_key_of_their_runs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    run = created(tmp_path / "runs", "a-run")
    assert standing_of(run.path) is Standing.OWN
    other = created(tmp_path / "others", "a-run")
    shutil.copy(other.path / MARK, run.path / MARK)
    assert standing_of(run.path) is Standing.FOUND


def test_only_the_user_can_read_their_key(tmp_path: Path) -> None:
    created(tmp_path / "runs", "a-run")
    key = user_folder() / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_bytes() == TrustStore().key()
    key.write_bytes(b"")  # a host that failed
    assert len(TrustStore().key()) == 32


# Imported


def test_trusting_a_run_trusts_only_its_content(imported: RunFolder) -> None:
    seen = inspect_holdings(imported)
    assert (seen.entry_points, seen.policies, seen.snapshots) == (("evil.py:Env",), 1, 0)
    imported.model_path.write_bytes(POLICY + b" of somebody else")
    with pytest.raises(Conflict, match="has changed since you viewed it"):
        trust_run(imported, seen.content.hash)
    assert standing_of(imported.path) is Standing.UNTRUSTED
    assert trust_run(imported, inspect_holdings(imported).content.hash) is Standing.TRUSTED
    check_trusted(imported)
    assert imported.read_config().custom_environment is not None
    assert imported.read_config().custom_environment.entry_point == "evil.py:Env"  # type: ignore[union-attr]


def test_snapshots_of_a_run_moved_from_another_runs_folder_are_used_once_trusted(tmp_path: Path) -> None:
    run = created(tmp_path / "runs", "a-run")
    written(run, 100)
    assert not has_foreign_snapshots(run)
    (tmp_path / "moved").mkdir()
    shutil.move(run.path, tmp_path / "moved")
    moved = RunFolder(tmp_path / "moved", "a-run")
    with pytest.raises(SnapshotRefused, match="rlviz trust a-run"):
        check_seal(moved, "100")
    assert has_foreign_snapshots(moved)
    assert trust_run(moved, inspect_holdings(moved).content.hash) is Standing.OWN
    check_seal(moved, "100")
    assert not has_foreign_snapshots(moved)


def test_the_user_grants_and_revokes_trust(
    imported: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust_run(imported)
    [noted] = TrustStore().runs()
    assert noted.what == imported.run_id
    be_user(monkeypatch, tmp_path, "somebody else")
    assert standing_of(imported.path) is Standing.UNTRUSTED
    be_user(monkeypatch, tmp_path, "me")
    assert forget_trust(imported.path)
    assert not forget_trust(imported.path)
    assert standing_of(imported.path) is Standing.UNTRUSTED
    assert TrustStore().runs() == []


def test_a_bundle_cannot_contain_its_own_trust(imported: RunFolder, tmp_path: Path) -> None:
    """Neither the mark of another run nor one in the bundle counts, because hidden files are not imported."""
    trust_run(imported)
    exported = bundle_of(imported, tmp_path / "again.zip")
    copy = read_bundle(exported, tmp_path / "elsewhere")
    assert not (copy.path / MARK).exists()
    shutil.copy(imported.path / MARK, copy.path / MARK)
    forget_trust(imported.path)
    assert standing_of(copy.path) is Standing.UNTRUSTED


def test_the_hash_covers_everything_but_machine_specific_files(imported: RunFolder) -> None:
    before = content_of(imported)
    for local in ("worker.lock", "heartbeat", ".hidden", "sealed/x.parquet", "control.json", "half.json.tmp"):
        (imported.path / local).parent.mkdir(exist_ok=True)
        (imported.path / local).write_text("{}")
    assert content_of(imported) == before
    for name in ("notes.bin", "labels.json", "origin.json"):
        (imported.path / name).write_text(json.dumps({"name": "x"}))
        after = content_of(imported)
        assert after.hash != before.hash
        before = after


# The user's notes


def test_folders_are_trusted_by_their_path(tmp_path: Path) -> None:
    store, folder = TrustStore(), tmp_path / "project"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    store.add_folder(tmp_path / "link")
    assert store.trusts_folder(folder)
    assert not store.trusts_folder(tmp_path)
    assert not store.trusts_folder(folder / "below")
    assert [one.what for one in store.folders()] == [str(folder)]
    assert store.remove_folder(folder)
    assert not store.trusts_folder(folder)
