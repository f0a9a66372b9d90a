"""The cartridge in the repository equals a build of its sources."""

from __future__ import annotations

import pytest

from rlviz.learning.environments.gameboy.lamplighter.build import (
    COMPILER,
    FOLDER,
    ROM,
    SYMBOLS,
    BadSource,
    build,
    compiler_version,
    make_tables,
    read_rooms,
)


@pytest.mark.skipif(compiler_version() != COMPILER, reason=f"needs SDCC {COMPILER} (in Debian 12: apt install sdcc)")
def test_building_the_sources_reproduces_the_same_bytes() -> None:
    cartridge, symbols = build()
    assert cartridge == ROM.read_bytes()
    assert symbols == SYMBOLS.read_text("utf-8")


def test_a_map_with_rooms_that_do_not_fit_is_refused() -> None:
    world = (FOLDER / "world.txt").read_text("utf-8")
    with pytest.raises(BadSource, match="LIGHTHOUSE and CLIFF do not match"):
        read_rooms(world.replace("D..S......", "R..S......"))
    with pytest.raises(BadSource, match="BEACH is not 10 × 8"):
        read_rooms(world.replace("R..c....~~", "R..c....~"))


def test_a_picture_of_the_wrong_size_is_refused() -> None:
    art, world = ((FOLDER / name).read_text("utf-8") for name in ("art.txt", "world.txt"))
    with pytest.raises(BadSource, match="grass"):
        make_tables(art.replace("--.-.-----------\n", "", 1), world)
