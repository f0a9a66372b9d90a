"""Policies for playing: saving and loading them without training state, choosing actions, and reading values.

A weights-only file is an uncompressed zip archive with these members:
- ``architecture.pkl``: the policy's class and arguments, pickled as Stable-Baselines3 does;
- ``weights.pth``: its tensors, without target networks;
- ``played.json``: the environment steps it was trained for, and its exploration rate, if any;
- ``exploration.pkl``: its exploration noise, pickled; missing in older files;
- ``normalization.json`` and ``numbering.json``: how its observations are normalised and numbered, if they are.

Files are read without running code from them (``plain_pickle``), unless the environment is the user's own. A policy
takes observations as the environment returns them. Imports Stable-Baselines3, so only workers may import it.
"""

from __future__ import annotations

import base64
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any, Protocol, Self

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.distributions import (
    BernoulliDistribution,
    CategoricalDistribution,
    MultiCategoricalDistribution,
    StateDependentNoiseDistribution,
)
from stable_baselines3.common.noise import ActionNoise

from rlviz.domain.registry import load
from rlviz.learning.algorithms.base import Algorithm
from rlviz.learning.algorithms.feature_memory import FeatureMemory, Features
from rlviz.learning.algorithms.numbering import Numbering
from rlviz.learning.algorithms.plain_pickle import NotPlain, load_any, load_plain
from rlviz.learning.algorithms.reading import Numbers, Reading

SEEDS = 2**31
"""Number of different seeds that an episode's actions can be drawn with."""


class RandomPolicy:
    """Draws each action from ``action_space``, also if asked to be deterministic, and ignores observations.

    At the beginning of an episode its generator is seeded from NumPy's global one, which the rollout seeds with the
    episode's seed. So the actions repeat, regardless of earlier episodes. The generator is the episode's state: a
    prediction without a state, which is never acted on, draws no number of the running episode.
    """

    def __init__(self, action_space: gymnasium.Space[Any]) -> None:
        self.action_space = deepcopy(action_space)

    def predict(
        self,
        observation: Any,
        state: gymnasium.Space[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, gymnasium.Space[Any]]:
        """``state`` is the action space of the episode, whose generator draws; None at its beginning."""
        begins = episode_start is not None and np.any(episode_start)
        if begins or state is None:
            state = deepcopy(self.action_space)
            state.seed(int(np.random.randint(SEEDS)) if begins else 0)
        return np.stack([state.sample() for _ in observation]), state

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading()


@dataclass(frozen=True)
class Explored:
    """The state of exploration in an episode: its steps so far, and its action noise, if any."""

    steps: int
    noise: ActionNoise | None


@dataclass(frozen=True)
class Exploration:
    """Explores as in training.

    gSDE samples new noise every ``rollout_steps`` steps of an environment, and also every ``sde_sample_freq`` steps
    unless that is -1. Without ``rollout_steps`` an episode is one rollout.
    """

    action_noise: ActionNoise | None = None
    rollout_steps: int | None = None
    sde_sample_freq: int = -1

    @classmethod
    def from_model(cls, model: Any) -> Self:
        """Return the exploration of a model in training, or of a complete saved model."""
        noise = getattr(model, "action_noise", None)
        # Off-policy models have ``n_steps`` too, but for n-step returns.
        train_freq, n_steps = getattr(model, "train_freq", None), getattr(model, "n_steps", None)
        return cls(
            getattr(noise, "base_noise", noise),  # the noise of one environment
            n_steps if train_freq is None else getattr(train_freq, "frequency", train_freq),
            getattr(model, "sde_sample_freq", -1),
        )

    def act(self, model: BaseAlgorithm, observation: Any, explored: Explored | None) -> tuple[Any, Explored]:
        """Sample actions for a batch, as training does. Draws from the global generators of NumPy and torch.

        ``explored`` is the state that the last call returned; None at the beginning of an episode.
        """
        if explored is None:
            explored = Explored(0, self._fresh_noise())
        if getattr(model, "use_sde", False) and self._is_drawn_at(explored.steps):
            model.policy.reset_noise()  # type: ignore[operator]
        actions, _ = model.predict(observation, deterministic=False)
        noise = deepcopy(explored.noise)  # a second future may continue from the same state
        if noise is not None:
            drawn = np.stack([noise() for _ in actions])
            policy: Any = model.policy
            actions = policy.unscale_action(np.clip(policy.scale_action(actions) + drawn, -1, 1))
        return actions, Explored(explored.steps + 1, noise)

    def _fresh_noise(self) -> ActionNoise | None:
        noise = deepcopy(self.action_noise)
        if noise is not None:
            noise.reset()
        return noise

    def _is_drawn_at(self, step: int) -> bool:
        place = step % self.rollout_steps if self.rollout_steps else step
        return place == 0 or (self.sde_sample_freq > 0 and place % self.sde_sample_freq == 0)


Reader = Callable[[Any, Any, Any], Reading]


def read_actor_critic(model: Any, observations: Any, actions: Any) -> Reading:
    """Read the value, and the probabilities of actions or their mean and deviation."""
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        value = _numbers(model.policy.predict_values(seen).flatten())
        distribution = model.policy.get_distribution(seen)
    inner = distribution.distribution
    if isinstance(distribution, MultiCategoricalDistribution):
        return Reading(value=value, probabilities=_numbers(torch.cat([part.probs for part in inner], dim=1)))
    if isinstance(distribution, CategoricalDistribution | BernoulliDistribution):
        return Reading(value=value, probabilities=_numbers(inner.probs))
    return Reading(value=value, mean=_numbers(inner.mean), deviation=_numbers(inner.stddev))


def read_q_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        q_values = _numbers(model.q_net(_as_tensor(model, observations)))
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def read_quantile_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        quantiles = _numbers(model.quantile_net(_as_tensor(model, observations)))
    q_values = quantiles.mean(axis=1)
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions), quantiles=quantiles)


