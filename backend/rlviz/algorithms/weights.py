"""Weights-only files: what is needed to play and read a policy, without what only training needs.

A zip archive, stored and not deflated, of these members:
- ``architecture.pkl``: the class of the policy and its arguments, pickled as Stable-Baselines3 does;
- ``weights.pth``: its tensors, without target networks;
- ``played.json``: the environment steps it was trained for, and its exploration rate, if it has one;
- ``exploration.pkl``: the noise with which it explores, pickled; not in files of earlier versions;
- ``normalization.json``: the normalisation of its observations, if they are normalised;
- ``numbering.json``: how the environment counts its values, if the library counts them in another way.

There is no optimizer and no buffer in it, and reading creates none. Policies are read without running code from the
file (``plain_pickle``) unless the environment is the user's own, whose spaces may be of classes of theirs.
Imports Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

import base64
import json
import pickle
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import IO, Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms.base import Algorithm
from rlviz.algorithms.exploration import Exploration
from rlviz.algorithms.numbering import Numbering
from rlviz.algorithms.plain_pickle import NotPlain, load_plain
from rlviz.algorithms.policy import Scale, TrainedPolicy, write_extras
from rlviz.domain.registry import load

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
    return pickle.loads if own_environment else load_plain


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
