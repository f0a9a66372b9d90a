"""The watchdog of a session worker, in a separate process that it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

HANGS = """
import sys, time
from pathlib import Path
from rlviz.learning.sessions import worker

worker.LAST_RESORT_SECONDS = 1.0

def on_hang(line):
    time.sleep(2.0)  # it closes a recording on a busy machine
    Path(sys.argv[1]).write_text(line)

def step():
    HOW

worker.Watchdog(on_hang, seconds=0.5).alive(1.0)
step()
"""

WAITS_FOR_A_PROCESSOR = """
import os, subprocess, sys, time
from rlviz.learning.sessions.worker import Watchdog

WORKS = "import time; end = time.monotonic() + 60\\nwhile time.monotonic() < end: pass"

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # and so have the others
nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
others = [subprocess.Popen([sys.executable, "-c", WORKS], **nowhere) for _ in range(5)]
try:
    Watchdog(lambda line: None, seconds=2.0).alive()
    began, worked = time.monotonic(), time.thread_time()
    while time.thread_time() - worked < 1.0:
        sum(range(10_000))
    print(time.monotonic() - began)
finally:
    for other in others:
        other.kill()
"""


def ended(script: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("how", ["time.sleep(60)", "while True: pass", "sys.stderr = None; time.sleep(60)"])
def test_a_hang_is_reported_however_long_the_report_takes(tmp_path: Path, how: str) -> None:
    script, told = tmp_path / "hangs.py", tmp_path / "told.txt"
    script.write_text(HANGS.replace("HOW", how))
    found = ended(script, told)
    assert found.returncode == 1
    assert how in told.read_text()
    assert "The environment hung here:" in found.stderr


def test_native_code_that_blocks_inspection_is_ended(tmp_path: Path) -> None:
    script, told = tmp_path / "hangs.py", tmp_path / "told.txt"
    script.write_text(HANGS.replace("HOW", "from ctypes import PyDLL; PyDLL(None).sleep(60)"))
    found = ended(script, told)
    assert found.returncode == 1
    assert "Timeout" in found.stderr
    assert not told.exists()


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux alone tells who waits for a processor")
def test_waiting_for_a_processor_does_not_count_as_a_hang(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text(WAITS_FOR_A_PROCESSOR)
    found = ended(script)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) > 3.0, "longer than a step may take"
