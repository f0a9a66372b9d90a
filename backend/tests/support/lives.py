"""Train, evaluate, watch and resume a run of a custom environment without a service.

python -m tests.support.lives CLASS FOLDER ALGORITHM …    do so with each algorithm; print each Life as JSON
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.events import EventKind, EventRecord
from rlviz.domain.sessions import SessionMode
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import custom_environment, find_environment
from rlviz.learning.environments.make import make
from rlviz.learning.playing.evaluate import evaluate, load_policy
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.evaluations import ask_in_folder
from tests.support.own_environments import SOURCE
from tests.support.resuming import cut, logged
from tests.support.session_rig import Rig
from tests.support.training import CREATED_AT, checkpoints, events, messages, snapshots

ROLLOUT = {"n_envs": 2, "net_arch": [8]}
REPLAY = {"learning_starts": 60, "buffer_size": 500, "batch_size": 8, "net_arch": [8]}
SMALL: dict[str, dict[str, Any]] = {
    "ppo": {**ROLLOUT, "n_steps": 32, "batch_size": 32, "n_epochs": 1},
    "a2c": {**ROLLOUT, "n_steps": 16},
    "trpo": {**ROLLOUT, "n_steps": 32, "batch_size": 32, "n_critic_updates": 1},
    "dqn": REPLAY,
    "qrdqn": {**REPLAY, "n_quantiles": 5},
    "sac": {**REPLAY, "train_freq": 8},
    "td3": {**REPLAY, "train_freq": 8},
    "q-learning": {"n_envs": 2},
    "random": {},
}
STEPS = 256
WATCHED = 6


@dataclass
class Life:
    """The outcome of a run. The ``problem`` of a part is None if it succeeded."""

    ending: str = ""
    cause: str = ""
    warnings: list[str] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)
    evaluation: str | None = None
    session: str | None = None
    resumed: str | None = None


def run_in(described: CustomEnvironment, env_id: str, algo: str, root: Path, **values: Any) -> RunFolder:
    """Create a run folder for a small run of that algorithm."""

    def find(_: str) -> Environment:
        return custom_environment(env_id, described)

    small = {**SMALL[algo], **values}
    if described.is_single and "n_envs" in small:
        small["n_envs"] = 1
    config = resolve_config(NewRun(algo, env_id, None, 1, STEPS, hyperparameters=small), CREATED_AT.timestamp(), find)
    folder = RunFolder(root, config.run_id)
    folder.create(config.model_copy(update={"checkpoints": checkpoints(), "snapshots": snapshots(every_steps=100)}))
    return folder


def live(described: CustomEnvironment, env_id: str, algo: str, root: Path) -> Life:
    """Train, evaluate with a video, watch some steps, and train again from the first snapshot."""
    folder, life = run_in(described, env_id, algo, root), Life()
    train_run(folder)
    [ending] = [event for event in events(folder) if event.event in _ENDINGS]
    life.ending, life.cause = str(ending.event), _cause(ending)
    life.warnings, life.returns = messages(folder), [value for _, values in logged(folder) for value in _return(values)]
    if life.ending != EventKind.FINISHED:
        return life
    record = evaluate(folder, ask_in_folder(folder).id)
    life.evaluation = record.cause
    life.session = watch(folder, algo) if algo != "random" else None
    life.resumed = resume(folder, root / "again") if algo != "random" else None
    return life


def watch(folder: RunFolder, algo: str) -> str | None:
    """Play the policy for some steps, and return what failed."""
    environment = find_environment(folder.read_config())
    make_env = partial(make, environment, render=True, whole_episodes=True)
    policy: Any = load_policy(folder, algo, "model.zip")
    with closing(make_env()) as env:
        rig = Rig(SessionMode.WATCH, policy, environment=environment, env=env, make_env=make_env)
        rig.look()
        try:
            records = rig.steps(WATCHED)
        except VideoNotWritten as error:
            return str(error)
    if len(records) < WATCHED or any(record.reward is None for record in records[1:] if record.index):
        return f"it showed {records}"
    return None


def resume(folder: RunFolder, root: Path) -> str | None:
    """Train again from the first snapshot. Return the differences from ``folder``, which was trained without
    interruption.
    """
    found = snapshots_of(folder)
    if not found:
        return "there is no snapshot"
    again = cut(folder, found[0], root)
    if not train_run(again):
        return _cause(events(again)[-1])
    return None if logged(again) == logged(folder) else "its rows differ"


_ENDINGS = (EventKind.FINISHED, EventKind.ERROR)


def _cause(ending: EventRecord) -> str:
    return str(getattr(ending.data, "message", ""))


def _return(values: dict[str, Any]) -> Iterator[float]:
    """Return the return of an episode if it is a number."""
    if (found := values.get("episode/reward")) is not None:
        yield found


BEGINS = "life of "
"""How a line of the answer begins: an environment may print as well."""


def main(name: str, root: str, *algos: str) -> int:
    from rlviz.learning.environments.probe import probe, rehearse, try_state

    described = try_state(rehearse(probe(f"{SOURCE}:{name}")))
    for algo in algos:
        life = live(described, name, algo, Path(root) / algo)
        print(f"\n{BEGINS}{algo} {json.dumps(asdict(life))}", file=sys.__stderr__, flush=True)
    return 0


if __name__ == "__main__":
    import os

    status = main(*sys.argv[1:])
    os._exit(status)  # threads of an environment may go on for ever
