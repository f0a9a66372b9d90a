"""Captures the complete state of training, and reads and writes it as a snapshot file.

``capture`` runs in the training thread and copies the model, its environments, the random generators, the replay buffer
and our own counters. ``write_archive`` and ``read_archive`` are the file. ``log_interval`` makes on-policy algorithms
continue their count of iterations, which the library starts at 1 in each call of ``learn``.
"""

from __future__ import annotations

import inspect
import io
import pickle
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
import zstandard
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from rlviz.domain.errors import SnapshotDamaged, summarize_error
from rlviz.domain.snapshots import SnapshotManifest
from rlviz.learning.algorithms.plain_pickle import load_any
from rlviz.learning.environments.state import NotCapturable, capture_environment, restore_environment, spaces_of
from rlviz.learning.environments.wrappers import Env
from rlviz.learning.training.snapshot.model import Tensors, are_finite, capture_attributes, capture_tensors, copied
from rlviz.learning.training.snapshot.replay import ReplayPiece, ReplayState, ReplayTape, select_pieces, write_pieces
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot, write_snapshot

_NORMALIZATION = ("obs_rms", "ret_rms", "returns", "old_obs", "old_reward")
"""What the library's ``VecNormalize`` learns, and what it holds between two steps."""


def environments_of(model: BaseAlgorithm) -> list[Env]:
    environments: Any = model.get_env()
    return list(environments.unwrapped.envs)


def capture_environments(model: BaseAlgorithm) -> dict[str, Any]:
    """Copy the environments. ``problem`` says why the state of one, which is then None, could not be copied."""
    each: list[bytes | None] = []
    problem = None
    for env in environments_of(model):
        _forget_finished_episodes(env)
        try:
            each.append(capture_environment(env))
        except NotCapturable as error:
            each.append(None)
            problem = str(error)
    wrapper = model.get_vec_normalize_env()
    normalization = None
    if wrapper is not None:
        normalization = {name: getattr(wrapper, name) for name in _NORMALIZATION if hasattr(wrapper, name)}
    return {"each": each, "normalization": normalization, "problem": problem}


def restore_normalization(model: BaseAlgorithm, states: dict[str, Any]) -> None:
    """Restore the learned statistics of observations and rewards, without what is held between two steps."""
    wrapper, learned = model.get_vec_normalize_env(), states["normalization"]
    if wrapper is not None and learned is not None:
        vars(wrapper).update({name: learned[name] for name in ("obs_rms", "ret_rms") if name in learned})


def restore_environments(model: BaseAlgorithm, states: dict[str, Any]) -> dict[int, str]:
    """Restore the environments; the model's attributes must be restored first.

    An environment that cannot be restored starts a new episode.

    Returns:
        The reasons, by the index of each such environment.
    """
    wrapper = model.get_vec_normalize_env()
    if wrapper is not None and states["normalization"] is not None:
        vars(wrapper).update(states["normalization"])
    problems = {}
    for index, (env, state) in enumerate(zip(environments_of(model), states["each"], strict=True)):
        try:
            if state is None:
                raise NotCapturable(states["problem"])  # noqa: TRY301  (handled as a failure to restore)
            restore_environment(env, state)
        except NotCapturable as error:
            problems[index] = f"{error} A new episode was started."
            _begin_anew(model, index, env)
    return problems


def _begin_anew(model: Any, index: int, env: Env) -> None:
    observation, _ = env.reset(seed=(model.seed or 0) + model.num_timesteps + index)
    model._last_episode_starts[index] = True
    wrapper = model.get_vec_normalize_env()
    if wrapper is None:
        model._last_obs[index] = observation
        return
    if model._last_original_obs is None:
        model._last_original_obs = wrapper.unnormalize_obs(model._last_obs)
    model._last_original_obs[index] = observation
    model._last_obs = wrapper.normalize_obs(model._last_original_obs)
    wrapper.returns[index] = 0


def _forget_finished_episodes(env: Any) -> None:
    """Clear the library's Monitor, which keeps figures of every episode forever."""
    while not isinstance(env, Monitor):
        if (env := getattr(env, "env", None)) is None:
            return
    for figures in (env.episode_returns, env.episode_lengths, env.episode_times):
        figures.clear()


def capture_generators(model: BaseAlgorithm) -> dict[str, Any]:
    """Return the states of the global generators and of every space."""
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state().numpy().copy(),
        "spaces": [_state(space) for space in _spaces(model)],
    }


def restore_generators(model: BaseAlgorithm, states: dict[str, Any]) -> None:
    """Restore the generators in place, so that the model and its environments still share their spaces."""
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(torch.from_numpy(states["torch"]))
    for space, state in zip(_spaces(model), states["spaces"], strict=True):
        if state is not None:
            space.np_random.bit_generator.state = state


def _state(space: spaces.Space[Any]) -> Any:
    """Return the generator's state, or None if nothing was sampled from the space."""
    return space._np_random.bit_generator.state if space._np_random is not None else None


def _spaces(model: BaseAlgorithm) -> list[spaces.Space[Any]]:
    """Return each space once, in an order that depends only on how the model is built."""
    found: list[spaces.Space[Any]] = [model.action_space, model.observation_space]
    for env in environments_of(model):
        found.extend(spaces_of(env))
    return list(_unique(found))