def read_squashed_actor(model: Any, observations: Any, actions: Any) -> Reading:
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        mean, log_std, noise = model.actor.get_action_dist_params(seen)
        inner = model.actor.action_dist.proba_distribution(mean, log_std, **noise).distribution
    return Reading(
        mean=_numbers(inner.mean),
        deviation=_numbers(inner.stddev),
        squashed=True,
        action_value=_least(model, seen, actions),
    )


def read_deterministic_actor(model: Any, observations: Any, actions: Any) -> Reading:
    """The mean is the action without noise; there is no standard deviation."""
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        mean = model.policy.unscale_action(_numbers(model.actor(seen)))
    return Reading(mean=mean, action_value=_least(model, seen, actions))


def read_table(model: Any, observations: Any, actions: Any) -> Reading:
    q_values = model.policy.table.numpy()[model.policy.states(observations)]
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def _as_tensor(model: Any, observations: Any) -> Any:
    model.policy.set_training_mode(False)
    return model.policy.obs_to_tensor(observations)[0]


def _numbers(tensor: torch.Tensor) -> Numbers:
    """Copy ``tensor`` to an array, because training changes the networks' tensors in place."""
    return np.array(tensor.cpu().numpy())


def _taken(model: Any, q_values: Numbers, actions: Any) -> Numbers:
    places = np.asarray(actions).reshape(-1) - model.action_space.start
    return np.asarray(q_values[np.arange(len(q_values)), places])


def _least(model: Any, seen: Any, actions: Any) -> Numbers:
    """Return the minimum of the critics' values. Critics take actions scaled to −1 … 1."""
    scaled = torch.as_tensor(model.policy.scale_action(np.asarray(actions)), dtype=torch.float32, device=model.device)
    with torch.no_grad():
        return _numbers(torch.cat(model.critic(seen, scaled), dim=1).min(dim=1).values)


MEMBER = "normalization.json"
"""Name of the member of a policy's zip archive that holds the normalisation. Stable-Baselines3 ignores it."""


