"""Parent runs with changed hyperparameters, and their forks, trained in the test's process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rlviz.domain.rules import KnobRequest, ScaleKnob, SetKnob
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.server.snapshots.forking import ForkRequest
from tests.support.service import catalogued
from tests.support.training import make_run, snapshots

PLAN = snapshots(every_steps=512, keep=100)


def turn(knob: str, value: float) -> SetKnob:
    return SetKnob(knob=knob, value=value)


def scale(knob: str, factor: float) -> ScaleKnob:
    return ScaleKnob(knob=knob, factor=factor)


def parent_of(root: Path, algo: str, *changes: SetKnob | ScaleKnob, **config: Any) -> RunFolder:
    """Train a run of 512 steps whose hyperparameters are changed at its start."""
    folder = make_run(root, "parent", algo=algo, total_timesteps=512, snapshots=PLAN, **config)
    wishes = tuple(KnobRequest(number=number, change=change) for number, change in enumerate(changes, start=1))
    folder.write_control(Control(desired=Desired.RUN, knob_requests=wishes))
    assert train_run(folder)
    return folder


def fork_of(parent: RunFolder, **wish: Any) -> RunFolder:
    """Create an untrained fork at the parent's end."""
    with catalogued(parent.path.parent) as app:
        child = app.forks.fork(
            parent.run_id, ForkRequest(**{"snapshot": "512", "total_timesteps": 768, "start": True, **wish})
        )
    return RunFolder(parent.path.parent, child.id)


def forked(parent: RunFolder, **wish: Any) -> RunFolder:
    """Train a fork at the parent's end."""
    folder = fork_of(parent, **wish)
    assert train_run(folder)
    return folder
