"""Detection and repair of damage in a run folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rlviz.domain.errors import REPAIR, RESTORE_OR_DELETE
from rlviz.domain.events import parse_event
from rlviz.domain.metrics import is_metric
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.clips import Clips
from rlviz.rundir.contents import (
    MAX_NAMED_LINES,
    PLACES,
    broken_lines,
    damaged_lines,
    find_place,
    inspect_folder,
    is_event,
    repair_folder,
)
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import compressed_path, read_journal
from rlviz.rundir.sinks import record_path
from rlviz.rundir.snapshots import verification_path
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.run import COLUMNS_FROM
from tests.support.run_folders import make_run

EVALUATION = "eval_20261121-044137-265"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "runs", "a-run", rows=5, status="completed")


def test_an_undamaged_folder_has_no_damage_and_its_repair_changes_nothing(folder: RunFolder) -> None:
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    assert inspect_folder(folder) == []
    assert repair_folder(folder) == []
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before


def replace_by_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def replace_by_link(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/etc/passwd")


FILES = [
    *("events.jsonl", "metrics.jsonl", "control.json", "labels.json", "model.zip", "best_model.zip"),
    *("q_table.json", "worker.log", "worker.lock"),
]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", [replace_by_folder, replace_by_pipe, replace_by_link])
def test_an_entry_that_is_not_a_file_is_named_once_and_set_aside(
    folder: RunFolder, name: str, harm: Callable[[Path], None]
) -> None:
    harm(folder.path / name)
    assert [(damage.file, damage.line, damage.remedy) for damage in inspect_folder(folder)] == [(name, None, REPAIR)]
    [aside] = repair_folder(folder)
    assert aside.name.startswith(f"{name}.damaged-")
    assert os.path.lexists(aside)
    assert [damage.file for damage in inspect_folder(folder)] == (["events.jsonl"] if name == "events.jsonl" else [])


@pytest.mark.parametrize("name", ["eval", "checkpoints", "sealed"])
@pytest.mark.parametrize("harm", [Path.touch, os.mkfifo, replace_by_link])
def test_an_entry_that_is_not_a_folder_is_named_and_set_aside(
    folder: RunFolder, name: str, harm: Callable[[Path], None]
) -> None:
    if (folder.path / name).exists():
        (folder.path / name).rmdir()
    harm(folder.path / name)
    assert [damage.file for damage in inspect_folder(folder)] == [name]
    repair_folder(folder)
    assert inspect_folder(folder) == []


@pytest.mark.parametrize(
    "name", ["control.json", "labels.json", "best_model.zip", "eval/eval_20261121-014312-123.json"]
)
@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b"[" * 10_000])
def test_an_unreadable_document_is_named_and_set_aside(folder: RunFolder, name: str, content: bytes) -> None:
    (folder.path / name).write_bytes(content)
    [damage] = inspect_folder(folder)
    assert (damage.file, damage.remedy) == (name, REPAIR)
    assert damage.problem.startswith("It ")
    [aside] = repair_folder(folder)
    assert aside.read_bytes() == content
    assert inspect_folder(folder) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rules.json", b"[]"),
        ("sinks/plan.json", b"{"),
        ("sinks/mlflow.json", b"[]"),
        ("snapshots/512.zip", b"PK no zip"),
        ("snapshots/512.verify.json", b"[]"),
        (f"eval/{EVALUATION}.verify.json", b"nothing"),
    ],
)
def test_files_in_subfolders_are_inspected_and_repaired_too(folder: RunFolder, name: str, content: bytes) -> None:
    path = folder.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    assert [(damage.file, damage.remedy) for damage in inspect_folder(folder)] == [(name, REPAIR)]
    [aside] = repair_folder(folder)
    assert aside.read_bytes() == content
    assert inspect_folder(folder) == []


@pytest.mark.parametrize("name", [place.path for place in PLACES if place.is_folder and "/" not in place.path])
def test_a_file_in_place_of_a_folder_is_named_and_set_aside(folder: RunFolder, name: str) -> None:
    if (path := folder.path / name).is_dir():
        path.rmdir()
    path.touch()
    assert [damage.file for damage in inspect_folder(folder)] == [name]
    assert [aside.is_file() for aside in repair_folder(folder)] == [True]
    assert inspect_folder(folder) == []


def test_every_path_of_a_run_folder_is_in_the_table(folder: RunFolder) -> None:
    files, clips = folder.evaluations, Clips(folder)
    paths = [path for path in vars(folder).values() if isinstance(path, Path) and path != folder.path]
    paths += [clips.path, clips.requests.path]
    paths += [
        folder.checkpoint_path(5),
        folder.film_path(5),
        folder.snapshot_path("5"),
        verification_path(folder.snapshot_path("5")),
    ]
    paths += [folder.segment_path("0-5-0123456789abcdef.seg"), record_path(folder, SinkKind.MLFLOW), files.path]
    of_evaluation = (
        files.record_path,
        files.video_path,
        files.steps_path,
        files.pictures_path,
        files.verification_path,
    )
    paths += [path(EVALUATION) for path in (*of_evaluation, files.evaluated_policy_path)]
    paths += map(compressed_path, (folder.metrics_path, folder.anatomy_path))
    unknown = [str(path) for path in paths if find_place(path.relative_to(folder.path).as_posix()) is None]
    assert unknown == []


@pytest.mark.parametrize("content", [b"", b"[]", b"[" * 10_000, b'{"schema_version": 1}'])
def test_an_unreadable_configuration_stays_because_it_cannot_be_repaired(folder: RunFolder, content: bytes) -> None:
    folder.config_path.write_bytes(content)
    assert [(damage.file, damage.remedy) for damage in inspect_folder(folder)] == [("config.json", RESTORE_OR_DELETE)]
    assert repair_folder(folder) == []
    assert folder.config_path.read_bytes() == content


def test_a_configuration_with_invalid_values_names_them(folder: RunFolder) -> None:
    config = json.loads(folder.config_path.read_bytes())
    folder.config_path.write_text(json.dumps({**config, "total_timesteps": -5, "seed": 10**30}))
    [damage] = inspect_folder(folder)
    assert "seed" in damage.problem
    assert "total_timesteps" in damage.problem


def test_a_run_that_trained_without_events_is_missing_them(folder: RunFolder) -> None:
    folder.events_path.unlink()
    assert [damage.file for damage in inspect_folder(folder)] == ["events.jsonl"]
    folder.metrics_path.unlink()
    assert inspect_folder(folder) == []


def test_an_invalid_folder_is_named(folder: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "runs" / "a-link").symlink_to(folder.path)
    (tmp_path / "runs" / "a-file").touch()
    for name in ("a-link", "a-file", "nothing"):
        damage = inspect_folder(RunFolder(tmp_path / "runs", name))
        assert [(one.file, one.remedy) for one in damage] == [(".", RESTORE_OR_DELETE)]


def test_broken_lines_are_named_by_number_and_removed_from_the_repaired_journal(folder: RunFolder) -> None:
    whole = folder.metrics_path.read_bytes().splitlines(keepends=True)
    bad = [b"nonsense\n", b'{"seq":9,"time":1,"step":99999999999999999999,"values":{}}\n', b'{"seq":1,"step":1}\n']
    harmed = whole[0] + bad[0] + b"".join(whole[1:]) + bad[1] + bad[2] + b'{"torn'
    folder.metrics_path.write_bytes(harmed)
    found = damaged_lines(folder.metrics_path, broken_lines(folder.metrics_path, is_metric), "It is not a record.")
    assert [(damage.file, damage.line) for damage in found] == [("metrics.jsonl", line) for line in (2, 7, 8)]
    [aside] = repair_folder(folder)
    assert aside.read_bytes() == harmed
    assert folder.metrics_path.read_bytes() == b"".join(whole)


@pytest.mark.parametrize(
    "line",
    [
        b'{"seq":3,"time":"noon","event":"finished","step":5,"data":{}}',
        b'{"seq":3,"time":1e20,"event":"finished","step":5,"data":{}}',
        b'{"seq":3,"time":-1,"event":"finished","step":5,"data":{}}',
        b'{"seq":3,"time":1,"event":7,"step":5,"data":{}}',
        b'{"seq":3,"time":1,"event":"finished","step":18446744073709551615,"data":{}}',
        b'{"seq":3,"time":1,"event":"error","step":0,"data":[]}',
    ],
)
def test_an_unusable_event_is_a_broken_line(folder: RunFolder, line: bytes) -> None:
    with folder.events_path.open("ab") as file:
        file.write(line + b"\n")
    assert [broken.raw for broken in broken_lines(folder.events_path, is_event).first] == [line]
    repair_folder(folder)
    assert all(parse_event(line.record) for line in read_journal(folder.events_path))


def test_the_first_of_many_broken_lines_are_named_and_the_rest_counted(folder: RunFolder) -> None:
    folder.metrics_path.write_bytes(b"?\n" * 1_000)
    found = damaged_lines(folder.metrics_path, broken_lines(folder.metrics_path, is_metric), "It is not a record.")
    assert len(found) == MAX_NAMED_LINES
    assert "990" in found[-1].problem


def test_every_column_listed_as_lost_with_a_file_exists() -> None:
    assert {name for names in COLUMNS_FROM.values() for name in names} <= set(RunRow.model_fields)
