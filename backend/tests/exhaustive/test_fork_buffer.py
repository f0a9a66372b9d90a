"""A fork whose replay buffer size or number of environments differs from its parent's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import Parent
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.snapshot.restore import restore
from rlviz.learning.training.snapshot.verify import verify_snapshot
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import inherit_snapshot, snapshots_of
from tests.support.training import kinds, make_run, snapshots

OLD = 250
PLAN = snapshots(every_steps=100, keep=100)


def in_order(buffer: Any) -> list[bytes]:
    """Return the rows of the buffer, oldest first."""
    size, held = buffer.buffer_size, buffer.buffer_size if buffer.full else buffer.pos
    slots = (buffer.pos + np.arange(-held, 0)) % size
    names = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
    return [b"".join(getattr(buffer, name)[slot].tobytes() for name in names) for slot in slots]


def transitions(buffer: Any) -> list[bytes]:
    """Return the transitions of each environment, oldest first."""
    size, held = buffer.buffer_size, buffer.buffer_size if buffer.full else buffer.pos
    slots = (buffer.pos + np.arange(-held, 0)) % size
    names = ("observations", "next_observations", "actions", "rewards", "dones")
    ends = buffer.dones * (1 - buffer.timeouts)  # whether a value follows, which a mark must not change
    return [
        b"".join(array[slot, env].tobytes() for array in (*(getattr(buffer, name) for name in names), ends))
        for slot in slots
        for env in range(buffer.n_envs)
    ]


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A parent whose replay buffer has wrapped."""
    root = tmp_path_factory.mktemp("buffers")
    folder = make_run(
        root, "parent", algo="dqn", total_timesteps=600, snapshots=PLAN, hyperparameters={"buffer_size": OLD}
    )
    assert train_run(folder)
    return folder


@pytest.mark.parametrize("size", [100, OLD, 400])
def test_a_fork_inherits_the_newest_rows_that_fit_its_buffer(parent: RunFolder, size: int) -> None:
    taken = snapshots_of(parent)[-1]
    changed = ("buffer_size",) if size != OLD else ()
    child = make_run(
        parent.path.parent,
        f"child-{size}",
        algo="dqn",
        total_timesteps=800,
        snapshots=PLAN,
        hyperparameters={"buffer_size": size},
        parent=Parent(run_id=parent.run_id, snapshot=taken.name, step=taken.manifest.step, changed=changed),
    )
    inherit_snapshot(taken, parent, child)
    theirs, ours = build_model(parent.read_config()), build_model(child.read_config())
    restore(theirs, parent.read_config(), parent, taken.name)
    restore(ours, child.read_config(), child, taken.name)
    old, new = in_order(theirs.replay_buffer), in_order(ours.replay_buffer)  # type: ignore[attr-defined]
    assert len(old) == OLD
    kept = min(size, OLD)
    assert new[-kept:] == old[-kept:]
    assert len(new) == size if size <= OLD else OLD <= len(new) <= size
    child.write_control(Control(desired=Desired.RUN, resume_from=taken.name))
    assert train_run(child)
    assert kinds(child)[-1] == "finished"
    again = build_model(child.read_config())
    own = snapshots_of(child)[-1]
    restore(again, child.read_config(), child, own.name)
    assert again.replay_buffer.size() == min(size, len(new) + 200)  # type: ignore[attr-defined]


def forked(parent: RunFolder, name: str, steps: int, **changes: Any) -> RunFolder:
    taken, config = snapshots_of(parent)[-1], parent.read_config()
    child = make_run(
        parent.path.parent,
        name,
        algo=config.algo,
        total_timesteps=steps,
        snapshots=PLAN,
        hyperparameters={**config.hyperparameters, **changes},
        parent=Parent(
            run_id=parent.run_id,
            snapshot=taken.name,
            step=taken.manifest.step,
            changed=tuple(changes),
            environments_anew=True,
        ),
    )
    inherit_snapshot(taken, parent, child)
    return child


def restored(folder: RunFolder, name: str) -> Any:
    model = build_model(folder.read_config())
    restore(model, folder.read_config(), folder, name)
    return model


