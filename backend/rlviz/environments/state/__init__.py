"""What an environment is at a moment, so that another one built the same way can be brought there.

An environment is a stack of layers: wrappers, and the environment itself at the bottom. The state of a layer is its
attributes (``attributes.py``), unless a layer says otherwise: a KeepsState answers for itself and all below it.
``replay.py`` and ``emulator.py`` hold those; an entry of the registry names the one it needs (``state_wrapper``).

Only workers import this.
"""

from rlviz.environments.state.stack import (
    KeepsState,
    NotCapturable,
    capture_environment,
    layer_names,
    layers_of,
    read_state,
    restore_environment,
    spaces_of,
)

__all__ = [
    "KeepsState",
    "NotCapturable",
    "capture_environment",
    "layer_names",
    "layers_of",
    "read_state",
    "restore_environment",
    "spaces_of",
]
