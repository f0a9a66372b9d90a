"""Ended runs with an untrained policy, which suffice for playing and are created instantly."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.events import EventKind
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.checkpoint import save_policy
from rlviz.rundir.folder import RunFolder
from tests.support.run_folders import journal, make_run
from tests.support.training import QUICK


def untrained_run(root: Path, run_id: str, *, algo: str = "ppo", env_id: str = "CartPole-v1") -> RunFolder:
    folder = make_run(root, run_id, algo=algo, env_id=env_id, hyperparameters=QUICK[algo])
    model = build_model(folder.read_config())
    save_policy(model, folder.model_path)
    model.get_env().close()  # type: ignore[union-attr]
    with journal(folder.events_path) as events:
        events.append({"event": EventKind.STARTED, "step": 0, "data": {"worker": "process:1:0.0:"}})
        events.append({"event": EventKind.FINISHED, "step": 0, "data": {"path": "model.zip"}})
    return folder
