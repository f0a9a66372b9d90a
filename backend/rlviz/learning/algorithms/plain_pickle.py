"""Loads pickles without running foreign code: only listed classes may be used, everything else is refused.

The list contains spaces and their generators, arrays, the libraries' policies, and what policies are built with.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any

_NUMPY = ("_core", "core")

_ALLOWED: Mapping[str, frozenset[str]] = {
    "builtins": frozenset({"dict", "list", "set", "frozenset", "tuple", "int", "float", "bool", "complex", "slice"}),
    "collections": frozenset({"OrderedDict"}),
    "numpy": frozenset(
        {
            *("dtype", "ndarray", "bool_", "bool", "float16", "float32", "float64"),
            *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
        }
    ),
    **{f"numpy.{core}.multiarray": frozenset({"_reconstruct", "scalar"}) for core in _NUMPY},
    **{f"numpy.{core}.numeric": frozenset({"_frombuffer"}) for core in _NUMPY},
    "numpy.random._pickle": frozenset({"__generator_ctor", "__bit_generator_ctor", "__randomstate_ctor"}),
    "numpy.random.bit_generator": frozenset({"__pyx_unpickle_SeedSequence", "SeedSequence"}),
    "numpy.random._pcg64": frozenset({"PCG64", "PCG64DXSM"}),
    "numpy.random._mt19937": frozenset({"MT19937"}),
    "numpy.random._philox": frozenset({"Philox"}),
    "numpy.random._sfc64": frozenset({"SFC64"}),
    "gymnasium.spaces.box": frozenset({"Box"}),
    "gymnasium.spaces.discrete": frozenset({"Discrete"}),
    "gymnasium.spaces.multi_discrete": frozenset({"MultiDiscrete"}),
    "gymnasium.spaces.multi_binary": frozenset({"MultiBinary"}),
    "torch.nn.modules.activation": frozenset({"ReLU", "Tanh", "ELU", "LeakyReLU", "SiLU", "GELU"}),
    "torch.optim.adam": frozenset({"Adam"}),
    "torch.optim.adamw": frozenset({"AdamW"}),
    "torch.optim.rmsprop": frozenset({"RMSprop"}),
    "stable_baselines3.common.sb2_compat.rmsprop_tf_like": frozenset({"RMSpropTFLike"}),
    "stable_baselines3.common.buffers": frozenset({"RolloutBuffer", "ReplayBuffer", "NStepReplayBuffer"}),
    "stable_baselines3.common.noise": frozenset(
        {"NormalActionNoise", "OrnsteinUhlenbeckActionNoise", "VectorizedActionNoise"}
    ),
    "stable_baselines3.common.policies": frozenset({"ActorCriticPolicy", "ActorCriticCnnPolicy"}),
    "stable_baselines3.common.torch_layers": frozenset({"FlattenExtractor", "NatureCNN"}),
    "stable_baselines3.common.type_aliases": frozenset({"TrainFreq", "TrainFrequencyUnit"}),
    "stable_baselines3.common.utils": frozenset({"ConstantSchedule", "FloatSchedule", "LinearSchedule"}),
    "stable_baselines3.dqn.policies": frozenset({"DQNPolicy", "CnnPolicy"}),
    "stable_baselines3.sac.policies": frozenset({"SACPolicy", "CnnPolicy"}),
    "stable_baselines3.td3.policies": frozenset({"TD3Policy", "CnnPolicy"}),
    "sb3_contrib.qrdqn.policies": frozenset({"QRDQNPolicy", "CnnPolicy"}),
    "rlviz.learning.algorithms.tabular": frozenset({"TablePolicy"}),
    "rlviz.learning.algorithms.policy": frozenset({"_no_learning"}),
}


class NotPlain(pickle.UnpicklingError):
    """The pickle names a class or function that policies of this program do not contain."""


FORMER_MODULES: Mapping[str, str] = {
    "rlviz.algorithms.tabular": "rlviz.learning.algorithms.tabular",
    "rlviz.algorithms.weights": "rlviz.learning.algorithms.policy",
    "rlviz.training.snapshot.replay": "rlviz.learning.training.snapshot.replay",
}
"""Modules of our own classes in files of earlier versions, and their present modules."""


class _OwnUnpickler(pickle.Unpickler):
    """Finds our own classes under the names of earlier versions too."""

    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(FORMER_MODULES.get(module, module), name)


class _PlainUnpickler(_OwnUnpickler):
    def find_class(self, module: str, name: str) -> Any:
        module = FORMER_MODULES.get(module, module)
        if name not in _ALLOWED.get(module, ()):
            raise NotPlain(f"It names {module[:100]}.{name[:100]}, which policies of this program do not contain.")
        return getattr(import_module(module), name)

    def persistent_load(self, _place: Any) -> Any:
        raise NotPlain("It refers to an object outside of the file.")


def load_plain(content: bytes) -> Any:
    """Load the object in ``content``. Raises NotPlain, or any error of the library for a damaged pickle."""
    return _PlainUnpickler(io.BytesIO(content)).load()


def load_any(content: bytes) -> Any:
    """Load the object in ``content``, which may use any class: only for files that the user trusts.

    Raises any error of the library for a damaged pickle.
    """
    return _OwnUnpickler(io.BytesIO(content)).load()
