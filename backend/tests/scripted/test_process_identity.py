"""Identification of processes beyond their process id."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from rlviz.domain.events import StartedData, parse_event
from rlviz.rundir.process_identity import ProcessIdentity

OLD_RUNS = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0"


def test_a_process_reports_its_usage_until_it_exits() -> None:
    used = ProcessIdentity.current().processor_seconds()
    assert used is not None
    assert used == pytest.approx(time.process_time(), abs=0.5)
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        identity = ProcessIdentity.of(process.pid)
    assert identity.processor_seconds() is None


def test_a_process_is_alive_until_it_exits_and_its_pid_alone_does_not_identify_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        identity = ProcessIdentity.of(process.pid)
        assert identity.is_alive()
        assert ProcessIdentity.parse(str(identity)) == identity
        assert not replace(identity, started_at=identity.started_at - 1).is_alive()
        assert not replace(identity, boot_id="another").is_alive()
        process.kill()
        psutil.Process(process.pid).wait()
    assert not identity.is_alive()
    with pytest.raises(psutil.NoSuchProcess):
        ProcessIdentity.of(process.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the wall clock tells")
def test_a_jump_of_the_wall_clock_changes_no_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = ProcessIdentity.current()
    monkeypatch.setattr("psutil.Process.create_time", lambda _process: 1e9)
    monkeypatch.setattr("psutil.boot_time", lambda: 1e9)
    assert identity.is_alive()
    assert ProcessIdentity.current() == identity


def test_the_process_identity_noted_by_version_0_1_0_is_readable() -> None:
    [started, *_] = (OLD_RUNS / "ppo-cartpole-20261122-154611-0ac2" / "events.jsonl").read_text().splitlines()
    event = parse_event(json.loads(started))
    assert event is not None
    assert isinstance(event.data, StartedData)
    assert event.data.worker is not None
    process = ProcessIdentity.parse(event.data.worker)
    assert process == ProcessIdentity(4189, 345.41, "d2ec9420-539c-47b2-8ec5-3725309d9518")
