"""Runs that leave as files and come back: bundles, sound and hostile, and TensorBoard's own reader."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.errors import ArtifactNotFound, BundleRefused, ExtraMissing, ImportRefused
from rlviz.exchange.bundle import MANIFEST, POLICIES, read_bundle, write_bundle
from rlviz.exchange.import_runs import ImportOptions, import_path
from rlviz.exchange.tables import TableFormat
from rlviz.exchange.tensorboard import is_installed, write_event_files
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.contents import PLACES, Place
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter, prepare, read_journal
from tests.support.cli import Ended, call
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import IMPATIENT, Service, serving
from tests.support.training import curves

RUN_ID = "ppo-cartpole-20261121-044130-3630"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path / "here", RUN_ID, rows=50, status="completed")
    folder.model_path.write_bytes(b"a policy")
    folder.checkpoints.mkdir(exist_ok=True)
    folder.checkpoint_path(100).write_bytes(b"another")
    (folder.path / ".hidden").write_text("no")
    (folder.path / "elsewhere").symlink_to("/etc/passwd")
    return folder


@pytest.fixture
def bundle(folder: RunFolder, tmp_path: Path) -> Path:
    path = tmp_path / "run.zip"
    with path.open("wb") as file:
        write_bundle(folder, file)
    return path


def there(tmp_path: Path) -> Path:
    path = tmp_path / "there"
    path.mkdir(parents=True, exist_ok=True)
    return path


def files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def changed(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The bundle with other members."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return bundle


def renamed(old: str, new: str) -> Callable[[dict[str, bytes]], None]:
    """In the manifest as well, with the right hash."""

    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members[MANIFEST])
        for member in manifest["files"]:
            member["path"] = new if member["path"] == old else member["path"]
        members[new] = members.pop(old)
        members[MANIFEST] = json.dumps(manifest).encode()

    return change


def test_a_run_comes_back_as_it_left_without_what_is_the_machine_s_own(
    folder: RunFolder, bundle: Path, tmp_path: Path
) -> None:
    found = read_bundle(bundle, there(tmp_path), trust_policies=True)
    assert files(found.path) == files(folder.path) - {".hidden", "elsewhere", "control.json"}
    for name in files(found.path):
        assert (found.path / name).read_bytes() == (folder.path / name).read_bytes()


def test_policies_are_left_out_unless_they_are_trusted(bundle: Path, tmp_path: Path) -> None:
    found = read_bundle(bundle, there(tmp_path))
    assert not found.model_path.exists()
    assert not found.checkpoints.exists()
    assert found.metrics_path.exists()


@pytest.mark.parametrize("place", [place for place in PLACES if place.kind in POLICIES], ids=lambda one: one.path)
def test_whatever_holds_a_policy_is_left_out_unless_it_is_trusted(place: Place, tmp_path: Path) -> None:
    """Those of steps that the run went back from as well."""
    made = make_run(tmp_path / "here", RUN_ID, rows=5, status="completed")
    path = made.path / (place.path.replace("*", "1") + ("/1/checkpoints/step_1.zip" if place.is_folder else ""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"a policy")
    buffer = tmp_path / "run.zip"
    with buffer.open("wb") as file:
        write_bundle(made, file, snapshots=True)
    for trusted in (False, True):
        found = read_bundle(buffer, there(tmp_path / str(trusted)), trust_policies=trusted)
        assert (found.path / path.relative_to(made.path)).exists() is trusted
    with buffer.open("wb") as file:
        names = [member.path for member in write_bundle(made, file, policies=False, snapshots=True).files]
    assert path.relative_to(made.path).as_posix() not in names


def test_one_that_still_trained_is_interrupted(tmp_path: Path) -> None:
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
    """What a bundle is written to, while with each write something happens to the run."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def write(self, content: object) -> int:
        self._happens()
        return super().write(content)  # type: ignore[arg-type]


def unpacked(target: Meddling, tmp_path: Path) -> RunFolder:
    path = tmp_path / "run.zip"
    path.write_bytes(target.getvalue())
    return read_bundle(path, there(tmp_path), trust_policies=True)


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
        write_atomically(folder.model_path, b"a policy" * number)
        if folder.metrics_path.exists():
            copy = prepare(folder.metrics_path)
            assert copy is not None
            copy.put_in_place()

    target = Meddling(go_on)
    write_bundle(folder, target)
    found = unpacked(target, tmp_path)
    assert [line.record for line in read_journal(found.metrics_path)] == metrics
    assert set(found.model_path.read_bytes().split(b"a policy")) == {b""}


