"""Run folders for training, and readers of what trainers wrote into them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlviz.domain.config import CheckpointPlan, RunConfig, SnapshotPlan
from rlviz.domain.events import EventKind, EventRecord
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal

ENV_ID = "CartPole-v1"
CREATED_AT = datetime(2026, 11, 21, 1, 43, 12, tzinfo=UTC)

QUICK: dict[str, dict[str, Any]] = {
    "ppo": {"n_envs": 2, "n_steps": 64, "batch_size": 64, "n_epochs": 2, "net_arch": [16]},
    "dqn": {"learning_starts": 100, "buffer_size": 1_000, "batch_size": 16, "net_arch": [16]},
    "a2c": {"n_envs": 2, "net_arch": [16]},
    "trpo": {"n_envs": 2, "n_steps": 64, "batch_size": 64, "n_critic_updates": 2, "net_arch": [16]},
    "qrdqn": {"learning_starts": 100, "buffer_size": 1_000, "batch_size": 16, "n_quantiles": 5, "net_arch": [16]},
    "sac": {"learning_starts": 100, "buffer_size": 1_000, "batch_size": 16, "train_freq": 4, "net_arch": [16]},
    "td3": {"learning_starts": 100, "buffer_size": 1_000, "batch_size": 16, "train_freq": 4, "net_arch": [16]},
    "q-learning": {"n_envs": 2},
}
"""Hyperparameters that learn little in very little time."""

WORLDS = {"sac": "Pendulum-v1", "td3": "Pendulum-v1", "q-learning": "FrozenLake-v1"}
"""An environment that fits, for the algorithms that CartPole does not."""


def make_run(root: Path, name: str = "test", *, algo: str = "ppo", seed: int = 1, **changes: Any) -> RunFolder:
    """Create a run folder with a small configuration and ``changes`` to it; hyperparameters are merged into QUICK."""
    folder = RunFolder(root, f"{algo}-cartpole-{name}")
    hyperparameters = {**QUICK[algo], **changes.pop("hyperparameters", {})}
    config = {
        "run_id": folder.run_id,
        "name": name,
        "created_at": CREATED_AT,
        "algo": algo,
        "env_id": WORLDS.get(algo, ENV_ID),
        "preset": None,
        "seed": seed,
        "total_timesteps": 512,
        "hyperparameters": hyperparameters,
        "checkpoints": checkpoints(),
        "snapshots": snapshots(),
        **changes,
    }
    folder.create(RunConfig(**config))
    return folder


def checkpoints(**wishes: Any) -> CheckpointPlan:
    """Return a checkpoint plan that saves none unless ``wishes`` say so."""
    return CheckpointPlan(**{"every_steps": 10_000_000, "every_seconds": 86_400, **wishes})


def snapshots(**wishes: Any) -> SnapshotPlan:
    """Return a snapshot plan that takes none unless ``wishes`` say so."""
    return SnapshotPlan(**{"every_seconds": None, **wishes})


def rows(folder: RunFolder) -> list[dict[str, Any]]:
    """Return every metric record; a broken one is an error."""
    records = [line.record for line in read_journal(folder.metrics_path)]
    assert None not in records
    return [record for record in records if record is not None]


def column(folder: RunFolder, name: str) -> list[float | None]:
    """Return the values of one metric in order."""
    return [row["values"][name] for row in rows(folder) if name in row["values"]]


def curves(folder: RunFolder) -> list[tuple[int, dict[str, float | None]]]:
    """Return everything that must be equal when a run is repeated: all values except times and rates. Rows without
    other values are left out, because rates are logged by the clock.
    """
    timeless = [
        (row["step"], {name: value for name, value in row["values"].items() if not name.startswith("time/")})
        for row in rows(folder)
    ]
    return [(step, values) for step, values in timeless if values]


def events(folder: RunFolder, kind: EventKind | None = None) -> list[EventRecord]:
    """Return every event, or those of one kind; a broken one is an error."""
    found = [EventRecord.model_validate(line.record) for line in read_journal(folder.events_path)]
    return [event for event in found if kind in (None, event.event)]


def kinds(folder: RunFolder) -> list[str]:
    """Return the kind of every event except snapshots, which depend on the clock."""
    return [str(event.event) for event in events(folder) if event.event != EventKind.SNAPSHOT]


def messages(folder: RunFolder) -> list[str]:
    """Return the messages of the warning events."""
    return [str(event.data.message) for event in events(folder, EventKind.WARNING)]


def leftovers(folder: RunFolder) -> list[str]:
    """Return the files with temporary names."""
    return sorted(path.name for path in folder.path.rglob("*.tmp"))
