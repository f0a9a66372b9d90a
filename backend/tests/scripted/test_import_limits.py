"""Imports that are damaged, hostile or too large are refused with a reason."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.errors import BundleRefused, InvalidRequest
from rlviz.domain.export_formats import TableFormat
from rlviz.exchange import bundle as zip_archive
from rlviz.exchange.bundle import read_bundle, write_bundle
from rlviz.exchange.export import NAME, metrics_table, write_event_files, write_table
from rlviz.exchange.import_runs import ImportOptions, ImportOutcome, import_path
from rlviz.rundir.metric_rows import all_rows
from rlviz.rundir.origin import read_origin
from tests.support.bundles import with_members
from tests.support.run_folders import make_run

pytestmark = pytest.mark.faults


RUN_ID = "ppo-cartpole-20261121-044130-3630"


MONITOR = '#{"t_start": 1700000000.0, "env_id": "CartPole-v1"}\nr,l,t\n10.0,10,1.5\n21.5,20,2.5\n'


ZOO = {
    "ppo/CartPole-v1_1/0.monitor.csv": MONITOR.encode(),
    "ppo/CartPole-v1_1/CartPole-v1/args.yml": b"!!python/object/apply:collections.OrderedDict\n- - - algo\n    - ppo\n",
    "ppo/CartPole-v1_1/CartPole-v1/config.yml": b"gamma: 0.99\nwhere: C:\\Users\\me\nnet: !!python/tuple [64, 64]\n",
}


def evaluations() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, timesteps=np.array([10, 30]), results=np.array([[1.0, 3.0], [5.0, 5.0]]))
    return buffer.getvalue()


def zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A valid file of each kind by name."""
    folder = tmp_path_factory.mktemp("sound")
    run = make_run(folder / "runs", RUN_ID, rows=40, status="completed")
    run.model_path.write_bytes(b"PK\x03\x04 a policy")
    files = {f"metrics.{form}": b"" for form in TableFormat}
    for form in TableFormat:
        with (folder / f"metrics.{form}").open("wb") as file:
            write_table(metrics_table(run), form, file)
        files[f"metrics.{form}"] = (folder / f"metrics.{form}").read_bytes()
    write_event_files(all_rows(run), run.config_path.read_text(), folder / "logs")
    with (folder / "run.zip").open("wb") as file:
        write_bundle(run, file)
    events = (folder / "logs" / NAME).read_bytes()
    progress = b"step,loss\n1,0.5\n2,0.25\n"
    return files | {
        NAME: events,
        "run.zip": (folder / "run.zip").read_bytes(),
        "monitor.csv": MONITOR.encode(),
        "progress.csv": progress,
        "logs.zip": zipped({f"PPO_1/{NAME}": events, "a\\progress.csv": progress}, zipfile.ZIP_STORED),
        "zoo.zip": zipped({**ZOO, "ppo/CartPole-v1_1/evaluations.npz": evaluations()}, zipfile.ZIP_STORED),
        "evaluations.npz": evaluations(),
    }


def brought(path: Path, runs_dir: Path) -> ImportOutcome:
    return import_path(path, runs_dir, ImportOptions(again=True, trust=True))


def refusal(tmp_path: Path, name: str, content: bytes) -> str:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidRequest) as caught:
        brought(path, tmp_path / "runs")
    assert not [one for one in (tmp_path / "runs").rglob("*") if one.is_file()]
    return str(caught.value)