def test_a_run_that_is_deleted_while_it_is_bundled_is_no_bundle(folder: RunFolder) -> None:
    with pytest.raises(ArtifactNotFound):
        write_bundle(folder, Meddling(lambda: shutil.rmtree(folder.path, ignore_errors=True)))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda members: members.pop(MANIFEST), "no manifest"),
        (lambda members: members.update({MANIFEST: b"[]"}), "manifest cannot be read"),
        (lambda members: members.pop("events.jsonl"), "not in it"),
        (lambda members: members.update({"config.json": members["config.json"] + b" "}), "longer than"),
        (lambda members: members.update({"config.json": members["config.json"][:-1]}), "cut short"),
        (lambda members: members.update({"model.zip": b"a polizy"}), "hash differs"),
        (renamed("events.jsonl", "../events.jsonl"), "would not be a file"),
        (renamed("events.jsonl", "/tmp/events.jsonl"), "would not be a file"),
        (renamed("events.jsonl", "..\\events.jsonl"), "would not be a file"),
        (renamed("events.jsonl", "C:/events.jsonl"), "would not be a file"),
        (renamed("events.jsonl", ".ssh/authorized_keys"), "would not be a file"),
        (renamed("events.jsonl", "METRICS.jsonl"), "twice"),
        (renamed("config.json", "other.json"), "no run that can be read"),
    ],
)
def test_what_is_not_sound_is_refused_and_leaves_nothing(
    bundle: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None], says: str
) -> None:
    with pytest.raises(BundleRefused, match=says):
        read_bundle(changed(bundle, change), there(tmp_path), trust_policies=True)
    assert files(there(tmp_path)) == set()


def test_a_link_in_it_is_refused(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BundleRefused, match="no regular file"):
        read_bundle(bundle, there(tmp_path))


def test_a_bomb_is_refused_by_what_it_says_and_by_what_it_does(tmp_path: Path) -> None:
    """A gigabyte of zeros takes a megabyte in an archive."""
    zeros = 50_000_000
    honest = {"path": "metrics.jsonl", "bytes": zeros, "sha256": hashlib.sha256(bytes(zeros)).hexdigest()}
    for member, says in ((honest, "more than"), ({**honest, "bytes": 10}, "longer than|hash differs")):
        path = tmp_path / "bomb.zip"
        manifest = {"schema_version": 1, "run_id": RUN_ID, "made_by": "0", "made_at": 0, "files": [member]}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest))
            archive.writestr("metrics.jsonl", bytes(zeros))
        with pytest.raises(BundleRefused, match=says):
            read_bundle(path, there(tmp_path), most_bytes=1_000_000)
        assert files(there(tmp_path)) == set()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"seq,time\n"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.zip"
    path.write_bytes(content)
    with pytest.raises(BundleRefused, match="no bundle"):
        read_bundle(path, there(tmp_path))


def test_one_that_is_there_already_stays_as_it_is(folder: RunFolder, bundle: Path) -> None:
    before = files(folder.path)
    with pytest.raises(FileExistsError, match="there already"):
        read_bundle(bundle, folder.path.parent)
    assert files(folder.path) == before


