"""Limits on what a trainer logs, prints and allocates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from rlviz.domain.events import FinishedData
from rlviz.domain.naming import MAX_NAME_CHARACTERS
from rlviz.learning.training.attempt import where
from rlviz.learning.training.journals import MAX_NAMES, ROWS_A_SECOND, RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import events, kinds, make_run, messages, rows

pytestmark = pytest.mark.faults


def test_names_and_rows_beyond_the_limits_are_left_out_and_reported(tmp_path: Path) -> None:
    folder, now = make_run(tmp_path), 0.0
    journals = RunJournals(folder, monotonic=lambda: now)
    journals.metrics(1, {"x" * 10_000: 1.0})
    for index in range(3_000):
        journals.metrics(2, {f"metric/{index}": float(index)})
    for index in range(100_000):
        journals.metrics(3, {"metric/0": float(index)})
    now = 1.0
    journals.metrics(4, {"metric/0": 7.0})
    journals.event(4, FinishedData(path=None))
    journals.close()
    found = rows(folder)
    names = {name for row in found for name in row["values"]}
    assert len(names) == MAX_NAMES
    assert max(map(len, names)) == MAX_NAME_CHARACTERS
    assert len(found) == ROWS_A_SECOND + 1
    assert found[-1]["values"] == {"metric/0": 7.0}
    assert [message.split(" ")[0] for message in messages(folder)] == ["A", "More", "More", "93,001"]


PRINTS_WITHOUT_END = """
import sys, threading, time
from pathlib import Path
from rlviz import worker
from rlviz.rundir.folder import RunFolder
folder = RunFolder.at(Path(sys.argv[1]))
worker._log_to(folder)
worker.MAX_LOG_BYTES, worker.LOG_SECONDS = 100_000, 0.01
bound = threading.Thread(target=worker._bound_log, args=(folder.log_path,))
bound.start()
while bound.is_alive():
    print("x" * 100)
for _ in range(100_000):
    print("x" * 100)
"""


def test_a_worker_that_prints_endlessly_does_not_fill_the_disk(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "prints")
    folder.path.mkdir()
    subprocess.run(
        [sys.executable, "-c", PRINTS_WITHOUT_END, str(folder.path)], check=True, timeout=300, stdin=subprocess.DEVNULL
    )
    text = folder.log_path.read_bytes()
    assert b"reached its size limit" in text
    assert 100_000 < len(text) < 100_000_000


def test_a_hanging_thread_is_reported_with_its_stack() -> None:
    release, inside = Event(), Event()

    def a_step_that_never_returns() -> None:
        inside.set()
        release.wait()

    thread = Thread(target=a_step_that_never_returns)
    thread.start()
    inside.wait()
    assert "a_step_that_never_returns" in "".join(where(thread.ident))
    release.set()
    thread.join()
    assert where(thread.ident) == []


SHORT_OF_MEMORY = """
import resource, sys
from pathlib import Path
import gymnasium
import rlviz.learning.training.watched
from rlviz import worker
from rlviz.launchers.base import Train
from rlviz.rundir.folder import RunFolder
gymnasium.make("LunarLander-v3").reset()
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + (60 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
raise SystemExit(worker.work(RunFolder.at(Path(sys.argv[1])), Train(), "this"))
"""


def test_a_worker_that_runs_out_of_memory_fails_and_names_the_cause(tmp_path: Path) -> None:
    """Its replay buffer needs 100 MB, and the system allows 60."""
    folder = make_run(
        tmp_path, algo="dqn", env_id="LunarLander-v3", hyperparameters={"buffer_size": 1_000_000, "learning_starts": 0}
    )
    ended = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY, str(folder.path)],
        capture_output=True,
        timeout=500,
        env={**os.environ, "MALLOC_ARENA_MAX": "1"},
    )
    assert ended.returncode == 1, ended.stderr
    assert kinds(folder)[-1] == "error", ended.stderr
    assert str(events(folder)[-1].data.message).startswith("The worker ran out of memory")
