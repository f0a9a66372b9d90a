"""Disk usage that rules with a disk limit are given."""

from __future__ import annotations

import os
from pathlib import Path

from rlviz.domain.rules import DiskLimit, Notify, Rule
from rlviz.learning.training.rules import RuleClock
from rlviz.rundir.folder import RunFolder


def test_disk_usage_is_measured_while_files_are_added_and_deleted(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "a")
    folder.path.mkdir()
    (folder.path / "kept").write_bytes(b"x" * 1_000)
    (folder.path / "gone").symlink_to("nowhere")
    os.link(folder.path / "kept", folder.path / "the same")
    now = [0.0]
    clock = RuleClock(folder, lambda: now[0])
    clock.set_rules([Rule(when=DiskLimit(bytes=10**6), do=(Notify(),))])
    assert clock.disk is None
    clock.check_due()
    assert clock.disk is not None
    assert 1_000 <= clock.disk < 1_100, "a file with two names takes its place once"
    (folder.path / "more").write_bytes(b"x" * 5_000)
    clock.check_due()
    assert clock.disk < 1_100, "it is counted every five seconds"
    now[0] = 6.0
    clock.check_due()
    assert clock.disk > 6_000
