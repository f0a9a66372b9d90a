"""TensorBoard event files, read by TensorBoard's own reader."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.naming import TENSORBOARD
from rlviz.exchange.export import write_event_files
from rlviz.rundir.journal import JournalWriter, read_journal


def test_tensorboard_reads_the_logged_curves(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    journal = JournalWriter(tmp_path / "metrics.jsonl", clock=lambda: 12.5)
    for step in range(1, 2_001):
        journal.append({"step": step, "values": {"episode/reward": step / 8, "train/loss": None if step % 2 else 0.5}})
    journal.close()
    rows = [line.record for line in read_journal(tmp_path / "metrics.jsonl") if line.record]
    assert write_event_files(rows, '{"algo": "ppo"}', tmp_path / "logs").values == 3_000
    found = EventAccumulator(str(tmp_path / "logs"), size_guidance={"scalars": 0})
    found.Reload()
    assert set(found.Tags()["scalars"]) == {"episode/reward", "train/loss"}
    rewards = found.Scalars("episode/reward")
    assert [(one.step, one.value, one.wall_time) for one in rewards] == [(n, n / 8, 12.5) for n in range(1, 2_001)]
    assert [one.step for one in found.Scalars("train/loss")] == list(range(2, 2_001, 2))
    assert b'"algo": "ppo"' in found.Tensors("configuration")[0].tensor_proto.string_val[0]


def test_rewritten_event_files_replace_only_themselves(tmp_path: Path) -> None:
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
    with pytest.raises(FileExistsError, match="Choose another folder"):
        write_event_files(rows(1), "{}", logs)


def test_writing_event_files_needs_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``make run`` installs no TensorBoard."""
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    rows = [{"time": 1.0, "step": 1, "values": {"train/loss": 0.5}}]
    assert write_event_files(rows, "{}", tmp_path) == (1, {})


def test_tensorboard_reads_any_name_and_numbers_beyond_32_bits(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    values = {"/loss": 1.0, "a//b": 2.0, "größe\n": 3.0, "x" * 300: 4.0, "step": 5.0, "large": 1e300, "one": 1}
    write_event_files([{"time": 1.0, "step": 2**40, "values": values}], "{}", tmp_path)
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    read = {tag: found.Scalars(tag)[0] for tag in found.Tags()["scalars"]}
    assert {tag: one.value for tag, one in read.items()} == {
        TENSORBOARD.encode(name): value for name, value in values.items()
    } | {"large": math.inf}
    assert {one.step for one in read.values()} == {2**40}