def _unique(found: Iterable[spaces.Space[Any]]) -> Iterator[spaces.Space[Any]]:
    known: set[int] = set()
    for space in found:
        if id(space) not in known:
            known.add(id(space))
            yield space


Point = Literal["rollout", "end"]
"""Where training may be captured: at the start of a rollout, or after its last update."""


class Counter(Protocol):
    """A part of the trainer whose state belongs to snapshots."""

    def state(self) -> dict[str, Any]:
        """Return the state in plain values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``."""


@dataclass(frozen=True)
class Captured:
    """A copied state. ``state`` is pickled; ``pieces`` hold the replay buffer."""

    step: int
    point: Point
    last_row: int
    state: bytes
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...]
    problem: str | None = None
    """Why training does not continue exactly from it; None if it does."""

    @property
    def is_finite(self) -> bool:
        """Whether all weights are finite."""
        return are_finite(self.tensors)


def capture(
    model: BaseAlgorithm, counters: Mapping[str, Counter], tape: ReplayTape, *, point: Point, last_row: int
) -> Captured:
    """Copy the state of training. The copy does not change when training continues.

    Args:
        model: The model in training.
        counters: Our own parts that have state, by name.
        tape: Follows the replay buffer.
        point: Where training is in its iteration.
        last_row: ``seq`` of the last journal row.
    """
    replay: ReplayState | None = tape.follow(model)
    environments = capture_environments(model)
    state = {
        "model": capture_attributes(model),
        "environments": environments,
        "generators": capture_generators(model),
        "counters": {name: counter.state() for name, counter in counters.items()},
        "replay": replay,
    }
    return Captured(
        model.num_timesteps,
        point,
        last_row,
        pickle.dumps(state, pickle.HIGHEST_PROTOCOL),
        capture_tensors(model),
        tuple(tape.pieces),
        environments["problem"],
    )


class LogInterval(int):
    """Interval between logged iterations, continued after ``before`` iterations of an earlier ``learn``.

    The library logs when ``iteration % log_interval`` is 0. Its ``iteration`` is a local variable, which cannot be
    restored, so the interval adds the earlier iterations.
    """

    before: int

    def __new__(cls, interval: int, before: int) -> LogInterval:
        iterations = super().__new__(cls, interval)
        iterations.before = before
        return iterations

    def __rmod__(self, iteration: int) -> int:
        return (iteration + self.before) % int(self)


def log_interval(model: BaseAlgorithm, before: int) -> dict[str, Any]:
    """Return arguments of ``learn`` with which ``model`` logs as if it had not been interrupted."""
    if not isinstance(model, OnPolicyAlgorithm):
        return {}
    standard = inspect.signature(type(model).learn).parameters["log_interval"].default
    return {"log_interval": LogInterval(standard, before)}


_WEIGHTS, _STATE = "weights.pt.zst", "state.pkl.zst"
_LEVEL = 3


@dataclass(frozen=True)
class Contents:
    """The content of a snapshot. ``state`` is as ``capture`` makes it; ``pieces`` are those of the replay buffer."""

    manifest: SnapshotManifest
    state: dict[str, Any]
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...] = ()


def write_archive(folder: RunFolder, captured: Captured, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
    """Write a snapshot: first replay segments, then the file that names them.

    Returns:
        The manifest with its segments, and the file's size in bytes.

    Raises:
        OSError: A file cannot be written.
        RunFolderError: The run folder cannot be used.
    """
    manifest = manifest.model_copy(update={"segments": write_pieces(folder, captured.pieces)})
    weights = io.BytesIO()
    torch.save(captured.tensors, weights)
    compressor = zstandard.ZstdCompressor(_LEVEL)
    members = {_WEIGHTS: compressor.compress(weights.getbuffer()), _STATE: compressor.compress(captured.state)}
    path = write_snapshot(folder, manifest, members)
    return manifest, path.stat().st_size


def read_archive(folder: RunFolder, name: str) -> Contents:
    """Read a snapshot. Unpickles only what this program wrote.

    Raises:
        ArtifactNotFound: There is no snapshot of that name.
        SnapshotDamaged: It cannot be read.
        SnapshotRefused: It does not fit this version.
    """
    manifest, members = read_snapshot(folder, name)
    decompressor = zstandard.ZstdDecompressor()
    try:
        tensors = torch.load(io.BytesIO(decompressor.decompress(members[_WEIGHTS])), weights_only=True)
        state = load_any(decompressor.decompress(members[_STATE]))
    except Exception as error:  # we wrote it, but a library that it needs has moved
        raise SnapshotDamaged(f"Snapshot {name} cannot be read here: {summarize_error(error)}.") from error
    replay = state["replay"]
    return Contents(
        manifest, state, tensors, select_pieces(manifest.segments, replay.rows) if replay is not None else ()
    )


def copy_contents(captured: Captured, manifest: SnapshotManifest) -> Contents:
    """Return the content of a capture. It shares only the replay buffer's pieces with ``captured``."""
    return Contents(manifest, pickle.loads(captured.state), copied(captured.tensors), captured.pieces)
