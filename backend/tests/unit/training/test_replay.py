"""The replay buffer on disk after a rollback."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.buffers import ReplayBuffer

from rlviz.learning.training.snapshot.replay import (
    ReplayPiece,
    ReplayState,
    ReplayTape,
    find_replay_difference,
    mark_cut_off,
    placed_rows,
    restore_replay,
    select_pieces,
    write_pieces,
)
from rlviz.rundir.folder import RunFolder
from tests.support.run_folders import make_run

ENVS = 2


class Model(SimpleNamespace):
    """The part of a library model that concerns its replay buffer; each row has a distinct reward."""

    def __init__(self, rewards: int = 0) -> None:
        space = spaces.Box(-1, 1, (1,))
        super().__init__(num_timesteps=0, replay_buffer=ReplayBuffer(200, space, spaces.Discrete(2), n_envs=ENVS))
        self.rewards = rewards

    def train(self, rows: int) -> None:
        nothing = np.zeros((ENVS, 1))
        for _ in range(rows):
            self.rewards += 1
            self.replay_buffer.add(nothing, nothing, nothing, np.full(ENVS, self.rewards), np.zeros(ENVS), [{}] * ENVS)
            self.num_timesteps += ENVS

    def go_back(self, folder: RunFolder, state: ReplayState, pieces: tuple[ReplayPiece, ...]) -> ReplayTape:
        restore_replay(self, state, placed_rows(self, folder, state, pieces))
        self.num_timesteps = state.rows * ENVS
        return ReplayTape(state, pieces, self.num_timesteps)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path, "run")


def check_reads_back(folder: RunFolder, state: ReplayState, pieces: tuple[ReplayPiece, ...], model: Model) -> None:
    """Check that a new model restores the buffer from disk alone."""
    pieces = select_pieces(write_pieces(folder, pieces), state.rows)
    other = Model()
    restore_replay(other, state, placed_rows(other, folder, state, pieces))
    assert find_replay_difference(other, folder, state, pieces) is None
    for name in ("rewards", "timeouts"):
        ours, theirs = getattr(other.replay_buffer, name), getattr(model.replay_buffer, name)
        assert (ours[: state.rows] == theirs[: state.rows]).all(), name


def test_rows_discarded_by_a_rollback_are_not_part_of_later_training(folder: RunFolder) -> None:
    model = Model()
    tape = ReplayTape()
    model.train(50)
    early, before = tape.follow(model), tuple(tape.pieces)
    model.train(25)
    late = tape.follow(model)
    assert early is not None
    assert late is not None
    check_reads_back(folder, late, tuple(tape.pieces), model)  # one segment, which holds the rows of both
    check_reads_back(folder, early, before, model)
    tape = model.go_back(folder, early, before)
    for rows in (10, 30):
        model.train(rows)
        state = tape.follow(model)
        assert state is not None
        check_reads_back(folder, state, tuple(tape.pieces), model)


def test_a_removed_row_stays_removed_on_disk(folder: RunFolder) -> None:
    model = Model()
    tape = ReplayTape()
    model.train(20)
    state = tape.follow(model)
    assert state is not None
    pieces = select_pieces(write_pieces(folder, tuple(tape.pieces)), state.rows)
    marked = mark_cut_off(model, state, pieces, [1])
    assert model.replay_buffer.timeouts[:20].tolist() == [*[[0, 0]] * 19, [0, 1]]
    assert mark_cut_off(model, state, marked, [1]) == marked, "and is not marked again"
    tape = ReplayTape(state, marked, model.num_timesteps)
    model.train(10)
    later = tape.follow(model)
    assert later is not None
    check_reads_back(folder, later, tuple(tape.pieces), model)
