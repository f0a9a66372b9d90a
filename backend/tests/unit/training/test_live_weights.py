"""When a trainer writes its weights for viewers."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.learning.training.builder import build_model, closing_environments
from rlviz.learning.training.live_weights import EVERY_SECONDS, LARGEST_SHARE, LOOK_SECONDS, LiveWeights
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import LEASE_SECONDS, Lease
from tests.support.training import make_run


class Clock:
    """Advances only by ``cost`` seconds at each read."""

    def __init__(self) -> None:
        self.now, self.cost = 1_000.0, 0.0

    def __call__(self) -> float:
        self.now += self.cost
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BaseAlgorithm]:
    with closing_environments(build_model(make_run(tmp_path_factory.mktemp("model")).read_config())) as model:
        yield model


def watched(folder: RunFolder, clock: Clock) -> LiveWeights:
    """Return live weights of a trainer that has noticed a viewer."""
    renew(folder, clock)
    live = LiveWeights(folder, monotonic=clock)
    live.write_due()
    return live


def renew(folder: RunFolder, clock: Clock) -> None:
    Lease(folder, monotonic=clock).renew()
    os.utime(folder.lease_path, ns=(0, round(clock.now * 1e9)))  # however coarse the disk's clock is


def step_written(folder: RunFolder) -> int:
    with zipfile.ZipFile(folder.live_weights_path) as archive:
        step: int = json.loads(archive.read("played.json"))["step"]
    return step


def test_no_weights_are_due_or_written_without_viewers(tmp_path: Path, clock: Clock) -> None:
    folder = make_run(tmp_path)
    live = LiveWeights(folder, monotonic=clock)
    for _ in range(10):
        live.write_due()
        clock.now += 1
    assert live.next_step == math.inf
    assert not folder.live_weights_path.exists()


def test_the_current_weights_are_written_for_a_viewer_and_removed_at_the_end(
    tmp_path: Path, clock: Clock, model: BaseAlgorithm
) -> None:
    folder = make_run(tmp_path)
    live = watched(folder, clock)
    assert live.next_step == 0, "due at the next step of training, whatever its number"
    model.num_timesteps = 640
    live.copy_weights(model)
    assert not folder.live_weights_path.exists(), "the training thread does not wait for the disk"
    live.write_due()
    assert step_written(folder) == 640
    live.close()
    live.write_due()
    assert not folder.live_weights_path.exists()


def test_weights_are_updated_every_second_and_not_sooner(tmp_path: Path, clock: Clock, model: BaseAlgorithm) -> None:
    folder = make_run(tmp_path)
    live = watched(folder, clock)
    live.copy_weights(model)
    clock.now += EVERY_SECONDS - 0.01
    live.write_due()
    assert live.next_step == math.inf
    clock.now += LOOK_SECONDS
    live.write_due()
    assert live.next_step == 0


def test_weights_that_take_long_to_write_are_written_less_often(
    tmp_path: Path, clock: Clock, model: BaseAlgorithm
) -> None:
    folder = make_run(tmp_path)
    live = watched(folder, clock)
    clock.cost = 0.5
    begun = clock.now + clock.cost
    live.copy_weights(model)
    clock.cost = 0.0
    due_at = begun + 0.5 / LARGEST_SHARE
    clock.now = due_at - 0.01
    renew(folder, clock)
    live.write_due()
    assert live.next_step == math.inf
    clock.now += LOOK_SECONDS
    live.write_due()
    assert live.next_step == 0


def test_no_weights_are_due_after_the_last_viewer_left(tmp_path: Path, clock: Clock, model: BaseAlgorithm) -> None:
    folder = make_run(tmp_path)
    live = watched(folder, clock)
    live.copy_weights(model)
    clock.now += LEASE_SECONDS + 0.01
    live.write_due()
    assert live.next_step == math.inf
