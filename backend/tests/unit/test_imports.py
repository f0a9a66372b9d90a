"""What other tools have logged, brought in: the curves as they were, and hostile or broken files refused whole."""

from __future__ import annotations

import os
import re
import stat
import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.errors import ImportRefused
from rlviz.domain.limits import LIMITS
from rlviz.exchange.import_runs import ImportOptions, ImportOutcome, import_path
from rlviz.exchange.imports import found_run
from rlviz.exchange.imports.tensorboard_logs import masked_crc
from rlviz.exchange.tables import TableFormat, of_metrics, write_table
from rlviz.exchange.tensorboard import write_event_files
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import row_of_folder
from tests.support.run_folders import make_run
from tests.support.training import messages, rows

EVENTS = "events.out.tfevents.1700000000.host"
HEAD = '#{"t_start": 1700000000.0, "env_id": "CartPole-v1"}\n'
MONITOR = HEAD + "r,l,t\n10.0,10,1.5\n21.5,20,2.5\n"
PROGRESS = "time/total_timesteps,rollout/ep_rew_mean,time/time_elapsed,note\n128,9.5,1,a\n256,,3,b\n384,30,4,\n"
BILLION_LAUGHS = "a: &a [x, x, x, x]\n" + "".join(
    f"{name}: &{name} [*{of}, *{of}, *{of}, *{of}]\n" for of, name in zip("abcdefgh", "bcdefghi", strict=True)
)
ORDERED = "!!python/object/apply:collections.OrderedDict\n- "


def runs_of(tmp_path: Path, path: Path, **wishes: Any) -> ImportOutcome:
    return import_path(path, tmp_path / "runs", ImportOptions(**{"again": True, **wishes}))


def one_of(tmp_path: Path, path: Path, **wishes: Any) -> RunFolder:
    brought = runs_of(tmp_path, path, **wishes)
    assert not brought.refused
    [folder] = brought.runs
    return folder


def refusal(tmp_path: Path, path: Path, **wishes: Any) -> str:
    """Why it is refused; nothing is left of it."""
    with pytest.raises(ImportRefused) as caught:
        runs_of(tmp_path, path, **wishes)
    runs_dir = tmp_path / "runs"
    assert [one for one in runs_dir.rglob("*") if one.is_file()] == [] if runs_dir.exists() else True
    return str(caught.value)


def written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def series(folder: RunFolder) -> list[tuple[int, float, dict[str, float | None]]]:
    return [(row["step"], row["time"], row["values"]) for row in rows(folder)]


def record(content: bytes) -> bytes:
    """As TFRecord frames it."""
    length = struct.pack("<Q", len(content))
    return b"".join((length, struct.pack("<I", masked_crc(length)), content, struct.pack("<I", masked_crc(content))))


def event(step: int, tag: bytes, value: float, at: float = 1.7e9) -> bytes:
    inner = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(inner)]) + inner
    return b"\x09" + struct.pack("<d", at) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


# What comes back is what left


@pytest.fixture
def exported(tmp_path: Path) -> RunFolder:
    """A run whose numbers no float of 32 bits misses."""
    folder = make_run(tmp_path / "elsewhere", "ppo-a", status="completed", hyperparameters={"gamma": 0.99, "net": [64]})
    lines = [
        f'{{"seq":{n},"time":{1.7e9 + n / 8},"step":{n // 2},"values":{{"episode/reward":{n / 8},"train/loss":'
        f'{"null" if n % 3 else n / 4},"episode/index":{n},"my/own":{-n}}}}}\n'
        for n in range(1, 500)
    ]
    folder.metrics_path.write_text("".join(lines))
    return folder


def known(folder: RunFolder) -> list[tuple[int, float, dict[str, float | None]]]:
    """Its rows, without the gaps."""
    found = series(folder)
    return [(step, at, {name: one for name, one in values.items() if one is not None}) for step, at, values in found]


def test_event_files_that_we_wrote_give_the_same_rows_and_the_same_settings(
    tmp_path: Path, exported: RunFolder
) -> None:
    write_event_files(rows(exported), exported.config_path.read_text(), tmp_path / "logs")
    folder = one_of(tmp_path, tmp_path / "logs")
    assert known(folder) == known(exported)
    before, after = exported.read_config(), folder.read_config()
    assert (after.algo, after.env_id, after.seed) == (before.algo, before.env_id, before.seed)
    assert (after.hyperparameters, after.total_timesteps) == (before.hyperparameters, before.total_timesteps)


