"""The watchdog of a session's worker, in a process of its own, which it ends."""

import subprocess
import sys
from pathlib import Path

HANGS = """
import sys, time
from pathlib import Path
from rlviz.sessions import watchdog

watchdog.LAST_RESORT_SECONDS = 1.0

def on_hang(line):
    time.sleep(2.0)  # it closes a recording on a busy machine
    Path(sys.argv[1]).write_text(line)

def step():
    time.sleep(60)

watchdog.Watchdog(on_hang, seconds=0.5).alive()
step()
"""


def test_what_hung_is_told_however_long_the_telling_takes(tmp_path: Path) -> None:
    script, told = tmp_path / "hangs.py", tmp_path / "told.txt"
    script.write_text(HANGS)
    ended = subprocess.run([sys.executable, script, told], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "time.sleep(60)" in told.read_text()
    assert "The environment hung here:" in ended.stderr
