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
from collections.abc import Callable, Sequence
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
    """Draws each action from ``action_space``, asked to be deterministic or not, and makes nothing of what it sees.

    At the beginning of an episode its generator is seeded from NumPy's global one, which the rollout seeds with the
    episode's seed: so the actions repeat, whichever episodes were played before. The generator is the state of the
    episode, so that a prediction without a state, which is not acted on, takes no number from the episode under way.
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
    """How far exploration has come in an episode. ``noise`` is None where no action noise is added."""

    steps: int
    noise: ActionNoise | None


@dataclass(frozen=True)
class Exploration:
    """As in training: gSDE samples new noise every ``rollout_steps`` steps of an environment, and within them every
    ``sde_sample_freq`` steps, if that is not -1. Without ``rollout_steps`` an episode is one rollout."""

    action_noise: ActionNoise | None = None
    rollout_steps: int | None = None
    sde_sample_freq: int = -1

    @classmethod
    def of(cls, model: Any) -> Self:
        """That of a model in training, or of one that was saved whole."""
        noise = getattr(model, "action_noise", None)
        # Off-policy models have ``n_steps`` too, which are those of their returns.
        train_freq, n_steps = getattr(model, "train_freq", None), getattr(model, "n_steps", None)
        return cls(
            getattr(noise, "base_noise", noise),  # that of one environment
            n_steps if train_freq is None else getattr(train_freq, "frequency", train_freq),
            getattr(model, "sde_sample_freq", -1),
        )

    def act(self, model: BaseAlgorithm, observation: Any, explored: Explored | None) -> tuple[Any, Explored]:
        """Sample actions for a batch, as training does. ``explored`` is what was returned last; None at the beginning
        of an episode. Draws from NumPy's and torch's global generators."""
        if explored is None:
            explored = Explored(0, self._fresh_noise())
        if getattr(model, "use_sde", False) and self._is_drawn_at(explored.steps):
            model.policy.reset_noise()  # type: ignore[operator]
        actions, _ = model.predict(observation, deterministic=False)
        noise = deepcopy(explored.noise)  # another future may go on from here as well
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


def actor_critic(model: Any, observations: Any, actions: Any) -> Reading:
    """Value, and probabilities or mean and deviation."""
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


def q_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        q_values = _numbers(model.q_net(_as_tensor(model, observations)))
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def quantile_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        quantiles = _numbers(model.quantile_net(_as_tensor(model, observations)))
    q_values = quantiles.mean(axis=1)
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions), quantiles=quantiles)


def squashed_actor(model: Any, observations: Any, actions: Any) -> Reading:
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


def deterministic_actor(model: Any, observations: Any, actions: Any) -> Reading:
    """The mean is the action without noise; there is no standard deviation."""
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        mean = model.policy.unscale_action(_numbers(model.actor(seen)))
    return Reading(mean=mean, action_value=_least(model, seen, actions))


def table(model: Any, observations: Any, actions: Any) -> Reading:
    q_values = model.policy.table.numpy()[model.policy.states(observations)]
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def _as_tensor(model: Any, observations: Any) -> Any:
    model.policy.set_training_mode(False)
    return model.policy.obs_to_tensor(observations)[0]


def _numbers(tensor: torch.Tensor) -> Numbers:
    """A copy, since the networks' tensors are changed in place."""
    return np.array(tensor.cpu().numpy())


def _taken(model: Any, q_values: Numbers, actions: Any) -> Numbers:
    places = np.asarray(actions).reshape(-1) - model.action_space.start
    return np.asarray(q_values[np.arange(len(q_values)), places])


