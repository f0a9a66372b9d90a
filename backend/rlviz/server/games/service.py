"""Use cases on the user's games: list, read, check and write the files that describe them.

A game is named by its folder in the folder of ROMs. No path comes from a client: a name is compared with those of the
folders that are there.
"""

from __future__ import annotations

import hashlib
import math
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from rlviz.domain.errors import (
    FieldError,
    GameFileChanged,
    GameFileNotWritten,
    GameNotFound,
    InvalidRequest,
    pointer_to,
)
from rlviz.domain.games import GameCell, Tap
from rlviz.learning.environments.gameboy.family import FAMILY
from rlviz.learning.environments.gameboy.game_file import (
    FILE,
    ROMS,
    BadGame,
    FileProblem,
    check_companions,
    check_content,
    read_rom_of,
)
from rlviz.learning.environments.gameboy.game_text import as_toml, comments_of
from rlviz.learning.sessions.folder import DescribedRom
from rlviz.placed_file import MAX_BYTES, PlacedFile, parse_toml
from rlviz.regular_file import read_regular, replace_regular, resolve_file
from rlviz.server.runs.environments import EnvironmentService
from rlviz.settings import Settings

KEPT = tuple(f"{FILE}.old" if number == 1 else f"{FILE}.old-{number}" for number in range(1, 101))
"""Names of the versions that were replaced although something of them was lost."""

MOST_DEPTH = 20
"""Tables and lists within each other in a file, or in the content that a client sends."""

MOST_VALUES = 20_000
"""Values in the content that a client sends; a file with the most names of rooms has fewer."""


class GameEntry(NamedTuple):
    """A game in the folder of ROMs."""

    name: str
    env_id: str
    folder: Path

    @property
    def has_rom(self) -> bool:
        return any(_is_there(self.folder / name) for name in ROMS)

    @property
    def is_described(self) -> bool:
        return _is_there(self.folder / FILE)


def _is_there(path: Path) -> bool:
    """Whether there is something at ``path``; False in a folder that this user may not enter."""
    try:
        return path.exists()
    except PermissionError:
        return False


@dataclass(frozen=True)
class StoredFile:
    """A ``game.toml`` as it is.

    Args:
        digest: Identifies the version: its SHA-256, if it can be read; None: there is no file.
        unreadable: Why it cannot be read.
        loss: What replacing it loses.
        problems: Why the app refuses its content.
        blocked: Why it cannot be replaced, and what to do.
    """

    content: dict[str, Any] | None = None
    digest: str | None = None
    unreadable: str | None = None
    loss: str | None = None
    problems: Sequence[FileProblem] = ()
    blocked: str | None = None


class Checked(NamedTuple):
    """The text that would be written, and what is wrong with it."""

    toml: str
    problems: list[FileProblem]


