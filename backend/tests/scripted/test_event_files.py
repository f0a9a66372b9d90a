"""Event files for TensorBoard, read by its own reader."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import ExtraMissing
from rlviz.exchange.tensorboard import is_installed, write_event_files
from rlviz.rundir.journal import JournalWriter, read_journal


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