def _least(model: Any, seen: Any, actions: Any) -> Numbers:
    """The minimum of the critics' values, which both algorithms learn from. Critics take actions scaled to −1 … 1."""
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
        """Actions, and the state to give with the next observations of the same episodes."""

    def read(self, observations: Any, actions: Any) -> Reading:
        """The reading of ``observations`` and of the ``actions`` that were taken on them."""


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
        """``observation``, or a batch of them, normalised."""
        scaled = (observation - self.mean) / np.sqrt(self.var + self.epsilon)
        cut: NDArray[np.float32] = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        return cut

    @classmethod
    def of(cls, model: BaseAlgorithm) -> Self | None:
        """The current normalisation of a model in training; None if it does not normalise observations."""
        wrapper = model.get_vec_normalize_env()
        if wrapper is None or not wrapper.norm_obs:
            return None
        seen: Any = wrapper.obs_rms
        return cls(seen.mean, seen.var, seen.count, wrapper.clip_obs, wrapper.epsilon)

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """The normalisation of a saved policy; None if it has none."""
        with zipfile.ZipFile(file) as archive:
            if MEMBER not in archive.namelist():
                return None
            values = json.loads(archive.read(MEMBER))
        return cls(np.array(values.pop("mean")), np.array(values.pop("var")), **values)

    def write(self, file: IO[bytes]) -> None:
        """Add it to the policy that was saved in ``file``."""
        values = {**vars(self), "mean": self.mean.tolist(), "var": self.var.tolist()}
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(MEMBER, json.dumps(values))


class TrainedPolicy:
    """A Stable-Baselines3 model as a policy, with the normalisation and the numbering that it was trained with, if any,
    and the noise."""

    def __init__(
        self, algorithm: Algorithm, model: BaseAlgorithm, scale: Scale | None, numbering: Numbering | None = None
    ) -> None:
        self.model, self.scale, self.numbering = model, scale, numbering
        self.exploration = Exploration.of(model)
        self.action_space = model.action_space
        self.features = FeatureMemory(model.policy)
        self._algorithm = algorithm

    @property
    def scorer(self) -> str | None:
        """Lazy reference to the function by which pixels are weighed."""
        return self._algorithm.scorer

    @property
    def step(self) -> int:
        """Environment steps it was trained for."""
        return int(self.model.num_timesteps)

    def predict(
        self, observation: Any, state: Explored | None = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Explored | None]:
        """``state`` is how far exploration has come in the episode; None at its beginning."""
        if episode_start is not None and np.any(episode_start):
            state = None
        seen = self._seen(observation)
        if deterministic:
            actions = self.model.predict(seen, deterministic=True)[0]
        else:
            actions, state = self.exploration.act(self.model, seen, state)
        return (actions if self.numbering is None else self.numbering.actions(actions)), state

    def read(self, observations: Any, actions: Any, known: Sequence[Features] = ()) -> Reading:
        """``known``: what ``features`` noted of each of the observations."""
        reader: Reader = load(self._algorithm.reader)
        with self.features.made_once(known):
            return reader(self.model, self._seen(observations), self.places(actions))

    def places(self, actions: Any) -> Any:
        """A batch of the environment's actions as the model counts them."""
        return actions if self.numbering is None else self.numbering.places(actions)

    def _seen(self, observations: Any) -> Any:
        """A batch of observations as the model takes them."""
        if self.numbering is not None:
            observations = self.numbering.observations(observations)
        return observations if self.scale is None else self.scale(observations)


def as_played(algorithm: Algorithm, model: BaseAlgorithm) -> TrainedPolicy:
    """The current policy of a model in training, with a copy of its normalisation."""
    return TrainedPolicy(algorithm, model, Scale.of(model), Numbering.of_model(model))


def write_extras(model: BaseAlgorithm, file: IO[bytes]) -> None:
    """Add what is needed to play a model, and the library does not keep, to the policy that was saved in ``file``."""
    for extra in (Scale.of(model), Numbering.of_model(model)):
        if extra is not None:
            extra.write(file)


_ARCHITECTURE, _WEIGHTS, _PLAYED = "architecture.pkl", "weights.pth", "played.json"
_EXPLORATION = "exploration.pkl"

_OF_THE_MODEL = ("exploration_rate", "use_sde")
"""Attributes that the library keeps beside the policy and needs to predict."""

