"""Import of logs of other tools."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from rlviz.domain.export_formats import TableFormat
from rlviz.domain.limits import LIMITS
from rlviz.exchange.export import metrics_table, write_event_files, write_table
from rlviz.exchange.imports import found_run
from rlviz.exchange.imports.tensorboard_logs import masked_crc
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.imports import (
    EVENTS,
    HEAD,
    MONITOR,
    PROGRESS,
    event,
    one_of,
    record,
    refusal,
    runs_of,
    series,
    written,
)
from tests.support.run_folders import make_run
from tests.support.training import messages, rows

# What comes back is what left


@pytest.fixture
def exported(tmp_path: Path) -> RunFolder:
    """A run whose numbers are exact as 32-bit floats."""
    folder = make_run(tmp_path / "elsewhere", "ppo-a", status="completed", hyperparameters={"gamma": 0.99, "net": [64]})
    lines = [
        f'{{"seq":{n},"time":{1.7e9 + n / 8},"step":{n // 2},"values":{{"episode/reward":{n / 8},"train/loss":'
        f'{"null" if n % 3 else n / 4},"episode/index":{n},"my/own":{-n}}}}}\n'
        for n in range(1, 500)
    ]
    folder.metrics_path.write_text("".join(lines))
    return folder


def known(folder: RunFolder) -> list[tuple[int, float, dict[str, float | None]]]:
    """Return the rows without gaps."""
    found = series(folder)
    return [(step, at, {name: one for name, one in values.items() if one is not None}) for step, at, values in found]


def test_our_own_event_files_import_with_the_same_rows_and_settings(tmp_path: Path, exported: RunFolder) -> None:
    write_event_files(rows(exported), exported.config_path.read_text(), tmp_path / "logs")
    folder = one_of(tmp_path, tmp_path / "logs")
    assert known(folder) == known(exported)
    before, after = exported.read_config(), folder.read_config()
    assert (after.algo, after.env_id, after.seed) == (before.algo, before.env_id, before.seed)
    assert (after.hyperparameters, after.total_timesteps) == (before.hyperparameters, before.total_timesteps)


def test_our_own_csv_imports_with_bit_identical_rows(tmp_path: Path, exported: RunFolder) -> None:
    for line in (0.1, 1 / 3, 1e-300, 123456789.123456789):
        with exported.metrics_path.open("a") as file:
            file.write(f'{{"seq":1,"time":1700000100.5,"step":900,"values":{{"train/loss":{line!r}}}}}\n')
    with (tmp_path / "curves.csv").open("wb") as file:
        write_table(metrics_table(exported), TableFormat.CSV, file)
    assert known(one_of(tmp_path, tmp_path / "curves.csv")) == known(exported)


def test_event_files_of_the_tools_are_read_including_tensors(tmp_path: Path) -> None:
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


def test_the_checksum_follows_the_standard() -> None:
    """CRC-32C of "123456789" is E3069283 (RFC 3720, B.4, and every table of checksums)."""
    crc = 0xE3069283
    assert masked_crc(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# CSV logs


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_monitor_file_contains_its_episodes(tmp_path: Path, newline: str) -> None:
    folder = one_of(tmp_path, written(tmp_path / "monitor.csv", MONITOR.replace("\n", newline)), algo="sac")
    assert series(folder) == [
        (10, 1700000001.5, {"episode/reward": 10.0, "episode/length": 10, "episode/index": 1}),
        (30, 1700000002.5, {"episode/reward": 21.5, "episode/length": 20, "episode/index": 2}),
    ]
    row = row_of_folder(folder)
    assert (row.algo, row.env_id, row.status, row.episodes) == ("sac", "CartPole-v1", "completed", 2)
    assert (row.is_foreign, row.tags, row.started_at, row.ended_at) == (True, ["imported"], 1700000001.5, 1700000002.5)
    assert folder.read_config().imported_from == "Stable-Baselines3's Monitor"


def test_monitors_of_several_environments_form_one_run_in_the_order_of_their_episodes(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "0.monitor.csv", MONITOR)
    written(tmp_path / "logs" / "1.monitor.csv", HEAD + "r,l,t\n1.0,5,2.0\n")
    found = rows(one_of(tmp_path, tmp_path / "logs"))
    assert [(row["step"], row["values"]["episode/reward"]) for row in found] == [(10, 10.0), (15, 1.0), (35, 21.5)]


def test_a_progress_file_imports_its_numbers_without_its_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "progress.csv", PROGRESS)
    os.utime(path, (1.7e9 + 4, 1.7e9 + 4))
    found = series(one_of(tmp_path, path))
    assert [(step, at) for step, at, _ in found] == [(128, 1.7e9 + 1), (256, 1.7e9 + 3), (384, 1.7e9 + 4)]
    assert [values.get("rollout/ep_rew_mean") for _, _, values in found] == [9.5, None, 30]
    assert "note" not in found[0][2]


def test_a_non_finite_value_is_a_gap_with_a_warning(tmp_path: Path) -> None:
    folder = one_of(tmp_path, written(tmp_path / "progress.csv", "step,loss\n1,nan\n2,inf\n3,0.5\n"))
    assert [row["values"]["loss"] for row in rows(folder)] == [None, None, 0.5]
    assert messages(folder) == ["loss has values that are not finite; they are gaps."]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("monitor.csv", "", "is empty"),
        ("progress.csv", "", "is empty"),
        (EVENTS, b"", "is empty"),
        ("monitor.csv", HEAD + "r,l\n1,2\n", "columns r, l and t"),
        ("monitor.csv", "#{\n", "line 1 .* not followed by JSON"),
        ("monitor.csv", HEAD + "r,l,t\n1.0,x,2.0\n", "line 3 .* must be numbers"),
        ("monitor.csv", HEAD + "r,l,t\n", "no numbers to draw"),
        ("progress.csv", "loss\n1\n", "lacks a column of steps"),
        ("progress.csv", "step,loss\nx,1\n", "line 2 .* has no step"),
        ("x.csv", "seq,time,step,loss\n1,1,x,1\n", "line 2 .* has no step"),
        ("progress.csv", "step,loss\n-1,1\n", "line 2 .* has no step"),
        ("progress.csv", b"step,loss\n\xff\xfe,1\n", "line 2 .* has no step"),
        ("progress.csv", b"step\0," * 200_000, "longer than"),
        ("progress.csv", "step,loss\n1," + "9" * 200_000 + "\n", "not valid CSV"),
        ("progress.json", "", "is empty"),
        ("progress.json", "[\n", "line 1 .* not a JSON object"),
        ("progress.json", '{"loss": 1}\n', "line 1 .* has no step"),
        (EVENTS, os.urandom(1 << 16), "not a TensorBoard event file"),
        (EVENTS, record(b"\x2a\x05ab"), "record at byte 0 .* not a TensorBoard event"),
        ("notes.txt", "hello", "Supported: TensorBoard event files"),
        ("other.csv", "a,b\n1,2\n", "Supported: "),
    ],
)
def test_an_unreadable_file_is_refused_with_a_reason(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    assert re.search(says, refusal(tmp_path, written(tmp_path / "in" / name, content)))


def test_a_hundred_megabytes_of_nonsense_are_refused_at_the_start(tmp_path: Path) -> None:
    for name in (EVENTS, "progress.csv", "monitor.csv"):
        path = written(tmp_path / "in" / name, b"nonsense")
        os.truncate(path, 100_000_000)
        assert refusal(tmp_path, path)


# Event files that were cut, or changed


def test_a_torn_last_record_is_left_out_with_a_warning(tmp_path: Path) -> None:
    whole = record(event(1, b"loss", 0.5)) + record(event(2, b"loss", 0.25))
    for cut in (1, 4, 30, 40):
        folder = one_of(tmp_path, written(tmp_path / str(cut) / EVENTS, whole[:-cut]))
        assert [row["values"] for row in rows(folder)] == [{"loss": 0.5}]
        assert "ends within a record" in messages(folder)[0]


def test_a_changed_byte_costs_one_record_and_a_changed_length_everything_after_it(tmp_path: Path) -> None:
    first, second, third = (record(event(step, b"loss", 1 / step)) for step in (1, 2, 4))
    for place in range(len(second)):
        changed = bytearray(first + second + third)
        changed[len(first) + place] ^= 1
        folder = one_of(tmp_path, written(tmp_path / "in" / EVENTS, bytes(changed)))
        is_of_length = place < 12  # a length of eight bytes, and its checksum
        assert [row["step"] for row in rows(folder)] == ([1] if is_of_length else [1, 4])
        [message] = messages(folder)
        assert f"at byte {len(first)}" in message
        assert "a checksum differs" in message


def test_a_record_too_long_for_numbers_is_skipped(tmp_path: Path) -> None:
    path = written(tmp_path / EVENTS, record(bytes(1 << 21)) + record(event(2, b"loss", 0.25)))
    assert [row["step"] for row in rows(one_of(tmp_path, path))] == [2]


# What holds for all of them


def test_requested_settings_override_those_of_the_logs_and_names_are_adjusted(tmp_path: Path) -> None:
    path = written(tmp_path / "monitor.csv", MONITOR.replace("CartPole-v1", "Ünsinn " * 100))
    config = one_of(tmp_path, path).read_config()
    assert len(config.env_id) <= LIMITS.run_name.maximum
    config = one_of(tmp_path, path, algo="td3", env_id="Pendulum-v1", name="mine\nown").read_config()
    assert (config.algo, config.env_id, config.name) == ("td3", "Pendulum-v1", "mine own")


@pytest.mark.parametrize(
    ("bound", "says"), [("MOST_VALUES", "more than 3 values"), ("MOST_METRICS", "more than 3 metrics")]
)
def test_an_import_beyond_the_limits_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, says: str
) -> None:
    monkeypatch.setattr(found_run, bound, 3)
    path = written(tmp_path / "progress.csv", "step,a,b,c,d\n1,1,1,1,1\n")
    assert says in refusal(tmp_path, path)


def test_a_full_disk_leaves_no_partial_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    path = written(tmp_path / "progress.csv", PROGRESS)
    with monkeypatch.context() as patch:
        patch.setattr("rlviz.rundir.journal.os.write", full)
        with pytest.raises(OSError, match="No space"):
            runs_of(tmp_path, path)
    assert [one for one in (tmp_path / "runs").rglob("*") if one.is_file()] == []


def test_a_previously_imported_run_is_skipped_unless_requested_again(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs" / "a")
    moved = written(tmp_path / "copied" / "b" / "progress.csv", PROGRESS)
    os.utime(moved, (1, 1))
    brought = runs_of(tmp_path, tmp_path / "copied", env_id="LunarLander-v3", again=False)
    assert (brought.runs, brought.known) == ([], [("b", first.run_id)])
    assert one_of(tmp_path, tmp_path / "copied").run_id != first.run_id


def test_only_new_runs_of_a_folder_are_imported(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs")
    written(tmp_path / "logs" / "b" / "progress.csv", PROGRESS.replace("9.5", "9.6"))
    brought = runs_of(tmp_path, tmp_path / "logs", again=False)
    assert brought.known == [("logs/a", first.run_id)]
    assert [folder.read_labels().name for folder in brought.runs] == ["logs/b"]


def test_an_unreadable_run_does_not_count_as_imported(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "progress.csv", PROGRESS)
    first = one_of(tmp_path, tmp_path / "logs")
    whole = first.config_path.read_text()
    first.config_path.write_text(whole[: whole.index("imported_digest") + 90])
    assert one_of(tmp_path, tmp_path / "logs", again=False).run_id != first.run_id
