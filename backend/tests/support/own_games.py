"""A Game Boy game of the user: the ROM of Lamplighter in a folder, with a ``game.toml`` and a start state."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

from rlviz.domain.environment import CustomEnvironment
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.environments.gameboy.game_file import read_game
from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE

TOML = """\
name = "Island"
summary = "Explore an island."
rom_sha256 = "{sha256}"
start_state = "start.state"
buttons = ["up", "right", "down", "left", "a"]
frame_skip = 8
hold = 4
reward_threshold = 10.0
done = "hearts == 0"
success = "lamp_lit == 1"

[[taps]]
name = "mode"
address = 0xC000
high = 4

[[taps]]
name = "room"
address = 0xC001
high = 8

[[taps]]
name = "square_x"
address = 0xC002
high = 9
unit = "squares"

[[taps]]
name = "square_y"
address = 0xC003
high = 7
unit = "squares"

[[taps]]
name = "hearts"
address = 0xC005
high = 3

[[taps]]
name = "has_sword"
address = 0xC006
type = "bit"

[[taps]]
name = "has_key"
address = 0xC007
type = "bit"

[[taps]]
name = "lamp_lit"
address = 0xC00B
type = "bit"

[[taps]]
name = "rooms_seen"
address = 0xC00E
high = 9

[cell]
x = "room % 3 * 10 + square_x"
y = "room // 3 * 8 + square_y"
columns = 30
rows = 24
rooms_across = 3
rooms_down = 3
rooms = ["lighthouse", "cliff", "lookout", "woods", "village", "beach", "ruin", "meadow", "cave"]

[components]
rooms = "max(0, delta(rooms_seen))"
hearts = "0.5 * min(0, delta(hearts))"
goal = "10 * delta(lamp_lit)"
""".replace("{sha256}", CARTRIDGE.sha256)

STAGED = TOML.replace("rows = 24", 'rows = 24\nstage = "has_sword + has_key"\nstages = 3')
"""The same with stages of progress: without sword and key, with one of them, with both."""


@cache
def start_state() -> bytes:
    """Return the state of Lamplighter after the title, as PyBoy saves it."""
    from rlviz.learning.environments.gameboy.emulator import Emulator

    emulator = Emulator(CARTRIDGE)
    emulator.hold((), 240)
    emulator.hold(("start",), 2)
    emulator.hold((), 60)
    saved = emulator.save().saved
    emulator.close()
    return saved


def write_game(folder: Path, toml: str = TOML, *, start: bytes | None = None) -> Path:
    """Write the game into ``folder``, and return its ``game.toml``."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(CARTRIDGE.rom, folder / "game.gb")
    (folder / "start.state").write_bytes(start_state() if start is None else start)
    file = folder / "game.toml"
    file.write_text(toml, encoding="utf-8")
    return file


def described(file: Path) -> CustomEnvironment:
    """Return what a probe says about the game, without its tests."""
    game = read_game(file).game
    bare: dict[str, Any] = {"observation_space": {"kind": "Unknown"}, "action_space": {"kind": "Unknown"}}
    custom = CustomEnvironment(
        entry_point=f"{file}:Island",
        summary=game.summary,
        reward_threshold=game.reward_threshold,
        max_episode_steps=game.max_episode_steps,
        render_fps=30,
        game=game,
        **bare,
    )
    entry = custom_environment("GameBoy/Island-v0", custom)
    return custom.model_copy(
        update={
            "observation_space": entry.observation_space,
            "action_space": entry.action_space,
            "render_fps": entry.render_fps,
        }
    )


def with_header(rom: bytes, **changes: int) -> bytes:
    """Return a ROM with other header bytes, for instance ``at_147``, and a correct checksum."""
    content = bytearray(rom)
    for name, value in changes.items():
        content[int(name.removeprefix("at_"), 16)] = value
    content[0x14D] = -sum(byte + 1 for byte in content[0x134:0x14D]) & 0xFF
    return bytes(content)
