"""Train the small runs that the scripted worker replays, and pack them into ``recordings/``.

    python -m rlviz.testing.record            all of them
    python -m rlviz.testing.record ppo dqn    some

Each recording is one real run: what a worker wrote, one zip file per algorithm. Run this again after a change to what
workers write; ``tests/real/test_scripted_matches_real.py`` fails when the two differ.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlviz.domain.config import CheckpointPlan, EvaluationPlan, RunActor, RunConfig, SnapshotPlan
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.storage_profile import DEFAULT
from rlviz.importing import module_command
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.standing import MARK
from rlviz.testing.recording import RECORDINGS

EPISODES = 2
"""Episodes of the recorded evaluation, with video and step records."""

CREATED_AT = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)

SUBJECTS: dict[str, dict[str, Any]] = {
    "ppo": {
        "total_timesteps": 24_576,
        "hyperparameters": {
            "n_envs": 4,
            "n_steps": 256,
            "batch_size": 128,
            "n_epochs": 10,
            "gae_lambda": 0.98,
            "learning_rate": 0.002,
            "net_arch": [16, 16],
        },
        "evaluation": EvaluationPlan(every_steps=4_096, episodes=5),
    },
    "dqn": {
        "total_timesteps": 20_000,
        "hyperparameters": {
            "learning_rate": 0.0023,
            "batch_size": 64,
            "buffer_size": 20_000,
            "learning_starts": 1_000,
            "target_update_interval": 10,
            "train_freq": 64,
            "gradient_steps": 32,
            "exploration_fraction": 0.3,
            "exploration_final_eps": 0.04,
            "net_arch": [32, 32],
        },
    },
    "a2c": {"total_timesteps": 30_000, "hyperparameters": {"n_envs": 4, "net_arch": [16, 16]}},
    "trpo": {
        "total_timesteps": 20_480,
        "hyperparameters": {"n_envs": 2, "n_steps": 512, "batch_size": 128, "net_arch": [16, 16]},
    },
    "qrdqn": {
        "total_timesteps": 15_000,
        "hyperparameters": {
            "learning_rate": 0.0023,
            "batch_size": 64,
            "buffer_size": 20_000,
            "learning_starts": 1_000,
            "target_update_interval": 10,
            "train_freq": 64,
            "gradient_steps": 32,
            "exploration_fraction": 0.3,
            "n_quantiles": 10,
            "net_arch": [32],
        },
    },
    "sac": {
        "env_id": "Pendulum-v1",
        "total_timesteps": 6_000,
        "hyperparameters": {"learning_rate": 0.001, "learning_starts": 200, "net_arch": [32, 32], "train_freq": 1},
    },
    "td3": {
        "env_id": "Pendulum-v1",
        "total_timesteps": 6_000,
        "hyperparameters": {"learning_rate": 0.001, "learning_starts": 200, "net_arch": [32, 32], "train_freq": 1},
    },
    "q-learning": {
        "env_id": "FrozenLake-v1",
        "env_options": {"is_slippery": False},
        "total_timesteps": 20_000,
        "hyperparameters": {"n_envs": 1},
    },
    "random": {"actor": RunActor.RANDOM, "total_timesteps": 5_000, "hyperparameters": {}},
}
"""One run for each algorithm: small networks, so that the files stay small."""


def main(wanted: list[str]) -> None:
    for algo in wanted or list(SUBJECTS):
        with tempfile.TemporaryDirectory() as root:
            folder = train(Path(root), algo, **SUBJECTS[algo])
            target = RECORDINGS / f"{algo}.zip"
            pack(folder, target)
            print(f"{target.name}: {target.stat().st_size:,} bytes", flush=True)


def train(root: Path, algo: str, **changes: Any) -> RunFolder:
    """Train and evaluate one run below ``root``, and return its folder."""
    from rlviz.learning.training.watched import train_run

    folder = RunFolder(root, f"{algo}-recorded")
    total = changes["total_timesteps"]
    settings = {
        "run_id": folder.run_id,
        "name": f"Recorded {algo}",
        "created_at": CREATED_AT,
        "algo": algo,
        "env_id": "CartPole-v1",
        "preset": None,
        "seed": 1,
        "checkpoints": CheckpointPlan(every_steps=total // 3, every_seconds=86_400, film=6),
        "snapshots": SnapshotPlan(every_seconds=None, every_steps=total // 2),
        "anatomy": True,
        **changes,
    }
    folder.create(RunConfig(**settings))
    if not train_run(folder):
        raise RuntimeError(f"Training {algo} failed; see the traceback above.")
    evaluate(folder)
    return folder


def evaluate(folder: RunFolder) -> EvaluationRecord:
    """Evaluate the final policy in a separate process, because it renders."""
    now = datetime.now(UTC)
    record = EvaluationRecord(
        id=new_evaluation_id(now),
        run_id=folder.run_id,
        created_at=now,
        episodes=EPISODES,
        checkpoint=folder.model_path.name if folder.model_path.exists() else None,
        checkpoint_step=folder.read_config().total_timesteps,
        steps=DEFAULT.wanted(DEFAULT.detail),
    )
    folder.evaluations.write(record)
    subprocess.run([*module_command("rlviz.worker"), str(folder.path), "--evaluate", record.id], check=True)
    played = folder.evaluations.read(record.id)
    if played.status is not EvaluationStatus.COMPLETED:
        raise RuntimeError(f"The evaluation failed: {played.cause}")
    return played


def pack(folder: RunFolder, target: Path) -> None:
    """Write the files that a scripted worker replays into one archive.

    Snapshots are reduced to their manifests, the final policy is stored once, and frames are left out.
    """
    left_out = {folder.lock_path, folder.control_path, folder.log_path, folder.path / MARK}
    last = folder.checkpoint_files()[-1:]
    left_out |= {*folder.evaluations.path.glob("*.frames.zip")}
    left_out |= {path for _, path in last if path.read_bytes() == folder.model_path.read_bytes()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.path.rglob("*")):
            name = path.relative_to(folder.path).as_posix()
            if path.parent == folder.snapshots and path.suffix == ".zip":
                with zipfile.ZipFile(path) as snapshot:
                    archive.writestr(name.removesuffix(".zip") + ".json", snapshot.read("manifest.json"))
            elif path.is_file() and path not in left_out and path.parent != folder.replay:
                archive.write(path, name)


if __name__ == "__main__":
    main(sys.argv[1:])
