"""Step records match the episodes that they describe."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord, StepsWanted
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing import evaluate as evaluating
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.playing.film import verify
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.builder import build_model
from rlviz.rundir.folder import RunFolder
from tests.support.step_files import change_value
from tests.support.training import QUICK

EVALUATION = "eval_20261121-014312-001"


def recorded(root: Path, monkeypatch: pytest.MonkeyPatch, algo: str = "ppo", env_id: str = "CartPole-v1") -> RunFolder:
    """A run with an evaluation of an untrained, exploring policy, with a hash of every frame."""
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


def test_readings_in_the_file_belong_to_their_own_observations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path, monkeypatch)
    policy = evaluating.load_policy(folder, "ppo", "model.zip")
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        columns = file.read(["observation", "reading.value", "reading.probabilities"], file.groups())
    seen = columns["observation"].numbers
    again = policy.read(seen, np.zeros(len(seen), int))
    assert columns["reading.value"].present.all()
    np.testing.assert_allclose(columns["reading.value"].numbers, again.value, rtol=1e-4)
    np.testing.assert_allclose(columns["reading.probabilities"].numbers, again.probabilities, rtol=1e-4)


def rewrite(folder: RunFolder, column: str, row: int, change: Any) -> None:
    change_value(folder.evaluations.steps_path(EVALUATION), column, row, change)


def test_the_hash_of_the_file_detects_a_changed_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path, monkeypatch)
    rewrite(folder, "reading.value", 2, lambda value: value + 1)
    found = verify(folder, EVALUATION)
    assert found.identical is False
    assert found.first_difference is None
    assert "changed" in (found.cause or "")


def test_the_record_describes_the_environment_that_was_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path, monkeypatch)
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        said = file.about
    with closing(make_environment(folder.read_config())) as env:
        env.reset(seed=said.episodes[0].seed)
        state = env.unwrapped.np_random.bit_generator.state
    assert said.episodes[0].generator["state"]["state"] == str(state["state"]["state"])  # type: ignore[index, call-overload]
    assert said.observation.labels[2] == "pole angle"
    assert said.versions["gymnasium"]
