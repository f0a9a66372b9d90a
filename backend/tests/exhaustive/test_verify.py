"""Recorded evaluations are replayed and compared, with real policies in one environment of every family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.learning.playing.film import verify
from rlviz.learning.records.reader import StepFile
from tests.real.test_verify import EVALUATION, recorded, rewrite
from tests.support.step_files import flipped

FAMILIES = [
    ("q-learning", "FrozenLake-v1"),
    ("ppo", "CartPole-v1"),
    ("sac", "Pendulum-v1"),
    ("ppo", "LunarLander-v3"),
    ("ppo", "ALE/Pong-v5"),
]


@pytest.mark.parametrize(("algo", "env_id"), FAMILIES)
def test_a_recorded_episode_is_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algo: str, env_id: str
) -> None:
    folder = recorded(tmp_path, monkeypatch, algo, env_id)
    found = verify(folder, EVALUATION)
    assert found.cause is None
    assert found.identical
    assert found.first_difference is None
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        assert found.steps == file.rows
        hashes = file.read(["frame_hash"], file.groups())["frame_hash"]
    assert hashes.present.all()
    assert len(set(hashes.numbers.tolist())) > 1
    assert folder.evaluations.read_verification(EVALUATION) == found


@pytest.mark.parametrize(
    ("column", "change", "row", "named"),
    [
        ("frame_hash", flipped, 3, "frame_hash"),
        ("reward", lambda value: np.nextafter(value, 2), 2, "reward"),
        (
            "observation",
            lambda value: [*value[:3], float(np.nextafter(np.float32(value[3]), np.float32(9)))],
            4,
            "observation",
        ),
        ("action", lambda value: [1 - value[0]], 5, "observation"),
        ("terminated", lambda value: not value, 1, "terminated"),
        ("index", lambda value: value + 1, 6, "index"),
    ],
)
def test_a_flipped_bit_is_found_at_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, change: Any, row: int, named: str
) -> None:
    folder = recorded(tmp_path, monkeypatch)
    rewrite(folder, column, row, change)
    found = verify(folder, EVALUATION)
    assert found.identical is False
    assert found.first_difference is not None
    assert (found.first_difference.column, found.steps) == (named, row + 1)


def test_every_bit_of_the_file_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path, monkeypatch)
    path = folder.evaluations.steps_path(EVALUATION)
    whole = path.read_bytes()
    for place in np.linspace(4, len(whole) - 12, 12, dtype=int):
        path.write_bytes(whole[:place] + flipped(whole[place : place + 1]) + whole[place + 1 :])
        assert not verify(folder, EVALUATION).identical, place
