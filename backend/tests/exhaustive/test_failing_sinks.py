"""Sinks that hang, fail at any moment or respond slowly."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rlviz.domain.errors import SinkProblem
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import (
    is_delivered,
    read_sink,
)
from tests.scripted.test_sinks import every, folder, shelf
from tests.support.sinks import Shelf, deliver

__all__ = ["folder", "shelf"]


@pytest.mark.parametrize("call", ["begin", "send", "confirm", "describe", "close"])
@pytest.mark.parametrize("after", [0, 1])
def test_a_server_that_fails_at_any_moment_has_everything_once_after_it_recovers(
    folder: RunFolder, shelf: Shelf, call: str, after: int
) -> None:
    shelf.fails = {call: after}
    if after == 0 or call in ("send", "confirm"):
        with pytest.raises(SinkProblem, match=f"500 to {call}$"):
            deliver(folder, shelf)
        record = read_sink(folder, SinkKind.MLFLOW)
        assert record is not None
        assert record.problem == f"ConnectionError: 500 to {call}"
        assert not is_delivered(folder, record)
    shelf.fails = {}
    assert is_delivered(folder, deliver(folder, shelf))
    assert shelf.values() == every()


HANGS = """
import sys, threading
from pathlib import Path
from rlviz import delivery_worker
from rlviz.domain.sinks import SinkKind
from rlviz.exchange import sinks
from rlviz.rundir.folder import RunFolder

class Hanging:
    def __init__(self, *_): threading.Event().wait()

sinks.SINKS.get = lambda kind: Hanging
sys.exit(delivery_worker.deliver(RunFolder.at(Path(sys.argv[1])), SinkKind.WANDB, follow=False, patience=0.05))
"""


def test_a_worker_whose_sink_hangs_exits_and_reports_it(folder: RunFolder) -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS, str(folder.path)], check=False)
    record = read_sink(folder, SinkKind.WANDB)
    assert ended.returncode == 1
    assert record is not None
    assert record.problem == "Weights & Biases did not answer within 0.05 seconds."


GETS_ON = """
import sys, time
from pathlib import Path
from rlviz import delivery_worker
from rlviz.domain.sinks import SinkKind
from rlviz.exchange import sinks
from rlviz.rundir.folder import RunFolder

class Slow:
    def __init__(self, run, *_):
        for _ in range(10):
            time.sleep(0.3)
            run.answered()
        raise ConnectionError("It was heard to its end.")

sinks.SINKS.get = lambda kind: Slow
sys.exit(delivery_worker.deliver(RunFolder.at(Path(sys.argv[1])), SinkKind.WANDB, follow=False, patience=2.0))
"""


def test_a_worker_waits_as_long_as_its_slow_sink_keeps_responding(folder: RunFolder) -> None:
    subprocess.run([sys.executable, "-c", GETS_ON, str(folder.path)], check=False)
    record = read_sink(folder, SinkKind.WANDB)
    assert record is not None
    assert record.problem == "ConnectionError: It was heard to its end."
