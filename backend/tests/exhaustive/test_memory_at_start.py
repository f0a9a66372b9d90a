"""Memory use of the service at its start, with long compressed journals."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.waiting import PATIENCE, eventually
from tests.unit.test_bounded_reading import MB, compress

MOST_MEMORY = 200 * MB

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


def peak_memory(pid: int) -> int:
    """Return the peak memory in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) << 10


def test_long_compressed_journals_do_not_stay_in_memory(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "runs", "run-1")
    with folder.metrics_path.open("w") as metrics, folder.events_path.open("w") as events:
        for number in range(1, 30_000):
            values = f'{{"episode/reward":{number % 97},"{"x" * 300}{number % 50}":1}}'
            metrics.write(f'{{"seq":{number},"time":{1e9 + number},"step":{number},"values":{values}}}\n')
            data = f'{{"message":"{number}{"y" * 100}"}}'
            events.write(f'{{"seq":{number},"time":1e9,"event":"warning","step":{number},"data":{data}}}\n')
    for journal in (folder.metrics_path, folder.events_path):
        compress(journal)
    log = tmp_path / "service.log"
    with log.open("w") as output:
        service = subprocess.Popen(
            [sys.executable, "-m", "rlviz", "serve"],
            env=environment(port="0", runs_dir=str(tmp_path / "runs"), frontend_dir=str(tmp_path / "none")),
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        eventually(lambda: (tmp_path / "runs" / "service.json").exists(), "the service's start")
        assert peak_memory(service.pid) < MOST_MEMORY
    finally:
        service.terminate()
        service.wait(PATIENCE)
