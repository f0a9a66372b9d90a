"""Frames depend only on the seed and the actions."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.learning.environments.make import make_environment
from tests.support.training import make_run


def drawn(root: Path, every: int, steps: int = 60) -> Any:
    """Return the picture after the given steps with the main engine on. One step in ``every`` was drawn."""
    config = make_run(root, f"every-{every}", env_id="LunarLander-v3").read_config()
    with contextlib.closing(make_environment(config, render=True, whole_episodes=True)) as env:
        env.reset(seed=3)
        for step in range(1, steps + 1):
            env.step(2)
            if step % every == 0:
                env.render()
        return env.render()


def test_the_lander_exhaust_is_drawn_identically_every_time(tmp_path: Path) -> None:
    expected = drawn(tmp_path, 1)
    np.testing.assert_array_equal(drawn(tmp_path, 7), expected)
    np.testing.assert_array_equal(drawn(tmp_path, 1_000), expected)