class Policy(Protocol):
    """Something that acts and can be read. Observations and actions are batches."""

    action_space: gymnasium.Space[Any]

    def predict(
        self, observation: Any, state: Any = ..., episode_start: Any = ..., deterministic: bool = ...
    ) -> tuple[Any, Any]:
        """Return actions, and the state to pass with the next observations of the same episodes."""

    def read(self, observations: Any, actions: Any) -> Reading:
        """Return the reading of ``observations`` and of the ``actions`` that followed them."""


@dataclass(frozen=True, eq=False)
class Scale:
    """The normalisation of Stable-Baselines3's ``VecNormalize``, estimated from ``count`` observations.

    ``mean`` and ``var`` have the shape of an observation; normalised values are clipped to ±``clip``.
    """

    mean: NDArray[np.float64]
    var: NDArray[np.float64]
    count: float
    clip: float
    epsilon: float

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """Normalise ``observation``, or a batch of observations."""
        scaled = (observation - self.mean) / np.sqrt(self.var + self.epsilon)
        cut: NDArray[np.float32] = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        return cut

    @classmethod
    def from_model(cls, model: BaseAlgorithm) -> Self | None:
        """Copy the normalisation of a model in training; None if it does not normalise observations."""
        wrapper = model.get_vec_normalize_env()
        if wrapper is None or not wrapper.norm_obs:
            return None
        seen: Any = wrapper.obs_rms
        return cls(seen.mean, seen.var, seen.count, wrapper.clip_obs, wrapper.epsilon)

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """Read the normalisation of a saved policy; None if it has none."""
        with zipfile.ZipFile(file) as archive:
            if MEMBER not in archive.namelist():
                return None
            values = json.loads(archive.read(MEMBER))
        return cls(np.array(values.pop("mean")), np.array(values.pop("var")), **values)

    def write(self, file: IO[bytes]) -> None:
        """Add the normalisation to the policy saved in ``file``."""
        values = {**vars(self), "mean": self.mean.tolist(), "var": self.var.tolist()}
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(MEMBER, json.dumps(values))


class TrainedPolicy:
    """A Stable-Baselines3 model as a policy, with its normalisation, numbering and exploration noise, if any."""

    def __init__(
        self, algorithm: Algorithm, model: BaseAlgorithm, scale: Scale | None, numbering: Numbering | None = None
    ) -> None:
        self.model, self.scale, self.numbering = model, scale, numbering
        self.exploration = Exploration.from_model(model)
        self.action_space = model.action_space
        self.features = FeatureMemory(model.policy)
        self._algorithm = algorithm

    @property
    def scorer(self) -> str | None:
        """Lazy reference to the function that scores pixels."""
        return self._algorithm.scorer

    @property
    def step(self) -> int:
        """Environment steps it was trained for."""
        return int(self.model.num_timesteps)

    def predict(
        self, observation: Any, state: Explored | None = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Explored | None]:
        """Choose actions. ``state`` is the state of exploration; None at the beginning of an episode."""
        if episode_start is not None and np.any(episode_start):
            state = None
        seen = self._seen(observation)
        if deterministic:
            actions = self.model.predict(seen, deterministic=True)[0]
        else:
            actions, state = self.exploration.act(self.model, seen, state)
        return (actions if self.numbering is None else self.numbering.actions(actions)), state

    def read(self, observations: Any, actions: Any, known: Sequence[Features] = ()) -> Reading:
        """Read the policy. ``known``: the features of each observation that ``features`` recorded."""
        reader: Reader = load(self._algorithm.reader)
        with self.features.compute_once(known):
            return reader(self.model, self._seen(observations), self.places(actions))

    def places(self, actions: Any) -> Any:
        """Convert a batch of the environment's actions to the model's."""
        return actions if self.numbering is None else self.numbering.places(actions)

    def _seen(self, observations: Any) -> Any:
        """Convert a batch of the environment's observations to the model's."""
        if self.numbering is not None:
            observations = self.numbering.observations(observations)
        return observations if self.scale is None else self.scale(observations)


