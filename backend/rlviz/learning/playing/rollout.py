"""Plays episodes, one or several environments at a time. Training, evaluation and sessions all use this rollout.

Also converts elements of Gymnasium spaces to numbers and hashes. Only workers may import it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import gymnasium
import numpy as np
from gymnasium import Space, spaces
from numpy.typing import NDArray
from stable_baselines3.common.utils import set_random_seed

from rlviz.domain.spaces import MOST_NUMBERS, SpaceLayout
from rlviz.learning.algorithms.policy import Policy
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.environments.cells import CELL
from rlviz.learning.environments.conforming import own_action
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.stats.pictures import is_picture

MAX_EPISODE_STEPS = 27_000
"""Step limit for environments without one: half an hour of Atari, as in the Arcade Learning Environment (108,000
frames, four per step)."""

Env = gymnasium.Env[Any, Any]


class Step(NamedTuple):
    """The state of an episode after ``number`` actions; step 0 is the reset.

    Args:
        episode: Position of the episode among those played, from 0.
        action: The last action; None at the reset.
        episode_return: Sum of rewards so far.
        reading: What the policy computes from ``observation``, from which it chooses the next action; None unless
            readings are requested (docs/records.md).
        components: The parts of ``reward`` by name, if the environment reports them.
        cell: Id of the cell that the environment is in, if it names cells.
    """

    episode: int
    number: int
    observation: Any
    action: Any = None
    reward: float = 0.0
    episode_return: float = 0.0
    terminated: bool = False
    truncated: bool = False
    reading: Reading | None = None
    components: Mapping[str, float] | None = None
    cell: int | None = None

    @property
    def is_last(self) -> bool:
        return self.terminated or self.truncated


class Start(Protocol):
    """A moment within an episode, in which episodes begin instead of with a reset."""

    def restore_in(self, env: Env, seed: int) -> tuple[Any, dict[str, Any]]:
        """Bring ``env`` to this moment, with generators seeded by ``seed``. Returns what ``reset`` returns."""


class Episode:
    """An episode in an environment. Call ``begin``, then ``take`` until a step is the last.

    With ``start``, it begins there: its steps and its return count from there.
    """

    def __init__(
        self, env: Env, place: int, seed: int, max_steps: int = MAX_EPISODE_STEPS, start: Start | None = None
    ) -> None:
        self.env, self.place, self.seed, self.start = env, place, seed, start
        self._max_steps = max_steps
        self.newest = Step(place, 0, None)

    def begin(self) -> Step:
        if self.start is None:
            observation, info = self.env.reset(seed=self.seed)
        else:
            observation, info = self.start.restore_in(self.env, self.seed)
        self.newest = Step(self.place, 0, observation, cell=info.get(CELL))
        return self.newest

    def take_action(self, action: Any) -> Step:
        """Take an action in any form that ``as_action`` accepts, and return the step."""
        before = self.newest
        action = as_action(self.env.action_space, action)
        observation, reward, terminated, truncated, info = self.env.step(action)
        reward, number = float(reward), before.number + 1
        self.newest = Step(
            self.place,
            number,
            observation,
            action,
            reward,
            before.episode_return + reward,
            bool(terminated),
            bool(truncated or (number >= self._max_steps and not terminated)),
            components=info.get(COMPONENTS),
            cell=info.get(CELL),
        )
        return self.newest


def batch_of(observations: Sequence[Any]) -> NDArray[Any]:
    """Stack ``observations`` along a new first axis; those without a shape (such as dictionaries) as objects."""
    if not isinstance(observations[0], dict | tuple | str):
        return np.stack(observations)
    batch = np.empty(len(observations), dtype=object)
    for place, observation in enumerate(observations):
        batch[place] = observation
    return batch


def as_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """Convert a policy's action to the form that ``space`` contains: an int, or an array of its shape and type."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(np.asarray(action).item())
    return own_action(space, action)


HASH_BYTES = 16


def layout_of(space: Space[Any], key: str | None = None) -> SpaceLayout:
    """Return which parts of the space's elements are stored as numbers.

    Images, long arrays, and elements without a fixed size (text, graphs) are only hashed.
    """
    match space:
        case spaces.Dict():
            return _composed("Dict", [layout_of(part, name) for name, part in space.spaces.items()], key)
        case spaces.Tuple():
            return _composed("Tuple", [layout_of(part) for part in space.spaces], key)
        case spaces.Box() if _is_listed(space):
            low, high = space.low.ravel().tolist(), space.high.ravel().tolist()
            return _leaf(space, key, low=low, high=high)
        case spaces.Discrete():
            return _leaf(space, key, counts=[int(space.n)], starts=[int(space.start)])
        case spaces.MultiDiscrete() if space.nvec.size <= MOST_NUMBERS:
            return _leaf(space, key, counts=space.nvec.ravel().tolist(), starts=space.start.ravel().tolist())
        case spaces.MultiBinary() if np.prod(space.shape, dtype=int) <= MOST_NUMBERS:
            return _leaf(space, key)
    return SpaceLayout(kind=type(space).__name__, key=key, shape=space.shape or (), dtype=str(space.dtype or "object"))


def numbers_of(layout: SpaceLayout, element: Any) -> NDArray[Any]:
    """Return a copy of the stored numbers of ``element``, of shape (``layout.numbers``,)."""
    if not layout.parts:
        return np.array(element, dtype=layout.dtype).reshape(-1) if layout.numbers else np.empty(0)
    kept = [numbers_of(part, value) for part, value in _parts(layout, element) if part.numbers]
    return np.concatenate(kept).astype(layout.dtype) if kept else np.empty(0)


