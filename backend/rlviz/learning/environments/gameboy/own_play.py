"""A Game Boy game of the user's as a Gymnasium environment. Only workers may import it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.expressions import Expression
from rlviz.domain.games import TAP_CHANGES, Game
from rlviz.learning.environments.cells import Cell
from rlviz.learning.environments.conforming import CLOSE_SECONDS, Conforming, Fault, ReportsFaults
from rlviz.learning.environments.gameboy.cartridge import OwnCartridge
from rlviz.learning.environments.gameboy.game_file import check_files, expression
from rlviz.learning.environments.gameboy.own import GameOptions, actions_of
from rlviz.learning.environments.gameboy.stepping import Judged, SteppedGame
from rlviz.learning.environments.observed import FaultKind
from rlviz.learning.environments.wrappers import Env


class OwnGame(SteppedGame, ReportsFaults):
    """A game as its ``game.toml`` describes it.

    An expression that divides by zero, or has no finite value, counts as 0 in that step, and is reported as a fault.

    Args:
        game: The description.
        weights: Factor on each component of the reward.

    The other arguments are those of ``SteppedGame``, and the options of the game.
    """

    def __init__(
        self,
        game: Game,
        render_mode: str | None,
        *,
        weights: Mapping[str, float],
        random_frames: int,
        max_episode_steps: int,
        **options: Any,
    ) -> None:
        cartridge = OwnCartridge(Path(game.rom), game.sha256)
        try:
            super().__init__(
                cartridge, actions_of(game), (0.0, 1.0), max(len(game.taps), 1), render_mode=render_mode, **options
            )
        except EnvironmentFaulty:
            raise
        except Exception as error:
            raise EnvironmentFaulty(f"PyBoy cannot run {game.rom}: {error}") from error
        self._game, self._random_frames = game, random_frames
        self._compute = {one.name: expression(one.value, game) for one in game.components}
        self._weights = dict(weights)
        self._done = _optional(game.done, game)
        self._success = _optional(game.success, game)
        self._cell = None if game.cell is None else (expression(game.cell.x, game), expression(game.cell.y, game))
        self._stage = None if game.cell is None else _optional(game.cell.stage, game)
        self._low = np.array([tap.scale[0] for tap in game.taps], np.float32)
        self._span = np.array([tap.scale[1] - tap.scale[0] for tap in game.taps], np.float32)
        self._step = 0
        self._values: Sequence[int] = ()
        self._before: Sequence[int] = ()
        self._changed: dict[str, int] = dict.fromkeys(game.tap_names, 0)
        """For each tap that never changed before this episode: in how many of its steps it changed."""
        self._start()
        self._read_memory()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self._changed = {name: 0 for name, steps in self._changed.items() if not steps}
        self._step = 0
        return super().reset(seed=seed, options=options)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._step += 1
        return super().step(action)

    def taps(self) -> dict[str, int]:
        """Return the value of each tap by name."""
        return dict(zip(self._game.tap_names, self._values, strict=True))

    def cell(self) -> Cell | None:
        """Return the cell of the player; None where its expressions lead out of the world."""
        if self._cell is None or self._game.cell is None:
            return None
        x, y = (self._value(one, f"cell.{axis}") for one, axis in zip(self._cell, "xy", strict=True))
        column, row = int(x // 1), int(y // 1)
        inside = 0 <= column < self._game.cell.columns and 0 <= row < self._game.cell.rows
        return (column, row) if inside else None

    def stage(self) -> int:
        """Return the stage of progress, counted from 0.

        A value beyond the first or the last stage counts as that stage, so that the visit to the cell counts.
        """
        if self._stage is None or self._game.cell is None or self._game.cell.stages is None:
            return 0
        value = self._value(self._stage, "cell.stage")
        return min(max(int(value // 1), 0), self._game.cell.stages - 1)

    def capture_state(self) -> object:
        return super().capture_state(), dict(self._changed), self._step

    def restore_state(self, state: Any) -> None:
        """Restore it. Raises NotCapturable if another cartridge or another PyBoy saved it."""
        saved, changed, self._step = state
        self._values, self._changed = (), dict(changed)
        super().restore_state(saved)

    def _start(self) -> None:
        """Bring the emulator to the moment in which episodes begin, and remember it."""
        game, emulator = self._game, self._emulator
        # PyBoy's state lacks the line of the window that is drawn next; after a drawn frame, it is always the first.
        emulator.hold((), 1 if game.start_state is not None else game.boot_frames, render=True)
        _, content = check_files(game)
        if content is not None:
            try:
                emulator.load_bytes(content)
            except Exception as error:
                raise EnvironmentFaulty(
                    f"PyBoy cannot load the start state {game.start_state}: {error}. Save it again with this ROM "
                    "and this version of PyBoy."
                ) from error
        self._beginning = emulator.save()

    def _begin_episode(self) -> None:
        self._emulator.load(self._beginning)
        frames = 1 + int(self.np_random.integers(self._random_frames + 1))
        self._emulator.hold((), frames, render=self._draws)
        self._values = ()

    def _read_memory(self) -> None:
        read = self._emulator.read_at
        before = self._values
        self._values = [tap.decode(read(tap.address, tap.length)) for tap in self._game.taps]
        self._before = before or self._values
        if self._changed and before and before != self._values:
            for name, now, then in zip(self._game.tap_names, self._values, before, strict=True):
                if now != then and name in self._changed:
                    self._changed[name] += 1

    def _vector(self) -> NDArray[np.float32]:
        seen: NDArray[np.float32] = (np.array(self._values, np.float32) - self._low) / self._span
        return np.clip(seen, 0, 1, out=seen)

    def _judge(self) -> Judged:
        components = {
            name: self._weights[name] * self._value(one, f"components.{name}") for name, one in self._compute.items()
        }
        success = None if self._success is None else bool(self._value(self._success, "success"))
        done = self._done is not None and bool(self._value(self._done, "done"))
        return Judged(components, done or bool(success), success)

    def _info(self) -> dict[str, Any]:
        return {"taps": self.taps(), TAP_CHANGES: dict(self._changed)}

    def _value(self, one: Expression, key: str) -> float:
        try:
            return one.evaluate(self._values, self._before)
        except ArithmeticError as error:
            if self.listener is not None:
                what = f"counted {key} as 0, because its expression “{one.text}” cannot be computed: {error}"
                action = str(self._last) if self._step else None
                self.listener(Fault(FaultKind.EXPRESSION, what.rstrip("."), action, self._step))
            return 0.0


def _optional(text: str | None, game: Game) -> Expression | None:
    return None if text is None else expression(text, game)


def make_game(game: Game, options: GameOptions, render_mode: str | None) -> Env:
    """Make the environment of a game. Raises EnvironmentFaulty if it cannot be used."""
    arguments = options.make_arguments()
    spec = EnvSpec(
        id="own/Game-v0",
        entry_point=partial(_conforming, game, arguments),
        max_episode_steps=arguments["max_episode_steps"],
        reward_threshold=game.reward_threshold,
    )
    return gymnasium.make(spec, render_mode=render_mode)


def _conforming(game: Game, arguments: Mapping[str, Any], render_mode: str | None = None) -> Env:
    return Conforming(OwnGame(game, render_mode, **arguments), CLOSE_SECONDS)
