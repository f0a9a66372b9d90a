"""A journal whose writer is killed at any moment."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.support.forked_process import ForkedProcess
from tests.support.journals import seqs, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


KILLED = """
from pathlib import Path
from rlviz.rundir.journal import JournalWriter
writer = JournalWriter(Path({path!r}), flush_seconds=0.001)
print("ready", flush=True)
while True:
    writer.append({{"step": 1, "values": {{"episode/reward": 21.0, "text": "x" * 3000}}}})
"""


def test_a_writer_killed_at_any_moment_leaves_a_readable_and_writable_journal(path: Path) -> None:
    moments = random.Random(9)
    for _ in range(20):
        writer = ForkedProcess(path.parent, os.environ, script=KILLED.format(path=str(path)))
        with writer.stdout, writer.stderr:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(moments.uniform(0, 0.02))
            writer.kill()
            writer.wait()
        assert seqs(path) == list(range(1, len(seqs(path)) + 1))
    write(path, 1)
    assert seqs(path) == list(range(1, len(seqs(path)) + 1))
