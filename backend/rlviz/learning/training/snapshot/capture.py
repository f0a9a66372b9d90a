"""The environments of a model, and what normalises what they show.

The generators of random numbers that training draws from, besides those within environments.

Everything that training is, copied in the training thread.

Iterations of on-policy algorithms, which the library counts from 1 in each call of ``learn``.

A snapshot as a file: written from what was captured, and read whole or not at all.

Asked: the snapshots that people ask for, until they are taken.

The newest snapshots in memory: so that a stop or a pause loses little, and going back reads no file.
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
from rlviz.learning.training.snapshot.replay import ReplayPiece, ReplayState, ReplayTape, pieces_of, write_pieces
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot, write_snapshot

_NORMALIZATION = ("obs_rms", "ret_rms", "returns", "old_obs", "old_reward")
"""What the library's ``VecNormalize`` learns and holds between two steps."""


def environments_of(model: BaseAlgorithm) -> list[Env]:
    environments: Any = model.get_env()
    return list(environments.unwrapped.envs)


def capture_environments(model: BaseAlgorithm) -> dict[str, Any]:
    """``problem`` says why the state of an environment, which is then None, could not be copied."""
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
    """What was learned of observations and rewards, without what is held between two steps."""
    wrapper, learned = model.get_vec_normalize_env(), states["normalization"]
    if wrapper is not None and learned is not None:
        vars(wrapper).update({name: learned[name] for name in ("obs_rms", "ret_rms") if name in learned})


def restore_environments(model: BaseAlgorithm, states: dict[str, Any]) -> dict[int, str]:
    """What is known of the model itself has to be restored before. An environment that cannot be brought there begins
    an episode anew; returns why, by index, for each of those."""
    wrapper = model.get_vec_normalize_env()
    if wrapper is not None and states["normalization"] is not None:
        vars(wrapper).update(states["normalization"])
    problems = {}
    for index, (env, state) in enumerate(zip(environments_of(model), states["each"], strict=True)):
        try:
            if state is None:
                raise NotCapturable(states["problem"])  # noqa: TRY301  (as one that turns out to be impossible now)
            restore_environment(env, state)
        except NotCapturable as error:
            problems[index] = f"{error} An episode was begun anew."
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
    """The library's Monitor keeps figures of every episode, which nobody reads, for ever."""
    while not isinstance(env, Monitor):
        if (env := getattr(env, "env", None)) is None:
            return
    for figures in (env.episode_returns, env.episode_lengths, env.episode_times):
        figures.clear()


def capture_generators(model: BaseAlgorithm) -> dict[str, Any]:
    """The global ones and those of every space."""
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state().numpy().copy(),
        "spaces": [_state(space) for space in _spaces(model)],
    }


def restore_generators(model: BaseAlgorithm, states: dict[str, Any]) -> None:
    """Set them in place: the model's action space stays the environment's."""
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(torch.from_numpy(states["torch"]))
    for space, state in zip(_spaces(model), states["spaces"], strict=True):
        if state is not None:
            space.np_random.bit_generator.state = state


def _state(space: spaces.Space[Any]) -> Any:
    """None for one that nobody has drawn from."""
    return space._np_random.bit_generator.state if space._np_random is not None else None


def _spaces(model: BaseAlgorithm) -> list[spaces.Space[Any]]:
    """Each once, in an order that depends on how the model is built alone."""
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
"""Where training may be captured: at the start of a rollout, or behind its last update."""


class Counter(Protocol):
    """A part of this product that counts while it trains."""

    def state(self) -> dict[str, Any]:
        """What it has counted, in plain values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Count on from there."""


@dataclass(frozen=True)
class Captured:
    """``state`` is pickled; ``pieces`` hold the replay buffer."""

    step: int
    point: Point
    last_row: int
    state: bytes
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...]
    problem: str | None = None
    """Why training does not go on exactly from it."""

    @property
    def is_finite(self) -> bool:
        """Whether no weight is NaN or infinite."""
        return are_finite(self.tensors)


def capture(
    model: BaseAlgorithm, counters: Mapping[str, Counter], tape: ReplayTape, *, point: Point, last_row: int
) -> Captured:
    """Nothing of it changes any more when training goes on."""
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
    """How many iterations lie between two rows, where ``before`` iterations were done by an earlier ``learn``.

    The library logs when ``iteration % log_interval`` is 0. Its ``iteration`` is a local variable, which cannot be
    restored, so the interval counts the earlier ones in.
    """

    before: int

    def __new__(cls, interval: int, before: int) -> LogInterval:
        iterations = super().__new__(cls, interval)
        iterations.before = before
        return iterations

    def __rmod__(self, iteration: int) -> int:
        return (iteration + self.before) % int(self)


def log_interval(model: BaseAlgorithm, before: int) -> dict[str, Any]:
    """Keyword arguments of ``learn`` with which ``model`` logs as if it had not been interrupted."""
    if not isinstance(model, OnPolicyAlgorithm):
        return {}
    standard = inspect.signature(type(model).learn).parameters["log_interval"].default
    return {"log_interval": LogInterval(standard, before)}


_WEIGHTS, _STATE = "weights.pt.zst", "state.pkl.zst"
_LEVEL = 3


@dataclass(frozen=True)
class Contents:
    """What a snapshot holds. ``state`` as ``capture`` makes it; ``pieces`` are those of the replay buffer."""

    manifest: SnapshotManifest
    state: dict[str, Any]
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...] = ()


def write_archive(folder: RunFolder, captured: Captured, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
    """Segments first, then the file that names them. Returns its manifest and its size in bytes.

    Raises OSError and RunFolderError.
    """
    manifest = manifest.model_copy(update={"segments": write_pieces(folder, captured.pieces)})
    weights = io.BytesIO()
    torch.save(captured.tensors, weights)
    compressor = zstandard.ZstdCompressor(_LEVEL)
    members = {_WEIGHTS: compressor.compress(weights.getbuffer()), _STATE: compressor.compress(captured.state)}
    path = write_snapshot(folder, manifest, members)
    return manifest, path.stat().st_size


def read_archive(folder: RunFolder, name: str) -> Contents:
    """Raises ArtifactNotFound, SnapshotDamaged and SnapshotRefused; unpickles nothing that is not our own."""
    manifest, members = read_snapshot(folder, name)
    decompressor = zstandard.ZstdDecompressor()
    try:
        tensors = torch.load(io.BytesIO(decompressor.decompress(members[_WEIGHTS])), weights_only=True)
        state = load_any(decompressor.decompress(members[_STATE]))
    except Exception as error:  # it is what we wrote; a library that it needs has moved
        raise SnapshotDamaged(f"Snapshot {name} cannot be read here: {summarize_error(error)}.") from error
    replay = state["replay"]
    return Contents(manifest, state, tensors, pieces_of(manifest.segments, replay.rows) if replay is not None else ())


def contents_in_memory(captured: Captured, manifest: SnapshotManifest) -> Contents:
    """The same of what is still in memory; nothing of it is shared with ``captured`` but the replay buffer's pieces."""
    return Contents(manifest, pickle.loads(captured.state), copied(captured.tensors), captured.pieces)