def test_csv_that_we_wrote_gives_the_same_rows_to_the_last_bit(tmp_path: Path, exported: RunFolder) -> None:
    for line in (0.1, 1 / 3, 1e-300, 123456789.123456789):
        with exported.metrics_path.open("a") as file:
            file.write(f'{{"seq":1,"time":1700000100.5,"step":900,"values":{{"train/loss":{line!r}}}}}\n')
    with (tmp_path / "curves.csv").open("wb") as file:
        write_table(of_metrics(exported), TableFormat.CSV, file)
    assert known(one_of(tmp_path, tmp_path / "curves.csv")) == known(exported)


def test_the_tools_own_event_files_are_read_tensors_too(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path / "CartPole-v1__dqn__4__1700000000")) as writer:
        writer.add_text("hyperparameters", "|param|value|\n|-|-|\n|gamma|0.9|\n|total_timesteps|500|\n|track|False|")
        writer.add_scalar("charts/episodic_return", 9.0, 10, walltime=1.7e9)
        writer.add_scalar("charts/episodic_length", 9, 10, walltime=1.7e9)
        writer.add_scalar("losses/own", 0.5, 12, walltime=1.7e9 + 1, new_style=True, double_precision=True)
        writer.add_histogram("weights", np.ones(3), 12)
    folder = one_of(tmp_path, tmp_path / "CartPole-v1__dqn__4__1700000000")
    assert series(folder) == [
        (10, 1.7e9, {"episode/reward": 9.0, "episode/length": 9.0, "episode/index": 1}),
        (12, 1.7e9 + 1, {"losses/own": 0.5}),
    ]
    config = folder.read_config()
    assert (config.algo, config.env_id, config.seed, config.total_timesteps) == ("dqn", "CartPole-v1", 4, 500)
    assert config.hyperparameters == {"gamma": 0.9, "total_timesteps": 500, "track": False}


def test_the_checksum_is_that_of_the_standard() -> None:
    """CRC-32C of "123456789" is E3069283 (RFC 3720, B.4, and every table of checksums)."""
    crc = 0xE3069283
    assert masked_crc(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# CSV logs


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_monitor_file_gives_its_episodes(tmp_path: Path, newline: str) -> None:
    folder = one_of(tmp_path, written(tmp_path / "monitor.csv", MONITOR.replace("\n", newline)), algo="sac")
    assert series(folder) == [
        (10, 1700000001.5, {"episode/reward": 10.0, "episode/length": 10, "episode/index": 1}),
        (30, 1700000002.5, {"episode/reward": 21.5, "episode/length": 20, "episode/index": 2}),
    ]
    row = row_of_folder(folder)
    assert (row.algo, row.env_id, row.status, row.episodes) == ("sac", "CartPole-v1", "completed", 2)
    assert (row.is_foreign, row.tags, row.started_at, row.ended_at) == (True, ["imported"], 1700000001.5, 1700000002.5)
    assert folder.read_config().imported_from == "Stable-Baselines3's Monitor"


def test_monitors_of_several_environments_are_one_run_in_the_order_of_their_episodes(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "0.monitor.csv", MONITOR)
    written(tmp_path / "logs" / "1.monitor.csv", HEAD + "r,l,t\n1.0,5,2.0\n")
    found = rows(one_of(tmp_path, tmp_path / "logs"))
    assert [(row["step"], row["values"]["episode/reward"]) for row in found] == [(10, 10.0), (15, 1.0), (35, 21.5)]


def test_a_progress_file_gives_its_numbers_and_leaves_out_its_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "progress.csv", PROGRESS)
    os.utime(path, (1.7e9 + 4, 1.7e9 + 4))
    found = series(one_of(tmp_path, path))
    assert [(step, at) for step, at, _ in found] == [(128, 1.7e9 + 1), (256, 1.7e9 + 3), (384, 1.7e9 + 4)]
    assert [values.get("rollout/ep_rew_mean") for _, _, values in found] == [9.5, None, 30]
    assert "note" not in found[0][2]


