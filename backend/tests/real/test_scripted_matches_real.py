"""Scripted workers write the same events, rows and files as real workers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.evaluation import EvaluationSummary
from rlviz.launchers.base import Evaluate, Exit, Launcher, Train
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.testing.record import pack
from rlviz.testing.scripted import Script, ScriptedLauncher
from tests.support.evaluations import ask_in_folder
from tests.support.training import checkpoints, curves, events, make_run, snapshots
from tests.support.waiting import eventually
from tests.support.workers import forking_launcher

SETTINGS: dict[str, dict[str, Any]] = {
    "ppo": {"total_timesteps": 1_024, "evaluation": EvaluationPlan(every_steps=300, episodes=2)},
    "dqn": {"total_timesteps": 1_000},
    "sac": {"total_timesteps": 600},
}
PLANS = {
    "checkpoints": checkpoints(every_steps=400, film=4),
    "snapshots": snapshots(every_steps=500),
    "anatomy": False,
}

LATER = ("snapshot", "recorded")
VARIES = ("worker", "bytes", "capture_ms", "processor_seconds", "evaluation", "cost")
"""Fields of events that differ from one real worker to the next, or that name files by the clock."""


def compare_scripted_with_real(algo: str, tmp_path: Path) -> None:
    real = make_run(tmp_path / "real", algo=algo, **PLANS, **SETTINGS[algo])
    assert train_run(real)
    theirs = evaluate(real, forking_launcher())
    archive = tmp_path / f"{algo}.zip"
    pack(real, archive)

    scripted = make_run(tmp_path / "scripted", algo=algo, **PLANS, **SETTINGS[algo])
    launcher = ScriptedLauncher(script=Script(recording=str(archive)))
    assert eventually(launcher.launch(scripted, Train()).poll) == Exit(0)
    ours = evaluate(scripted, launcher)

    assert told(scripted, later=False) == told(real, later=False)
    assert sorted(map(str, told(scripted, later=True))) == sorted(map(str, told(real, later=True)))
    assert curves(scripted) == curves(real)
    assert files(scripted) == files(real)
    assert ours.episodes == theirs.episodes
    assert (ours.video and ours.video.frames) == (theirs.video and theirs.video.frames)


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_a_scripted_worker_writes_the_events_rows_and_files_of_a_real_one(algo: str, tmp_path: Path) -> None:
    compare_scripted_with_real(algo, tmp_path)


def evaluate(folder: RunFolder, launcher: Launcher) -> EvaluationSummary:
    asked = ask_in_folder(folder)
    assert eventually(launcher.launch(folder, Evaluate(asked.id)).poll) == Exit(0)
    launcher.close()
    summary = folder.evaluations.read(asked.id).summary
    assert summary is not None
    return summary


def told(folder: RunFolder, *, later: bool) -> list[tuple[int, str, Mapping[str, Any]]]:
    """Return the events without values that depend on the clock. ``later`` are those written beside training, in no
    fixed order.
    """
    found = [(event.step, str(event.event), event.data.model_dump(exclude={*VARIES})) for event in events(folder)]
    return [one for one in found if (one[1] in LATER) is later]


def files(folder: RunFolder) -> list[str]:
    """Return every file below the folder; files named by the clock are reduced to their kind. Scripted snapshots hold
    no replay buffer.
    """
    kept = (path.relative_to(folder.path) for path in folder.path.rglob("*") if path.is_file())
    names = [f"eval/*{''.join(path.suffixes)}" if path.parts[0] == "eval" else path.as_posix() for path in kept]
    return sorted(name for name in names if name != "worker.log" and not name.startswith("replay/"))
