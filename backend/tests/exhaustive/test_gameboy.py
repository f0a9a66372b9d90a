"""The state of a Game Boy, restored in a new process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from rlviz.learning.environments.gameboy.family import LAMPLIGHTER
from rlviz.learning.environments.make import make
from rlviz.learning.environments.state import capture_environment

BACKEND = Path(__file__).parents[2]


_OTHER_PROCESS = """
import pickle, sys
from rlviz.learning.environments.gameboy.family import LAMPLIGHTER
from rlviz.learning.environments.make import make
from rlviz.learning.environments.state import restore_environment

state, actions = pickle.loads(sys.stdin.buffer.read())
env = make(LAMPLIGHTER.resolve({"observation": "pixels"}), render=True)
restore_environment(env, state)
seen = [(env.unwrapped.memory(), env.render().tobytes())]
for action in actions:
    observation, reward, terminated, truncated, info = env.step(action)
    if terminated or truncated:
        observation, info = env.reset()
    seen.append((env.unwrapped.memory(), env.render().tobytes(), observation.tobytes(), reward, terminated))
env.close()
sys.stdout.buffer.write(pickle.dumps(seen))
"""


def test_five_hundred_steps_are_restored_in_a_new_process_to_the_last_byte() -> None:
    with closing(make(LAMPLIGHTER.resolve({"observation": "pixels"}), render=True)) as env:
        env.action_space.seed(4)
        env.reset(seed=4)
        for _ in range(500):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()
        state = capture_environment(env)
        actions = [int(env.action_space.sample()) for _ in range(200)]
        ours: list[Any] = [(env.unwrapped.memory(), env.render().tobytes())]
        for action in actions:
            observation, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                observation, _ = env.reset()
            ours.append((env.unwrapped.memory(), env.render().tobytes(), observation.tobytes(), reward, terminated))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _OTHER_PROCESS],
        input=pickle.dumps((state, actions)),
        capture_output=True,
        check=True,
        cwd=BACKEND,
    )
    assert pickle.loads(done.stdout) == ours