class GameService:
    """Thread-safe."""

    def __init__(self, settings: Settings, environments: EnvironmentService) -> None:
        self._roms, self._environments = settings.roms, environments
        self._writing = Lock()

    @property
    def folder(self) -> Path | None:
        """The folder of ROMs."""
        return self._roms

    def problem(self) -> str | None:
        """Return why no game can be described, and what to do, or None."""
        if self._roms is None:
            return (
                "There is no folder of ROMs. Make one with a folder for each game, put the ROM there as "
                f"{ROMS[0]}, and start the app with RLVIZ_ROMS set to the path of the folder of ROMs."
            )
        if (unreadable := self._environments.problem_with_roms()) is not None:
            return f"{unreadable} Create it, or set RLVIZ_ROMS to another folder and restart."
        if FAMILY.missing():
            return f"PyBoy, which plays Game Boy games, is not installed: {FAMILY.install}. Then restart the app."
        if not self._environments.games():
            return " ".join(
                [
                    f"{self._roms} has no game yet. Make a folder in it, and copy the ROM there as {ROMS[0]}.",
                    *self.left_out(),
                ]
            )
        return None

    def left_out(self) -> Sequence[str]:
        """Return a sentence for each game in the folder of ROMs that is not listed: why, and what to do."""
        return [
            f"The folder {name} is left out, because its name is not UTF-8 text. Rename it."
            for name in self._environments.unnamable_games()
        ]

    def list(self) -> list[GameEntry]:
        """Return the games in the folder of ROMs, by name."""
        if self._roms is None:
            return []
        return [GameEntry(name, env_id, self._roms / name) for name, env_id in self._environments.games().items()]

    def find(self, name: str) -> GameEntry:
        """Return a game. Raises GameNotFound."""
        found = next((game for game in self.list() if game.name == name), None)
        if found is None:
            raise GameNotFound(name)
        return found

    def rom(self, game: GameEntry) -> DescribedRom:
        """Return the ROM of a game, and the start state that its file names. Raises BadGame."""
        path, content = read_rom_of(game.folder.resolve())
        stored = self.read(game).content or {}
        start = stored.get("start_state")
        sha256 = hashlib.sha256(content).hexdigest()
        return DescribedRom(path=path, sha256=sha256, start_state=start if isinstance(start, str) else None)

    def read(self, game: GameEntry) -> StoredFile:
        """Return the ``game.toml`` of a game."""
        path = game.folder / FILE
        try:
            if resolve_file(path).parent != game.folder.resolve():
                why = f"{FILE} is a link to a file outside the folder of the game."
                return StoredFile(unreadable=why, digest="", blocked=f"{why} Replace the link by a copy of that file.")
            found = read_regular(path, MAX_BYTES)
        except FileNotFoundError:
            return StoredFile()
        except OSError as error:
            return _not_read(path, f"{FILE} cannot be read: {error.strerror}.")
        return self._parsed(game, found)

    def _parsed(self, game: GameEntry, found: bytes) -> StoredFile:
        digest = hashlib.sha256(found).hexdigest()
        try:
            placed = _placed(found)
        except InvalidRequest as error:
            loss = f"{FILE} cannot be read and will be replaced. {_stays(game.folder)}"
            return StoredFile(digest=digest, unreadable=str(error), loss=loss)
        checked, problems = check_content(placed)
        if checked is not None:
            with suppress(BadGame):  # there is no ROM to check it with
                problems += check_companions(placed, checked, *read_rom_of(game.folder.resolve()))
        lost = _lost(placed)
        return StoredFile(
            _plain(placed.values),
            digest,
            loss=f"{lost} {_stays(game.folder)}" if lost else None,
            problems=problems,
        )

    def check(self, game: GameEntry, content: Mapping[str, Any]) -> Checked:
        """Return the text of a ``game.toml`` with this content, and its problems."""
        if _depth(content) > MOST_DEPTH:
            raise InvalidRequest.field("/content", f"More than {MOST_DEPTH} tables or lists are within each other.")
        if _has_more_values(content, MOST_VALUES):
            raise InvalidRequest.field("/content", f"There are more than {MOST_VALUES:,} values. Remove some.")
        toml = as_toml(content)
        try:
            placed = parse_toml(Path(game.name, FILE), toml)
        except InvalidRequest as error:
            return Checked(toml, [FileProblem("", 1, 1, str(error))])
        if len(toml.encode()) > MAX_BYTES:
            return Checked(toml, [FileProblem("", 1, 1, f"{FILE} would have more than {MAX_BYTES:,} bytes.")])
        checked, problems = check_content(placed)
        if checked is not None:
            try:
                problems += check_companions(placed, checked, *read_rom_of(game.folder.resolve()))
            except BadGame as error:
                problems.append(FileProblem("", 1, 1, str(error)))
        return Checked(toml, problems)

    def write(self, game: GameEntry, content: Mapping[str, Any], digest: str | None, *, accept_loss: bool) -> None:
        """Replace the ``game.toml`` of a game.

        Args:
            digest: That of the version that was edited.
            accept_loss: Whether to write although something is lost. The version before is then kept beside it.

        Raises:
            InvalidRequest: The content has problems.
            GameFileChanged: The file is another one than the one that was edited, or something would be lost.
            GameFileNotWritten: The file is none that can be replaced, or the folder cannot be written to.
        """
        checked = self.check(game, content)
        if checked.problems:
            raise InvalidRequest(
                " ".join(f"{FILE}:{one.line}:{one.column}: {one.text}" for one in checked.problems[:5]),
                [FieldError(pointer_to("content") + one.pointer, one.text, one.position) for one in checked.problems],
            )
        path = game.folder / FILE
        with self._writing:
            stored = self.read(game)
            if stored.blocked is not None:
                raise GameFileNotWritten(stored.blocked)
            if stored.digest != digest:
                raise GameFileChanged(
                    f"{FILE} was changed since it was opened here. Open it again, or keep your version elsewhere first."
                )
            if stored.loss is not None and not accept_loss:
                raise GameFileChanged(stored.loss)
            keep = [game.folder / name for name in KEPT] if stored.loss is not None else []
            try:
                replace_regular(path, checked.toml.encode(), keep=keep)
            except FileExistsError as error:
                raise GameFileNotWritten(
                    f"{game.folder} has {len(KEPT)} older versions of {FILE}. Remove some, then save again."
                ) from error
            except OSError as error:
                raise GameFileNotWritten(
                    f"{path} cannot be written: {error.strerror}. Make sure that this user can write to the folder, "
                    "then save again."
                ) from error


