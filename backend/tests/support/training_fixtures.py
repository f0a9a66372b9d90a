"""Fixtures of training tests: a small run, its journals, and a model whose step count can be set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.make import make
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import ENV_ID, make_run


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


@pytest.fixture
def journals(folder: RunFolder) -> Iterator[RunJournals]:
    journals = RunJournals(folder)
    yield journals
    journals.close()


@pytest.fixture(scope="module")
def model() -> Iterator[BaseAlgorithm]:
    """An untrained model. Each module has its own, because tests change its ``num_timesteps``."""
    model = PPO("MlpPolicy", make(ENVIRONMENTS.get(ENV_ID)), n_steps=32, batch_size=32, seed=1, device="cpu")
    yield model
    environments = model.get_env()
    assert environments is not None
    environments.close()
