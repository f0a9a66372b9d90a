"""The Game Boy family: completing the game, rewards, exact state and errors."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.domain.errors import EnvironmentFaulty
from rlviz.learning.environments.gameboy.cartridge import BuiltCartridge
from rlviz.learning.environments.gameboy.emulator import Emulator, EmulatorState
from rlviz.learning.environments.gameboy.family import LAMPLIGHTER, SQUARES_FROM, TAPS, THRESHOLD, labels
from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE, FOLDER, KINDS, READING, ROOMS
from rlviz.learning.environments.gameboy.lamplighter.build import read_pictures, read_rooms
from rlviz.learning.environments.make import make
from rlviz.learning.environments.state import NotCapturable, capture_environment, restore_environment
from rlviz.server.runs.choices import view_environment
from tests.support.lamplighter import DOWN, LEFT, NOTHING, RIGHT, UP, A, Player, solve


def made(*, render: bool = False, **options: Any) -> Any:
    return make(LAMPLIGHTER.resolve(options), render=render)


@pytest.fixture
def env() -> Iterator[Any]:
    with closing(made()) as env:
        yield env


def test_the_whole_game_can_be_completed(env: Any) -> None:
    player = Player(env, seed=2)
    assert env.unwrapped.stage() == 0
    solve(player)
    assert player.over
    assert player.info["is_success"]
    assert (player.taps["lamp_lit"], env.unwrapped.stage()) == (1, 5)
    assert sum(player.rewards) > THRESHOLD
    assert player.taps.keys() == TAPS.keys()
    assert all(TAPS[name][0] <= value <= TAPS[name][1] for name, value in player.taps.items())
    found = {name: sum(one[name] for one in player.components) for name in player.components[0]}
    assert found["rooms"] == len({"beach", "cave", "meadow", "ruin", "cliff", "lighthouse"})
    assert (found["items"], found["ways"], found["goal"]) == (4, 6, 10)
    assert [sum(one.values()) for one in player.components] == player.rewards


def test_each_task_ends_where_its_description_says(env: Any) -> None:
    with closing(made(task="key", reward_rooms=0.0)) as keyed:
        player = Player(keyed, seed=2)
        solve(player)
        assert player.over
        assert (player.taps["door_open"], player.taps["lamp_lit"]) == (1, 0)
        assert player.info["is_success"]
        assert all(one["rooms"] == 0 for one in player.components)
    with closing(made(task="explore")) as explored:
        player = Player(explored, seed=2)
        player.leave(4, 0, UP)
        player.leave(9, 3, RIGHT)
        player.leave(4, 7, DOWN)
        player.leave(0, 3, LEFT)
        player.leave(0, 3, LEFT)
        assert player.room == "woods"
        player.leave(9, 3, RIGHT)
        solve(player)
        assert player.over
        assert player.taps["rooms_seen"] == len(ROOMS)
        assert player.info["is_success"]


def test_without_hearts_an_episode_ends_without_success(env: Any) -> None:
    player = Player(env, seed=1)
    player.leave(0, 4, LEFT)
    for _ in range(400):
        player.take(NOTHING if player.taps["hurt"] else UP, DOWN, LEFT, RIGHT)
        if player.over:
            break
    assert player.taps["hearts"] == 0
    assert not player.info["is_success"]
    assert sum(one["hearts"] for one in player.components) == pytest.approx(-0.3)


def test_a_sign_is_read_and_a_locked_door_stays_shut(env: Any) -> None:
    player = Player(env, seed=1)
    player.go(5, 2)
    player.take(RIGHT, A)
    assert (player.taps["mode"], player.taps["signs_read"]) == (READING, 1)
    player.leave(4, 0, UP)
    player.go(1, 3)
    player.take(LEFT, A)
    assert (player.taps["mode"], player.taps["door_open"]) == (READING, 0)


def test_the_stone_is_back_in_its_place_after_leaving_the_room(env: Any) -> None:
    player = Player(env, seed=2)
    squares = env.unwrapped.squares
    player.leave(9, 4, RIGHT)
    player.leave(4, 7, DOWN)
    player.go(8, 6)
    player.leave(0, 3, LEFT)
    player.go(2, 4)
    player.take(LEFT, A, NOTHING)
    player.leave(0, 4, LEFT)
    assert squares()[4 * 10 + 5] == KINDS.index("block")
    player.go(6, 4)
    player.take(LEFT, NOTHING)
    assert squares()[4 * 10 + 4] == KINDS.index("block")
    player.leave(9, 4, RIGHT)
    player.leave(0, 4, LEFT)
    assert squares()[4 * 10 + 5] == KINDS.index("block")


def test_tile_kinds_and_rooms_match_the_sources() -> None:
    pictures = read_pictures((FOLDER / "art.txt").read_text("utf-8"))
    assert [name for name, (words, _) in pictures.items() if not {"sprite", "small"} & set(words)] == list(KINDS)
    rooms = read_rooms((FOLDER / "world.txt").read_text("utf-8"))
    assert [room.name.lower() for room in rooms] == list(ROOMS)


def test_the_numbers_of_a_vector_match_their_names(env: Any) -> None:
    player = Player(env, seed=2)
    player.leave(9, 4, RIGHT)
    observation = dict(zip(labels(), env.step(NOTHING)[0], strict=True))
    assert (observation["in the beach"], observation["in the village"]) == (1, 0)
    assert (observation["village visited"], observation["cave visited"]) == (1, 0)
    assert (observation["column"], observation["faces right"], observation["hearts"]) == (0, 1, 1)
    assert (observation["crab 1 is there"], observation["crab 2 is there"]) == (1, 1)
    assert (observation["square 1, 1"], observation["square 2, 2"]) == (-1, 0)
    assert len(labels()) == SQUARES_FROM + len(env.unwrapped.squares())


def test_the_squares_around_the_player_are_named_as_they_lie(env: Any) -> None:
    sides = {"up": ("above", 0, -1), "right": ("right of", 1, 0), "down": ("below", 0, 1), "left": ("left of", -1, 0)}
    env.reset(seed=2)
    ahead = set()
    for action in [UP] * 4 + [LEFT] * 6 + [DOWN] * 8 + [RIGHT] * 12:
        seen = dict(zip(labels(), env.step(action)[0], strict=True))
        x, y = round(seen["column"] * 9) + 1, round(seen["row"] * 7) + 1
        for faced, (side, right, down) in sides.items():
            square = seen.get(f"square {x + right}, {y + down}", 0.0)
            assert seen[f"square {side} the player"] == square
            if seen[f"faces {faced}"]:
                assert seen["square ahead"] == square
                ahead.add((faced, float(square)))
    assert {faced for faced, _ in ahead} == set(sides)
    assert {square for _, square in ahead} >= {0.0, -1.0}


def test_pictures_are_stacked_with_the_newest_last() -> None:
    with closing(made(observation="pixels", frame_stack=2, render=True)) as env:
        first, _ = env.reset(seed=1)
        assert first.shape == (72, 80, 6)
        assert np.array_equal(first[:, :, :3], first[:, :, 3:])
        second, *_ = env.step(LEFT)
        assert np.array_equal(second[:, :, :3], first[:, :, 3:])
        assert not np.array_equal(second[:, :, 3:], first[:, :, 3:])
        assert env.render().shape == (144, 160, 3)


def test_a_program_can_observe_both_pixels_and_vector() -> None:
    module, _, env_id = str(LAMPLIGHTER.gymnasium_id).partition(":")
    with closing(gymnasium.make(f"{module}:{env_id}", observation="both", frame_skip=4)) as env:
        observation, _ = env.reset(seed=1)
        assert observation in env.observation_space
        assert set(observation) == {"pixels", "vector"}
        assert env.metadata["render_fps"] == 15


def test_a_button_held_at_the_end_of_a_step_is_part_of_the_state() -> None:
    for options in ({"hold": 8}, {"latched": True}, {"sticky_actions": 0.5}):
        with closing(made(**options)) as env, closing(made(**options)) as twin:
            player = Player(env, seed=3)
            player.take(LEFT, LEFT)
            restore_environment(twin, capture_environment(env))
            actions = [A, LEFT, NOTHING, UP, UP, A, RIGHT] * 3
            for action in actions:
                assert str(env.step(action)) == str(twin.step(action))
                assert env.unwrapped.memory() == twin.unwrapped.memory()


def test_a_latched_direction_is_held_until_another_action() -> None:
    """With a hold of one frame of 24, a walk continues as long as the direction is held."""
    ends = []
    for latched in (False, True):
        with closing(made(latched=latched, frame_skip=24, hold=1)) as env:
            player = Player(env, seed=3)
            player.take(RIGHT)
            ends.append(player.taps["square_x"])
    assert ends == [5, 7]


def test_episodes_differ_by_their_seed() -> None:
    with closing(made()) as env:
        crabs = set()
        for seed in range(6):
            player = Player(env, seed)
            player.leave(9, 4, RIGHT)
            player.take(*[NOTHING] * 20)
            crabs.add(env.unwrapped.memory())
        assert len(crabs) > 3


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read"), (b"short", "is not a Game Boy cartridge"), (b"\0" * 32_768, "is another cartridge")],
)
def test_a_different_cartridge_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    rom = tmp_path / "game.gb"
    if content is not None:
        rom.write_bytes(content)
    with pytest.raises(EnvironmentFaulty, match=words):
        Emulator(dataclasses.replace(CARTRIDGE, rom=rom))


def test_a_missing_address_file_is_reported(tmp_path: Path) -> None:
    rom = shutil.copy(CARTRIDGE.rom, tmp_path / "game.gb")
    with pytest.raises(EnvironmentFaulty, match=r"addresses .* cannot be read"):
        Emulator(BuiltCartridge(Path(rom), tmp_path / "game.sym", CARTRIDGE.sha256))


def test_a_state_of_another_cartridge_or_of_another_pyboy_is_refused() -> None:
    emulator = Emulator(CARTRIDGE)
    saved: EmulatorState = emulator.save()
    with pytest.raises(NotCapturable, match="belongs to another cartridge"):
        emulator.load(saved._replace(sha256="0" * 64))
    with pytest.raises(NotCapturable, match=r"PyBoy 2\.0\.0 saved the state, and .* is installed"):
        emulator.load(saved._replace(pyboy="2.0.0"))
    emulator.close()
    emulator.close()


def test_a_missing_pyboy_is_reported_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "rlviz.learning.environments.base.find_spec", lambda name: None if name == "pyboy" else object()
    )
    shown = view_environment(LAMPLIGHTER, [])
    assert not shown.available
    assert shown.install_hint == "pyboy is not installed: pip install 'rlviz[gameboy]'"


def test_only_the_time_limit_has_another_value_for_playing_by_hand() -> None:
    options = {
        option["name"]: option for option in view_environment(LAMPLIGHTER, []).model_dump(mode="json")["options"]
    }
    limit = options.pop("max_episode_steps")
    assert (limit["default"], limit["by_hand"]) == (1_000, 2_400)
    assert limit["minimum"] <= limit["by_hand"] <= limit["maximum"]
    assert not [name for name, option in options.items() if "by_hand" in option]
