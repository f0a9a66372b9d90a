"""Captures the state of Atari games, whose emulator copies its own state."""

from __future__ import annotations

from typing import Any

from ale_py import ALEState

from rlviz.learning.environments.state import attributes, layers_of, set_attributes
from rlviz.learning.environments.wrappers import Env, Wrapper


class SavedEmulator(Wrapper):
    """Captures and restores the emulator and the wrappers directly around it.

    The emulator's own sticky actions must be off, because its copy does not include the held action.
    """

    def capture_state(self) -> object:
        *wrappers, game = layers_of(self.env)
        emulator: Any = game
        return (
            [attributes(wrapper) for wrapper in wrappers],
            emulator.clone_state(include_rng=True).serialize(),
            game.np_random,
        )

    def restore_state(self, state: Any) -> None:
        of_wrappers, of_emulator, generator = state
        *wrappers, game = layers_of(self.env)
        for wrapper, values in zip(wrappers, of_wrappers, strict=True):
            set_attributes(wrapper, values)
        emulator: Any = game
        emulator.restore_state(ALEState(of_emulator))
        game.np_random = generator


def wrap_saved_emulator(env: Env, options: object) -> Env:
    return SavedEmulator(env)