def make_playable(algorithm: Algorithm, model: BaseAlgorithm) -> TrainedPolicy:
    """Return the current policy of a model in training, with a copy of its normalisation."""
    return TrainedPolicy(algorithm, model, Scale.from_model(model), Numbering.from_model(model))


@contextmanager
def keep_sampling_state(policy: Policy) -> Iterator[None]:
    """Restore at the end of the block what sampling actions changes, except the global generators.

    These are the generator of the action space, which a model in training shares with its environments, and the noise
    of generalized state-dependent exploration (Raffin et al., 2021).
    """
    space = policy.action_space
    generator, space._np_random = space._np_random, deepcopy(space._np_random)
    noises = [(one, {name: one.__dict__[name] for name in _DRAWN if name in one.__dict__}) for one in _drawing(policy)]
    try:
        yield
    finally:
        space._np_random = generator
        for distribution, drawn in noises:
            distribution.__dict__.update(drawn)


_DRAWN = ("weights_dist", "exploration_mat", "exploration_matrices")


def _drawing(policy: Policy) -> list[StateDependentNoiseDistribution]:
    """Return the distribution that keeps its noise between actions, if the policy has one."""
    network = getattr(getattr(policy, "model", None), "policy", None)
    owners = (network, getattr(network, "actor", None))
    found = (getattr(owner, "action_dist", None) for owner in owners)
    return [one for one in found if isinstance(one, StateDependentNoiseDistribution)]


def write_extras(model: BaseAlgorithm, file: IO[bytes]) -> None:
    """Add the normalisation and numbering, which the library does not save, to the policy saved in ``file``."""
    for extra in (Scale.from_model(model), Numbering.from_model(model)):
        if extra is not None:
            extra.write(file)


_ARCHITECTURE, _WEIGHTS, _PLAYED = "architecture.pkl", "weights.pth", "played.json"
_EXPLORATION = "exploration.pkl"

_OF_THE_MODEL = ("exploration_rate", "use_sde")
"""Attributes of the model, not of its policy, that the library needs to predict."""

_WHOLE_MODEL = {"buffer_size": 1}
"""For loading a whole model to play it: a replay buffer of one row instead of the original size."""


def save_weights(model: BaseAlgorithm, file: IO[bytes]) -> None:
    """Write the current policy of ``model`` into ``file``, which is empty, readable and seekable.

    Call it in the thread that trains. It takes a few milliseconds for a small network.
    """
    policy: Any = model.policy
    arguments = policy._get_constructor_parameters()
    if "lr_schedule" in arguments:  # the library puts a method there, with which it would pickle the policy itself
        arguments["lr_schedule"] = _no_learning
    tensors = {name: tensor for name, tensor in policy.state_dict().items() if not _is_target(name)}
    played = {"step": model.num_timesteps} | {name: getattr(model, name, None) for name in _OF_THE_MODEL}
    weights = BytesIO()
    torch.save(tensors, weights)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_ARCHITECTURE, pickle.dumps((type(policy), arguments)))
        archive.writestr(_WEIGHTS, weights.getbuffer())
        archive.writestr(_PLAYED, json.dumps(played))
        archive.writestr(_EXPLORATION, pickle.dumps(vars(Exploration.from_model(model))))
    write_extras(model, file)


def read_weights(algorithm: Algorithm, file: IO[bytes], *, own_environment: bool = False) -> TrainedPolicy:
    """Read the policy that ``save_weights`` wrote, on the CPU. ``own_environment`` is as for ``read_policy``.

    Raises any error of the libraries for a damaged file.
    """
    unpickle = _unpickler(own_environment)
    with zipfile.ZipFile(file) as archive:
        policy_class, arguments = unpickle(archive.read(_ARCHITECTURE))
    model_class: Any = load(algorithm.model_class)
    model = model_class(policy_class, None, device="cpu", _init_setup_model=False)
    model.observation_space, model.action_space = arguments["observation_space"], arguments["action_space"]
    if "ortho_init" in arguments:  # slow for images, and the weights are replaced below
        arguments["ortho_init"] = False
    model.policy = policy_class(**arguments)
    if hasattr(model, "_create_aliases"):  # the library's code uses the model's references to the policy's networks
        model._create_aliases()
    policy = TrainedPolicy(algorithm, model, None, Numbering.read(file))
    with zipfile.ZipFile(file) as archive:
        if _EXPLORATION in archive.namelist():
            policy.exploration = Exploration(**unpickle(archive.read(_EXPLORATION)))
    replace_weights(policy, file)
    return policy


