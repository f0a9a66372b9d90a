"""Reads ``game.toml``, which describes a Game Boy ROM of the user's. It is data: nothing in it is executed.

Importing this does not import PyBoy or Gymnasium.
"""

from __future__ import annotations

import difflib
import hashlib
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import ConfigDict, Field, ValidationError

from rlviz.domain.errors import EnvironmentFaulty, InvalidRequest, pointer_to, validation_text
from rlviz.domain.expressions import BadExpression, Expression, parse_expression
from rlviz.domain.games import (
    MOST_BUTTONS,
    MOST_CELLS,
    MOST_PLACES,
    Button,
    Component,
    FrameSkip,
    Game,
    GameCell,
    Tap,
    TapType,
)
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_FRAME_SKIP, LIMITS
from rlviz.domain.reward_components import MOST_COMPONENTS, find_component
from rlviz.learning.environments.gameboy.cartridge import (
    Header,
    OwnCartridge,
    check_same,
    read_game_file,
    read_header,
    read_rom,
)
from rlviz.placed_file import PlacedFile, read_placed_file
from rlviz.regular_file import resolve_file

FILE = "game.toml"
ROMS = ("game.gb", "game.gbc")
MOST_PROBLEMS = 5
"""Problems of a file that are reported together."""

MOST_FOUND = 50
"""Problems of a file that are looked for."""

BUTTONS: tuple[str, ...] = get_args(Button)
_OPPOSITE = ({"left", "right"}, {"up", "down"})

_RAM = ((0x8000, 0xDFFF), (0xFE00, 0xFE9F), (0xFF00, 0xFFFF))
"""Addresses that a tap can read: video, cartridge and work RAM; sprites; registers and high RAM
(https://gbdev.io/pandocs/Memory_Map.html)."""


