"""Evaluations whose worker is terminated or whose record cannot be completed."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import av
import psutil
import pytest

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.launchers.base import Evaluate, Exit
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.playing.evaluate import evaluate
from rlviz.rundir.folder import RunFolder
from tests.real.test_evaluate_run import (
    ENV_ID,
    WatchedFolder,
    ask,
    files,
    run,
    trained,
    watched,
)
from tests.support.waiting import PATIENCE, eventually
from tests.support.workers import forking_launcher, pid_of

__all__ = ["run", "trained", "watched"]


SCRIPT = """
import sys
from pathlib import Path
from rlviz.learning.playing.evaluate import evaluate
from rlviz.rundir.folder import RunFolder
sys.exit(evaluate(RunFolder.at(Path(sys.argv[1])), sys.argv[2]).status != "completed")
"""


def test_a_record_that_cannot_be_completed_is_deleted_with_its_video(watched: WatchedFolder) -> None:
    asked = ask(watched)

    def disk_full(record: EvaluationRecord) -> None:
        if record.status is EvaluationStatus.COMPLETED:
            raise OSError(28, "No space left on device")

    watched.evaluations.watcher = disk_full
    record = evaluate(watched, asked.id)
    assert record.status is EvaluationStatus.FAILED
    told = "The disk is full (OSError: [Errno 28] No space left on device). Make room, then evaluate again."
    assert record.cause == told
    assert record.summary is None
    assert files(watched) == {f"{asked.id}.json"}


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_terminated_evaluation_worker_leaves_no_partial_file(
    run: RunFolder, number: signal.Signals, exit_code: int
) -> None:
    asked = ask(run, episodes=100)
    with closing(forking_launcher()) as launcher:
        worker = launcher.launch(run, Evaluate(asked.id))
        eventually(lambda: run.evaluations.read(asked.id).episodes_done > 0 or worker.poll(), "the first episode")
        assert worker.poll() is None
        process = psutil.Process(pid_of(worker.identity))
        children = process.children(recursive=True)
        process.send_signal(number)
        assert eventually(worker.poll, "its end") == Exit(exit_code)
    record = run.evaluations.read(asked.id)
    assert record.status is EvaluationStatus.FAILED
    assert record.cause is not None
    assert "interrupted" in record.cause
    assert files(run) == {f"{asked.id}.json"}
    assert not any(child.is_running() for child in children)


def test_a_worker_process_leaves_a_consistent_summary_and_video(run: RunFolder) -> None:
    asked = ask(run, checkpoint="checkpoints/step_512.zip", checkpoint_step=512)
    worker = start_worker(run, asked)
    output = worker.communicate(timeout=PATIENCE)
    assert (worker.returncode, *output) == (0, "", "")
    record = run.evaluations.read(asked.id)
    assert record.status is EvaluationStatus.COMPLETED
    assert (record.episodes_done, record.checkpoint_step, record.cause) == (3, 512, None)
    summary = record.summary
    assert summary is not None
    assert summary.video is not None
    assert summary.video.file == f"eval/{asked.id}.mp4"
    assert summary.video.fps == ENVIRONMENTS.get(ENV_ID).render_fps
    assert summary.video.frames == frame_count(run.path / summary.video.file)
    assert files(run) == {f"{asked.id}.json", f"{asked.id}.mp4"}


def frame_count(path: Path) -> int:
    with av.open(str(path)) as container:
        return sum(1 for _ in container.decode(video=0))


def start_worker(folder: RunFolder, record: EvaluationRecord) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(folder.path), record.id],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
