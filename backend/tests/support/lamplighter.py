"""Play Lamplighter from start to end with the help of the game's memory."""

from __future__ import annotations

from collections import deque
from typing import Any

from rlviz.learning.environments.gameboy.lamplighter import HEIGHT, KINDS, READING, ROOMS, WIDTH

NOTHING, UP, RIGHT, DOWN, LEFT, A = range(6)
_STEPS = {UP: (0, -1), RIGHT: (1, 0), DOWN: (0, 1), LEFT: (-1, 0)}
_SOLID = KINDS.index("tree")
MOST_STEPS = 80


class Player:
    """Takes steps in an environment and collects the results."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env = env
        _, info = env.reset(seed=seed)
        self.taps: dict[str, int] = info["taps"]
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.components: list[dict[str, float]] = []
        self.over = False
        self.info: dict[str, Any] = info
        self.infos = [info]

    @property
    def room(self) -> str:
        return ROOMS[self.taps["room"]]

    def take(self, *actions: int) -> None:
        for action in actions:
            if self.over:
                return
            _, reward, terminated, truncated, self.info = self.env.step(action)
            self.infos.append(self.info)
            self.taps = self.info["taps"]
            self.over = terminated or truncated
            self.actions.append(action)
            self.rewards.append(reward)
            self.components.append(self.info["reward_components"])

    def go(self, x: int, y: int) -> None:
        """Walk to a square of this room and close the texts that appear."""
        for _ in range(MOST_STEPS):
            if self.taps["mode"] == READING:
                self.take(A)
            elif self.over or (self.taps["square_x"], self.taps["square_y"]) == (x, y):
                return
            else:
                self.take(self._way(x, y))
        raise AssertionError(f"The square {x}, {y} of the {self.room} was not reached.")

    def leave(self, x: int, y: int, way: int) -> None:
        """Walk to a square at the edge and into the next room."""
        self.go(x, y)
        room = self.taps["room"]
        for _ in range(MOST_STEPS):
            if self.over or self.taps["room"] != room:
                self.take(NOTHING)
                return
            self.take(way)
        raise AssertionError(f"There is no way out of the {self.room} at {x}, {y}.")

    def _way(self, x: int, y: int) -> int:
        squares = self.env.unwrapped.squares()
        start = (self.taps["square_x"], self.taps["square_y"])
        first: dict[tuple[int, int], int | None] = {start: None}
        todo = deque([start])
        while todo:
            at = todo.popleft()
            for way, (right, down) in _STEPS.items():
                to = (at[0] + right, at[1] + down)
                inside = 0 <= to[0] < WIDTH and 0 <= to[1] < HEIGHT
                if inside and to not in first and squares[to[1] * WIDTH + to[0]] < _SOLID:
                    first[to] = way if at == start else first[at]
                    todo.append(to)
        found = first.get((x, y))
        assert found is not None, f"No way leads to {x}, {y} of the {self.room}."
        return found


def solve(player: Player) -> None:
    """Play the whole game: sword, brambles, stone, key, door and lamp."""
    player.leave(9, 4, RIGHT)
    player.leave(4, 7, DOWN)
    player.go(8, 6)
    player.leave(0, 3, LEFT)
    player.go(2, 4)
    player.take(LEFT, A, NOTHING)
    player.leave(0, 4, LEFT)
    player.go(6, 5)
    player.go(4, 4)
    player.take(RIGHT, RIGHT, NOTHING)
    player.go(1, 1)
    player.leave(9, 4, RIGHT)
    player.leave(4, 0, UP)
    player.leave(4, 0, UP)
    player.go(1, 3)
    player.take(LEFT, NOTHING)
    player.leave(0, 3, LEFT)
    player.go(4, 3)
    player.take(UP, A)
