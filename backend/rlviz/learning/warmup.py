"""Imports and initialises in advance what a worker's first model, video and step records need."""

from __future__ import annotations

import time
from contextlib import suppress

import imageio_ffmpeg
import numpy as np
from PIL import Image

from rlviz.domain.config import RunConfig
from rlviz.domain.ids import utc
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.playing.video import Canvas, Caption
from rlviz.learning.training.builder import build_model
from rlviz.provenance import package_versions


def warm_up_training() -> None:
    """Build a model and discard it. Every run seeds its generators later.

    Do not render: SDL would start a thread, which forks of this process lack.
    """
    import pygame.gfxdraw  # noqa: F401  (slow to import; environments import it on first use)

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


def warm_up_evaluation() -> None:
    """Import modules that libraries import on first use, and fill caches."""
    import numpy.ma  # noqa: F401  (PyArrow imports it when it first converts an array)
    import pyarrow.parquet  # noqa: F401

    Image.init()  # imports a module for each format
    Canvas((2, 2, 3)).draw(np.zeros((2, 2, 3), np.uint8), Caption(1, 1, 0, 0.0))  # loads the font
    package_versions()
    with suppress(RuntimeError):  # reported when a video is written
        imageio_ffmpeg.get_ffmpeg_exe()  # runs it once