def test_an_archive_with_too_many_files_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of its members is held in memory completely."""
    many = zipped({f"{number}/progress.csv": b"" for number in range(2_000)})
    monkeypatch.setattr(zip_archive, "MOST_DIRECTORY_BYTES", 50_000)
    monkeypatch.setattr(zip_archive.zipfile, "ZipFile", None)
    for content in (many, many + b"a comment", many[:-2] + b"\x09\x00a comment"):
        assert "too many files" in refusal(tmp_path, "logs.zip", content)


def with_flags(archive: bytes, flags: int) -> bytes:
    """Set the flags of each member, in its local header and in the central directory."""
    changed = bytearray(archive)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + place : at + place + 2] = struct.pack("<H", flags)
            at = changed.find(mark, at + 4)
    return bytes(changed)


ONE = zipped({"progress.csv": b"step,loss\n1,0.5\n"})


DISKS = ONE[:-22] + struct.pack("<4sLQL", b"PK\x06\x07", 1, 0, 9) + ONE[-22:]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (with_flags(ONE, 0x1), "encrypted"),
        (zipped({"é/progress.csv": b"step,loss\n1,0.5\n"}).replace(b"\xc3\xa9", b"\xff\xff"), "cannot be unpacked"),
        (zipped({f"{'x' * 300}/progress.csv": b"step,loss\n1,0.5\n"}), "too long"),
        (zipped({"a/progress.csv": b"step,loss\n1,0.5\n", "a": b""}), "twice"),
        (DISKS, "multiple disks"),
    ],
    ids=["encrypted", "no text", "a long name", "a file and a folder", "several disks"],
)
def test_an_archive_of_an_unsupported_kind_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in refusal(tmp_path, "logs.zip", content)


def test_a_bundle_with_names_that_no_folder_can_hold_is_refused(sound: dict[str, bytes], tmp_path: Path) -> None:
    path = with_members(sound_bundle(sound, tmp_path), {f"eval/eval_{'x' * 300}.json": b"{}"})
    (tmp_path / "runs").mkdir()
    with pytest.raises(BundleRefused, match="too long"):
        read_bundle(path, tmp_path / "runs")
    assert not [one for one in (tmp_path / "runs").rglob("*") if one.is_file()]


@pytest.mark.parametrize("names", [("eval", "eval/x.json"), ("x" * 300,), ("model.zip/x", "labels.json/x/y")])
def test_names_of_files_that_a_run_does_not_have_do_no_harm(
    sound: dict[str, bytes], tmp_path: Path, names: tuple[str, ...]
) -> None:
    path = with_members(sound_bundle(sound, tmp_path), dict.fromkeys(names, b"{}"))
    folder = read_bundle(path, tmp_path / "runs")
    origin = read_origin(folder)
    assert origin is not None
    assert {one.path for one in origin.left_out} >= set(names)


def sound_bundle(sound: dict[str, bytes], tmp_path: Path) -> Path:
    path = tmp_path / "run.zip"
    path.write_bytes(sound["run.zip"])
    return path


@pytest.mark.parametrize(
    "content",
    [
        b'[{"seq":1,"step":' + b"9" * 5_000 + b',"loss":1}]',
        b'[{"seq":1,"step":1,"a":' + b"[" * 100_000,
        b'[{"seq":1,"step":1,"a":"' + b"x" * 3_000_000 + b'"',
        b'[{"seq":1,"step":1,"a":"\xff\xfe"}]',
        b'[{"seq":1},5]',
    ],
    ids=["a long number", "deep", "long", "no text", "a number"],
)
def test_invalid_or_oversized_json_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "metrics.json" in refusal(tmp_path, "metrics.json", content)


def arrays(**found: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **found)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "found",
    [
        {"timesteps": np.array([1, 2]), "results": np.ones((2, 0))},
        {"timesteps": np.array(1), "results": np.array(1)},
    ],
)
def test_arrays_that_are_not_evaluations_are_refused(tmp_path: Path, found: dict[str, Any]) -> None:
    assert "imported" in refusal(tmp_path, "evaluations.npz", arrays(**found))


def test_arrays_that_declare_more_than_the_memory_holds_are_refused(tmp_path: Path) -> None:
    array = io.BytesIO()
    np.save(array, np.zeros(2))
    head = array.getvalue().replace(b"'shape': (2,), }" + b" " * 12, b"'shape': (9999999999999,), }")
    assert head != array.getvalue()
    content = zipped({"timesteps.npy": head, "results.npy": head}, zipfile.ZIP_STORED)
    assert "cannot be read as arrays" in refusal(tmp_path, "evaluations.npz", content)
