"""Paying in advance for what a first model costs: lazy imports inside torch, Gymnasium and pygame.

Paying in advance for what a first video and first step records cost.
"""

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


def warm_up_evaluation() -> None:
    """Import what is imported when it is first needed, and do once what is remembered."""
    import numpy.ma  # noqa: F401  (by PyArrow, when it first converts an array)
    import pyarrow.parquet  # noqa: F401

    Image.init()  # a module for each format
    Canvas((2, 2, 3)).draw(np.zeros((2, 2, 3), np.uint8), Caption(1, 1, 0, 0.0))  # its font
    package_versions()
    with suppress(RuntimeError):  # told when it is needed
        imageio_ffmpeg.get_ffmpeg_exe()  # tries it out
