"""A hook that fails at every call changes no trained weight, and is reported.

``exhaustive/test_failing_watchers.py`` does the same for every function that the hooks call.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from stable_baselines3 import PPO

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.rules import Rule
from rlviz.learning.training.anatomy import AnatomyJournal
from rlviz.learning.training.callback import JournalOutput, PeriodicEvaluation, RunCallback
from rlviz.learning.training.checkpoint import Checkpoints, Filmstrip
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.learning.training.run_recorder import RunRecorder
from rlviz.learning.training.snapshot.schedule import Snapshots
from rlviz.learning.training.steering import Steering
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import checkpoints, kinds, make_run, messages, snapshots

WATCHERS = (
    AnatomyJournal,
    Checkpoints,
    Filmstrip,
    JournalOutput,
    LiveWeights,
    PeriodicEvaluation,
    Snapshots,
    Steering,
)

MAY_BE_MISSING = (AnatomyJournal, Filmstrip, PeriodicEvaluation)
"""Watchers that a run does without if they cannot be built."""

TRAINING_ITSELF = {
    (Checkpoints, "save_final"),  # a run without its policy has failed
    (Checkpoints, "state"),
    (Checkpoints, "restore"),
    (Steering, "begin_fork"),  # of a fork, which would train with other hyperparameters
    (Steering, "restore"),
    (PeriodicEvaluation, "restore"),
    (Snapshots, "describe"),  # of a fork's parent
    (Snapshots, "capture"),
}


PARTS = (
    "_begin_training",
    "_watch_step",
    "_begin_rollout",
    "_end_rollout",
    "_end_training",
    "_record_episode",
    "_write_update",
)
"""Of our callback: what the hooks of the library call."""


def hooks() -> dict[str, list[tuple[type, str]]]:
    """The public methods of each watcher, and parts of the callback."""
    found = {
        watcher.__name__: [
            (watcher, name)
            for name, value in vars(watcher).items()
            if callable(value) and not name.startswith("_") and (watcher, name) not in TRAINING_ITSELF
        ]
        for watcher in WATCHERS
    }
    found |= {name: [(RunCallback, name)] for name in PARTS}
    found["rows"] = [(RunJournals, name) for name in ("metrics", "metrics_soon")]
    found["recording"] = [(RunRecorder, name) for name in ("_read", "_steps", "_keep", "read_choice", "close")]
    found["constructors"] = [(watcher, "__init__") for watcher in MAY_BE_MISSING]
    return found


def run(root: Path, name: str) -> RunFolder:
    return make_run(
        root,
        name,
        total_timesteps=192,
        hyperparameters={"n_envs": 1, "n_steps": 64, "batch_size": 64, "n_epochs": 1, "net_arch": [4]},
        anatomy=True,
        evaluation=EvaluationPlan(every_steps=100, episodes=1),
        checkpoints=checkpoints(every_steps=100, film=3),
        snapshots=snapshots(every_steps=100),
        rules=[Rule.model_validate({"when": {"kind": "steps", "steps": 40}, "do": [{"kind": "notify"}]})],
    )


def weights(folder: RunFolder) -> dict[str, Any]:
    return dict(PPO.load(folder.model_path).policy.state_dict())


def raising(calls: list[int]) -> Callable[..., Any]:
    def fail(*_arguments: Any, **_options: Any) -> Any:
        calls.append(1)
        raise LookupError("an injected fault")

    return fail


@pytest.mark.parametrize("name", list(hooks())[::5])
def test_a_hook_that_fails_at_every_call_does_not_change_training(
    tmp_path: Path, name: str, undisturbed: dict[str, Any]
) -> None:
    """Some of the hooks; ``tests/exhaustive/test_all_failing_hooks.py`` has them all."""
    train_with_failing_watcher(tmp_path, name, undisturbed)


def train_with_failing_watcher(tmp_path: Path, name: str, undisturbed: dict[str, Any]) -> None:
    folder, calls = run(tmp_path, "disturbed"), list[int]()
    with pytest.MonkeyPatch.context() as patch:
        for watcher, method in hooks()[name]:
            patch.setattr(watcher, method, raising(calls))
        assert train_run(folder)
    assert calls, "it is called in a small run"
    assert "finished" in kinds(folder)
    assert "error" not in kinds(folder)
    assert all(torch.equal(value, weights(folder)[key]) for key, value in undisturbed.items())
    warned = [message for message in messages(folder) if "failed" in message or "could not" in message]
    assert 1 <= len(warned) <= 5, "once for each part, not at every call"
    assert len(set(warned)) == len(warned)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the weights of a run without failures."""
    folder = run(tmp_path_factory.mktemp("undisturbed"), "undisturbed")
    assert train_run(folder)
    return weights(folder)