def test_the_service_lists_what_was_put_into_its_folder(bundle: Path, tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        assert_problem(service.api("POST", f"/runs/{RUN_ID}/take-up"), 404)
        read_bundle(bundle, service.runs_dir)
        for _ in range(2):
            taken = service.api("POST", f"/runs/{RUN_ID}/take-up")
            assert taken.status_code == 200, taken.text
        assert [run["id"] for run in service.get("/runs")["runs"]] == [RUN_ID]
        assert service.get(f"/runs/{RUN_ID}")["status"] == "completed"


def test_tensorboard_reads_the_curves_that_were_logged(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    journal = JournalWriter(tmp_path / "metrics.jsonl", clock=lambda: 12.5)
    for step in range(1, 2_001):
        journal.append({"step": step, "values": {"episode/reward": step / 8, "train/loss": None if step % 2 else 0.5}})
    journal.close()
    rows = [line.record for line in read_journal(tmp_path / "metrics.jsonl") if line.record]
    assert write_event_files(rows, '{"algo": "ppo"}', tmp_path / "logs") == 3_000
    found = EventAccumulator(str(tmp_path / "logs"), size_guidance={"scalars": 0})
    found.Reload()
    assert set(found.Tags()["scalars"]) == {"episode/reward", "train/loss"}
    rewards = found.Scalars("episode/reward")
    assert [(one.step, one.value, one.wall_time) for one in rewards] == [(n, n / 8, 12.5) for n in range(1, 2_001)]
    assert [one.step for one in found.Scalars("train/loss")] == list(range(2, 2_001, 2))
    assert b'"algo": "ppo"' in found.Tensors("configuration")[0].tensor_proto.string_val[0]


def test_event_files_that_are_written_again_replace_themselves_and_nobody_else_s(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def rows(count: int) -> list[dict[str, Any]]:
        return [{"time": 1.0, "step": step, "values": {"train/loss": 0.5}} for step in range(count)]

    logs = tmp_path / "logs"
    for count in (5, 3):
        write_event_files(rows(count), "{}", logs)
    found = EventAccumulator(str(logs))
    found.Reload()
    assert [one.step for one in found.Scalars("train/loss")] == [0, 1, 2]
    assert [path.name for path in logs.iterdir()] == ["events.out.tfevents.rlviz"]

    def broken_off() -> Iterator[dict[str, Any]]:
        yield from rows(2)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_event_files(broken_off(), "{}", logs)
    found = EventAccumulator(str(logs))
    found.Reload()
    assert len(found.Scalars("train/loss")) == 3
    assert len(list(logs.iterdir())) == 1, "nothing half is left"

    (logs / "events.out.tfevents.1764.host.1.0").write_bytes(b"of another program")
    with pytest.raises(FileExistsError, match="Name a folder of its own"):
        write_event_files(rows(1), "{}", logs)


def test_whether_tensorboard_s_package_is_there_is_known_before_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_installed()
    for name in ("tensorboard", "tensorboard.compat.proto.event_pb2"):
        monkeypatch.setitem(sys.modules, name, None)
    assert not is_installed()
    with pytest.raises(ExtraMissing, match=r"rlviz\[tensorboard\]"):
        write_event_files([], "{}", tmp_path)


def test_a_folder_of_logs_becomes_runs_that_are_listed_compared_and_exported(tmp_path: Path) -> None:
    for name, text in (("a", "step,rollout/ep_rew_mean\n1,2.5\n2,3.5\n"), ("b", "step,rollout/ep_rew_mean\n1,9\n")):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "progress.csv").write_text(text)
    with serving(tmp_path) as service:
        brought = call(service.runs_dir, "import", str(tmp_path / "logs"), "--env", "CartPole-v1", "--json")
        assert (brought.status, brought.json["refused"]) == (0, [])
        ids = [run["id"] for run in brought.json["runs"]]
        assert {run["id"] for run in service.get("/runs", params={"tag": "imported"})["runs"]} == set(ids)
        assert {run["status"] for run in brought.json["runs"]} == {"completed"}
        compared = service.get(f"/compare?runs={','.join(ids)}")
        assert [run["ep_rew_mean"] for run in brought.json["runs"]] == [3.5, 9.0]
        assert compared
        exported = call(service.runs_dir, "export", ids[0], "--format", "csv")
        assert [line.split(",")[2:] for line in exported.out.splitlines()[1:]] == [["1", "2.5"], ["2", "3.5"]]

        (tmp_path / "logs" / "b" / "progress.csv").write_text("")
        known = call(service.runs_dir, "import", str(tmp_path / "logs" / "a"))
        assert (known.status, f"is {ids[0]}. `--again` imports it" in known.err) == (4, True), known
        partly = call(service.runs_dir, "import", str(tmp_path / "logs"), "--again")
        assert partly.status == 1
        assert "from a progress file" in partly.out
        assert "Not imported: logs/b: progress.csv is empty" in partly.err
        assert call(service.runs_dir, "import", str(tmp_path / "none")).status == 3
        assert call(service.runs_dir, "import", str(tmp_path / "logs" / "b")).status == 2
        assert service.get("/runs")["total"] == 3


def test_the_browser_takes_runs_away_as_files_and_brings_them_in_again(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "runs", RUN_ID, rows=50, status="completed").model_path.write_bytes(b"a policy")
    make_run(tmp_path / "b" / "runs", "other-run", status="completed")
    with serving(tmp_path / "a") as here, serving(tmp_path / "b") as there:
        bundle = here.api("GET", f"/runs/{RUN_ID}/bundle")
        logs = here.api("GET", f"/runs/{RUN_ID}/tensorboard")
        assert f'filename="{RUN_ID}.zip"' in bundle.headers["content-disposition"]
        assert_problem(here.api("GET", "/runs/no-run/bundle"), 404)

        def send(content: bytes, **query: str) -> httpx.Response:
            return there.api("POST", "/runs/import", content=content, params=query)

        taken = send(bundle.content, file="C:\\Users\\me\\run.zip")
        assert taken.status_code == 201, taken.text
        [run] = taken.json()["runs"]
        assert (run["id"], run["status"], run["step"]) == (RUN_ID, "completed", here.get(f"/runs/{RUN_ID}")["step"])
        assert not there.folder(RUN_ID).model_path.exists(), "policies are not taken"
        assert_problem(send(bundle.content, file="run.zip"), 409)

        [run] = send(logs.content, file="logs.zip", name="from TensorBoard").json()["runs"]
        assert (run["name"], run["env_id"], run["tags"]) == ("from TensorBoard", "CartPole-v1", ["imported"])
        assert curves(there.folder(run["id"])) == curves(here.folder(RUN_ID))

        again = send(logs.content, file="logs.zip").json()
        assert (again["runs"], [one["run"]["id"] for one in again["known"]]) == ([], [run["id"]])
        [copy] = send(logs.content, file="logs.zip", again="true").json()["runs"]
        there.api("DELETE", f"/runs/{copy['id']}").raise_for_status()

        csv = b"step,loss\n" + b"".join(b"%d,0.5\n" % step for step in range(200_000))
        [run] = send(csv, file="../progress.csv", algo="sac", env_id="Own-v0").json()["runs"]
        assert (run["algo"], run["env_id"], run["step"]) == ("sac", "Own-v0", 199_999), "more than 1 MiB"

        for content, file in ((b"", "progress.csv"), (b"nonsense", "x.zip"), (b"nonsense", "\u202e..")):
            assert_problem(send(content, file=file), 422)
        assert there.get("/runs")["total"] == 4
        assert list((there.runs_dir / ".new").iterdir()) == []
        assert list((here.runs_dir / ".new").iterdir()) == []


def test_a_file_beyond_the_bound_is_refused_as_it_comes_and_leaves_nothing(tmp_path: Path) -> None:
    bound = "from rlviz.domain.limits import LIMITS; LIMITS.import_bytes.__dict__['maximum'] = 100_000"
    with serving(tmp_path, script=f"{bound}\n{IMPATIENT}") as service:
        assert_problem(service.api("POST", "/runs/import", params={"file": "x.csv"}, content=bytes(200_000)), 413)
        assert service.get("/runs")["total"] == 0
        assert list((service.runs_dir / ".new").iterdir()) == []


def opened(content: bytes, tmp_path: Path, name: str = "several") -> Path:
    """An archive that was downloaded, unpacked."""
    target = tmp_path / name
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(target)
    return target


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("two")
    place = ExperimentPlace(id="exp-a", variant="slow", trial=0)
    for name, settings in (("run-a", {"seed": 3, "experiment": place}), ("run-b", {"algo": "dqn"})):
        make_run(folder / "runs", name, rows=20, status="completed", **settings).model_path.write_bytes(b"a policy")
    with serving(folder) as service:
        yield service


@pytest.mark.parametrize("form", TableFormat)
def test_a_run_and_several_are_tables_that_come_back_with_the_same_curves(
    two_runs: Service, tmp_path: Path, form: TableFormat
) -> None:
    one = two_runs.api("GET", f"/runs/run-a/export?format={form}")
    assert one.headers["content-disposition"] == f'attachment; filename="run-a.{form}"'
    (tmp_path / f"run-a.{form}").write_bytes(one.content)
    several = opened(two_runs.api("GET", f"/export?runs=run-a,run-b&format={form}").content, tmp_path) / "runs"
    assert files(several) == {
        f"runs.{form}",
        *(f"{name}/{file}" for name in ("run-a", "run-b") for file in (f"metrics.{form}", "config.json")),
    }
    assert (several / "run-a" / f"metrics.{form}").read_bytes() == one.content

    [alone] = import_path(tmp_path / f"run-a.{form}", there(tmp_path), ImportOptions()).runs
    brought = import_path(several, there(tmp_path), ImportOptions(again=True))
    assert brought.refused == []
    assert [curves(run) for run in [alone, *brought.runs]] == [
        curves(two_runs.folder(name)) for name in ("run-a", "run-a", "run-b")
    ]
    configs = [run.read_config() for run in brought.runs]
    assert [(one.name, one.algo, one.env_id, one.seed) for one in configs] == [
        ("run-a", "ppo", "CartPole-v1", 3),
        ("run-b", "dqn", "CartPole-v1", 1),
    ]
    assert len(import_path(several, there(tmp_path), ImportOptions()).known) == 2


def test_several_are_bundles_that_come_back_with_all_they_had(two_runs: Service, tmp_path: Path) -> None:
    archive = tmp_path / "both.zip"
    archive.write_bytes(two_runs.api("GET", "/export?runs=run-b,run-a&format=bundle").content)
    brought = import_path(archive, there(tmp_path), ImportOptions(trust_policies=True))
    assert [run.run_id for run in brought.runs] == ["run-a", "run-b"]
    assert all(run.model_path.read_bytes() == b"a policy" for run in brought.runs)
    again = import_path(archive, there(tmp_path), ImportOptions())
    assert [run_id for _, run_id in again.known] == ["run-a", "run-b"]


def test_several_for_tensorboard_are_a_folder_each(two_runs: Service, tmp_path: Path) -> None:
    several = opened(two_runs.api("GET", "/export?runs=run-a,run-b&format=tensorboard").content, tmp_path)
    brought = import_path(several, there(tmp_path), ImportOptions())
    assert [curves(run) for run in brought.runs] == [curves(two_runs.folder(name)) for name in ("run-a", "run-b")]


def test_the_command_exports_several_runs_and_a_group_into_a_folder_or_an_archive(
    two_runs: Service, tmp_path: Path
) -> None:
    def exported(*arguments: str) -> Ended:
        return call(two_runs.runs_dir, "export", *arguments)

    curves_there = tmp_path / "curves"
    assert exported("run-a", "run-b", "--format", "parquet", "-o", str(curves_there)).status == 0
    assert {path.name for path in curves_there.iterdir()} == {"runs.parquet", "run-a", "run-b"}
    refused = exported("run-a", "run-b", "-o", str(curves_there))
    assert (refused.status, "there already" in refused.err) == (4, True)
    assert exported("--group", "run-a", "--bundle", "-o", str(tmp_path / "seeds.zip")).status == 0
    assert opened((tmp_path / "seeds.zip").read_bytes(), tmp_path, "bundles").joinpath("seeds/run-a.zip").is_file()
    assert exported("run-a", "run-b").status == 2
    assert exported("-o", str(tmp_path / "none")).status == 2
    assert exported("--experiment", "exp", "-o", str(tmp_path / "none")).status == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundles", "curves", "seeds.zip"]


def test_what_cannot_be_exported_together_is_said(two_runs: Service) -> None:
    assert_problem(two_runs.api("GET", "/export"), 422)
    assert_problem(two_runs.api("GET", "/export?runs=run-a&experiment=exp-a"), 422)
    assert_problem(two_runs.api("GET", "/export?runs=run-a,no-run"), 404)
    assert_problem(two_runs.api("GET", "/export?experiment=no-experiment"), 404)
    assert_problem(two_runs.api("GET", "/export?runs=run-a&format=paper"), 422)
    assert list((two_runs.runs_dir / ".new").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b'[{"seq": 1', b'[{"seq": 1, "time": 1, "step": "x"}]', b'[{"seq": 1}, 5]'])
def test_an_export_that_was_cut_or_changed_is_refused(tmp_path: Path, content: bytes) -> None:
    for ending in ("json", "parquet"):
        path = tmp_path / f"metrics.{ending}"
        path.write_bytes(content if ending == "json" else b"PAR1" + content)
        with pytest.raises(ImportRefused):
            import_path(path, there(tmp_path), ImportOptions())
    assert files(there(tmp_path)) == set()