def test_what_is_not_finite_is_a_gap_of_which_the_run_warns(tmp_path: Path) -> None:
    folder = one_of(tmp_path, written(tmp_path / "progress.csv", "step,loss\n1,nan\n2,inf\n3,0.5\n"))
    assert [row["values"]["loss"] for row in rows(folder)] == [None, None, 0.5]
    assert messages(folder) == ["loss has values that are not finite; they are gaps."]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("monitor.csv", "", "is empty"),
        ("progress.csv", "", "is empty"),
        (EVENTS, b"", "is empty"),
        ("monitor.csv", HEAD + "r,l\n1,2\n", "no column t"),
        ("monitor.csv", "#{\n", "no JSON follows"),
        ("monitor.csv", HEAD + "r,l,t\n1.0,x,2.0\n", "line 3: .* have to be numbers"),
        ("monitor.csv", HEAD + "r,l,t\n", "no number in it"),
        ("progress.csv", "loss\n1\n", "line 2 has no number of steps"),
        ("progress.csv", "step,loss\nx,1\n", "line 2 has no number of steps"),
        ("x.csv", "seq,time,step,loss\n1,1,x,1\n", "line 2: step has to be a number"),
        ("progress.csv", "step,loss\n-1,1\n", "Steps are whole numbers"),
        ("progress.csv", b"step,loss\n\xff\xfe,1\n", "no text in UTF-8"),
        ("progress.csv", b"step\0," * 200_000, "longer than"),
        ("progress.csv", "step,loss\n1," + "9" * 200_000 + "\n", "no CSV"),
        (EVENTS, os.urandom(1 << 16), "no event file of TensorBoard"),
        (EVENTS, record(b"\x2a\x05ab"), "byte 0 that is no event"),
        ("notes.txt", "hello", "What can be: TensorBoard event files"),
        ("other.csv", "a,b\n1,2\n", "What can be"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_what_is_wrong(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    assert re.search(says, refusal(tmp_path, written(tmp_path / "in" / name, content)))


def test_a_hundred_megabytes_of_nonsense_are_refused_at_their_beginning(tmp_path: Path) -> None:
    for name in (EVENTS, "progress.csv", "monitor.csv"):
        path = written(tmp_path / "in" / name, b"nonsense")
        os.truncate(path, 100_000_000)
        assert refusal(tmp_path, path)


# Event files that were cut, or changed


def test_a_torn_record_at_the_end_is_left_out_and_the_run_says_so(tmp_path: Path) -> None:
    whole = record(event(1, b"loss", 0.5)) + record(event(2, b"loss", 0.25))
    for cut in (1, 4, 30, 40):
        folder = one_of(tmp_path, written(tmp_path / str(cut) / EVENTS, whole[:-cut]))
        assert [row["values"] for row in rows(folder)] == [{"loss": 0.5}]
        assert "ends within a record" in messages(folder)[0]


def test_a_changed_byte_is_found_and_what_precedes_it_can_be_had(tmp_path: Path) -> None:
    first, second = record(event(1, b"loss", 0.5)), record(event(2, b"loss", 0.25))
    for place in range(len(second)):
        changed = bytearray(first + second)
        changed[len(first) + place] ^= 1
        assert f"head -c {len(first)} " in refusal(tmp_path, written(tmp_path / "in" / EVENTS, bytes(changed)))
    assert one_of(tmp_path, written(tmp_path / "in" / EVENTS, first))


def test_a_record_too_long_for_numbers_is_stepped_over(tmp_path: Path) -> None:
    path = written(tmp_path / EVENTS, record(bytes(1 << 21)) + record(event(2, b"loss", 0.25)))
    assert [row["step"] for row in rows(one_of(tmp_path, path))] == [2]


# The RL Zoo


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    folder = tmp_path / "logs" / "ppo" / "CartPole-v1_1"
    written(folder / "0.monitor.csv", MONITOR)
    written(folder / "best_model.zip", b"cos\nsystem\n(S'touch pwned'\ntR.")
    written(
        folder / "CartPole-v1" / "args.yml",
        ORDERED + "- - algo\n    - ppo\n  - - seed\n    - 7\n  - - n_timesteps\n    - -1\n",
    )
    written(
        folder / "CartPole-v1" / "config.yml",
        ORDERED + "- - n_timesteps\n    - 100000.0\n  - - n_envs\n    - !!python/tuple [1, 2]\n",
    )
    results = {"timesteps": np.array([10, 30]), "results": np.array([[1.0, 3.0], [5.0, 5.0]])}
    np.savez(folder / "evaluations.npz", **results, ep_lengths=np.array([[2, 4], [6, 6]]))
    return folder


def test_a_folder_of_the_zoo_is_a_run_with_its_settings_and_its_evaluations(tmp_path: Path, zoo: Path) -> None:
    folder = one_of(tmp_path, tmp_path / "logs")
    config = folder.read_config()
    assert (config.algo, config.env_id, config.seed, config.total_timesteps) == ("ppo", "CartPole-v1", 7, 100_000)
    assert config.hyperparameters == {"n_timesteps": 100_000.0, "n_envs": [1, 2]}
    assert config.imported_from == "a folder of the RL Zoo"
    evaluated = [(row["step"], row["values"]) for row in rows(folder) if "eval/mean_reward" in row["values"]]
    assert evaluated == [
        (10, {"eval/mean_reward": 2.0, "eval/std_reward": 1.0, "eval/mean_ep_length": 3.0}),
        (30, {"eval/mean_reward": 5.0, "eval/std_reward": 0.0, "eval/mean_ep_length": 6.0}),
    ]
    assert not list(folder.path.glob("**/*.zip")), "its policy stays where it is"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("!!python/object/apply:os.system ['touch pwned']", "no names and values"),
        ("!!python/object/new:subprocess.Popen [[touch, pwned]]", "no names and values"),
        ("a: [1", "cannot be read as YAML"),
        ("[" * 5_000, "cannot be read as YAML"),
        (BILLION_LAUGHS, "more than 2,000"),
        ("a: &a [*a]", "refers to itself"),
        ("x" * (1 << 20) + "x", "more than"),
    ],
)
def test_yaml_is_data_and_nothing_in_it_is_run(tmp_path: Path, zoo: Path, content: str, says: str) -> None:
    written(zoo / "CartPole-v1" / "config.yml", content)
    assert says in refusal(tmp_path, zoo)
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def test_arrays_that_hold_python_or_too_much_are_refused(tmp_path: Path, zoo: Path) -> None:
    np.savez(zoo / "evaluations.npz", timesteps=np.array([1]), results=np.array([{"a": 1}]))
    assert "cannot be read as arrays" in refusal(tmp_path, zoo)
    np.savez(zoo / "evaluations.npz", timesteps=np.array([1, 2]), results=np.ones((1, 2)))
    assert "a row of returns for each" in refusal(tmp_path, zoo)
    np.savez(zoo / "evaluations.npz", timesteps=np.array([1]))
    assert "has no results" in refusal(tmp_path, zoo)
    np.savez_compressed(zoo / "evaluations.npz", timesteps=np.array([1]), results=np.zeros((1, 20_000_000)))
    assert "would take more" in refusal(tmp_path, zoo)
    written(zoo / "evaluations.npz", b"PK\x03\x04")
    assert "cannot be read as arrays" in refusal(tmp_path, zoo)


