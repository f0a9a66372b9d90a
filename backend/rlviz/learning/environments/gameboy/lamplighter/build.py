"""Builds the cartridge of Lamplighter: ``python -m rlviz.learning.environments.gameboy.lamplighter.build``.

Pictures (``art.txt``) and rooms (``world.txt``) become C tables, SDCC compiles them with ``main.c`` and ``crt0.s``, and
``lamplighter.gb`` and ``lamplighter.sym`` are written beside this file. The same sources give the same bytes with the
compiler that ``COMPILER`` names.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ROM = FOLDER / "lamplighter.gb"
SYMBOLS = FOLDER / "lamplighter.sym"
COMPILER = "4.2.0"
"""The version of SDCC that built the files in this folder."""

WIDTH, HEIGHT = 10, 8
"""Squares of a room."""
ROOMS_A_ROW = 3
LETTERS = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'-:"
MOST_LINES, MOST_LETTERS = 4, 18
FIRST_SOLID = "tree"

_FONT = """
    0000000000 7E1111117E 7F49494936 3E41414122 7F4141221C 7F49494941 7F09090901 3E4149497A 7F0808087F 00417F4100
    2040413F01 7F08142241 7F40404040 7F020C027F 7F0408107F 3E4141413E 7F09090906 3E4151215E 7F09192946 4649494931
    01017F0101 3F4040403F 1F2040201F 3F4038403F 6314081463 0708700807 6151494543 3E5149453E 00427F4000 4261514946
    2141454B31 1814127F10 2745454539 3C4A494930 0171090503 3649494936 064949291E 0060600000 0050300000 00005F0000
    0201510906 0005030000 0808080808 0036360000