def numbers_of_each(layout: SpaceLayout, elements: Sequence[Any]) -> list[NDArray[Any]]:
    """Return ``numbers_of`` each element; for arrays and numbers, as rows of one array."""
    if layout.parts or not layout.numbers or not elements:
        return [numbers_of(layout, element) for element in elements]
    return list(np.array(elements, dtype=layout.dtype).reshape(len(elements), -1))


def element_hash(layout: SpaceLayout, element: Any) -> bytes | None:
    """Return the BLAKE2b hash of all parts that are not in ``numbers_of``, or None if there are none."""
    if not layout.is_hashed:
        return None
    digest = blake2b(digest_size=HASH_BYTES)
    for part in _hashed(layout, element):
        digest.update(np.ascontiguousarray(part).data if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.digest()


def digest_of(array: NDArray[Any]) -> bytes:
    """Return the BLAKE2b hash of the bytes of ``array`` in C order. Releases the interpreter lock."""
    return blake2b(np.ascontiguousarray(array).data, digest_size=HASH_BYTES).digest()


def _is_listed(space: spaces.Box) -> bool:
    return not is_picture(space.shape, space.dtype) and np.prod(space.shape, dtype=int) <= MOST_NUMBERS


def _leaf(space: Space[Any], key: str | None, **facts: Any) -> SpaceLayout:
    shape = tuple(space.shape or ())
    numbers = int(np.prod(shape, dtype=int))
    return SpaceLayout(
        kind=type(space).__name__, key=key, shape=shape, dtype=str(space.dtype), numbers=numbers, **facts
    )


def _composed(kind: str, parts: list[SpaceLayout], key: str | None) -> SpaceLayout:
    return SpaceLayout(kind=kind, key=key, parts=tuple(parts), numbers=sum(part.numbers for part in parts))


def _parts(layout: SpaceLayout, element: Any) -> Iterator[tuple[SpaceLayout, Any]]:
    values = (element[part.key] for part in layout.parts) if layout.kind == "Dict" else element
    return zip(layout.parts, values, strict=True)


def _hashed(layout: SpaceLayout, element: Any) -> Iterator[Any]:
    if layout.parts:
        for part, value in _parts(layout, element):
            yield from _hashed(part, value)
    elif not layout.numbers:
        yield element


def play(
    envs: Sequence[Env],
    policy: Policy,
    seeds: Sequence[int],
    *,
    deterministic: bool = True,
    readings: bool = False,
    max_steps: int = MAX_EPISODE_STEPS,
) -> Iterator[Step]:
    """Play an episode for each of ``seeds`` and yield every step, including resets.

    Each environment takes the next seed when its episode is over: a single one plays the episodes in order, several
    share each prediction of the policy. While a step is yielded, its environment is in the state after it and can be
    rendered.

    Python's, NumPy's and torch's global generators are seeded at each reset, so that sampled actions repeat too.
    Policies that remember earlier observations can only be played in one environment.

    Args:
        readings: Whether each step, also the last, has the policy's reading of its observation.
    """
    waiting = iter(enumerate(seeds))
    idle, playing, state = list(envs), list[Episode](), None
    while True:
        while idle and (following := next(waiting, None)) is not None:
            place, seed = following
            episode = Episode(idle.pop(0), place, seed, max_steps)
            seed_all(episode, policy, deterministic=deterministic)
            episode.begin()
            playing.append(episode)
        if not playing:
            return
        actions, state = _predict(playing, policy, state if len(envs) == 1 else None, deterministic)
        yield from _steps(playing, policy, actions if readings else None)
        for episode, action in zip(playing, actions, strict=True):
            episode.take_action(action)
        over = [episode for episode in playing if episode.newest.is_last]
        if over:
            # Reading must not draw random numbers for an action that is not taken, or it would change the episodes
            known = state if len(envs) == 1 else None
            last = _predict(over, policy, known, deterministic=True)[0] if readings else None
            yield from _steps(over, policy, last)
        idle += [episode.env for episode in over]
        playing = [episode for episode in playing if not episode.newest.is_last]


def _predict(episodes: Sequence[Episode], policy: Policy, state: Any, deterministic: bool) -> tuple[Any, Any]:
    """Return the next action of each episode, and the new state of a recurrent policy."""
    starts = np.array([episode.newest.number == 0 for episode in episodes])
    return policy.predict(_seen(episodes), state, starts, deterministic=deterministic)


def _steps(episodes: Sequence[Episode], policy: Policy, actions: Any) -> Iterator[Step]:
    """Yield the newest step of each episode, with its reading if the next ``actions`` are given."""
    reading = None if actions is None else policy.read(_seen(episodes), actions)
    for row, episode in enumerate(episodes):
        if reading is not None:
            episode.newest = episode.newest._replace(reading=reading.row(row))
        yield episode.newest


def _seen(episodes: Sequence[Episode]) -> Any:
    return batch_of([episode.newest.observation for episode in episodes])


def seed_all(episode: Episode, policy: Policy | None, *, deterministic: bool) -> None:
    """Seed everything that actions may be drawn from.

    With deterministic actions, the generator of the policy's action space is not touched. A policy in training shares
    it with training, so sample its actions within ``keep_sampling_state``.
    """
    set_random_seed(episode.seed)
    episode.env.action_space.seed(episode.seed)
    if policy is not None and not deterministic:
        policy.action_space.seed(episode.seed)
