"""Evaluations recorded, played again and compared: one environment of every family, with real policies."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord, StepsWanted
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.playing import evaluate as evaluating
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.playing.film import verify
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.builder import build_model
from rlviz.rundir.folder import RunFolder
from tests.support.step_files import change_value, flipped
from tests.support.training import QUICK

EVALUATION = "eval_20261121-014312-001"


FAMILIES = [
    ("q-learning", "FrozenLake-v1"),
    ("ppo", "CartPole-v1"),
    ("sac", "Pendulum-v1"),
    ("ppo", "LunarLander-v3"),
    ("ppo", "ALE/Pong-v5"),
]


def recorded(root: Path, monkeypatch: pytest.MonkeyPatch, algo: str = "ppo", env_id: str = "CartPole-v1") -> RunFolder:
    """A run with an evaluation of an untrained policy that explores, of which every frame is hashed."""
    folder = RunFolder(root, "a-run-to-verify")
    config = RunConfig(
        run_id=folder.run_id,
        name="Test",
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
        algo=algo,
        env_id=env_id,
        preset=None,
        seed=1,
        total_timesteps=512,
        hyperparameters=QUICK[algo],
    )
    folder.create(config)
    policy = TrainedPolicy(ALGORITHMS.get(algo), build_model(config), None)
    monkeypatch.setattr(evaluating, "load_policy", lambda *_arguments: policy)
    folder.evaluations.write(
        EvaluationRecord(
            id=EVALUATION,
            run_id=folder.run_id,
            created_at=config.created_at,
            episodes=1 if env_id.startswith("ALE") else 2,
            deterministic=False,
            video=False,
            checkpoint="model.zip",
            steps=StepsWanted(frames_every=1, max_bytes=10**8),
        )
    )
    ended = evaluate(folder, EVALUATION)
    assert ended.cause is None
    return folder


@pytest.mark.parametrize(("algo", "env_id"), FAMILIES)
def test_what_was_recorded_comes_out_again(
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


def rewrite(folder: RunFolder, column: str, row: int, change: Any) -> None:
    change_value(folder.evaluations.steps_path(EVALUATION), column, row, change)


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
def test_one_bit_that_was_changed_is_found_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, change: Any, row: int, named: str
) -> None:
    folder = recorded(tmp_path, monkeypatch)
    rewrite(folder, column, row, change)
    found = verify(folder, EVALUATION)
    assert found.identical is False
    assert found.first_difference is not None
    assert (found.first_difference.column, found.steps) == (named, row + 1)


def test_any_bit_of_the_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path, monkeypatch)
    path = folder.evaluations.steps_path(EVALUATION)
    whole = path.read_bytes()
    for place in np.linspace(4, len(whole) - 12, 12, dtype=int):
        path.write_bytes(whole[:place] + flipped(whole[place : place + 1]) + whole[place + 1 :])
        assert not verify(folder, EVALUATION).identical, place