# Folders and archives


def test_each_folder_with_logs_is_a_run_and_those_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    written(tmp_path / "logs" / "b" / "monitor.csv", HEAD)
    written(tmp_path / "logs" / "c" / "PPO_1" / EVENTS, record(event(1, b"loss", 0.5)))
    (tmp_path / "logs" / "d").symlink_to("/etc")
    (tmp_path / "logs" / "progress.csv").symlink_to(tmp_path / "logs" / "a" / "progress.csv")
    brought = runs_of(tmp_path, tmp_path / "logs")
    assert [folder.read_config().name for folder in brought.runs] == ["logs/a", "logs/c/PPO_1"]
    assert [folder.read_config().algo for folder in brought.runs] == ["custom", "ppo"]
    [(place, why)] = brought.refused
    assert place == "logs/b"
    assert "no number" in why


@pytest.mark.parametrize("separator", ["/", "\\"])
def test_an_archive_of_logs_is_unpacked_wherever_it_was_packed(tmp_path: Path, separator: str) -> None:
    members: dict[str, str | bytes] = {separator.join(("logs", "a", "progress.csv")): PROGRESS.replace("\n", "\r\n")}
    folder = one_of(tmp_path, zipped(tmp_path / "mine.zip", members))
    assert [row["step"] for row in rows(folder)] == [128, 256, 384]
    with zipfile.ZipFile(tmp_path / "mine.zip") as packed:
        packed_at = packed.infolist()[0].date_time
    assert rows(folder)[-1]["time"] == time.mktime((*packed_at, 0, 0, -1)), "when the file was written"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [".new", folder.run_id]
    assert list((tmp_path / "runs" / ".new").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../progress.csv", "/tmp/progress.csv", "..\\progress.csv", "C:\\progress.csv", "a/../../progress.csv"]
)
def test_a_path_that_climbs_out_of_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    assert "leads out of" in refusal(tmp_path, zipped(tmp_path / "logs.zip", {name: PROGRESS}))


