"""Telling processes apart."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import psutil
import pytest

from rlviz.rundir.process import UNKNOWN, ProcessIdentity


def test_a_process_is_alive_until_it_ends_and_its_pid_alone_is_not_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        identity = ProcessIdentity.of(process.pid)
        assert identity.is_alive()
        assert not replace(identity, started_at=identity.started_at - 1).is_alive()
        process.kill()
        psutil.Process(process.pid).wait()
    assert not identity.is_alive()
    assert not UNKNOWN.is_alive()
    with pytest.raises(psutil.NoSuchProcess):
        ProcessIdentity.of(process.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the wall clock tells")
def test_a_step_of_the_wall_clock_changes_no_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = ProcessIdentity.current()
    monkeypatch.setattr("psutil.Process.create_time", lambda _process: 1e9)
    monkeypatch.setattr("psutil.boot_time", lambda: 1e9)
    assert identity.is_alive()
    assert ProcessIdentity.current() == identity
