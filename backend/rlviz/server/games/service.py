"""Use cases on the user's games: list, read, check and write the files that describe them.

A game is named by its folder in the folder of ROMs. No path comes from a client: a name is compared with those of the
folders that are there.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
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
from rlviz.placed_file import MAX_BYTES, parse_toml
from rlviz.regular_file import read_regular, replace_regular
from rlviz.server.runs.environments import EnvironmentService
from rlviz.settings import Settings

KEPT = f"{FILE}.old"
"""Name of the version that was replaced although something of it was lost."""

MOST_DEPTH = 20
"""Tables and lists within each other in the content that a client sends."""


class GameEntry(NamedTuple):
    """A game in the folder of ROMs."""

    name: str
    env_id: str
    folder: Path

    @property
    def has_rom(self) -> bool:
        return any((self.folder / name).exists() for name in ROMS)

    @property
    def is_described(self) -> bool:
        return (self.folder / FILE).exists()


@dataclass(frozen=True)
class StoredFile:
    """A ``game.toml`` as it is. ``digest``: its SHA-256; None: there is none. ``loss``: what replacing it loses."""

    content: dict[str, Any] | None = None
    digest: str | None = None
    unreadable: str | None = None
    loss: str | None = None


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
            return f"{self._roms} has no game yet. Make a folder in it, and copy the ROM there as {ROMS[0]}."
        return None

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
        is_beside = isinstance(start, str) and (path.parent / start).parent == path.parent
        sha256 = hashlib.sha256(content).hexdigest()
        return DescribedRom(path=path, sha256=sha256, start_state=start if is_beside else None)

    def read(self, game: GameEntry) -> StoredFile:
        """Return the ``game.toml`` of a game."""
        try:
            found = read_regular(game.folder / FILE, MAX_BYTES)
        except FileNotFoundError:
            return StoredFile()
        except OSError as error:
            why = f"{FILE} cannot be read: {error.strerror}."
            return StoredFile(unreadable=why, digest="", loss=f"{why} It will be replaced.")
        return _stored(found)

    def check(self, game: GameEntry, content: Mapping[str, Any]) -> Checked:
        """Return the text of a ``game.toml`` with this content, and its problems."""
        if _depth(content) > MOST_DEPTH:
            raise InvalidRequest.field("/content", f"More than {MOST_DEPTH} tables or lists are within each other.")
        toml = as_toml(content)
        try:
            placed = parse_toml(Path(game.name, FILE), toml)
        except InvalidRequest as error:
            return Checked(toml, [FileProblem("", 1, 1, str(error))])
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
            accept_loss: Whether to write although comments are lost. The version before is then kept beside it.

        Raises:
            InvalidRequest: The content has problems.
            GameFileChanged: The file is another one than the one that was edited, or something would be lost.
            GameFileNotWritten: The folder cannot be written to.
        """
        checked = self.check(game, content)
        if checked.problems:
            raise InvalidRequest(
                " ".join(f"{FILE}:{one.line}:{one.column}: {one.message}" for one in checked.problems[:5]),
                [
                    FieldError(pointer_to("content") + one.pointer, one.message, one.position)
                    for one in checked.problems
                ],
            )
        path = game.folder / FILE
        with self._writing:
            stored = self.read(game)
            if stored.digest != digest:
                raise GameFileChanged(
                    f"{FILE} was changed since it was opened here. Open it again, or keep your version elsewhere first."
                )
            if stored.loss is not None and not accept_loss:
                raise GameFileChanged(stored.loss)
            try:
                if stored.loss is not None and stored.digest:
                    replace_regular(game.folder / KEPT, read_regular(path, MAX_BYTES))
                replace_regular(path, checked.toml.encode())
            except OSError as error:
                raise GameFileNotWritten(
                    f"{path} cannot be written: {error.strerror}. Make sure that this user can write to the folder, "
                    "then save again."
                ) from error


def _stored(found: bytes) -> StoredFile:
    digest = hashlib.sha256(found).hexdigest()
    try:
        text = found.decode("utf-8-sig")
        values = parse_toml(Path(FILE), text).values
    except UnicodeDecodeError as error:
        line = found[: error.start].count(b"\n") + 1
        why = f"{FILE}:{line}:1: This is not UTF-8 text."
    except InvalidRequest as error:
        why = str(error)
    else:
        comments = comments_of(text)
        count = "one" if len(comments) == 1 else str(len(comments))
        kept = f"The form does not keep comments, and {FILE} has {count}. The file before stays beside it as {KEPT}."
        return StoredFile(_plain(values), digest, loss=kept if comments else None)
    loss = f"{FILE} cannot be read and will be replaced. The file before will stay beside it as {KEPT}."
    return StoredFile(digest=digest, unreadable=why, loss=loss)


def _plain(value: Any) -> Any:
    """Return a value of TOML as JSON: dates and numbers that are not finite become text."""
    match value:
        case Mapping():
            return {name: _plain(one) for name, one in value.items()}
        case list():
            return [_plain(one) for one in value]
        case bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
    return str(value)


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