"""
"""The letters, as five columns of eight bits each, the top pixel in the lowest bit."""

_KINDS = {
    ",": "grass", '"': "flowers", ".": "sand", "_": "stone", "P": "plate", "K": "key", "!": "sword", "h": "heart",
    "T": "tree", "R": "rock", "W": "wall", "~": "water", "F": "fence", "A": "roof_left", "a": "roof_right",
    "B": "house_left", "b": "house_right", "S": "sign", "s": "tablet", "D": "door", "G": "grate",
    "O": "block", "X": "brambles",
    "1": "tower_top", "2": "tower_top_right", "3": "tower_middle", "4": "tower_middle_right",
    "5": "tower_bottom", "6": "tower_bottom_right",
}  # fmt: skip
_OPEN_LATER = "DX"
"""Letters of squares that the player can open on the way to another room."""

_SHADES = "-.o#"
"""Letters of the four colours of a tile, 0 to 3; main.c gives them shades."""

Pixels = list[list[int]]


class BadSource(Exception):
    """A picture or a room is not as it must be; the message names it."""


class Room(NamedTuple):
    name: str
    ground: str
    rows: tuple[str, ...]
    lines: tuple[str, ...]


def read_pictures(text: str) -> dict[str, tuple[tuple[str, ...], Pixels]]:
    """Return for each picture the words after its name, and its pixels (0 to 3), in the order of the file."""
    found: dict[str, tuple[tuple[str, ...], Pixels]] = {}
    for title, rows in _blocks(text):
        name, *words = title.split()
        side = 8 if "small" in words else 16
        # A mirrored picture is drawn as its left half, or, where it is wider than a square, as its left square.
        width = len(rows[0])
        if len(rows) != side or width not in ((side, side // 2) if "mirror" in words else (side,)):
            raise BadSource(f"The picture {name} has {len(rows)} rows of {width}; it needs {side} of {side}.")
        if any(len(row) != width or set(row) - set(_SHADES) for row in rows):
            raise BadSource(f"The picture {name} has a row of another length, or a letter that does not name a shade.")
        pixels = [[_SHADES.index(shade) for shade in row] for row in rows]
        if width < side:
            pixels = [row + row[::-1] for row in pixels]
        found[name] = (tuple(words), pixels)
        if "mirror" in words and width == side:
            found[f"{name}_right"] = (tuple(words), [row[::-1] for row in pixels])
    return found


def read_rooms(text: str) -> list[Room]:
    """Return the rooms in the order of the map. Raises BadSource for maps that cannot be walked."""
    rooms = []
    for title, rows in _blocks(text):
        name, ground = (word.strip() for word in title.split(","))
        area, lines = rows[:HEIGHT], rows[HEIGHT:]
        if len(area) != HEIGHT or any(len(row) != WIDTH for row in area):
            raise BadSource(f"The room {name} is not {WIDTH} × {HEIGHT}.")
        if len(lines) > MOST_LINES or any(len(line) > MOST_LETTERS or set(line) - set(LETTERS) for line in lines):
            raise BadSource(f"The sign of the room {name} is too long, or has a letter without a picture.")
        rooms.append(Room(name, ground, tuple(area), tuple(lines)))
    for place, room in enumerate(rooms):
        row, column = divmod(place, ROOMS_A_ROW)
        east = rooms[place + 1] if column < ROOMS_A_ROW - 1 else None
        south = rooms[place + ROOMS_A_ROW] if row < ROOMS_A_ROW - 1 else None
        _check_edge(room, [line[-1] for line in room.rows], east, [line[0] for line in east.rows] if east else None)
        _check_edge(room, room.rows[-1], south, south.rows[0] if south else None)
    return rooms


def _check_edge(room: Room, edge: Sequence[str], other: Room | None, beside: Sequence[str] | None) -> None:
    ways = [_is_way(letter) for letter in edge]
    if ways != ([_is_way(letter) for letter in beside] if beside else [False] * len(ways)):
        raise BadSource(f"The edges of the rooms {room.name} and {other.name if other else 'the sea'} do not match.")


def _is_way(letter: str) -> bool:
    return letter in ',"._c' or letter in _OPEN_LATER


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    title = ""
    rows: list[str] = []
    for line in text.splitlines():
        if line.startswith("@ "):
            if title:
                yield title, rows
            title, rows = line[2:], []
        elif line.strip() and not (line.startswith("# ")):
            rows.append(line.rstrip("\n"))
    yield title, rows


def encode_tile(pixels: Pixels) -> bytes:
    """Return the 16 bytes of a tile of 8 × 8 pixels: for each row the low bits, then the high bits."""
    found = bytearray()
    for row in pixels:
        for bit in (0, 1):
            found.append(sum((shade >> bit & 1) << (7 - place) for place, shade in enumerate(row)))
    return bytes(found)


def _part(pixels: Pixels, top: int, left: int) -> Pixels:
    return [row[left : left + 8] for row in pixels[top : top + 8]]


def make_tables(art: str, world: str) -> str:
    """Return the text of ``tables.h``: tiles, kinds of squares, sprites, letters, rooms and sentences."""
    pictures, rooms = read_pictures(art), read_rooms(world)
    tiles: list[bytes] = []

    def place_of(tile: bytes) -> int:
        if tile not in tiles:
            tiles.append(tile)
        return tiles.index(tile)

    corners = ((0, 0), (0, 8), (8, 0), (8, 8))
    lines: list[str] = []
    sprites = [name for name, (words, _) in pictures.items() if "sprite" in words]
    small = [name for name, (words, _) in pictures.items() if "small" in words]
    kinds = [name for name in pictures if name not in sprites and name not in small]
    # Sprites of 8 × 16 take two tiles that follow each other, so they come first and share none.
    for name in sprites:
        lines.append(f"#define SPRITE_{name.upper()} {len(tiles)}")
        pixels = pictures[name][1]
        tiles += [encode_tile(_part(pixels, top, left)) for left in (0, 8) for top in (0, 8)]
    for name in small:
        lines.append(f"#define TILE_{name.upper()} {len(tiles)}")
        tiles.append(encode_tile(pictures[name][1]))
    lines.append(f"#define TILE_LETTERS {len(tiles)}")
    for columns in _FONT.split():
        bits = bytes.fromhex(columns)
        tiles.append(
            encode_tile([[0 if 1 <= x <= 5 and bits[x - 1] >> y & 1 else 3 for x in range(8)] for y in range(8)])
        )
    squares = []
    for number, name in enumerate(kinds):
        lines.append(f"#define KIND_{name.upper()} {number}")
        squares.append([place_of(encode_tile(_part(pictures[name][1], *at))) for at in corners])
    if len(tiles) > 256:
        raise BadSource(f"The pictures need {len(tiles)} tiles; there is room for 256.")
    lines += [
        f"#define FIRST_SOLID {kinds.index(FIRST_SOLID)}",
        f"#define TILES {len(tiles)}",
        f"#define KINDS {len(kinds)}",
        _table("tile_pixels", [value for tile in tiles for value in tile]),
        _table("kind_tiles", [value for square in squares for value in square]),
    ]
    for room in rooms:
        lines.append(f"#define ROOM_{room.name} {rooms.index(room)}")
    lines.append(_table("room_ground", [kinds.index(room.ground) for room in rooms]))
    area: list[int] = []
    crabs: list[int] = []
    for room in rooms:
        found = []
        for y, row in enumerate(room.rows):
            for x, letter in enumerate(row):
                area.append(kinds.index(room.ground if letter == "c" else _KINDS[letter]))
                if letter == "c":
                    found += [x, y]
        crabs += (found + [255] * 4)[:4]
    lines += [_table("room_squares", area), _table("room_crabs", crabs)]
    names = [_encode(room.name.center(11)[:11]) for room in rooms]
    lines.append(_table("room_names", [value for name in names for value in name]))
    for room in rooms:
        lines.append(_table(f"sign_{room.name.lower()}", _paragraph(room.lines)))
    lines.append(
        f"static const u8 *const room_signs[] = {{{', '.join(f'sign_{room.name.lower()}' for room in rooms)}}};"
    )
    for name, sentence in _SENTENCES.items():
        lines.append(_table(f"text_{name}", _paragraph(sentence.splitlines())))
    return "\n".join(["/* Made by build.py from art.txt and world.txt. */", *lines, ""])


_SENTENCES = {
    "title": "   LAMPLIGHTER\nTHE LIGHT IS OUT.\n\n   PRESS START",
    "locked": "LOCKED. THE DOOR\nNEEDS A KEY.",
    "sword": "A BLADE! PRESS A\nTO SWING IT.",
    "key": "THE KEY OF THE\nLIGHTHOUSE!",
    "opened": "THE GRATE IS OPEN.",
    "won": "THE LAMP BURNS.\nTHE SHIPS SAIL IN.\nTHANK YOU,\nLAMPLIGHTER.",
    "dead": "THE TIDE CARRIES\nYOU HOME.\nREST, AND TRY\nAGAIN.",
}
END, NEW_LINE = 255, 254


def _encode(text: str) -> list[int]:
    return [LETTERS.index(letter) for letter in text]


def _paragraph(lines: Sequence[str]) -> list[int]:
    found: list[int] = []
    for number, line in enumerate(lines):
        if len(line) > MOST_LETTERS:
            raise BadSource(f"The line {line!r} is longer than {MOST_LETTERS} letters.")
        found += ([NEW_LINE] if number else []) + _encode(line)
    return [*found, END]


def _table(name: str, values: Sequence[int]) -> str:
    rows = (", ".join(map(str, values[start : start + 24])) for start in range(0, len(values), 24))
    body = ",\n    ".join(rows)
    return f"static const u8 {name}[] = {{\n    {body}\n}};"


def compiler_version() -> str | None:
    """Return the version of the SDCC that is installed, or None."""
    if shutil.which("sdcc") is None or shutil.which("makebin") is None:
        return None
    said = subprocess.run(["sdcc", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\b(\d+\.\d+\.\d+)\b", said)
    return found[1] if found else None


def build() -> tuple[bytes, str]:
    """Compile the game. Returns the cartridge and its symbols, the addresses of everything in RAM by name."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in ("main.c", "crt0.s"):
            shutil.copy(FOLDER / name, folder / name)
        tables = make_tables((FOLDER / "art.txt").read_text("utf-8"), (FOLDER / "world.txt").read_text("utf-8"))
        (folder / "tables.h").write_text(tables, "utf-8")
        for command in (
            "sdasgb -o crt0.rel crt0.s",
            "sdcc -msm83 --no-std-crt0 --opt-code-speed --max-allocs-per-node 3000 --code-loc 0x200 --data-loc 0xC000"
            " -o game.ihx crt0.rel main.c",
            "makebin -Z -yn LAMPLIGHTER -s 32768 game.ihx game.gb",
        ):
            subprocess.run(command.split(), cwd=folder, check=True)
        return (folder / "game.gb").read_bytes(), _symbols((folder / "game.map").read_text("utf-8"))


def _symbols(linked: str) -> str:
    found = sorted(
        (int(address, 16), name)
        for address, name in re.findall(r"^\s+([0-9A-F]{8})\s+_(\w+)", linked, re.MULTILINE)
        if 0xC000 <= int(address, 16) < 0xE000
    )
    return "".join(f"00:{address:04X} {name}\n" for address, name in found)


if __name__ == "__main__":
    cartridge, symbols = build()
    ROM.write_bytes(cartridge)
    SYMBOLS.write_text(symbols, "utf-8")
    print(f"{ROM.name}: {len(cartridge):,} bytes, SHA-256 {hashlib.sha256(cartridge).hexdigest()}")
    print(f"{SYMBOLS.name}: {len(symbols.splitlines())} names")