class GameFile(LazyModel):
    """The content of a ``game.toml``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: str = Field(min_length=1, max_length=60)
    summary: str = Field("", max_length=300)
    rom_sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    start_state: str | None = Field(None, min_length=1, max_length=200)
    buttons: tuple[str, ...] = Field(BUTTONS[:6], strict=False)
    observation: Literal["vector", "pixels"] | None = None
    frame_skip: FrameSkip = DEFAULT_FRAME_SKIP
    hold: int = Field(8, ge=1, le=60)
    max_episode_steps: int = Field(2_000, ge=50, le=100_000)
    boot_frames: int = Field(240, ge=1, le=20_000)
    random_frames: int = Field(30, ge=0, le=600)
    reward_threshold: float | None = None
    done: str | None = None
    success: str | None = None
    taps: tuple[Tap, ...] = Field((), strict=False)
    cell: GameCell | None = None
    components: dict[str, str] = Field(default_factory=dict)


def default_values() -> dict[str, Any]:
    """Return the values of the keys that a file leaves out, without those that are empty."""
    defaults = {name: field.default for name, field in GameFile.model_fields.items() if not field.is_required()}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in defaults.items() if _has_content(one)}


def _has_content(default: Any) -> bool:
    return isinstance(default, int) or (isinstance(default, tuple) and bool(default))


class BadGame(Exception):
    """A game cannot be used. The message says where the problem is, and what to do."""


class FoundGame(NamedTuple):
    """A game with what its header says. ``files``: every file that it was read from."""

    game: Game
    header: Header
    files: tuple[str, ...]


def read_game(file: Path) -> FoundGame:
    """Read a ``game.toml`` with the ROM and the start state beside it. Raises BadGame."""
    if not file.exists():
        raise BadGame("The ROM is not described yet. Describe it on the page Play, or write a game.toml beside it.")
    short = Path(file.absolute().parent.name, file.name)  # lists have little room, and the game is named beside it
    try:
        placed = replace(read_placed_file(file, "a game"), path=short)
    except InvalidRequest as error:
        raise BadGame(str(error).replace(str(file), str(short), 1)) from error
    content, problems = check_content(placed)
    if content is None or problems:
        raise _bad(placed, problems)
    folder = file.resolve().parent
    rom, data = read_rom_of(folder)
    if problems := list(check_companions(placed, content, rom, data)):
        raise _bad(placed, problems)
    start = None if content.start_state is None else start_path(content.start_state, folder)
    values = content.model_dump(exclude={"rom_sha256", "start_state", "components", "observation"})
    game = Game(
        rom=str(rom),
        sha256=hashlib.sha256(data).hexdigest(),
        start_state=None if start is None else str(start),
        start_sha256=None if start is None else _sha256_of_start(start),
        components=tuple(Component(name=name, value=value) for name, value in content.components.items()),
        observation=content.observation or ("vector" if content.taps else "pixels"),
        **values,
    )
    files = (str(file.resolve()), str(rom), *([str(start)] if start is not None else []))
    return FoundGame(game, read_header(data), files)


class FileProblem(NamedTuple):
    """A problem of a file.

    Attributes:
        pointer: JSON pointer to the key.
        line: Line of the file, from 1.
        column: Column of the file, from 1.
        message: What is wrong, as a sentence.
        position: The wrong character of an expression, from 0.
        key: The key that the message is about, such as ``taps.address``; empty if the message names it.
        is_name: Whether the key itself is wrong, not its value.
    """

    pointer: str
    line: int
    column: int
    message: str
    position: int | None = None
    key: str = ""
    is_name: bool = False

    @property
    def text(self) -> str:
        """The message with the key that it is about."""
        return f"{self.key}: {self.message}" if self.key else self.message


def check_companions(placed: PlacedFile, content: GameFile, rom: Path, data: bytes) -> Iterator[FileProblem]:
    """Yield the problems of a file with the ROM, whose bytes are ``data``, and with the start state beside it."""
    sha256 = hashlib.sha256(data).hexdigest()
    if content.rom_sha256 is not None and content.rom_sha256 != sha256:
        pointer = "/rom_sha256"
        yield FileProblem(
            pointer,
            *placed.find(pointer),
            f"{rom.name} is another ROM than this file is for: its SHA-256 is {sha256}. The addresses of another "
            "version of a game differ. Put the right ROM there, or check the taps and change rom_sha256.",
        )
    if content.start_state is not None:
        pointer = "/start_state"
        try:
            _sha256_of_start(start_path(content.start_state, rom.parent))
        except BadGame as error:
            yield FileProblem(pointer, *placed.find(pointer), str(error))


def read_rom_of(folder: Path) -> tuple[Path, bytes]:
    """Return the ROM in ``folder``, and its bytes. Raises BadGame."""
    found = [folder / name for name in ROMS if (folder / name).exists()]
    if not found:
        raise BadGame(f"The ROM {folder / ROMS[0]} is missing. Copy the game there (or as {ROMS[1]}).")
    if len(found) > 1:
        raise BadGame(f"{folder} has both {ROMS[0]} and {ROMS[1]}. Remove the one that {FILE} is not for.")
    try:
        return found[0], read_rom(found[0])
    except EnvironmentFaulty as error:
        raise BadGame(str(error)) from error


def start_path(name: str, folder: Path) -> Path:
    """Return the path of a start state. Raises BadGame if it is not in the folder of the game."""
    try:
        path = resolve_file(folder / name)
    except OSError as error:
        raise BadGame(f"The start state {name!r} cannot be used: {error.strerror}. Choose another file.") from error
    if not path.is_relative_to(folder.resolve()):
        raise BadGame(f"The start state {name!r} is outside the folder of the game. Copy it there.")
    return path


def _sha256_of_start(path: Path) -> str:
    """Return the SHA-256 of a start state. Raises BadGame if it cannot be read."""
    try:
        return hashlib.sha256(read_game_file("start state", path)).hexdigest()
    except EnvironmentFaulty as error:
        raise BadGame(str(error)) from error


def check_content(placed: PlacedFile) -> tuple[GameFile | None, list[FileProblem]]:
    """Return the content of a file with its first ``MOST_FOUND`` problems; None if its values have the wrong types."""
    try:
        content = GameFile.model_validate(placed.values)
    except ValidationError as error:
        return None, [_as_problem(placed, item) for item in error.errors()[:MOST_FOUND]]
    return content, list(islice(_problems(placed, content), MOST_FOUND))


def _as_problem(placed: PlacedFile, item: Any) -> FileProblem:
    path = [part for part in item["loc"] if part != "[key]"]
    pointer = pointer_to(*path)
    key = ".".join(str(part) for part in path if isinstance(part, str)) if item["type"] != "extra_forbidden" else ""
    return FileProblem(pointer, *placed.find(pointer), _in_words(path, item), key=key)


def _in_words(path: Sequence[Any], item: Any) -> str:
    if item["type"] == "extra_forbidden":
        known = _fields(path[:-1])
        near = difflib.get_close_matches(str(path[-1]), known, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
        return f"There is no key {str(path[-1])[:40]!r} here. {hint}"
    if item["type"] == "string_pattern_mismatch" and path[-1] == "rom_sha256":
        return "64 digits and letters a to f are needed."
    if item["type"] == "string_pattern_mismatch" and not item["input"]:
        return "Enter a name."
    wanted = _WANTED.get(item["type"])
    return f"{wanted.format(**item.get('ctx', {})) if wanted else validation_text(item)}."


_NAME_IN_WORDS = "at most 40 lowercase letters, digits and _, starting with a letter"
"""What ``LIMITS.game_name`` matches."""

_WANTED = {
    "tuple_type": "A list is needed, in square brackets",
    "model_type": "A table is needed",
    "dict_type": "A table is needed",
    "int_type": "A whole number is needed, without quotes, such as 200 or 0xC000",
    "float_type": "A number is needed, without quotes",
    "string_type": "A text is needed, in quotes",
    "string_pattern_mismatch": f"Use {_NAME_IN_WORDS}",
    "string_too_long": "Use at most {max_length:,} characters",
    "string_too_short": "Enter a text",
    "less_than_equal": "Use at most {le:,}",
    "greater_than_equal": "Use at least {ge:,}",
}
"""What is needed instead of a value of the wrong type or size."""


def _fields(path: Sequence[Any]) -> list[str]:
    models: dict[str, type[LazyModel]] = {"taps": Tap, "cell": GameCell}
    return list(models.get(str(path[0]) if path else "", GameFile).model_fields)


def _bad(placed: PlacedFile, problems: Sequence[FileProblem]) -> BadGame:
    said = [f"{placed.name_place((one.line, one.column))}: {one.text}" for one in problems[:MOST_PROBLEMS]]
    more = len(problems) - MOST_PROBLEMS
    least = "at least " if len(problems) >= MOST_FOUND else ""
    return BadGame(" ".join([*said, *([f"There are {least}{more} more problems."] if more > 0 else [])]))


Problem = tuple[str, str]
"""Pointer to a key, and what is wrong with its value."""


def _problems(placed: PlacedFile, content: GameFile) -> Iterator[FileProblem]:
    """Yield what is wrong with a file whose values have the right types. Nothing else is looked for if there is too
    much of something: that would take long."""
    too_many = [FileProblem(pointer, *placed.find(pointer), problem) for pointer, problem in _too_many(content)]
    if too_many:
        yield from too_many
        return
    for pointer, problem in (
        *_problems_of_buttons(content.buttons),
        *_problems_of_taps(content.taps),
        *_problems_of_cell(content.cell),
    ):
        yield FileProblem(pointer, *placed.find(pointer), problem)
    for pointer, problem in _problems_of_components(content.components):
        yield FileProblem(pointer, *placed.find(pointer), problem, is_name=True)
    if content.observation == "vector" and not content.taps:
        pointer = "/observation"
        yield FileProblem(pointer, *placed.find(pointer), "A vector needs [[taps]]. Add some, or choose pixels.")
    names = [tap.name for tap in content.taps]
    for pointer, text in _expressions(content):
        try:
            parse_expression(text, names)
        except BadExpression as error:
            place = placed.find_in(pointer, text, error.position)
            yield FileProblem(pointer, *place, str(error), error.position)


def _expressions(content: GameFile) -> Iterator[Problem]:
    """Yield the pointer and the text of each expression."""
    if content.done is not None:
        yield "/done", content.done
    if content.success is not None:
        yield "/success", content.success
    if content.cell is not None:
        yield "/cell/x", content.cell.x
        yield "/cell/y", content.cell.y
        if content.cell.stage is not None:
            yield "/cell/stage", content.cell.stage
    for name, text in content.components.items():
        yield pointer_to("components", name), text


def _too_many(content: GameFile) -> Iterator[Problem]:
    if (count := len(content.buttons)) > MOST_BUTTONS:
        yield "/buttons", f"There are {count:,} buttons; 1 to {MOST_BUTTONS} are allowed."
    most = LIMITS.game_taps.maximum
    if (count := len(content.taps)) > most:
        yield pointer_to("taps", most), f"There are {count:,} taps; at most {most} are allowed."
    if (count := len(content.components)) > MOST_COMPONENTS:
        yield "/components", f"There are {count:,} components; at most {MOST_COMPONENTS} are allowed."


def _problems_of_buttons(buttons: Sequence[str]) -> Iterator[Problem]:
    at = "/buttons"
    if not buttons:
        yield at, f"There are no buttons; 1 to {MOST_BUTTONS} are allowed."
    for number, text in enumerate(buttons):
        held = split_buttons(text)
        for one in held:
            if one not in BUTTONS:
                near = difflib.get_close_matches(one, BUTTONS, 1)
                known = f"Known: {', '.join(BUTTONS)}, and several held together as right+a."
                yield at, f"There is no button {one[:40]!r}. {f'Did you mean {near[0]}?' if near else known}"
        if len(set(held)) < len(held) or any(pair <= set(held) for pair in _OPPOSITE):
            yield at, f"{text[:40]!r} cannot be held together. Use different buttons, and one direction of an axis."
        if set(held) in [set(split_buttons(other)) for other in buttons[:number]]:
            yield at, f"{text[:40]!r} is there twice. Remove one."


def split_buttons(text: str) -> tuple[str, ...]:
    """Return the buttons that an action holds: ``right+a`` holds two."""
    return tuple(part.strip().lower() for part in text.split("+"))


def _problems_of_taps(taps: Sequence[Tap]) -> Iterator[Problem]:
    names = Counter(tap.name for tap in taps)
    for number, tap in enumerate(taps):
        at = pointer_to("taps", number)
        if keyword.iskeyword(tap.name):
            yield f"{at}/name", f"A tap cannot be called {tap.name!r}, because expressions use that word."
        if names[tap.name] > 1:
            yield f"{at}/name", f"There are {names[tap.name]} taps called {tap.name!r}. Give each its own name."
        if not is_readable(tap):
            last = tap.address + tap.length - 1
            yield f"{at}/address", f"{_why_no_address(tap.address, last)} Use {_ranges()}."
        if tap.bytes is not None and tap.type is not TapType.BCD:
            yield f"{at}/bytes", 'Only a tap of type "bcd" has bytes.'
        if tap.bit is not None and tap.type is not TapType.BIT:
            yield f"{at}/bit", 'Only a tap of type "bit" has a bit.'
        low, high = tap.scale
        if low >= high:
            key = "low" if tap.high is None else "high"
            yield f"{at}/{key}", f"low is {low:g} and high is {high:g}; high must be above low."


def is_readable(tap: Tap) -> bool:
    """Return whether all bytes of a tap are in memory that taps may read."""
    last = tap.address + tap.length - 1
    return any(start <= tap.address and last <= end for start, end in _RAM)


def _why_no_address(first: int, last: int) -> str:
    if not 0 <= first <= 0xFFFF:
        return f"The address {first:#x} is outside the memory of a Game Boy, 0x0000 to 0xFFFF."
    if first < 0x8000:
        return f"The address 0x{first:04X} is in the ROM, which never changes."
    if 0xE000 <= first <= 0xFDFF:
        return f"The address 0x{first:04X} mirrors 0x{first - 0x2000:04X}."
    return f"The bytes 0x{first:04X} to 0x{last:04X} are not all in RAM."


def _ranges() -> str:
    return ", ".join(f"0x{start:04X} to 0x{end:04X}" for start, end in _RAM)


def _problems_of_cell(cell: GameCell | None) -> Iterator[Problem]:
    if cell is None:
        return
    size = f"{cell.columns} × {cell.rows}"
    if cell.cells > MOST_CELLS:
        yield "/cell/columns", f"{size} are more than {MOST_CELLS:,} cells. Use larger ones."
    elif cell.places > MOST_PLACES:
        yield "/cell/stages", f"{size} cells in {cell.stages:,} stages are more than {MOST_PLACES:,}. Use fewer stages."
    if cell.stage is not None and cell.stages is None:
        yield "/cell/stages", "A stage also needs the number of stages. Add it, such as stages = 3."
    if cell.stages is not None and cell.stage is None:
        yield "/cell/stage", "The number of stages also needs the current stage. Add an expression, or remove stages."
    for name, cells, rooms in (("across", cell.columns, cell.rooms_across), ("down", cell.rows, cell.rooms_down)):
        if cells % rooms:
            yield f"/cell/rooms_{name}", f"{cells} cells cannot be divided into {rooms} rooms of equal size."
    needed = cell.rooms_across * cell.rooms_down
    if cell.rooms and len(cell.rooms) != needed:
        yield "/cell/rooms", f"There are {len(cell.rooms)} names for {needed} rooms. Give all of them, or none."


def _problems_of_components(components: Mapping[str, str]) -> Iterator[Problem]:
    for name in components:
        at = pointer_to("components", name)
        if not name:
            yield at, "A component has no name."
        elif not re.fullmatch(LIMITS.game_name, name):
            yield at, f"The component {name[:40]!r} needs a name of {_NAME_IN_WORDS}."
        elif not find_component(name).of_environment:
            yield at, f"Training adds a component called {name!r} itself. Choose another name."


def check_files(game: Game) -> tuple[bytes, bytes | None]:
    """Return the bytes of the ROM and of the start state of a game, if it has one.

    Raises EnvironmentFaulty if a file is missing, or is not the one that the game was described with.
    """
    rom = OwnCartridge(Path(game.rom), game.sha256).read()
    if game.start_state is None or game.start_sha256 is None:
        return rom, None
    path = Path(game.start_state)
    start = read_game_file("start state", path)
    check_same("start state", path, start, game.start_sha256)
    return rom, start


def expression(text: str, game: Game) -> Expression:
    """Return an expression of ``game``. Raises EnvironmentFaulty if its configuration was changed by hand."""
    try:
        return parse_expression(text, game.tap_names)
    except BadExpression as error:
        raise EnvironmentFaulty(f"The expression {text!r} of {game.name} cannot be used: {error}") from error