def replace_weights(policy: TrainedPolicy, file: IO[bytes]) -> None:
    """Replace the weights of ``policy`` in place by those in ``file``, from a later moment of the same training.

    Raises RuntimeError for another architecture, or any error of the libraries for a damaged file.
    """
    with zipfile.ZipFile(file) as archive:
        tensors = torch.load(BytesIO(archive.read(_WEIGHTS)), weights_only=True)
        played = json.loads(archive.read(_PLAYED))
    scale = Scale.read(file)
    model: Any = policy.model
    missing, unexpected = model.policy.load_state_dict(tensors, strict=False)
    if unexpected or not all(map(_is_target, missing)):
        raise RuntimeError("The weights belong to another network.")
    model.policy.set_training_mode(False)
    model.num_timesteps = played["step"]
    for name in _OF_THE_MODEL:
        if played[name] is not None:
            setattr(model, name, played[name])
    if model.use_sde:
        model.policy.reset_noise()
    policy.scale = scale


def read_policy(algorithm: Algorithm, file: IO[bytes], *, own_environment: bool = False) -> TrainedPolicy:
    """Read the policy in ``file``, which has only weights or a complete model, on the CPU for playing.

    Args:
        algorithm: The algorithm that trained it.
        file: An open file, because another policy may replace the file at its path.
        own_environment: Whether it was trained in the user's own environment, so that it may name the user's classes.

    Raises:
        NotPlain: The file names classes that policies do not contain.
        Exception: Any error of the libraries for a damaged file.
    """
    with zipfile.ZipFile(file) as archive:
        weights_only = _WEIGHTS in archive.namelist()
    file.seek(0)
    if weights_only:
        return read_weights(algorithm, file, own_environment=own_environment)
    model_class: Any = load(algorithm.model_class)
    objects = _pickled_attributes(file, _unpickler(own_environment))
    file.seek(0)
    model = model_class.load(file, device="cpu", custom_objects=objects, **_WHOLE_MODEL)
    return TrainedPolicy(algorithm, model, Scale.read(file), Numbering.read(file))


def _unpickler(own_environment: bool) -> Callable[[bytes], Any]:
    return load_any if own_environment else load_plain


def _pickled_attributes(file: IO[bytes], unpickle: Callable[[bytes], Any]) -> dict[str, Any]:
    """Return the attributes of a complete model that the library would unpickle itself.

    Attributes that only training needs, which older versions of the library pickled as functions, are replaced.
    """
    found = {}
    with zipfile.ZipFile(file) as archive:
        attributes = json.loads(archive.read("data"))
    for name, value in attributes.items():
        if not (isinstance(value, dict) and _SERIALIZED in value):
            continue
        try:
            found[name] = unpickle(base64.b64decode(value[_SERIALIZED]))
        except NotPlain:
            if name not in _ONLY_FOR_TRAINING:
                raise
            found[name] = _ONLY_FOR_TRAINING[name]
    return found


def _is_target(name: str) -> bool:
    """Return whether a tensor belongs to a target network, which is never played."""
    return name.partition(".")[0].endswith("_target")


def _no_learning(_progress: float) -> float:
    """Learning rate for a policy that is only played."""
    return 0.0


_SERIALIZED = ":serialized:"
"""Key by which Stable-Baselines3 marks pickled values among a model's attributes, which are JSON."""

_ONLY_FOR_TRAINING: dict[str, Any] = {
    "learning_rate": 0.0,
    "lr_schedule": _no_learning,
    "clip_range": 0.0,
    "clip_range_vf": None,
    "exploration_schedule": _no_learning,
    "ep_info_buffer": None,
    "ep_success_buffer": None,
}
