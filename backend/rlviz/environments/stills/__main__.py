"""``python -m rlviz.environments.stills [ID ...]``: renders the stills of these environments, or of all."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import numpy as np
from PIL import Image
from stable_baselines3.common.utils import set_random_seed

from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.environments.make import make
from rlviz.environments.stills import WIDTH, still_path
from rlviz.environments.stills.scenes import SCENES, Scene

QUALITY = 80


def main(env_ids: list[str]) -> None:
    for env_id in env_ids or ENVIRONMENTS.names():
        path = still_path(env_id)
        save(frame(ENVIRONMENTS.get(env_id), SCENES.get(env_id, Scene())), path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def frame(environment: Environment, scene: Scene) -> Image.Image:
    """The environment's frame at the end of ``scene``."""
    set_random_seed(scene.seed)
    with closing(make(environment, render=True, whole_episodes=True)) as env:
        env.action_space.seed(scene.seed)
        observation, _ = env.reset(seed=scene.seed)
        for step in range(scene.steps):
            observation, _, terminated, truncated, _ = env.step(scene.act(env, observation, step))
            if terminated or truncated:
                observation, _ = env.reset()
        return Image.fromarray(np.asarray(env.render()))


def save(picture: Image.Image, path: Path) -> None:
    """``picture`` as WebP, WIDTH pixels wide. Low-resolution pixels stay sharp."""
    height = round(picture.height * WIDTH / picture.width)
    enlarged = picture.width < WIDTH
    sampling = Image.Resampling.NEAREST if enlarged else Image.Resampling.LANCZOS
    picture.resize((WIDTH, height), sampling).save(path, "WEBP", quality=QUALITY, method=6)


if __name__ == "__main__":
    main(sys.argv[1:])
