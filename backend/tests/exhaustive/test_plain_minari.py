"""Minari itself opens exported episodes."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest

from rlviz.learning.environments import ENVIRONMENTS
from tests.support.evaluations import evaluated
from tests.support.service_process import Service, serving
from tests.support.untrained import untrained_run

SOAK = float(os.environ.get("RLVIZ_SOAK", "0")) > 0


ONE_OF_EACH_FAMILY = ["FrozenLake-v1", "CartPole-v1", "LunarLander-v3", "ALE/Breakout-v5"]


PLAYED = list(ENVIRONMENTS.names()) if SOAK else ONE_OF_EACH_FAMILY


def run_of(env_id: str) -> str:
    return f"run-{env_id.replace('/', '-').lower()}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("verify")
    for env_id in PLAYED:
        algo = "q-learning" if ENVIRONMENTS.get(env_id).family.id == "toy-text" else "ppo"
        untrained_run(place / "runs", run_of(env_id), algo=algo, env_id=env_id)
    free = {family: {"most_cost": 1_000} for family in ("toy-text", "classic-control", "box2d", "atari", "gameboy")}
    with serving(place, storage=json.dumps(free)) as service:  # however busy the machine is
        yield service


@pytest.fixture(scope="module")
def evaluation(service: Service) -> dict[str, Any]:
    """Two episodes of CartPole."""
    return evaluated(service, run_of("CartPole-v1"), episodes=2, deterministic=False, video=False)


def test_plain_minari_opens_what_is_exported(
    service: Service, evaluation: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/runs/{evaluation['run_id']}/evaluations/{evaluation['id']}"
    exported = service.api("GET", f"{path}/export", params={"format": "minari"})
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        archive.extractall(tmp_path)
        [said] = [name for name in archive.namelist() if name.endswith("data/metadata.json")]
        name = json.loads(archive.read(said))["dataset_id"]
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset(name)
    played = evaluation["summary"]["episodes"]
    assert [episode.rewards.sum() for episode in dataset.iterate_episodes()] == [
        episode["episode_return"] for episode in played
    ]
    first = next(iter(dataset.iterate_episodes()))
    seen = service.get(f"{path}/steps", params={"episode": 0, "columns": "observation"})["columns"]["observation"]
    assert first.observations == pytest.approx(np.array(seen, np.float32))
