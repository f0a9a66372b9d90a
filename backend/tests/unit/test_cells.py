"""Cells of environments that have a map."""

from contextlib import closing

import pytest

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.cells import Axis, World, grid_world, read_cell
from rlviz.learning.environments.make import make
from rlviz.server.runs.choices import view_world

WITH_CELLS = [
    *("CartPole-v1",),  # has none
    *("FrozenLake-v1", "CliffWalking-v1", "Taxi-v4", "MountainCar-v0", "MountainCarContinuous-v0"),
    "GameBoy/Lamplighter-v0",
]


def _walk(environment: Environment, steps: int) -> list[int | None]:
    assert environment.world is not None
    with closing(make(environment)) as env:
        env.reset(seed=1)
        env.action_space.seed(1)
        found = [read_cell(environment.world, env)]
        for _ in range(steps):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            found.append(read_cell(environment.world, env))
            if terminated or truncated:
                env.reset()
        return found


@pytest.mark.parametrize("env_id", WITH_CELLS[1:])
def test_each_step_is_in_a_cell_of_the_map(env_id: str) -> None:
    environment = ENVIRONMENTS.get(env_id)
    if environment.hint is not None:
        pytest.skip(environment.hint)
    world = environment.world
    assert world is not None
    found = _walk(environment, 60)
    assert all(cell is not None and 0 <= cell < world.cells for cell in found)
    assert len(set(found)) > 1


def test_cells_follow_the_options_of_the_environment() -> None:
    lake = ENVIRONMENTS.get("FrozenLake-v1").resolve({"map_name": "8x8"})
    assert lake.world is not None
    assert (lake.world.columns, lake.world.rows, lake.world.marks[-1]) == (8, 8, "G")
    assert _walk(lake, 0) == [0]
    assert ENVIRONMENTS.get(WITH_CELLS[0]).world is None


def test_cells_belong_to_the_room_that_contains_them() -> None:
    island = ENVIRONMENTS.get("GameBoy/Lamplighter-v0").world
    assert island is not None
    names = {place: island.rooms[island.room_of(island.cell_id(place))] for place in ((0, 0), (10, 8), (29, 23))}
    assert names == {(0, 0): "lighthouse", (10, 8): "village", (29, 23): "cave"}
    taxi = ENVIRONMENTS.get("Taxi-v4").world
    assert taxi is not None
    assert len(taxi.rooms) == taxi.rooms_across * taxi.rooms_down
    assert taxi.rooms[taxi.room_of(taxi.cell_id((24, 0)))] == "passenger aboard, to red"


def test_bins_include_values_at_and_beyond_their_ends() -> None:
    axis = Axis("speed", -1, 1)
    assert [axis.place(value, 4) for value in (-5, -1, -0.1, 0.1, 1, 5)] == [0, 0, 1, 2, 3, 3]


def test_an_environment_before_its_first_episode_has_no_cell() -> None:
    environment = ENVIRONMENTS.get("FrozenLake-v1")
    assert environment.world is not None
    with closing(make(environment)) as env:
        assert read_cell(environment.world, env) is None


def test_the_api_describes_a_world_without_its_reader() -> None:
    told = view_world(grid_world(("SF", "HG")))
    assert told is not None
    assert told.model_dump() == {
        **{"columns": 2, "rows": 2, "rooms_across": 1, "rooms_down": 1, "rooms": [], "marks": "SFHG"},
        **{"across": None, "down": None, "stages": 1},
    }
    assert view_world(None) is None
    assert World("x:y", 2, 3).cells == 6
