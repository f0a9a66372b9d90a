"""What an import accepts from a bundle, and what it leaves out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import BundleRefused
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.ids import RESERVED, is_run_id
from rlviz.domain.limits import LIMITS
from rlviz.domain.status import RunStatus
from rlviz.exchange.admission import NOT_TRUSTED_YET, matches_type, rejection_reason
from rlviz.exchange.bundle import RunIsThere, read_bundle
from rlviz.learning.environments.base import load_class
from rlviz.rundir.contents import PLACES, Role
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.origin import read_origin
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder
from tests.support.bundles import POLICY, bundle_of, changed_config, with_members
from tests.support.cases import cases
from tests.support.run_folders import journal, make_run
from tests.support.taken_elsewhere import files, there

RUN_ID = "ppo-cartpole-20261121-044130-3630"
EVALUATION = "eval_20261121-044130-363"
CUSTOM = {
    "entry_point": "evil.py:Env",
    "summary": "Theirs.",
    "observation_space": {"kind": "Box", "shape": [4]},
    "action_space": {"kind": "Discrete", "n": 2},
    "reward_threshold": None,
    "max_episode_steps": None,
    "render_fps": 30,
}
CONTENT = {
    ".json": b"{}",
    ".jsonl": b'{"seq": 1}\n',
    ".zst": b"\x28\xb5\x2f\xfd" + bytes(8),
    ".zip": POLICY,
    ".parquet": b"PAR1",
    ".seg": b"RLVIZ replay 1\n",
    ".log": b"printed",
    ".mp4": b"\x00\x00\x00\x20ftypisom",
}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "here", RUN_ID, rows=20, status="completed")


def record(**changes: Any) -> bytes:
    known = {"id": EVALUATION, "run_id": RUN_ID, "created_at": datetime(2026, 11, 21, tzinfo=UTC), **changes}
    return EvaluationRecord(**known).model_dump_json().encode()


def imported(folder: RunFolder, tmp_path: Path, members: dict[str, bytes | None], **options: Any) -> RunFolder:
    bundle = with_members(bundle_of(folder, tmp_path / "run.zip"), members, options.pop("run_id", None))
    return read_bundle(bundle, there(tmp_path), **options)


def left_out(folder: RunFolder) -> set[str]:
    origin = read_origin(folder)
    assert origin is not None
    return {one.path for one in origin.left_out}


# Places


@cases("place", [place for place in PLACES if not place.is_folder], ids=lambda place: place.path)
def test_each_path_is_accepted_or_left_out_by_its_role(place: Any) -> None:
    """A new file of a run folder needs a signature by which an import recognizes it, or must be left out."""
    path = place.path.replace("*", "1")
    if place.role in (Role.ORDER, Role.LOCAL):
        assert rejection_reason(path) is not None
    else:
        assert rejection_reason(path) is None
        assert matches_type(path, CONTENT[Path(path).suffix])
        assert not matches_type(path, b"\x80\x04\x95 a pickle") or path.endswith(".log")


@cases(
    "path",
    [
        *("notes.bin", "evil.py", "eval/notes.bin", "checkpoints/notes.bin", "checkpoints/deeper/step_1.zip"),
        *("snapshots/1.pkl", "config.json.damaged-20261121-044130", "behind/1/config.json", "behind/x/model.zip"),
        *("parent/../config.json", "parent/other/evil.py", "parent/other/control.json.py", "control.json"),
        *("sinks/plan.json", "sinks/wandb/token", "film/clips/wanted/1.json", "watch/weights.zip", "origin.json"),
    ],
)
def test_unknown_paths_and_requests_are_left_out(path: str) -> None:
    assert rejection_reason(path) is not None


@pytest.mark.parametrize("path", ["behind/2/checkpoints/step_1.zip", "behind/2/best_model.zip", "parent/a/config.json"])
def test_files_in_the_folder_of_an_earlier_run_are_accepted(path: str) -> None:
    assert rejection_reason(path) is None


def test_a_pickle_under_another_name_is_left_out_and_is_not_called_a_policy(folder: RunFolder, tmp_path: Path) -> None:
    evaluation = record(status="completed", checkpoint="notes.bin")
    members = {"notes.bin": b"\x80\x04 evil", "model.zip": b"\x80\x04 evil", f"eval/{EVALUATION}.json": evaluation}
    found = imported(folder, tmp_path, members)
    assert left_out(found) == {"notes.bin", "model.zip"}
    assert not {"notes.bin", "model.zip"} & files(found.path)
    assert found.evaluations.read(EVALUATION).checkpoint is None


# Orders


@pytest.mark.parametrize("status", ["queued", "running"])
def test_an_unfinished_evaluation_is_left_out_with_its_files(folder: RunFolder, tmp_path: Path, status: str) -> None:
    members = {
        f"eval/{EVALUATION}.json": record(status=status, checkpoint="checkpoints/step_1.zip"),
        f"eval/{EVALUATION}.policy.zip": POLICY,
    }
    found = imported(folder, tmp_path, members)
    assert found.evaluations.ids() == []
    assert left_out(found) == set(members)


def test_a_finished_evaluation_names_only_its_own_files(folder: RunFolder, tmp_path: Path) -> None:
    video = {
        "file": "../../../etc/passwd",
        "width": 1,
        "height": 1,
        "fps": 1,
        "frames": 1,
        "duration": 1,
        "size_bytes": 1,
    }
    summary = {
        **{"episodes": [], "episode_return": None, "episode_length": None, "terminated": 0, "truncated": 0},
        "video": video,
    }
    found = imported(folder, tmp_path, {f"eval/{EVALUATION}.json": record(status="completed", summary=summary)})
    kept = found.evaluations.read(EVALUATION)
    assert kept.status is EvaluationStatus.COMPLETED
    assert kept.summary is not None
    assert kept.summary.video is None


def test_an_imported_run_has_no_pending_requests(folder: RunFolder, tmp_path: Path) -> None:
    members = {
        "control.json": b'{"desired": "run", "queued_at": 1}',
        "sinks/plan.json": b'{"kinds": ["wandb"]}',
        "film/clips/wanted/clip_1_0_greedy.json": b"{}",
        f"eval/{EVALUATION}.verify.json": b'{"status": "running"}',
    }
    with journal(folder.events_path) as events:
        events.append({"event": "started", "step": 0, "data": {"attempt": 3}})  # it trains as it is bundled
    found = imported(folder, tmp_path, members)
    assert left_out(found) == set(members)
    indexed = IndexedFolders()
    index_folder(found, indexed)
    [row] = indexed.runs
    assert (row.state, row.attempt) == (RunStatus.INTERRUPTED, 3)


# Custom environments


@pytest.mark.parametrize("key", ["custom_environment", "own_environment"], ids=["now", "of version 0.1.0"])
def test_an_untrusted_configuration_names_no_code(folder: RunFolder, tmp_path: Path, key: str) -> None:
    version = 1 if key == "own_environment" else 2
    document = json.loads(changed_config(folder, env_id="Env", schema_version=version))
    document.pop("custom_environment")
    found = imported(folder, tmp_path, {"config.json": json.dumps({**document, key: CUSTOM}).encode()})
    custom = found.read_config().custom_environment
    assert custom is not None
    assert custom.entry_point == NOT_TRUSTED_YET
    assert b"evil" not in found.config_path.read_bytes()
    with pytest.raises(ValueError, match="not of the form"):
        load_class(custom.entry_point)
    origin = read_origin(found)
    assert origin is not None
    assert origin.entry_points == {"config.json": "evil.py:Env"}


def test_the_included_configuration_of_a_parent_names_no_code_either(folder: RunFolder, tmp_path: Path) -> None:
    parent = changed_config(folder, run_id="theirs", custom_environment=CUSTOM)
    members = {"parent/theirs/config.json": parent, "parent/theirs/control.json": b'{"desired": "run", "attempt": 2}'}
    found = imported(folder, tmp_path, members)
    assert NOT_TRUSTED_YET.encode() in (found.parent / "theirs" / "config.json").read_bytes()
    assert RunFolder(found.parent, "theirs").read_control().desired == "idle"


# Ids


@pytest.mark.parametrize("run_id", [*sorted(RESERVED), "../escaped", "Upper", "", ".trash", "a" * 200])
def test_a_run_with_a_reserved_or_invalid_id_gets_another(folder: RunFolder, tmp_path: Path, run_id: str) -> None:
    found = imported(
        folder, tmp_path, {f"eval/{EVALUATION}.json": record(status="completed", run_id=run_id)}, run_id=run_id
    )
    assert is_run_id(found.run_id)
    assert found.path.parent == there(tmp_path)
    assert {path.name for path in there(tmp_path).iterdir()} <= {found.run_id, ".new"}
    assert found.read_config().run_id == found.run_id
    assert found.evaluations.read(EVALUATION).run_id == found.run_id
    with pytest.raises(RunIsThere) as caught:
        read_bundle(tmp_path / "run.zip", there(tmp_path))
    assert caught.value.run_id == found.run_id


@pytest.mark.parametrize("name", ["experiments", "mlflow", "wandb", "tensorboard", "presets"])
def test_an_import_never_replaces_other_content_of_the_runs_folder(
    folder: RunFolder, tmp_path: Path, name: str
) -> None:
    beside = there(tmp_path) / name
    beside.mkdir()
    (beside / "precious").write_text("kept")
    imported(folder, tmp_path, {}, run_id=name)
    assert files(beside) == {"precious"}


def test_an_existing_run_with_that_id_stays_and_the_imported_one_gets_a_new_id(
    folder: RunFolder, tmp_path: Path
) -> None:
    mine = make_run(there(tmp_path), RUN_ID, rows=5)
    before = mine.config_path.read_bytes()
    found = imported(folder, tmp_path, {"config.json": changed_config(folder, seed=77, group_id=RUN_ID)})
    assert found.run_id != RUN_ID
    assert mine.config_path.read_bytes() == before
    config = found.read_config()
    assert (config.seed, config.group_id) == (77, found.run_id)


def test_an_already_imported_run_is_recognised_unless_requested_again(folder: RunFolder, tmp_path: Path) -> None:
    first = imported(folder, tmp_path, {})
    assert first.run_id == RUN_ID
    with pytest.raises(RunIsThere):
        read_bundle(tmp_path / "run.zip", there(tmp_path))
    second = read_bundle(tmp_path / "run.zip", there(tmp_path), again=True)
    assert second.run_id != RUN_ID
    with pytest.raises(RunIsThere):  # as it was exported from here
        read_bundle(tmp_path / "run.zip", folder.path.parent)


# Limits


def test_labels_are_cut_to_the_user_limits(folder: RunFolder, tmp_path: Path) -> None:
    labels = {"name": "Theirs", "tags": [str(n) for n in range(350_000)], "notes": "x" * 100_000}
    labels["tags"][0] = "y" * 1_000  # type: ignore[index]
    found = imported(folder, tmp_path, {"labels.json": json.dumps(labels).encode()})
    kept = found.read_labels()
    assert len(kept.tags) == LIMITS.tags.maximum
    assert max(map(len, kept.tags)) <= LIMITS.tag.maximum
    assert len(kept.notes) == LIMITS.notes.maximum
    assert found.labels_path.stat().st_size < 20_000


def test_unreadable_labels_are_left_out(folder: RunFolder, tmp_path: Path) -> None:
    found = imported(folder, tmp_path, {"labels.json": json.dumps({"name": "x" * 121}).encode()})
    assert left_out(found) == {"labels.json"}
    assert found.read_labels().name == RUN_ID


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"algo": "x" * 121}, "algo"),
        ({"env_id": "x" * 121}, "env_id"),
        ({"preset": "x" * 121}, "preset"),
        ({"env_options": {"a": "x" * 20_000}}, "env_options"),
    ],
)
def test_texts_shown_in_lists_are_bounded(folder: RunFolder, tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(BundleRefused, match=says):
        imported(folder, tmp_path, {"config.json": changed_config(folder, **change)})
    assert files(there(tmp_path)) == set()


def test_a_run_restarted_endlessly_is_refused(folder: RunFolder, tmp_path: Path) -> None:
    lines = [
        json.dumps({"seq": n, "time": 1.0, "event": kind, "step": 0, "data": {"attempt": (n + 1) // 2}})
        for n, kind in enumerate(["started", "interrupted"] * 2_001, 1)
    ]
    lines = [line.replace('{"attempt"', '{"cause": "x", "attempt"') for line in lines]
    with pytest.raises(BundleRefused, match="started 2,001 times"):
        imported(folder, tmp_path, {"events.jsonl": "\n".join([*lines, ""]).encode()})


def test_texts_from_events_are_bounded_in_every_list(folder: RunFolder, tmp_path: Path) -> None:
    long = "x" * 500_000
    lines = [
        {"event": "started", "data": {"attempt": 1}},
        {"event": "warning", "data": {"message": long}},
        {"event": "error", "data": {"attempt": 1, "type": "E", "message": long, "traceback": long}},
    ]
    written = [json.dumps({"seq": n, "time": 1.0, "step": 0, **line}) for n, line in enumerate(lines, 1)]
    found = imported(folder, tmp_path, {"events.jsonl": "\n".join([*written, ""]).encode()})
    indexed = IndexedFolders()
    index_folder(found, indexed)
    [row] = indexed.runs
    assert row.state is RunStatus.FAILED
    assert len(row.model_dump_json()) < 40_000
