"""Cells: the places that an environment consists of, for its map and for exploration.

A world is a grid of cells. It may have rooms of equal size, each a part of the grid: those of the Game Boy's island, or
for Taxi the squares of the town once for each place of the passenger and each destination. ``World`` describes the
grid without importing Gymnasium; ``read_cell`` says in which cell an environment is, and only workers call it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rlviz.domain.registry import load

CELL = "rlviz.cell"
"""Key of ``info``: the id of the cell that the environment is in, where a wrapper names it. Not ``cell``, which an
environment of the user may use for something else."""

STAGE = "rlviz.stage"
"""The same for the stage of progress."""

Cell = tuple[int, int]
"""Column and row of a cell, counted from the top left."""


@dataclass(frozen=True)
class Axis:
    """What the columns or the rows of a world stand for; ``low`` and ``high`` are its ends, in ``unit``.

    Rows are counted from the top, so the first row of a vertical axis has the value nearest to ``high``.
    """

    label: str
    low: float
    high: float
    unit: str = ""

    def place(self, value: float, cells: int) -> int:
        """Return the number of the bin that ``value`` is in, of ``cells`` bins from ``low`` to ``high``."""
        return min(max(int((value - self.low) / (self.high - self.low) * cells), 0), cells - 1)


_NEVER_BEGINS = MappingProxyType(
    {
        **dict.fromkeys("HG", "Episodes end in this cell, so none can begin here."),
        "C": "The agent falls from this cell back to the start, so no episode can begin here.",
    }
)
"""Why no episode can begin in a cell, by its mark."""


@dataclass(frozen=True)
class World:
    """The cells of an environment.

    Args:
        reader: Lazy reference to a function ``(env) -> (column, row)`` or None, for the environment below all wrappers.
        columns: Cells from left to right, over all rooms.
        rows: Cells from top to bottom, over all rooms.
        rooms_across: Rooms beside each other.
        rooms_down: Rooms above each other.
        rooms: Names of the rooms, row by row; empty if the world is one room.
        across: What a column stands for; None: a place.
        down: What a row stands for; None: a place.
        marks: A letter for each cell, row by row: S start, G goal, F free, H hole, C cliff; empty if there are none.
        stages: Stages of progress in an episode, which coverage and the archive tell apart: a cell that is known
            without the key is new with it. The map shows all stages together. With more than one, the environment's
            method ``stage`` returns the current one, counted from 0.
    """

    reader: str
    columns: int
    rows: int
    rooms_across: int = 1
    rooms_down: int = 1
    rooms: tuple[str, ...] = ()
    across: Axis | None = None
    down: Axis | None = None
    marks: str = ""
    stages: int = 1

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    def cell_id(self, cell: Cell) -> int:
        """Return the number of a cell: cells are counted from 0, row by row."""
        return cell[1] * self.columns + cell[0]

    def room_of(self, cell_id: int) -> int:
        """Return the number of the room that the cell is in; rooms are counted from 0, row by row."""
        row, column = divmod(cell_id, self.columns)
        across = column * self.rooms_across // self.columns
        return row * self.rooms_down // self.rows * self.rooms_across + across

    def why_never_begins(self, cell_id: int) -> str | None:
        """Return why no episode can ever begin in the cell, as a sentence; None if its mark does not prevent it."""
        return _NEVER_BEGINS.get(self.marks[cell_id : cell_id + 1])


def grid_world(squares: tuple[str, ...]) -> World:
    """Return the world of a grid whose state is the index of a square. ``squares``: its rows, a letter a square."""
    return World(f"{__name__}:read_square", len(squares[0]), len(squares), marks="".join(squares))


def read_cell(world: World, env: Any) -> int | None:
    """Return the id of the cell that ``env`` is in; None before its first episode, or where it is nowhere."""
    cell = load(world.reader)(env.unwrapped)
    return None if cell is None else world.cell_id(cell)


def read_stage(world: World, env: Any) -> int:
    """Return the stage of progress that ``env`` is in, counted from 0."""
    return int(env.unwrapped.stage()) if world.stages > 1 else 0


def read_square(env: Any) -> Cell | None:
    """Cell of FrozenLake and CliffWalking: the square on which the agent stands."""
    if (state := getattr(env, "s", None)) is None:
        return None
    columns = env.desc.shape[1] if hasattr(env, "desc") else env.shape[1]
    row, column = divmod(int(state), int(columns))
    return column, row


TAXI_SIDE = 5
"""Squares of a side of Taxi's town."""


def read_taxi(env: Any) -> Cell | None:
    """Cell of Taxi: its square, in the room of the passenger's place (across) and the destination (down)."""
    if (state := getattr(env, "s", None)) is None:
        return None
    row, column, passenger, destination = env.decode(int(state))
    return int(passenger) * TAXI_SIDE + int(column), int(destination) * TAXI_SIDE + int(row)


CAR_COLUMNS, CAR_ROWS = 24, 16
CAR_POSITION = Axis("position", -1.2, 0.6)
CAR_SPEED = Axis("speed", -0.07, 0.07, "per step")


def car_world() -> World:
    """Return the world of MountainCar: bins of position (across) and speed (down, forwards at the top)."""
    return World(f"{__name__}:read_car", CAR_COLUMNS, CAR_ROWS, across=CAR_POSITION, down=CAR_SPEED)


def read_car(env: Any) -> Cell | None:
    """Cell of MountainCar and MountainCarContinuous."""
    if (state := getattr(env, "state", None)) is None:
        return None
    position, speed = float(state[0]), float(state[1])
    return CAR_POSITION.place(position, CAR_COLUMNS), CAR_ROWS - 1 - CAR_SPEED.place(speed, CAR_ROWS)


def read_own(env: Any) -> Cell | None:
    """Cell of an environment of ours, whose method ``cell`` returns it."""
    cell: Cell | None = env.cell()
    return cell