def _placed(content: bytes) -> PlacedFile:
    """Parse the content of a ``game.toml``. Raises InvalidRequest with line and column of the error."""
    try:
        placed = parse_toml(Path(FILE), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidRequest(f"{FILE}:{line}:1: This is not UTF-8 text.") from error
    if _depth(placed.values) > MOST_DEPTH:
        raise InvalidRequest(f"{FILE}:1:1: More than {MOST_DEPTH} tables or lists are within each other.")
    return placed


def _not_read(path: Path, why: str) -> StoredFile:
    """Return a file that is there, but cannot be read. It is identified by its place on the disk and its times."""
    try:
        found = path.stat()
    except OSError:
        return StoredFile(unreadable=why, digest="", blocked=f"{why} Remove or rename it, then save again.")
    if not stat.S_ISREG(found.st_mode):
        return StoredFile(unreadable=why, digest="", blocked=f"{why} Remove or rename it, then save again.")
    version = f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns}"
    digest = hashlib.sha256(version.encode()).hexdigest()
    return StoredFile(unreadable=why, digest=digest, loss=f"{why} It will be replaced. {_stays(path.parent)}")


def _stays(folder: Path) -> str:
    """Say where the version before will be."""
    free = next((name for name in KEPT if not os.path.lexists(folder / name)), KEPT[-1])
    return f"The file before stays beside it as {free}."


def _lost(placed: PlacedFile) -> str:
    """Say what of a file the form does not keep; nothing: an empty text."""
    lost = []
    comments = comments_of(placed.text)
    if comments:
        count = "one" if len(comments) == 1 else str(len(comments))
        lost.append(f"The form does not keep comments, and {FILE} has {count}.")
    if keys := list(dict.fromkeys(_lost_keys(placed.values))):
        more = [f"{len(keys) - MOST_NAMED} more"] if len(keys) > MOST_NAMED else []
        lost.append(f"The form does not keep these parts of {FILE}: {', '.join([*keys[:MOST_NAMED], *more])}.")
    return " ".join(lost)


MOST_NAMED = 5
"""Lost keys that are named."""


def _lost_keys(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys for which the form has no field."""
    taps, cell = values.get("taps", []), values.get("cell", {})
    for tap in taps if isinstance(taps, list) else [taps]:
        if isinstance(tap, Mapping):
            yield from (f"taps.{name[:40]}" for name in tap if name not in Tap.model_fields)
        else:
            yield "taps"
    if isinstance(cell, Mapping):
        yield from (f"cell.{name[:40]}" for name in cell if name not in GameCell.model_fields)
    else:
        yield "cell"
    if not isinstance(values.get("components", {}), Mapping):
        yield "components"


def _plain(value: Any) -> Any:
    """Return a value of TOML as JSON: dates, and numbers that are not finite or too large, become text."""
    match value:
        case Mapping():
            return {name: _plain(one) for name, one in value.items()}
        case list():
            return [_plain(one) for one in value]
        case bool() | str():
            return value
        case int():
            return value if abs(value) < 1 << 63 else hex(value)
        case float() if math.isfinite(value):
            return value
    return str(value)


def _has_more_values(content: Any, most: int) -> bool:
    """Return whether there are more than ``most`` values, also in tables and lists. Does not recurse."""
    count, waiting = 0, [content]
    while waiting and count <= most:
        one = waiting.pop()
        parts = one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ()
        count += len(parts)
        waiting += parts
    return count > most


def _depth(value: Any) -> int:
    """Return how many tables and lists are within each other. Does not recurse."""
    depth, level = 0, [value]
    while level := [
        part
        for one in level
        for part in (one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ())
    ]:
        depth += 1
        if depth > MOST_DEPTH:
            break
    return depth
