"""Minari itself opens exported episodes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest

from tests.real.test_api_verify import evaluation, service
from tests.support.service_process import Service

__all__ = ["evaluation", "service"]


ONE_OF_EACH_FAMILY = ["FrozenLake-v1", "CartPole-v1", "LunarLander-v3", "ALE/Breakout-v5"]


def test_plain_minari_opens_the_export(
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
