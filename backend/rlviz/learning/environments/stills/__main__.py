"""``python -m rlviz.learning.environments.stills [ID ...]``: renders the stills of these environments, or of all."""

from __future__ import annotations

import sys
from contextlib import closing

import numpy as np
from PIL import Image
from stable_baselines3.common.utils import set_random_seed

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.make import make
from rlviz.learning.environments.stills import still_path
from rlviz.learning.environments.stills.scenes import SCENES, Scene, save


def main(env_ids: list[str]) -> None:
    for env_id in env_ids or ENVIRONMENTS.names():
        path = still_path(env_id)
        save(frame(ENVIRONMENTS.get(env_id), SCENES.get(env_id, Scene())), path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def frame(environment: Environment, scene: Scene) -> Image.Image:
    """Return the environment's frame at the end of ``scene``."""
    set_random_seed(scene.seed)
    with closing(make(environment, render=True, whole_episodes=True)) as env:
        env.action_space.seed(scene.seed)
        observation, _ = env.reset(seed=scene.seed)
        for step in range(scene.steps):
            observation, _, terminated, truncated, _ = env.step(scene.act(env, observation, step))
            if terminated or truncated:
                observation, _ = env.reset()
        return Image.fromarray(np.asarray(env.render()))


if __name__ == "__main__":
    main(sys.argv[1:])