_WHOLE_MODEL = {"buffer_size": 1}
"""For loading a whole model to play it: a replay buffer of one row instead of the original size."""


def save_weights(model: BaseAlgorithm, file: IO[bytes]) -> None:
    """Write the policy of ``model`` as it is now into ``file``, which is empty and can be read and sought.

    For the thread that trains: a few milliseconds for a small network.
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
        archive.writestr(_EXPLORATION, pickle.dumps(vars(Exploration.of(model))))
    write_extras(model, file)


def read_weights(algorithm: Algorithm, file: IO[bytes], *, own_environment: bool = False) -> TrainedPolicy:
    """The policy that ``save_weights`` wrote, on the CPU. ``own_environment`` as for ``read_policy``. Raises what a
    broken file makes the libraries raise."""
    unpickle = _unpickler(own_environment)
    with zipfile.ZipFile(file) as archive:
        policy_class, arguments = unpickle(archive.read(_ARCHITECTURE))
    model_class: Any = load(algorithm.model_class)
    model = model_class(policy_class, None, device="cpu", _init_setup_model=False)
    model.observation_space, model.action_space = arguments["observation_space"], arguments["action_space"]
    if "ortho_init" in arguments:  # of weights that are replaced below, and most of the time it takes for pictures
        arguments["ortho_init"] = False
    model.policy = policy_class(**arguments)
    if hasattr(model, "_create_aliases"):  # of the networks within the policy, which the library's code goes by
        model._create_aliases()
    policy = TrainedPolicy(algorithm, model, None, Numbering.read(file))
    with zipfile.ZipFile(file) as archive:
        if _EXPLORATION in archive.namelist():
            policy.exploration = Exploration(**unpickle(archive.read(_EXPLORATION)))
    renew_weights(policy, file)
    return policy


def renew_weights(policy: TrainedPolicy, file: IO[bytes]) -> None:
    """Replace the weights of ``policy`` in place by those in ``file``, from a later moment of the same training.

    Raises what loading a broken file raises, and RuntimeError if it holds another architecture.
    """
    with zipfile.ZipFile(file) as archive:
        tensors = torch.load(BytesIO(archive.read(_WEIGHTS)), weights_only=True)
        played = json.loads(archive.read(_PLAYED))
    scale = Scale.read(file)
    model: Any = policy.model
    missing, unexpected = model.policy.load_state_dict(tensors, strict=False)
    if unexpected or not all(map(_is_target, missing)):
        raise RuntimeError("The weights are those of another network.")
    model.policy.set_training_mode(False)
    model.num_timesteps = played["step"]
    for name in _OF_THE_MODEL:
        if played[name] is not None:
            setattr(model, name, played[name])
    if model.use_sde:
        model.policy.reset_noise()
    policy.scale = scale


def read_policy(algorithm: Algorithm, file: IO[bytes], *, own_environment: bool = False) -> TrainedPolicy:
    """The policy saved in ``file``, weights alone or a whole model, on the CPU, to be played.

    An open file, since another policy may take its name meanwhile. ``own_environment``: whether it was trained in an
    environment of the user's own, so that the file may name classes of theirs. Raises NotPlain for a file that names
    others than a policy is made of, and what loading a broken file raises.
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
    """The attributes of a whole model that the library would unpickle itself. Those that only training needs, and that
    older versions of the library pickled as functions, have stand-ins."""
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
    """Whether a tensor belongs to a target network, which is never played."""
    return name.partition(".")[0].endswith("_target")


def _no_learning(_progress: float) -> float:
    """Learning rate for a policy that is only played."""
    return 0.0


_SERIALIZED = ":serialized:"
"""By which Stable-Baselines3 marks what is pickled among the attributes of a model, which are JSON."""

_ONLY_FOR_TRAINING: dict[str, Any] = {
    "learning_rate": 0.0,
    "lr_schedule": _no_learning,
    "clip_range": 0.0,
    "clip_range_vf": None,
    "exploration_schedule": _no_learning,
    "ep_info_buffer": None,
    "ep_success_buffer": None,
}
