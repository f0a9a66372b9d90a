"""Logs of other tools, and helpers that import them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import ImportRefused
from rlviz.exchange.import_runs import ImportOptions, ImportOutcome, import_path
from rlviz.exchange.imports.tensorboard_logs import masked_crc
from rlviz.rundir.folder import RunFolder
from tests.support.training import rows

EVENTS = "events.out.tfevents.1700000000.host"
HEAD = '#{"t_start": 1700000000.0, "env_id": "CartPole-v1"}\n'
MONITOR = HEAD + "r,l,t\n10.0,10,1.5\n21.5,20,2.5\n"
PROGRESS = "time/total_timesteps,rollout/ep_rew_mean,time/time_elapsed,note\n128,9.5,1,a\n256,,3,b\n384,30,4,\n"


def runs_of(tmp_path: Path, path: Path, **wishes: Any) -> ImportOutcome:
    return import_path(path, tmp_path / "runs", ImportOptions(**{"again": True, **wishes}))


def one_of(tmp_path: Path, path: Path, **wishes: Any) -> RunFolder:
    brought = runs_of(tmp_path, path, **wishes)
    assert not brought.refused
    [folder] = brought.runs
    return folder


def refusal(tmp_path: Path, path: Path, **wishes: Any) -> str:
    """Return why the import is refused, after checking that it leaves no files."""
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
    """Return a TFRecord frame of the data."""
    length = struct.pack("<Q", len(content))
    return b"".join((length, struct.pack("<I", masked_crc(length)), content, struct.pack("<I", masked_crc(content))))


def event(step: int, tag: bytes, value: float, at: float = 1.7e9) -> bytes:
    inner = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(inner)]) + inner
    return b"\x09" + struct.pack("<d", at) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary
