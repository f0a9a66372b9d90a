"""Checks whether a snapshot fits a run, and whether training continues from it exactly."""

from __future__ import annotations

import hashlib
import inspect
import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import SnapshotRefused
from rlviz.domain.snapshots import Built, Origin, SnapshotManifest
from rlviz.learning.environments.base import load_class
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.state import layer_names
from rlviz.learning.training.snapshot.capture import environments_of

_PACKAGES = (
    "torch",
    "numpy",
    "stable-baselines3",
    "sb3-contrib",
    "gymnasium",
    "ale-py",
    "Box2D",
    "opencv-python-headless",
)
"""Packages whose versions may change results in the last digit."""

_TRAINED_BY = {
    *("algo", "env_id", "env_options", "custom_environment", "seed", "hyperparameters", "exploration", "reward"),
}
"""Parts of the configuration that a resumed run must not change. Its length and what it keeps may change."""

_OF_SPACES: dict[str, Any] = {"starts": True, "is_bounded": True}
_NOT_TRAINED_BY: dict[str, Any] = {
    "warnings": True,
    "is_single": True,
    "reward_components": True,
    "observation_space": _OF_SPACES,
    "action_space": _OF_SPACES,
}
"""Parts of a custom environment's description that follow from its class. Digests of older runs do not include them."""


def describe_build(config: RunConfig, model: BaseAlgorithm) -> Built:
    return Built(
        algo=config.algo,
        env_id=config.env_id,
        config_digest=_digest(config),
        environments=tuple(layer_names(env) for env in environments_of(model)),
    )


def describe_origin(config: RunConfig) -> Origin:
    """Return the versions and hardware that this process trains with."""
    return Origin(
        versions=_versions(),
        capability=f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}",
        threads=torch.get_num_threads(),
        environment_source=_source_digest(config),
    )


def check_built(manifest: SnapshotManifest, built: Built) -> None:
    """Raise SnapshotRefused if the algorithm, environment or configuration differs; the message names both."""
    theirs = manifest.built
    for what, there, here in (
        ("algorithm", theirs.algo, built.algo),
        ("environment", theirs.env_id, built.env_id),
        ("number of environments", len(theirs.environments), len(built.environments)),
    ):
        if there != here:
            raise SnapshotRefused(f"Snapshot {manifest.name} has another {what}: {there}. This run has {here}.")
    if theirs.environments != built.environments:
        others = set(theirs.environments[0]) ^ set(built.environments[0])
        raise SnapshotRefused(
            f"Snapshot {manifest.name} has an environment with other wrappers: "
            f"{', '.join(sorted(others)) or 'their order'} differ."
        )
    if theirs.config_digest != built.config_digest:
        raise SnapshotRefused(
            f"Snapshot {manifest.name} has another configuration: hyperparameters, seed or environment options differ. "
            "Fork the run to continue with other values."
        )


def reasons_not_exact(manifest: SnapshotManifest, origin: Origin) -> list[str]:
    """Return why training may not continue bit for bit, one sentence each; empty if nothing differs."""
    found = []
    theirs = manifest.origin
    for package in sorted(theirs.versions.keys() | origin.versions.keys()):
        there, here = theirs.versions.get(package, "none"), origin.versions.get(package, "none")
        if there != here:
            found.append(f"{package} was {there}, and is now {here}.")
    if theirs.capability != origin.capability:
        found.append(f"torch used the processor as {theirs.capability}, and now uses it as {origin.capability}.")
    if theirs.threads != origin.threads:
        found.append(f"torch had {theirs.threads} threads, and now has {origin.threads}.")
    if theirs.environment_source != origin.environment_source:
        found.append("The source code of the environment has changed.")
    return found


@cache
def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _digest(config: RunConfig) -> str:
    described = config.model_dump_json(include=_TRAINED_BY, exclude={"custom_environment": _NOT_TRAINED_BY})
    return hashlib.sha256(described.encode()).hexdigest()


def _source_digest(config: RunConfig) -> str | None:
    custom = find_environment(config).custom
    if custom is None or custom.game is not None:  # the configuration has the hash of a game
        return None
    try:
        source = inspect.getsourcefile(load_class(custom.entry_point))
        return hashlib.sha256(Path(source).read_bytes()).hexdigest() if source is not None else None
    except (OSError, TypeError):
        return None
