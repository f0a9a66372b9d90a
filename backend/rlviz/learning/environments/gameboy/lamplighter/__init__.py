"""Lamplighter: a small adventure for the Game Boy, its sources, its cartridge and the addresses of its variables.

The cartridge and the addresses are checked in; ``build.py`` makes them again.
"""

from __future__ import annotations

from pathlib import Path

from rlviz.learning.environments.gameboy.cartridge import BuiltCartridge

FOLDER = Path(__file__).parent

CARTRIDGE = BuiltCartridge(
    rom=FOLDER / "lamplighter.gb",
    symbols=FOLDER / "lamplighter.sym",
    sha256="8c3abd22a995c5b14478a392ef0d74670026ce2970ff428a1fdc17a993bd287e",
)

ROOMS = ("lighthouse", "cliff", "lookout", "woods", "village", "beach", "ruin", "meadow", "cave")
"""The rooms, row by row of the map."""
ROOMS_A_ROW = 3
WIDTH, HEIGHT = 10, 8
"""Squares of a room."""
CRABS = 2
HEARTS = 3
FACING = ("down", "up", "left", "right")

TITLE, PLAYING, READING, DEAD, WON = range(5)
"""Values of ``mode``."""

KINDS = (
    *("grass", "flowers", "sand", "stone", "plate", "key", "sword", "heart"),
    *("tree", "rock", "wall", "water", "fence", "roof_left", "roof_right", "house_left", "house_right"),
    *("sign", "tablet", "door", "grate", "block", "brambles"),
    *("tower_top", "tower_top_right", "tower_middle", "tower_middle_right", "tower_bottom", "tower_bottom_right"),
    *("tower_lit", "tower_lit_right"),
)
"""Kinds of squares, by the number that stands for each in memory. Kinds from ``tree`` on are solid."""
