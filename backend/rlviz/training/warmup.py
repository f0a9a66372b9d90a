"""Paying in advance for what a first model costs: lazy imports inside torch, Gymnasium and pygame."""

from __future__ import annotations

import time

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import RunConfig
from rlviz.domain.times import utc
from rlviz.environments import ENVIRONMENTS
from rlviz.training.builder import build_model


def warm_up() -> None:
    """Build a model and throw it away. Every run seeds its generators after this.

    Nothing is drawn: SDL starts a thread for that, which a fork of this process would miss.
    """
    import pygame.gfxdraw  # noqa: F401  (slow to import; what draws imports it when it first does)

    environment = next(iter(ENVIRONMENTS))
    algorithm = next(iter(algorithm for algorithm in ALGORITHMS if environment.suits(algorithm)))
    config = RunConfig(
        run_id="warm-up",
        name="warm-up",
        created_at=utc(time.time()),
        algo=algorithm.id,
        env_id=environment.id,
        preset=None,
        seed=0,
        total_timesteps=10_000,
        hyperparameters={},
    )
    environments = build_model(config).get_env()
    if environments is not None:
        environments.close()
