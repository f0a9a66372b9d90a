"""Ways to damage a run folder, and a run folder that contains every kind of file."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from rlviz.domain.evaluation import EvaluationRecord, Verification
from rlviz.domain.origin import Origin as BundleOrigin
from rlviz.domain.recording import Detail
from rlviz.domain.rules import RulesDocument
from rlviz.domain.snapshots import Built, Origin, SnapshotManifest, Trigger
from rlviz.domain.storage_profile import RecordingChoice
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import PLACES, Place
from rlviz.rundir.files import MAX_JSON_BYTES
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.origin import write_origin
from rlviz.rundir.snapshots import write_snapshot
from tests.support.run_folders import make_run

EVALUATION = "eval_20261121-044137-265"
SNAPSHOT = "100"
CLIP = "clip_1_2_greedy"
FUTURE = "future_20261121-044137-265_1_0_0123456789abcdef"
TEMPLATE = "template-run"

_EXAMPLES = {
    "checkpoints/step_*.zip": "checkpoints/step_100.zip",
    "eval/*.verify.json": f"eval/{EVALUATION}.verify.json",
    "eval/eval_*.json": f"eval/{EVALUATION}.json",
    "eval/*.mp4": f"eval/{EVALUATION}.mp4",
    "eval/*.pictures.zip": f"eval/{EVALUATION}.pictures.zip",
    "eval/*.policy.zip": f"eval/{EVALUATION}.policy.zip",
    "eval/*.steps.parquet": f"eval/{EVALUATION}.steps.parquet",
    "film/step_*.zip": "film/step_100.zip",
    "snapshots/*.verify.json": f"snapshots/{SNAPSHOT}.verify.json",
    "snapshots/*.zip": f"snapshots/{SNAPSHOT}.zip",
    "replay/*.seg": "replay/0-100-0123456789abcdef.seg",
    "sealed/*.parquet": "sealed/000000000000000-000000000001000-0123456789abcdef.parquet",
}

Harm = Callable[[Path], None]


def example_of(place: Place) -> str:
    """Return the relative path of a file that belongs to ``place``."""
    return _EXAMPLES.get(place.path, place.path)


def whole_folder(root: Path) -> RunFolder:
    """Create an ended run with a file in every place of its folder, but without a policy, so that nothing can be
    evaluated.
    """
    folder = make_run(root, TEMPLATE, rows=20, status="completed")
    for place in PLACES:
        path = folder.path / example_of(place)
        if place.is_folder:
            path.mkdir(exist_ok=True)
        elif not path.exists() and place.kind is not StoredKind.POLICIES and path.suffix != ".zst":
            path.touch()
    folder.write_labels(Labels(name=TEMPLATE, tags=["kept"]))
    folder.write_rules(RulesDocument(number=1, rules=()))
    folder.write_recording(RecordingChoice(detail=Detail.STANDARD))
    write_origin(
        folder,
        BundleOrigin(
            file="bundle.zip",
            run_id=TEMPLATE,
            made_by="0.2.0",
            exported_at=1.0,
            imported_at=2.0,
            config_sha256=hashlib.sha256(folder.config_path.read_bytes()).hexdigest(),
        ),
    )
    folder.log_path.write_text("hello\n")
    folder.q_table_path.write_text("{}")
    folder.anatomy_path.write_text('{"seq":1,"time":1.0,"step":1}\n')
    record = {"id": EVALUATION, "run_id": TEMPLATE, "created_at": "2026-11-21T01:43:12Z", "status": "failed"}
    folder.evaluations.write(EvaluationRecord.model_validate(record))
    folder.evaluations.write_verification(EVALUATION, Verification())
    write_snapshot(folder, _manifest(folder.run_id), {"state.pkl.zst": b"state"})
    (folder.path / f"snapshots/{SNAPSHOT}.verify.json").write_text('{"status": "failed"}')
    for path in folder.sinks.glob("*.json"):
        path.write_text("{}" if path.stem == "plan" else f'{{"kind": "{path.stem}"}}')
    return folder


def copy_of(template: RunFolder, root: Path, run_id: str) -> RunFolder:
    """Copy the run under another id."""
    folder = RunFolder(root, run_id)
    shutil.copytree(template.path, folder.path, copy_function=_link_or_copy)
    config = template.read_config().model_copy(update={"run_id": run_id, "name": run_id})
    record = folder.path / f"eval/{EVALUATION}.json"
    renamed = record.read_bytes().replace(TEMPLATE.encode(), run_id.encode())
    for path, content in ((folder.config_path, config.model_dump_json().encode()), (record, renamed)):
        path.unlink()
        path.write_bytes(content)
    return folder


def _link_or_copy(source: str, target: str) -> None:
    """Copy files that are appended to; link all others, because they are only ever replaced."""
    if source.endswith((".jsonl", ".log", ".lock")):
        shutil.copyfile(source, target)
    else:
        os.link(source, target)


def mend(folder: RunFolder, template: RunFolder) -> None:
    """Restore every place of ``folder`` from ``template``, except the documents that identify the run."""
    for place in PLACES:
        path, whole = folder.path / example_of(place), template.path / example_of(place)
        if path.name in ("config.json", "control.json"):
            continue
        if not place.is_folder or path.is_symlink() or not path.is_dir():
            remove(path)
        if place.is_folder:
            path.mkdir(exist_ok=True)
        elif whole.exists():
            shutil.copyfile(whole, path)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def empty(path: Path) -> None:
    path.touch()


def folder_instead(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    """Replace the entry with a link to the same place of another intact folder, or to its configuration."""
    runs = next(parent for parent in path.parents if parent.name == "runs")
    whole = runs.parent / "elsewhere" / TEMPLATE
    found = whole / path.relative_to(runs).as_posix().split("/", 1)[1]
    path.symlink_to(found if found.exists() else whole / "config.json")


def torn(path: Path) -> None:
    path.write_bytes(b'{"seq":1,"time":1795236126.9,"st')


def other_json(path: Path) -> None:
    path.write_bytes(b'[{"seq": "a", "event": {}, "values": 3}, null, 1.5]\n')


def deep_json(path: Path) -> None:
    path.write_bytes(b'{"run_id":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")


def long_line(path: Path) -> None:
    """Write a line longer than any that is read from a run folder at once."""
    with path.open("wb") as file:  # a hole: no byte of it is on the disk
        file.truncate(2 * MAX_JSON_BYTES)
        file.seek(0, os.SEEK_END)
        file.write(b"\n")


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


def impossible(path: Path) -> None:
    """Write a well-formed file with impossible values."""
    lines: dict[str, list[dict[str, Any]]] = {
        "config.json": [{"run_id": path.parent.name, "algo": "nope", "seed": float(10**30), "total_timesteps": -5}],
        "events.jsonl": [
            {"seq": 1, "time": "noon", "event": "started", "step": 0, "data": {}},
            {"seq": 2, "time": 1e300, "event": "finished", "step": 5, "data": {"path": None}},
            {"seq": -3, "time": 1.0, "event": "finished", "step": 5, "data": {"path": None}},
            {"seq": 4, "time": 1.0, "event": "error", "step": 2**63, "data": {"type": 1}},
            {"seq": 5, "time": 1.0, "event": 7, "step": 5, "data": []},
        ],
        "metrics.jsonl": [
            {"seq": 0, "time": 1.0, "step": 1, "values": {"episode/reward": 1.0}},
            {"seq": 1, "time": 1.0, "step": 2**63, "values": {"episode/reward": 1.0, "episode/index": 1e300}},
            {"seq": 9, "time": -5, "step": 1, "values": {"episode/reward": 1.0}},
            {"seq": 2, "time": 1.0, "step": 5, "values": {"episode/reward": 1e308, "episode/index": 1e300}},
            {"seq": 2, "time": 1.0, "step": 4, "values": {"episode/reward": 1e308, "episode/length": -1e308}},
            {"seq": 1, "time": 0.0, "step": 3, "values": {"episode/reward": "much", "train/loss": [1]}},
        ],
    }
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines.get(path.name, [{"seq": -1}])))


HARMS: list[Harm] = [
    *(remove, empty, folder_instead, pipe, link, torn, other_json, deep_json, long_line, binary, impossible)
]


def harm(path: Path, how: Harm) -> None:
    """Damage ``path`` in the way of ``how``; a journal is truncated at its end."""
    if path.name.endswith(".zst"):  # which is read where the journal itself is missing
        remove(path.with_suffix(""))
    if how is torn and path.suffix == ".jsonl" and path.is_file() and not path.is_symlink():
        with path.open("ab") as journal:
            journal.write(b'{"seq":21,"ti')
        return
    remove(path)
    if how is not remove:
        how(path)


def _manifest(run_id: str) -> SnapshotManifest:
    return SnapshotManifest(
        run_id=run_id,
        name=SNAPSHOT,
        step=int(SNAPSHOT),
        attempt=1,
        trigger=Trigger.PERIODIC,
        time=1.0,
        point="rollout",
        last_row=10,
        built=Built(algo="ppo", env_id="CartPole-v1", config_digest="d", environments=(("a.B",),)),
        origin=Origin(versions={}, capability="c", threads=1),
        capture_ms=1.0,
    )