@pytest.mark.parametrize(("n_envs", "size"), [(3, OLD), (4, 100), (2, 1_000)])
def test_with_another_number_of_environments_a_fork_regroups_the_newest_transitions(
    parent: RunFolder, n_envs: int, size: int
) -> None:
    taken = snapshots_of(parent)[-1].name
    child = forked(parent, f"beside-{n_envs}", 800, n_envs=n_envs, buffer_size=size)
    old = transitions(restored(parent, taken).replay_buffer)
    ours = restored(child, taken).replay_buffer
    new = transitions(ours)
    kept = min(OLD, size) // n_envs * n_envs
    assert ours.observations.shape[:2] == (size // n_envs, n_envs)
    assert new[-kept:] == old[-kept:]
    assert set(new) >= set(old[-kept:])
    in_use = slice(None) if ours.full else slice(ours.pos)
    assert np.logical_or(ours.dones, ours.timeouts)[in_use].all(), "nothing follows a transition any more"
    again = transitions(restored(child, taken).replay_buffer)
    assert again == new, "whoever begins there again begins with the same"
    child.write_control(Control(desired=Desired.RUN, resume_from=taken))
    assert train_run(child)
    assert kinds(child)[-1] == "finished"
    last = snapshots_of(child)[-1]
    own = restored(child, last.name).replay_buffer
    left = max(0, own.size() * n_envs - (last.manifest.step - 600))
    assert own.size() == min(ours.buffer_size, ours.size() + (last.manifest.step - 600) // n_envs)
    assert transitions(own)[:left] == new[len(new) - left :]
    assert verify_snapshot(child, last.name).identical


def test_a_buffer_without_time_limit_handling_gets_no_truncation_mark(tmp_path: Path) -> None:
    once = {"optimize_memory_usage": True, "buffer_size": OLD}
    parent = make_run(tmp_path, "parent", algo="dqn", total_timesteps=600, snapshots=PLAN, hyperparameters=once)
    assert train_run(parent)
    taken = snapshots_of(parent)[-1].name
    buffer = restored(forked(parent, "child", 800), taken).replay_buffer
    assert not buffer.dones[buffer.pos - 1].any(), "an episode was under way"
    assert not buffer.timeouts.any()


def test_no_n_step_return_crosses_into_a_restarted_episode(tmp_path: Path) -> None:
    """This also holds when the fork resumes from its own snapshot."""
    several = {"n_steps": 3, "n_envs": 2}
    parent = make_run(tmp_path, "parent", algo="dqn", total_timesteps=600, snapshots=PLAN, hyperparameters=several)
    assert train_run(parent)
    taken = snapshots_of(parent)[-1].name
    unbroken = restored(parent, taken).replay_buffer
    last = unbroken.pos - 1
    assert not np.logical_or(unbroken.dones, unbroken.timeouts)[last].all(), "an episode is under way"
    child = forked(parent, "child", 800)
    broken = restored(child, taken).replay_buffer
    assert np.logical_or(broken.dones, broken.timeouts)[last].all()
    assert (broken.dones == unbroken.dones).all(), "a value still follows"
    others = np.arange(len(broken.dones)) != last
    assert (broken.timeouts[others] == unbroken.timeouts[others]).all()
    child.write_control(Control(desired=Desired.RUN, resume_from=taken))
    assert train_run(child)
    written = snapshots_of(child)[-1].name
    assert verify_snapshot(child, written).identical
    own = restored(child, written).replay_buffer
    assert own.pos > last + 1
    assert np.logical_or(own.dones, own.timeouts)[last].all()


def test_time_correlated_noise_restarts_with_the_environments(tmp_path: Path) -> None:
    noise = {"action_noise": "ornstein-uhlenbeck", "n_envs": 2}
    one = make_run(tmp_path, "noise", algo="td3", total_timesteps=200, snapshots=PLAN, hyperparameters=noise)
    assert train_run(one)
    child = forked(one, "alone", 400, n_envs=1)
    child.write_control(Control(desired=Desired.RUN, resume_from=snapshots_of(one)[-1].name))
    assert train_run(child)
    assert kinds(child)[-1] == "finished"