def test_links_twins_and_bombs_in_an_archive_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "logs.zip", {"progress.csv": PROGRESS})
    with zipfile.ZipFile(path, "a") as packed:
        link = zipfile.ZipInfo("monitor.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    assert "is a link" in refusal(tmp_path, path)
    assert "twice" in refusal(tmp_path, zipped(tmp_path / "twins.zip", {"a/b.csv": PROGRESS, "a\\b.csv": PROGRESS}))
    bomb = zipped(tmp_path / "bomb.zip", {"progress.csv": bytes(20_000_000)})
    assert "would take 20,000,000 bytes" in refusal(tmp_path, bomb, most_bytes=1_000_000)
    lying = bomb.read_bytes().replace(struct.pack("<I", 20_000_000), struct.pack("<I", 10))
    assert refusal(tmp_path, written(tmp_path / "lying.zip", lying), most_bytes=1_000_000)
    assert "cannot be unpacked" in refusal(tmp_path, written(tmp_path / "cut.zip", bomb.read_bytes()[-200:]))
    assert "only a part of one" in refusal(tmp_path, written(tmp_path / "begun.zip", bomb.read_bytes()[:200]))


def test_what_is_asked_for_counts_before_what_the_logs_say_and_names_are_made_to_fit(tmp_path: Path) -> None:
    path = written(tmp_path / "monitor.csv", MONITOR.replace("CartPole-v1", "Ünsinn " * 100))
    config = one_of(tmp_path, path).read_config()
    assert len(config.env_id) <= LIMITS.run_name.maximum
    config = one_of(tmp_path, path, algo="td3", env_id="Pendulum-v1", name="mine\nown").read_config()
    assert (config.algo, config.env_id, config.name) == ("td3", "Pendulum-v1", "mine own")


@pytest.mark.parametrize(
    ("bound", "says"), [("MOST_VALUES", "more than 3 values"), ("MOST_METRICS", "more than 3 metrics")]
)
def test_what_is_beyond_the_bounds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, says: str
) -> None:
    monkeypatch.setattr(found_run, bound, 3)
    path = written(tmp_path / "progress.csv", "step,a,b,c,d\n1,1,1,1,1\n")
    assert says in refusal(tmp_path, path)


def test_a_full_disk_leaves_no_part_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    path = written(tmp_path / "progress.csv", PROGRESS)
    with monkeypatch.context() as patch:
        patch.setattr("rlviz.rundir.journal.writer.os.write", full)
        with pytest.raises(OSError, match="No space"):
            runs_of(tmp_path, path)
    assert [one for one in (tmp_path / "runs").rglob("*") if one.is_file()] == []


def test_what_was_imported_before_is_left_out_unless_it_is_wanted_again(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs" / "a")
    moved = written(tmp_path / "copied" / "b" / "progress.csv", PROGRESS)
    os.utime(moved, (1, 1))
    brought = runs_of(tmp_path, tmp_path / "copied", env_id="LunarLander-v3", again=False)
    assert (brought.runs, brought.known) == ([], [("b", first.run_id)])
    assert one_of(tmp_path, tmp_path / "copied").run_id != first.run_id


def test_of_a_folder_only_what_is_new_is_taken(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs")
    written(tmp_path / "logs" / "b" / "progress.csv", PROGRESS.replace("9.5", "9.6"))
    brought = runs_of(tmp_path, tmp_path / "logs", again=False)
    assert brought.known == [("logs/a", first.run_id)]
    assert [folder.read_labels().name for folder in brought.runs] == ["logs/b"]


def test_a_run_that_cannot_be_read_is_not_one_that_was_imported_before(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs")
    whole = first.config_path.read_text()
    first.config_path.write_text(whole[: whole.index("imported_digest") + 90])
    assert one_of(tmp_path, tmp_path / "logs", again=False).run_id != first.run_id
